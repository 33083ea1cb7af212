/*
 * A coach that is asked over HTTP: everything but what one vendor's request and reply look
 * like.  A reply is read by one scan (json_scan.h), whole or event by event: the vendor names the
 * places that mean something, and says what.
 */
#ifndef COACH_HTTP_INTERNAL_H
#define COACH_HTTP_INTERNAL_H

#include "coach.h"
#include "json.h"
#include "json_scan.h"
#include "provider_http_internal.h"

/* How the form of the model's text is asked for, from the weakest on: not at all, as some JSON
 * object, by schema.  A server that does not take one is asked again with the next weaker. */
enum coach_form { COACH_FORM_NONE, COACH_FORM_OBJECT, COACH_FORM_SCHEMA };

/* What has been read of a reply so far. */
struct coach_reading {
    const struct coach_wire *wire; /* borrowed */
    struct buffer text;            /* owned: the model's text */
    struct buffer refusal;         /* owned: what it says instead, beside it */
    bool has_text;                 /* some text came, if an empty one */
    bool has_ended;                /* the model came to an end */
    bool was_over;                 /* before the event that is being read */
    bool is_cut_off;               /* by its limit of tokens */
    bool is_policy; /* the error's message speaks of the provider's usage policy */
    bool has_lost_its_form; /* the server says that the model did not keep to the form */
    enum error error;       /* what the reply says of itself, or OK */
    enum error code_error;  /* what its code means, or OK */
    const char *code;       /* static: the code, where it is one that the wire knows */
    int64_t input_tokens, output_tokens; /* -1: it does not say */
};

/* A code of the vendor's that says more than the status that it comes with. */
struct coach_code {
    const char *code;
    enum error error; /* OK: as the status says */
};

/* What a request is made of; all is borrowed. */
struct coach_request {
    const struct settings *settings;
    const char *model;
    const struct coach_ask *ask;
    struct span instructions; /* as they stand in JSON: json_private_behind() */
};

/* One vendor's wire; static. */
struct coach_wire {
    const char *name;
    const char *path, *models_path; /* behind the base URL; the latter before a model */
    const char *key_header,
        *key_scheme; /* of provider_authorization(); NULL: Authorization */
    const char *extra_header, *extra_value; /* or NULL: one more header of each request */
    const struct json_place *places;        /* what is read of a reply or event */
    size_t place_count;
    const struct coach_code *codes; /* up to a NULL */
    enum coach_form weakest_streamed;
    const char *retired_model,
        *advice; /* the log names it and says what to do; or NULL */

    /* The strongest form that the model is documented to take. */
    enum coach_form (*strongest)(const char *model);

    /* Writes the members of the request's JSON object, but for the form. */
    void (*write)(struct json_writer *writer, const struct coach_request *request);

    /* Writes the member that asks for the form, if there is one; the last two are NULL for
     * all but COACH_FORM_SCHEMA. */
    void (*write_form)(struct json_writer *writer, enum coach_form form, const char *name,
                       const char *schema);

    /* Something stands at one of the places. */
    void (*take)(struct coach_reading *reading, size_t place, enum json_token kind,
                 struct span value);
};

/* ---- for take() ---- */

/* The model wrote this text; null means no text, and anything but a string is an error. */
void coach_reading_text(struct coach_reading *reading, enum json_token kind,
                        struct span value);

/* Looks the code up; what it means counts. */
void coach_reading_code(struct coach_reading *reading, struct span code);

/* What an error says for people; only one thing is looked for in it. */
void coach_reading_message(struct coach_reading *reading, struct span message);

/* The reply says that something went wrong. */
void coach_reading_error(struct coach_reading *reading, enum json_token kind,
                         struct span value);

/* A count of tokens; the last one told counts. */
void coach_reading_count(int64_t *count, enum json_token kind, struct span value);

/* ---- vendors ---- */

extern const struct coach_wire coach_groq, coach_anthropic;

struct coach *coach_http_new(const struct coach_wire *wire,
                             const struct provider_tools *tools,
                             const struct provider_place *place);

#endif
