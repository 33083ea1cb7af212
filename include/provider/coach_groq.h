/*
 * A coach that asks an OpenAI-compatible chat completions API, by default Groq's
 * (https://console.groq.com/docs/api-reference).
 *
 * What depends on the model, by Groq's documentation:
 *   - strict structured output, a schema that the answer must match, is there for
 * gpt-oss-20b and gpt-oss-120b (/docs/structured-outputs); others are asked for some JSON
 * object.  Where a server answers 400 to the schema it is asked once more without, and
 * from then on without at once.
 *   - Structured outputs are not streamed, by that documentation, and JSON mode was not
 * always.  A streamed answer is asked for with the same formats, one weaker after each 400,
 * in the end with none: the prompt says the form.  Whole answers keep theirs.
 *   - reasoning_effort and include_reasoning are for gpt-oss alone: others answer 400 to
 * them
 *     (/docs/reasoning).  Reasoning counts into max_completion_tokens.
 */
#ifndef COACH_GROQ_H
#define COACH_GROQ_H

#include "call.h"
#include "coach.h"
#include "log.h"
#include "metrics.h"
#include "settings.h"

/* Everything is borrowed and must outlive the coach.  `key_setting` is what the setting of
 * groq_api_key is called, for the log; static. */
struct coach *coach_groq_new(const struct settings *settings, const char *key_setting,
                             struct call_pool *pool, struct log *log,
                             struct metrics *metrics);

struct coach_groq_probe;

/* OK: the server knows the key and the model; else one of the llm errors. */
typedef void probe_done_fn(void *context, enum error error);

/* Asks the server about the configured model (GET /models/{model}): for `poise doctor`.
 * Everything is borrowed until the end; `done` once, from the loop, never after the
 * cancellation. */
struct coach_groq_probe *coach_groq_probe_start(const struct settings *settings,
                                                struct call_pool *pool,
                                                probe_done_fn *done, void *context);

/* NULL is fine. */
void coach_groq_probe_cancel(struct coach_groq_probe *probe);

#endif
