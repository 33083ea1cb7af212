/*
 * `poise doctor`: what works with these settings and what does not, a line each; exit
 * status 0 when everything does, 1 when something does not, 2 when the settings are bad.
 */
#include "command.h"

#include "call.h"
#include "clock.h"
#include "coach_groq.h"
#include "corpus.h"
#include "filter.h"
#include "index.h"
#include "retriever.h"
#include "speaker.h"
#include "store_open.h"
#include "transcriber.h"
#include "worker.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#define QDRANT_MS 10000

/* One question that is answered by a loop. */
struct question {
    struct loop *loop; /* borrowed */
    enum error error;
    struct metrics metrics; /* nobody reads them */
};

static bool say(bool is_good, const char *what, const char *detail)
{
    printf("%-5s %s%s%s\n", is_good ? "ok" : "FAIL", what, *detail != '\0' ? ": " : "",
           detail);
    return is_good;
}

static bool check_secret(const struct settings *settings)
{
    return say(true, "secret key",
               private_text_is_empty(&settings->secret_key)
                   ? "none is set: one is made for each run, and sessions end with it"
                   : "set");
}

static bool check_patterns(const struct settings *settings)
{
    const char *path = settings->safety_patterns_file;
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    char detail[160];
    bool is_good;

    if (!settings->safety_enabled)
        return say(true, "safety filter", "off (SAFETY_ENABLED=false)");
    is_good = *path != '\0' ? ruleset_load_file(path, &ruleset, &problem)
                            : ruleset_load_default(&ruleset, &problem);
    if (!is_good)
        return say(false, "safety filter", problem.text);
    snprintf(detail, sizeof(detail), "%s patterns, rule set %s",
             *path != '\0' ? "own" : "built-in", ruleset_hash(ruleset));
    for (size_t at = 0; ruleset_warning(ruleset, at) != NULL; at++)
        printf("note  safety filter: %s\n", ruleset_warning(ruleset, at));
    ruleset_unref(ruleset);
    return say(true, "safety filter", detail);
}

static void on_answer(void *context, enum error error)
{
    struct question *question = context;

    question->error = error;
    loop_stop(question->loop);
}

static bool check_store(const struct settings *settings)
{
    struct question question = {.loop = loop_new()};
    struct buffer problem;
    struct store *store;
    bool is_good = false;

    buffer_init(&problem, 1024);
    store = store_open(settings->store_url, &problem);
    if (store == NULL) {
        if (problem.length > 0 && problem.bytes[problem.length - 1] == '\n')
            problem.bytes[problem.length - 1] = '\0';
        say(false, "store", problem.length > 0 ? problem.bytes : "cannot be opened");
    } else {
        store->check(store, question.loop, on_answer, &question);
        loop_run(question.loop);
        is_good =
            say(question.error == OK, "store",
                question.error == OK ? "opens, reads and writes" : "cannot be written");
    }
    store_close(store);
    buffer_done(&problem);
    loop_free(question.loop);
    return is_good;
}

/* What the operator can do about it. */
static const char *advice(enum error error)
{
    switch (error) {
    case ERROR_LLM_AUTH_ERROR: return "the server refuses GROQ_API_KEY";
    case ERROR_LLM_MODEL_NOT_FOUND:
        return "the server does not have the model of LLM_MODEL";
    case ERROR_LLM_TIMEOUT: return "no reply from GROQ_BASE_URL in time";
    case ERROR_LLM_RATE_LIMIT: return "the server's rate limit is reached";
    default:
        return "no good reply from GROQ_BASE_URL"; /* the others need no advice of their
                                                      own */
    }
}

static bool check_coach(const struct settings *settings)
{
    struct question question = {.loop = NULL};
    struct call_pool *pool;
    char detail[320];

    if (coaches_begin_builtin(settings))
        return say(true, "coach", "builtin, no key and no network needed");
    question.loop = loop_new();
    pool = call_pool_new(question.loop);
    coach_groq_probe_start(settings, pool, on_answer, &question);
    loop_run(question.loop);
    call_pool_free(pool);
    loop_free(question.loop);
    if (question.error == OK)
        snprintf(detail, sizeof(detail), "%.120s at %.120s", settings->llm_model,
                 settings->groq_base_url);
    else
        snprintf(detail, sizeof(detail), "%s: %s (%.120s at %.120s)",
                 error_info(question.error)->code, advice(question.error),
                 settings->llm_model, settings->groq_base_url);
    return say(question.error == OK, "coach", detail);
}

/* What is asked of a provider of speech: is it there, and does it take our key? */
static bool say_speech(const char *what, const char *name, enum error error)
{
    char detail[160];

    if (error == OK)
        return say(true, what, name);
    snprintf(detail, sizeof(detail), "%s: %s", name, error_info(error)->code);
    return say(false, what, detail);
}

static bool check_ears(const struct settings *settings, struct call_pool *pool,
                       struct question *question)
{
    struct transcriber *transcriber =
        transcriber_new(settings, pool, NULL, &question->metrics);
    bool is_good;

