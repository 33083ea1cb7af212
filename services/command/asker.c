#include "asker.h"

#include "clock.h"
#include "coach_builtin.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct asker {
    struct loop *loop; /* owned, like all of these */
    struct call_pool *pool;
    struct log *log;
    struct metrics metrics;
    struct coaches coaches;
    struct retriever *retriever;
    struct terms_reader *reader;
    struct ruleset *ruleset;
    struct filter *filter;
    _Atomic int64_t inflight;
    _Atomic bool is_draining;
    struct ask_services services; /* borrows from the above */
    struct ask_result result;     /* of the question under way */
};

static bool load_filter(struct asker *asker, const struct settings *settings)
{
    const char *path = settings->safety_patterns_file;
    struct ruleset_problem problem;
    bool is_good;

    if (!settings->safety_enabled)
        return true;
    is_good = *path != '\0' ? ruleset_load_file(path, &asker->ruleset, &problem)
                            : ruleset_load_default(&asker->ruleset, &problem);
    if (is_good)
        asker->filter = filter_new(asker->ruleset);
    else
        fprintf(stderr, "poise ask: %s\n", problem.text);
    return is_good;
}

static bool open_material(struct asker *asker, const struct settings *settings)
{
    struct buffer problem;

    buffer_init(&problem, 4096);
    asker->retriever = retriever_new(settings, asker->loop, asker->pool, asker->log,
                                     &asker->metrics, &problem);
    if (asker->retriever == NULL)
        fprintf(stderr, "poise ask: %s", problem.bytes);
    buffer_done(&problem);
    return asker->retriever != NULL;
}

static void lend(struct asker *asker, const struct settings *settings)
{
    asker->services = (struct ask_services){
        .settings = settings,
        .loop = asker->loop,
        .coaches = &asker->coaches,
        .retriever = asker->retriever,
        .reader = asker->reader,
        .filter = asker->filter,
        .log = asker->log,
        .metrics = &asker->metrics,
        .inflight = &asker->inflight,
        .is_draining = &asker->is_draining,
    };
}

struct asker *asker_new(struct settings *settings)
{
    struct asker *asker = MEM_NEW(struct asker);
    struct provider_tools tools;

    settings->refusal_log[0] = '\0';
    asker->loop = loop_new();
    asker->pool = call_pool_new(asker->loop);
    asker->log = log_new(STDERR_FILENO, LOG_ERROR);
    asker->reader = terms_reader_new();
    tools = (struct provider_tools){settings, asker->pool, asker->log, &asker->metrics};
    coaches_init(&asker->coaches, &tools, coach_builtin_new);
    if (open_material(asker, settings) && load_filter(asker, settings)) {
        lend(asker, settings);
        return asker;
    }
    asker_free(asker);
    return NULL;
}

void asker_free(struct asker *asker)
{
    if (asker == NULL)
        return;
    retriever_free(asker->retriever);
    coaches_done(&asker->coaches);
    terms_reader_free(asker->reader);
    call_pool_free(asker->pool);
    filter_free(asker->filter);
    if (asker->ruleset != NULL)
        ruleset_unref(asker->ruleset);
    log_free(asker->log);
    loop_free(asker->loop);
    free(asker);
}

static void on_asked(void *context, struct ask_result result)
{
    struct asker *asker = context;

    asker->result = result;
    loop_stop(asker->loop);
}

struct ask_result asker_put(struct asker *asker, enum ask_surface surface,
                            struct private_text *question, struct private_text *selection)
{
    struct ask_request request = {
        .surface = surface,
        .request_id = id_random(),
        .question = *question,
        .selection = *selection,
        .received_us = clock_monotonic_us(),
    };

    *question = *selection = (struct private_text){NULL, 0};
    ask_start(&asker->services, &request, on_asked, asker);
    loop_run(asker->loop);
    return asker->result;
}
