/*
 * Asks an OpenAI-compatible server about one model, which costs nothing and tells whether
 * the server can be reached, takes the key and knows the model
 * (https://console.groq.com/docs/api-reference, Retrieve model).
 */
#include "coach_groq.h"
#include "coach_groq_internal.h"

#include "mem.h"
#include "provider_http_internal.h"

#include <stdlib.h>

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

struct coach_groq_probe *coach_groq_probe_start(const struct settings *settings,
                                                struct call_pool *pool,
                                                probe_done_fn *done, void *context)
{
    struct coach_groq_probe *probe = MEM_NEW(struct coach_groq_probe);
    struct private_text authorization =
        provider_authorization("Bearer", &settings->groq_api_key);
    /* Groq takes the slash of a model's name as it is. */
    char *url =
        provider_url(settings->groq_base_url, "/models/", settings->llm_model, "");
    struct call_request request = {
        .url = url,
        .timeout_ms = settings->llm_timeout_s * 1000,
        .max_reply_bytes = GROQ_REPLY_MAX_BYTES,
    };

    if (!private_text_is_empty(&authorization))
        request.authorization = &authorization;
    probe->done = done;
    probe->context = context;
    probe->call = call_start(pool, &request, on_reply, probe);
    private_text_free(&authorization);
    free(url);
    return probe;
}

void coach_groq_probe_cancel(struct coach_groq_probe *probe)
{
    if (probe == NULL)
        return;
    call_cancel(probe->call);
    free(probe);
}
