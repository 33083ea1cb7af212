/*
 * `poise ask QUESTION`: one question about the study material, answered by the engine of POST /ask with the
 * present settings.  What it refuses is not noted in the refusal log: who asks here keeps the material.
 *
 *   --selected FILE|TEXT   answer from this text alone: a file's where there is one of that name
 *   --chat                 by the rules of POST /v1/chat
 *   --json                 the whole of `data` on one line
 *
 * Exit status: 0 answered, 1 refused, 2 bad usage or settings, 3 an error.
 */
#include "command.h"

#include "ask.h"
#include "clock.h"
#include "json.h"
#include "private_reveal.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define QUESTION_CHARACTERS  500
#define SELECTION_CHARACTERS 5000
#define SELECTION_BYTES      (4 * SELECTION_CHARACTERS)
#define MAX_DEPTH            8

enum { ASKED_ANSWERED, ASKED_REFUSED, ASKED_BAD_USAGE, ASKED_FAILED };

/* The command line, and what comes of it. */
struct asking {
    const char *question; /* borrowed, like the next */
    const char *selected; /* NULL: search the material */
    bool is_chat;
    bool is_json;

    struct settings settings;
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
    int status;
};

static bool parse_options(int argc, char **argv, struct asking *asking)
{
    for (int at = 0; at < argc; at++) {
        if (strcmp(argv[at], "--json") == 0)
            asking->is_json = true;
        else if (strcmp(argv[at], "--chat") == 0)
            asking->is_chat = true;
        else if (strcmp(argv[at], "--selected") == 0 && at + 1 < argc)
            asking->selected = argv[++at];
        else if (strncmp(argv[at], "--", 2) != 0 && asking->question == NULL)
            asking->question = argv[at];
        else
            return false;
    }
    return asking->question != NULL;
}

static bool check_text(const char *what, struct span text, size_t most_characters)
{
    bool is_good = text.length > 0 && utf8_is_valid(text.bytes, text.length) &&
                   utf8_count(text.bytes, text.length) <= most_characters;

    if (!is_good)
        fprintf(stderr, "poise ask: the %s must be 1 to %zu characters of UTF-8\n", what,
                most_characters);
    return is_good;
}

/* The text of a file where there is one, else the argument itself. */
static bool read_selection(const char *selected, struct private_text *ret_text)
{
    int file = open(selected, O_RDONLY | O_CLOEXEC);
    struct buffer text;
    ssize_t got = 1;

    if (file < 0 && errno != ENOENT && errno != ENAMETOOLONG) {
        fprintf(stderr, "poise ask: %s: %s\n", selected, strerror(errno));
        return false;
    }
    buffer_init(&text, SELECTION_BYTES + 4096);
    if (file < 0)
        buffer_append_string(&text, selected);
    while (file >= 0 && got > 0) {
        char *room = buffer_reserve(&text, 4096);

        got = room != NULL ? read(file, room, 4096) : 0;
        if (got > 0)
            buffer_advance(&text, (size_t)got);
    }
    if (file >= 0)
        close(file);
    *ret_text = private_text_take(&text);
    return check_text("selected text", private_reveal(ret_text), SELECTION_CHARACTERS);
}

static bool load_filter(struct asking *asking)
{
    const char *path = asking->settings.safety_patterns_file;
    struct ruleset_problem problem;
    bool is_good;

    if (!asking->settings.safety_enabled)
        return true;
    is_good = *path != '\0' ? ruleset_load_file(path, &asking->ruleset, &problem)
                            : ruleset_load_default(&asking->ruleset, &problem);
    if (is_good)
        asking->filter = filter_new(asking->ruleset);
    else
        fprintf(stderr, "poise ask: %s\n", problem.text);
    return is_good;
}

static bool build(struct asking *asking)
{
    const struct settings *settings = &asking->settings;
    struct buffer problem;

    asking->loop = loop_new();
    asking->pool = call_pool_new(asking->loop);
    asking->log = log_new(STDERR_FILENO, LOG_ERROR);
    asking->reader = terms_reader_new();
    coaches_init(&asking->coaches, settings, asking->loop, asking->pool, asking->log,
                 &asking->metrics);
    buffer_init(&problem, 4096);
    asking->retriever = retriever_new(settings, asking->loop, asking->pool, asking->log,
                                      &asking->metrics, &problem);
    if (asking->retriever == NULL)
        fprintf(stderr, "poise ask: %s", problem.bytes);
    buffer_done(&problem);
    return asking->retriever != NULL && load_filter(asking);
}

static void tear_down(struct asking *asking)
{
    retriever_free(asking->retriever);
    coaches_done(&asking->coaches);
    terms_reader_free(asking->reader);
    call_pool_free(asking->pool);
    filter_free(asking->filter);
    if (asking->ruleset != NULL)
        ruleset_unref(asking->ruleset);
    log_free(asking->log);
    loop_free(asking->loop);
}

