/*
 * What the files of this coach share: coach_groq.c (the life of an ask),
 * coach_groq_request.c (what is sent), coach_groq_reply.c (what a whole reply means),
 * coach_groq_stream.c and coach_groq_chunk.c (a streamed one) and coach_groq_probe.c
 * (doctor's question).
 */
#ifndef COACH_GROQ_INTERNAL_H
#define COACH_GROQ_INTERNAL_H

#include "call.h"
#include "coach.h"
#include "json.h"
#include "settings.h"

#include <stdbool.h>
#include <stddef.h>

#define GROQ_REPLY_MAX_BYTES (1024 * 1024)

/* A chunk of a stream is a hundred times as long as the text in it. */
#define GROQ_STREAM_MAX_BYTES (64 * GROQ_REPLY_MAX_BYTES)

/* How the answer's form is asked for: response_format of the request, from the weakest to
 * the strongest.  GROQ_TEXT, none, leaves it to the prompt. */
enum groq_format { GROQ_TEXT, GROQ_JSON_OBJECT, GROQ_JSON_SCHEMA };

/* The tokens that a call used up, as the server counts them; -1: it does not say. */
struct groq_usage {
    int64_t input, output;
};

/* What was read of a server's reply. */
struct groq_verdict {
    enum error error;
    const char *provider_code;  /* static: error.code, where it is one that we know */
    bool may_be_the_schema;     /* 400 for no reason that we know: refused for good */
    bool has_lost_its_form;     /* 400 as the model did not keep to the form, this once */
    struct coach_answer answer; /* with OK; owned by whom it is given to */
    struct groq_usage usage;
};

/* The strongest format that the model is documented to take. */
enum groq_format groq_format_of(const char *model);

/* The request's JSON; it asks for a stream where the ask has an on_text.  The format comes
 * last, from *ret_format_offset on. */
struct private_text groq_request_write(const struct settings *settings,
                                       const struct coach_ask *ask,
                                       enum groq_format format,
                                       size_t *ret_format_offset);

/* The same request with a weaker format, no schema.  Takes it over. */
struct private_text groq_request_weaken(struct private_text request, size_t format_offset,
                                        enum groq_format format);

/* Reads what a call came to. */
struct groq_verdict groq_reply_read(const struct call_answer *answer);

/* What an error in the middle of a stream means, which has no status to go by; its code,
 * static, where it is one that we know. */
enum error groq_error_in_stream(struct json_object *error, const char **ret_code);

/* Of a whole reply, or of the chunk of a stream that has it: where OpenAI's servers put it
 * when they are asked to, and Groq without being asked, in x_groq. */
struct groq_usage groq_usage_read(struct json_object *root);

/* A refusal that a model gave beside its answer, as the answer that our prompts ask for. */
struct private_text groq_refusal_write(struct span refusal);

/* Appends the text of an ordinary chunk of a stream.  false: it is not quite ordinary, or
 * there is no room, and nothing was appended. */
bool groq_chunk_append(struct span chunk, struct buffer *out);

#endif
