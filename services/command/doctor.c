/*
 * `poise doctor`: what works with these settings and what does not, a line each; exit
 * status 0 when everything does, 1 when something does not, 2 when the settings are bad.  A
 * note is no failure: what works, but perhaps not as it is meant.
 */
#include "command.h"
#include "doctor_internal.h"
#include "health_internal.h"

#include "corpus.h"
#include "filter.h"
#include "index.h"
#include "refusal.h"
#include "retriever.h"
#include "server.h"
#include "store.h"
#include "url.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define QDRANT_MS 10000

bool doctor_say(bool is_good, const char *what, const char *detail)
{
    printf("%-5s %s%s%s\n", is_good ? "ok" : "FAIL", what, *detail != '\0' ? ": " : "",
           detail);
    return is_good;
}

bool doctor_say_line(bool is_good, const char *what, struct buffer *line)
{
    const char *said = line->length > 0 ? line->bytes : "cannot be opened";
    size_t head = strlen(what);

    if (line->length > 0 && line->bytes[line->length - 1] == '\n')
        line->bytes[line->length - 1] = '\0';
    if (strncmp(said, what, head) == 0 && strncmp(said + head, ": ", 2) == 0)
        said += head + 2; /* it names itself */
    return doctor_say(is_good, what, said);
}

void doctor_note(const char *what, const char *detail)
{
    printf("note  %s: %s\n", what, detail);
}

void doctor_on_answer(void *context, enum error error)
{
    struct doctor_question *question = context;

    question->error = error;
    loop_stop(question->loop);
}

void doctor_question_init(struct doctor_question *question)
{
    *question = (struct doctor_question){
        .loop = loop_new(),
        .log = log_new(STDERR_FILENO, LOG_ERROR), /* what is said here is said better */
    };
    question->pool = call_pool_new(question->loop);
}

void doctor_question_done(struct doctor_question *question)
{
    call_pool_free(question->pool);
    log_free(question->log);
    loop_free(question->loop);
}

static void note_remarks(const struct settings *settings)
{
    struct buffer words;

    for (size_t at = 0; at < settings->remark_count; at++) {
        buffer_init(&words, 1024);
        settings_write_remark(&settings->remarks[at], &words);
        doctor_note("settings", words.bytes);
        buffer_done(&words);
    }
}