/* The store of who keeps nothing. */
struct nowhere {
    struct store store; /* the first member: the interface is cast back */
    store_done_fn *done;
    void *context; /* borrowed */
};

static void tell_nobody(void *context)
{
    struct nowhere *nowhere = context;

    nowhere->done(nowhere->context, OK);
}

static void keep_nothing(struct store *store, struct loop *loop, struct refusal *refusal,
                         store_done_fn *done, void *context)
{
    struct nowhere *nowhere = (struct nowhere *)store;

    refusal_done(refusal);
    nowhere->done = done;
    nowhere->context = context;
    loop_later(loop, tell_nobody, nowhere);
}

static void print_sources(struct json_object *data)
{
    struct json_object *sources = json_member(data, "sources");
    size_t count = sources != NULL ? json_object_array_length(sources) : 0;

    for (size_t at = 0; at < count; at++) {
        struct json_object *source = json_object_array_get_idx(sources, at);
        struct json_object *page = json_member(source, "page");

        printf("  %s  %s", json_object_get_string(json_member(source, "passage_id")),
               json_object_get_string(json_member(source, "chapter")));
        if (json_member_string(source, "section").length > 0)
            printf(", %s", json_member_string(source, "section").bytes);
        if (page != NULL)
            printf(", page %d", json_object_get_int(page));
        printf(" (%.2f)\n", json_object_get_double(json_member(source, "score")));
    }
}

/* The answer and its sources, or the refusal and its reason. */
static int print_data(const struct private_text *text, bool is_json)
{
    struct span span = private_reveal(text);
    struct json_object *data = json_parse(span.bytes, span.length, MAX_DEPTH);
    bool is_refused = json_object_get_boolean(json_member(data, "was_refusal")) ||
                      json_object_get_boolean(json_member(data, "refused"));

    if (is_json) {
        printf("%s\n", span.bytes);
    } else {
        printf("%s\n", json_member_string(data, "answer").bytes);
        if (is_refused)
            printf("  refused: %s\n", json_member_string(data, "refusal_reason").bytes);
        print_sources(data);
    }
    json_wipe_and_put(data);
    return is_refused ? ASKED_REFUSED : ASKED_ANSWERED;
}

static void on_asked(void *context, struct ask_result result)
{
    struct asking *asking = context;

    if (result.error == OK) {
        asking->status = print_data(&result.data, asking->is_json);
    } else {
        fprintf(stderr, "poise ask: %s: %s\n", error_info(result.error)->code,
                result.message != NULL ? result.message
                                       : error_info(result.error)->message_safe);
        asking->status = ASKED_FAILED;
    }
    ask_result_free(&result);
    loop_stop(asking->loop);
}

static void put(struct asking *asking, struct private_text *selection)
{
    struct nowhere nowhere = {.store = {.note_refusal = keep_nothing}};
    struct ask_services services = {
        .settings = &asking->settings,
        .loop = asking->loop,
        .store = &nowhere.store,
        .coaches = &asking->coaches,
        .retriever = asking->retriever,
        .reader = asking->reader,
        .filter = asking->filter,
        .log = asking->log,
        .metrics = &asking->metrics,
        .inflight = &asking->inflight,
        .is_draining = &asking->is_draining,
    };
    struct ask_request request = {
        .surface = asking->is_chat ? ASK_CHAT : ASK_TEXTBOOK,
        .request_id = id_random(),
        .question = private_text_copy(asking->question, strlen(asking->question)),
        .selection = *selection,
        .received_us = clock_monotonic_us(),
    };

    *selection = (struct private_text){NULL, 0};
    asking->settings.refusal_log[0] = '\0';
    ask_start(&services, &request, on_asked, asking);
    loop_run(asking->loop);
}

int command_ask(int argc, char **argv)
{
    struct asking asking = {.status = ASKED_BAD_USAGE};
    struct private_text selection = {NULL, 0};

    signal(SIGPIPE, SIG_IGN);
    if (!parse_options(argc, argv, &asking)) {
        fprintf(stderr, "usage: poise ask QUESTION [--selected FILE|TEXT] [--chat] "
                        "[--json]\n");
        return ASKED_BAD_USAGE;
    }
    if (check_text("question", span_of(asking.question), QUESTION_CHARACTERS) &&
        (asking.selected == NULL || read_selection(asking.selected, &selection)) &&
        command_settings(&asking.settings)) {
        if (build(&asking))
            put(&asking, &selection);
        tear_down(&asking);
    }
    private_text_free(&selection);
    settings_free(&asking.settings);
    return fflush(stdout) == 0 ? asking.status : ASKED_FAILED;
}
