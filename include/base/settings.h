/*
 * The settings of the program, from tables/settings.def: the environment, and a .env file
 * for what the environment does not say.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "buffer.h"
#include "private_text.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

/* What is not wrong, but perhaps not meant. */
enum settings_remark_kind {
#define REMARK(symbol, word, words) REMARK_##symbol,
#include "remarks.def"
    REMARK_COUNT
};

#define SETTINGS_REMARKS_MOST 32

struct settings_remark {
    enum settings_remark_kind kind;
    char name[64];       /* of the variable, where it is about one */
    const char *instead; /* static: the setting that may be meant, or what to do */
};

struct settings {
#define SECTION(heading)
#define INT(field, env, standard, min, max, doc)     int64_t field;
#define DECIMAL(field, env, standard, min, max, doc) double field;
#define TEXT(field, env, standard, doc)              char *field; /* owned */
#define FLAG(field, env, standard, doc)              bool field;
#define CHOICE(field, env, standard, choices, doc)   int field;
#define SECRET(field, env, doc)                      struct private_text field;
#include "settings.def"
    struct settings_remark remarks[SETTINGS_REMARKS_MOST];
    size_t remark_count;
    bool is_store_bad,
        is_address_bad; /* what they say is no good: the defaults stand for it */
};

enum stt_provider {
    STT_PROVIDER_AUTO,
    STT_PROVIDER_DEEPGRAM,
    STT_PROVIDER_GROQ,
    STT_PROVIDER_OPENAI,
    STT_PROVIDER_NONE
};
enum tts_provider {
    TTS_PROVIDER_AUTO,
    TTS_PROVIDER_DEEPGRAM,
    TTS_PROVIDER_GROQ,
    TTS_PROVIDER_OPENAI,
    TTS_PROVIDER_ESPEAK,
    TTS_PROVIDER_NONE
};
enum llm_provider {
    LLM_PROVIDER_AUTO,
    LLM_PROVIDER_GROQ,
    LLM_PROVIDER_ANTHROPIC,
    LLM_PROVIDER_BUILTIN
};
enum retriever_kind { RETRIEVER_SQLITE, RETRIEVER_QDRANT };

/* Reads all settings.  `environment` is like environ(7); `env_file` is the path of a .env
 * file, or NULL.  Every problem is appended to `problems`, a line each, with name, value
 * (never a secret's) and what is allowed; false where there is one.  settings_free()
 * either way. */
bool settings_load(struct settings *settings, char *const *environment,
                   const char *env_file, struct buffer *problems);

/* The same from the environment and ./.env.  settings_free() either way. */
bool settings_read(struct settings *settings, struct buffer *problems);
#define SETTINGS_PROBLEMS_BYTES 65536

/* The same, and says on standard error what is wrong.
 * settings_free() either way. */
bool settings_open(struct settings *settings);

/* So many entries may LLM_FALLBACKS and STT_FALLBACKS have. */
#define SETTINGS_FALLBACKS_MOST 8

/* NULL and half-loaded settings are fine. */
void settings_free(struct settings *settings);

/* Everything but APP_ENV=development is production. */
bool settings_is_production(const struct settings *settings);

/* The word of a remark for the log, and the line that doctor says. */
const char *settings_remark_word(const struct settings_remark *remark);
void settings_write_remark(const struct settings_remark *remark, struct buffer *out);

/* The next entry of a list with commas or spaces between, borrowed from it; `*rest` moves
 * on. false: no more. */
bool settings_next_entry(const char **rest, struct span *ret_entry);

/* The text of `poise --env-example`, and the part of --help that lists the settings. */
void settings_write_example(struct buffer *out);
void settings_write_help(struct buffer *out);

#endif
