/*
 * Who is asked, and who when the first fails: the coaches of LLM_PROVIDER and LLM_FALLBACKS, the
 * transcribers of STT_PROVIDER and STT_FALLBACKS, in their order; of one loop.
 *
 *   LLM_FALLBACKS  "builtin", "anthropic", "model" (at GROQ_BASE_URL, with its key) or
 *                  "model@https://server/v1" (with LLM_FALLBACK_API_KEY)
 *   STT_FALLBACKS  "deepgram", "groq", "openai": each with its own settings
 */
#ifndef FALLBACKS_H
#define FALLBACKS_H

#include "coach.h"
#include "transcriber.h"

#define FALLBACKS_MOST SETTINGS_FALLBACKS_MOST

struct coaches {
    struct coach *all[FALLBACKS_MOST + 1]; /* owned; the first is the configured one */
    size_t count;
};

struct transcribers {
    struct transcriber *all[FALLBACKS_MOST + 1]; /* owned */
    size_t count;                                /* 0: recordings cannot be heard */
};

/* Makes a built-in coach, which is a room of its own (coach_builtin.h). */
typedef struct coach *new_builtin_fn(struct loop *loop);

/* The settings have been checked (settings.h). */
void coaches_init(struct coaches *coaches, const struct provider_tools *tools,
                  new_builtin_fn *new_builtin);
void coaches_done(struct coaches *coaches); /* zeroed is fine */

void transcribers_init(struct transcribers *transcribers,
                       const struct provider_tools *tools);
void transcribers_done(struct transcribers *transcribers); /* zeroed is fine */

/* Is it worth asking another one?  Not for what was refused or heard well: a policy is
 * not to be got round, and silence is silence everywhere. */
bool fallback_helps(enum error error);

#endif
