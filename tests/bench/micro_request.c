/* Writing what the model is asked for one turn: the prompts, and Groq's request around them. */
#include "coach_http_internal.h"
#include "load_request.h"
#include "micro.h"
#include "prompt.h"

#include <assert.h>
#include <stdlib.h>

#define ASKED 5

struct texts {
    struct private_text role, type, answer, asked[ASKED];
    struct span instructions; /* as coach_http.c keeps them */
};

static struct private_text text_of(const char *text)
{
    return private_text_copy(text, strlen(text));
}

static struct span escape_instructions(void)
{
    struct private_text nothing = {NULL, 0};
    struct coach_ask ask = {.facts = {.role = &nothing,
                                      .interview_type = &nothing,
                                      .question = &nothing,
                                      .transcript = &nothing}};
    static struct buffer escaped;
    struct json_writer writer;

    prompt_write(&ask);
    buffer_init(&escaped, 65536);
    json_writer_init(&writer, &escaped);
    json_string(&writer, ask.instructions);
    private_text_free(&ask.system);
    private_text_free(&ask.user);
    return (struct span){escaped.bytes + 1, escaped.length - 2};
}

/* The answer is the load's: the last field of its form. */
void *micro_prepare(void)
{
    static char request[LOAD_REQUEST_MAX_BYTES];
    struct load_session session = load_session_fixed();
    struct texts *texts = calloc(1, sizeof *texts);
    size_t length = load_request_write_turn(&session, 1, request);
    const char *at = memmem(request, length, "name=\"transcript\"", 17);

    assert(texts != NULL && at != NULL);
    at = strstr(at, "\r\n\r\n") + 4;
    texts->role = text_of("Backend developer");
    texts->type = text_of("behavioral");
    texts->answer = private_text_copy(at, (size_t)(strstr(at, "\r\n") - at));
    for (size_t i = 0; i < ASKED; i++)
        texts->asked[i] =
            text_of("Thank you. Which part of that \"migration\" would you plan "
                    "differently today, and why?");
    texts->instructions = escape_instructions();
    return texts;
}

void micro_operation(void *state)
{
    struct texts *texts = state;
    struct coach_ask ask = {
        .task = COACH_NEXT_QUESTION,
        .facts = {.role = &texts->role,
                  .interview_type = &texts->type,
                  .question_number = ASKED,
                  .total_questions = 10,
                  .question = &texts->asked[ASKED - 1],
                  .asked_questions = texts->asked,
                  .asked_count = ASKED,
                  .transcript = &texts->answer,
                  .measured = span_of("Measured: 250 words, 3 fillers (um 3).")},
    };
    const struct settings settings = {.llm_max_tokens = 2048};
    struct json_writer writer;
    struct buffer out;

    prompt_write(&ask);
    buffer_init(&out, 1024 * 1024);
    buffer_reserve(&out, 16384);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    coach_groq.write(&writer, &(struct coach_request){&settings, "openai/gpt-oss-120b",
                                                      &ask, texts->instructions});
    coach_groq.write_form(&writer, COACH_FORM_SCHEMA, ask.schema_name, ask.schema);
    json_end_object(&writer);
    assert(!out.is_over);
    buffer_done(&out);
    private_text_free(&ask.system);
    private_text_free(&ask.user);
}

void micro_finish(void *state)
{
    free(state);
}
