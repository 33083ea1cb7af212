/*
 * Asks an OpenAI-compatible server about one model, which costs nothing and tells whether
 * the server can be reached, takes the key and knows the model
 * (https://console.groq.com/docs/api-reference, Retrieve model).
 */
#include "coach_groq.h"
#include "coach_groq_internal.h"

#include "buffer.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 4096

struct coach_groq_probe {
    struct call *call; /* owned; NULL: not pending */
    probe_done_fn *done;
    void *context; /* borrowed from whom asked */
};

static void on_reply(void *context, struct call_answer answer)
{
    struct coach_groq_probe *probe = context;
    bool is_known = answer.outcome == CALL_ANSWERED && answer.status == 200;
    enum error error = is_known ? OK : groq_reply_read(&answer).error;

    call_answer_free(&answer);
    probe->done(probe->context, error);
    free(probe);
}

/* "/models/openai/gpt-oss-120b": Groq takes the slash of a model's name as it is.  What
 * cannot stand in a path is percent-encoded (RFC 3986, 2.1). */
static char *model_path(const char *model)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "-._~/:@";
    struct buffer out;
    size_t length;

    buffer_init(&out, PATH_MAX_BYTES);
    buffer_append_string(&out, "/models/");
    for (; *model != '\0'; model++) {
        unsigned char byte = (unsigned char)*model;

        if (strchr(plain, *model) == NULL) {
            buffer_append_char(&out, '%');
            buffer_append_char(&out, digits[byte >> 4]);
            buffer_append_char(&out, digits[byte & 15]);
        } else {
            buffer_append_char(&out, *model);
        }
    }
    return buffer_take(&out, &length);
}

struct coach_groq_probe *coach_groq_probe_start(const struct settings *settings,
                                                struct call_pool *pool,
                                                probe_done_fn *done, void *context)
{
    struct coach_groq_probe *probe = MEM_NEW(struct coach_groq_probe);
    struct private_text authorization = {NULL, 0};
    char *path = model_path(settings->llm_model);
    char *url = groq_url(settings, path);
    struct call_request request = {
        .url = url,
        .timeout_ms = settings->llm_timeout_s * 1000,
        .max_reply_bytes = GROQ_REPLY_MAX_BYTES,
    };

    if (groq_authorization(settings, &authorization))
        request.authorization = &authorization;
    probe->done = done;
    probe->context = context;
    probe->call = call_start(pool, &request, on_reply, probe);
    private_text_free(&authorization);
    free(url);
    free(path);
    return probe;
}

void coach_groq_probe_cancel(struct coach_groq_probe *probe)
{
    if (probe == NULL)
        return;
    call_cancel(probe->call);
    free(probe);
}