    if (transcriber == NULL)
        return say(true, "ears",
                   "none: answers come as text, recordings are turned away");
    transcriber->probe(transcriber, on_answer, question);
    loop_run(question->loop);
    is_good = say_speech("ears", transcriber->name, question->error);
    transcriber_free(transcriber);
    return is_good;
}

static bool check_voice(const struct settings *settings, struct call_pool *pool,
                        struct question *question)
{
    struct speaker *speaker =
        speaker_new(settings, question->loop, pool, NULL, &question->metrics);
    bool is_good;

    if (speaker == NULL)
        return say(true, "voice", "none: replies are not spoken");
    speaker->probe(speaker, on_answer, question);
    loop_run(question->loop);
    is_good = say_speech("voice", speaker->name, question->error);
    speaker_free(speaker);
    return is_good;
}

static bool check_speech(const struct settings *settings)
{
    struct question question = {.loop = loop_new()};
    struct call_pool *pool = call_pool_new(question.loop);
    bool is_good = check_ears(settings, pool, &question);

    is_good &= check_voice(settings, pool, &question);
    call_pool_free(pool);
    loop_free(question.loop);
    return is_good;
}

/* How many passages there are, and of what. */
static bool check_index(const struct settings *settings)
{
    const char *path = *settings->corpus_index != '\0' ? settings->corpus_index : NULL;
    struct corpus *corpus = NULL;
    struct index_reader *reader;
    struct buffer problem;
    char detail[256];
    bool is_good;

    buffer_init(&problem, 4096);
    reader = index_reader_open(path, &problem);
    if (reader != NULL)
        corpus = corpus_new("corpus.json", index_corpus_json(reader), &problem);
    if (problem.length > 0 && problem.bytes[problem.length - 1] == '\n')
        problem.bytes[problem.length - 1] = '\0';
    if (corpus != NULL)
        snprintf(detail, sizeof(detail), "\"%.120s\", %" PRId64 " passages%s",
                 corpus_title(corpus), index_passage_count(reader),
                 path == NULL ? ", built in" : "");
    is_good = say(corpus != NULL, "study material",
                  corpus != NULL       ? detail
                  : problem.length > 0 ? problem.bytes
                                       : "cannot be opened");
    corpus_free(corpus);
    index_reader_free(reader);
    buffer_done(&problem);
    return is_good;
}

static void on_found(void *context, enum error error, struct retrieval retrieval)
{
    retrieval_done(&retrieval);
    on_answer(context, error);
}

/* A question goes all the way: to the embeddings, and to Qdrant. */
static bool check_qdrant(const struct settings *settings)
{
    struct question question = {.loop = loop_new()};
    struct call_pool *pool = call_pool_new(question.loop);
    struct private_text text = private_text_copy("Is anybody there?", 17);
    struct retriever_ask ask = {
        .question = &text,
        .limit = 1,
        .request_id = id_random(),
        .timeout_ms = QDRANT_MS,
    };
    struct retriever *retriever;
    struct buffer problem;
    char detail[320];
    bool is_good;

    buffer_init(&problem, 4096);
    retriever = retriever_new(settings, question.loop, pool, NULL, NULL, &problem);
    question.error = ERROR_STORE_UNAVAILABLE;
    if (retriever != NULL) {
        retriever->start(retriever, &ask, on_found, &question);
        loop_run(question.loop);
    }
    if (question.error == OK)
        snprintf(detail, sizeof(detail),
                 "collection %.60s at %.120s, embeddings of %.60s",
                 settings->qdrant_collection, settings->qdrant_url,
                 settings->embeddings_model);
    else
        snprintf(detail, sizeof(detail),
                 "%s: %.120s or %.120s gives no good reply (has `poise index` filled the "
                 "collection?)",
                 error_info(question.error)->code, settings->qdrant_url,
                 settings->embeddings_base_url);
    is_good = say(question.error == OK, "qdrant", detail);
    retriever_free(retriever);
    buffer_done(&problem);
    private_text_free(&text);
    call_pool_free(pool);
    loop_free(question.loop);
    return is_good;
}

static bool check_material(const struct settings *settings)
{
    bool is_good = check_index(settings);

    if (is_good && settings->retriever == RETRIEVER_QDRANT)
        is_good = check_qdrant(settings);
    return is_good;
}

int command_doctor(int argc, char **argv)
{
    struct settings settings;
    bool is_good;

    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    if (argc > 0) {
        fprintf(stderr, "poise: doctor takes no arguments\n");
        return 2;
    }
    if (!command_settings(&settings)) {
        settings_free(&settings);
        return 2;
    }
    is_good = say(true, "settings", settings_app_env_name(&settings));
    is_good &= check_secret(&settings);
    is_good &= check_patterns(&settings);
    is_good &= check_store(&settings);
    is_good &= check_coach(&settings);
    is_good &= check_speech(&settings);
    is_good &= check_material(&settings);
    settings_free(&settings);
    return is_good ? 0 : 1;
}