static bool check_secret(const struct settings *settings)
{
    return doctor_say(
        true, "secret key",
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
        return doctor_say(true, "safety filter", "off (SAFETY_ENABLED=false)");
    is_good = *path != '\0' ? ruleset_load_file(path, &ruleset, &problem)
                            : ruleset_load_default(&ruleset, &problem);
    if (!is_good)
        return doctor_say(false, "safety filter", problem.text);
    snprintf(detail, sizeof(detail), "%s patterns, rule set %s, %zu entries refuse",
             *path != '\0' ? "own" : "built-in", ruleset_hash(ruleset),
             ruleset_enforced_count(ruleset));
    for (size_t at = 0; ruleset_next_warning(ruleset, &at, &problem);)
        doctor_note("safety filter", problem.text);
    ruleset_unref(ruleset);
    return doctor_say(true, "safety filter", detail);
}

static bool say_store(struct store_backend *backend, enum error error)
{
    bool is_good = !store_stats(backend).is_disk_full && error == OK;
    struct store_trouble trouble = store_trouble(backend);
    struct buffer words;

    buffer_init(&words, 1024);
    buffer_append_string(&words, is_good ? "opens, reads and writes"
                                         : "cannot be reached, or not written: ");
    if (!is_good)
        store_write_trouble(&trouble, &words);
    doctor_say(is_good, "store", words.bytes);
    buffer_done(&words);
    return is_good;
}

static bool check_store(const struct settings *settings)
{
    struct doctor_question question;
    struct buffer problem;
    struct store_backend *backend;
    struct store *store;
    bool is_good = false;

    if (store_presence(settings->store_url) == STORE_IN_USE)
        doctor_note("store",
                    "another process has it open: of several that serve from one "
                    "file each counts rates for itself, and a model may be paid "
                    "twice; several need PostgreSQL");
    if (store_is_older(settings->store_url)) /* which doctor leaves as it is */
        return doctor_say(true, "store",
                          "opens; its tables are of an earlier version, and "
                          "the start brings them up to date");
    doctor_question_init(&question);
    buffer_init(&problem, 1024);
    backend = store_open(settings->store_url, &problem);
    store = store_new(backend, question.loop, &question.metrics, NULL);
    if (backend == NULL ||
        problem.length > 0) { /* a problem alone: the server does not answer yet */
        doctor_say_line(false, "store", &problem);
    } else {
        store_check(store, doctor_on_answer, &question);
        loop_run(question.loop);
        is_good = say_store(backend, question.error);
    }
    store_close(backend);
    store_free(store);
    buffer_done(&problem);
    doctor_question_done(&question);
    return is_good;
}

static void on_collector(void *context, struct call_answer answer)
{
    struct doctor_question *question = context;
    bool is_good = answer.outcome == CALL_ANSWERED && answer.status / 100 == 2;

    if (answer.outcome == CALL_ANSWERED)
        snprintf(question->why, sizeof(question->why), "%s (%ld)",
                 is_good ? "takes spans" : "does not take spans", answer.status);
    else
        snprintf(question->why, sizeof(question->why), "%s",
                 answer.reason != NULL ? answer.reason
                                       : call_outcome_name(answer.outcome));
    call_answer_free(&answer);
    doctor_on_answer(question, is_good ? OK : ERROR_INTERNAL_ERROR);
}

static bool check_collector(const struct settings *settings)
{
    struct doctor_question question;
    struct spans *spans;
    bool is_good = true;

    doctor_question_init(&question);
    spans = spans_new(settings, question.loop, question.log);
    if (spans != NULL) {
        spans_probe(spans, on_collector, &question);
        loop_run(question.loop);
        is_good = doctor_say(question.error == OK, "collector", question.why);
    }
    spans_free(spans);
    doctor_question_done(&question);
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
    if (corpus != NULL)
        snprintf(detail, sizeof(detail), "\"%.120s\", %" PRId64 " passages%s",
                 corpus_title(corpus), index_passage_count(reader),
                 path == NULL ? ", built in" : "");
    is_good = corpus != NULL ? doctor_say(true, "study material", detail)
                             : doctor_say_line(false, "study material", &problem);
    corpus_free(corpus);
    index_reader_free(reader);
    buffer_done(&problem);
    return is_good;
}

static void on_found(void *context, enum error error, struct retrieval retrieval)
{
    retrieval_done(&retrieval);
    doctor_on_answer(context, error);
}

/* A question goes all the way: to the embeddings, and to Qdrant. */
static bool check_qdrant(const struct settings *settings)
{
    struct doctor_question question;
    struct private_text text = private_text_copy("Is anybody there?", 17);
    struct retriever_ask ask = {
        .question = &text,
        .limit = 1,
        .request_id = id_random(),
        .timeout_ms = QDRANT_MS,
    };
    struct provider_tools tools;
    struct retriever *retriever;
    struct buffer problem;
    char detail[320];
    bool is_good;

    doctor_question_init(&question);
    buffer_init(&problem, 4096);
    tools = doctor_tools(&question, settings);
    retriever = retriever_new(&tools, question.loop, &problem);
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
    is_good = doctor_say(question.error == OK, "qdrant", detail);
    retriever_free(retriever);
    buffer_done(&problem);
    private_text_free(&text);
    doctor_question_done(&question);
    return is_good;
}

static void note_exposed(const char *name, const char *url)
{
    if (url_is_exposed(url))
        printf("note  providers: %s is http:// to another machine, which "
               "ALLOW_INSECURE_PROVIDERS allows: keys and answers travel unencrypted\n",
               name);
}

static void note_all_exposed(const struct settings *settings)
{
    const char *rest = settings->llm_fallbacks;
    struct span entry;

    if (store_is_postgres(settings->store_url) &&
        url_postgres_is_exposed(settings->store_url))
        printf(
            "note  store: STORE_URL names another machine without sslmode=verify-full: what "
            "candidates say may travel unencrypted\n");
    note_exposed("GROQ_BASE_URL", settings->groq_base_url);
    note_exposed("ANTHROPIC_BASE_URL", settings->anthropic_base_url);
    note_exposed("DEEPGRAM_BASE_URL", settings->deepgram_base_url);
    note_exposed("STT_BASE_URL", settings->stt_base_url);
    note_exposed("TTS_BASE_URL", settings->tts_base_url);
    note_exposed("EMBEDDINGS_BASE_URL", settings->embeddings_base_url);
    note_exposed("QDRANT_URL", settings->qdrant_url);
    while (settings_next_entry(&rest, &entry)) {
        const char *at = memchr(entry.bytes, '@', entry.length);

        if (at != NULL && url_is_exposed(at + 1)) {
            note_exposed("LLM_FALLBACKS", at + 1);
            break;
        }
    }
}

/* A socket unit holds the port for the service. */
#define SOCKET_UNIT "/etc/systemd/system/sockets.target.wants/poise.socket"

static bool check_address(const struct settings *settings)
{
    bool is_good, is_held;
    struct buffer line;

    buffer_init(&line, 1024);
    is_good = server_can_listen(settings->host, settings->port, &line);
    is_held = !is_good && access(SOCKET_UNIT, F_OK) == 0;
    if (line.length > 0)
        line.length--; /* its end */
    buffer_append_string(&line, is_good                 ? "HOST and PORT are free"
                                : is_held               ? "; poise.socket holds it"
                                : health_asks(settings) ? "; a Poise runs there already"
                                                        : "");
    if (is_held)
        doctor_note("address", line.bytes);
    else
        doctor_say(is_good, "address", line.bytes);
    buffer_done(&line);
    return is_good || is_held;
}

static bool check_admin_address(const struct settings *settings)
{
    struct buffer problem;
    bool is_good = true;

    buffer_init(&problem, 1024);
    if (settings->admin_port > 0)
        is_good = server_can_listen(settings->admin_host, settings->admin_port, &problem);
    if (!is_good)
        doctor_say_line(false, "admin address", &problem);
    buffer_done(&problem);
    return is_good;
}

static bool check_refusal_log(const struct settings *settings)
{
    struct buffer problem;
    bool is_good;

    buffer_init(&problem, 4096);
    is_good = *settings->refusal_log == '\0' ||
              refusal_can_append(settings->refusal_log, &problem);
    if (*settings->refusal_log == '\0')
        buffer_append_string(&problem, "a table of the store");
    else if (is_good)
        buffer_append_string(&problem, settings->refusal_log);
    doctor_say_line(is_good, "refusal log", &problem);
    buffer_done(&problem);
    return is_good;
}

/* What the settings are good for is looked at all the same. */
static bool check_settings(struct settings *settings)
{
    struct buffer problems;
    bool is_good;
    char *rest;

    buffer_init(&problems, SETTINGS_PROBLEMS_BYTES);
    is_good = settings_read(settings, &problems);
    rest = problems.bytes;
    for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0')
            doctor_say(false, "settings", line);
    if (is_good)
        doctor_say(true, "settings", settings->app_env);
    buffer_done(&problems);
    return is_good;
}

/* Where the start would look too. */
static bool check_what_is_here(const struct settings *settings)
{
    bool is_good = check_patterns(settings);

    if (!settings->is_address_bad) {
        is_good &= check_address(settings);
        is_good &= check_admin_address(settings);
    }
    is_good &= check_refusal_log(settings);
    if (!settings->is_store_bad)
        is_good &= check_store(settings);
    return is_good & check_index(settings);
}

int command_doctor(int argc, char **argv)
{
    struct settings settings;
    bool is_configured, is_good;

    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    if (argc > 0) {
        fprintf(stderr, "poise: doctor takes no arguments\n");
        return 2;
    }
    is_configured = check_settings(&settings);
    note_remarks(&settings);
    note_all_exposed(&settings);
    is_good = check_what_is_here(&settings);
    if (!is_configured) { /* nobody is asked with half of a key */
        settings_free(&settings);
        return 2;
    }
    check_secret(&settings);
    is_good &= doctor_check_coaches(&settings);
    is_good &= doctor_check_ears(&settings);
    is_good &= doctor_check_voice(&settings);
    if (settings.retriever == RETRIEVER_QDRANT)
        is_good &= check_qdrant(&settings);
    is_good &= doctor_check_proxies(&settings);
    is_good &= check_collector(&settings);
    doctor_show_limits(&settings);
    doctor_show_unit(&settings);
    settings_free(&settings);
    return is_good ? 0 : 1;
}
