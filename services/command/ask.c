/*
 * `poise ask QUESTION`: one question about the study material, answered by the engine of POST /ask with the
 * present settings.
 *
 *   --selected FILE|TEXT   answer from this text alone: a file's where there is one of that name
 *   --chat                 by the rules of POST /v1/chat
 *   --json                 the whole of `data` on one line
 *   --jsonl                many: { "id", "question", "selected_text" } lines from standard input, each answered
 *                          by { "id", "data", "error" }
 *
 * Exit status: 0 answered, 1 refused, 2 bad usage or settings, 3 an error; with --jsonl 0, or 3 where a line had
 * no answer.
 */
#include "command.h"

#include "ask.h"
#include "clock.h"
#include "coach_builtin.h"
#include "json.h"
#include "lines_internal.h"
#include "mem.h"
#include "private_reveal.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUESTION_CHARACTERS  500
#define SELECTION_CHARACTERS 5000
#define SELECTION_BYTES      (4 * SELECTION_CHARACTERS)
#define MAX_DEPTH            8

enum { ASKED_ANSWERED, ASKED_REFUSED, ASKED_BAD_USAGE, ASKED_FAILED };

struct options {
    const char *question; /* borrowed, like the next */
    const char *selected; /* NULL: search the material */
    enum ask_surface surface;
    bool is_json;
    bool is_jsonl;
};

/* What the lines of --jsonl are answered with. */
struct answering {
    struct asker *asker; /* borrowed */
    enum ask_surface surface;
};

/* ---- the engine of POST /ask and POST /v1/chat, without a server ---- */

struct asker {
    struct loop *loop; /* owned, like all of these */
    struct call_pool *pool;
    struct log *log;
    struct metrics metrics;
    struct coaches coaches;
    struct retriever *retriever;
    struct thesaurus *thesaurus;
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
    const struct provider_tools tools = {settings, asker->pool, asker->log,
                                         &asker->metrics, NULL};
    struct buffer problem;

    buffer_init(&problem, 4096);
    asker->retriever = retriever_new(&tools, asker->loop, &problem);
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
        .thesaurus = asker->thesaurus,
        .filter = asker->filter,
        .log = asker->log,
        .metrics = &asker->metrics,
        .inflight = &asker->inflight,
        .is_draining = &asker->is_draining,
    };
}

/* NULL is fine. */
static void asker_free(struct asker *asker)
{
    if (asker == NULL)
        return;
    retriever_free(asker->retriever);
    coaches_done(&asker->coaches);
    thesaurus_free(asker->thesaurus);
    call_pool_free(asker->pool);
    filter_free(asker->filter);
    if (asker->ruleset != NULL)
        ruleset_unref(asker->ruleset);
    log_free(asker->log);
    loop_free(asker->loop);
    free(asker);
}

/* REFUSAL_LOG is emptied in the settings, which are borrowed: what is refused here is not
 * noted.  NULL, and it says on standard error why. */
static struct asker *asker_new(struct settings *settings)
{
    struct asker *asker = MEM_NEW(struct asker);
    struct provider_tools tools;

    settings->refusal_log[0] = '\0';
    asker->loop = loop_new();
    asker->pool = call_pool_new(asker->loop);
    asker->log = log_new(STDERR_FILENO, LOG_ERROR);
    asker->thesaurus = thesaurus_new();
    tools =
        (struct provider_tools){settings, asker->pool, asker->log, &asker->metrics, NULL};
    coaches_init(&asker->coaches, &tools, coach_builtin_new);
    if (open_material(asker, settings) && load_filter(asker, settings)) {
        lend(asker, settings);
        return asker;
    }
    asker_free(asker);
    return NULL;
}

static void on_asked(void *context, struct ask_result result)
{
    struct asker *asker = context;

    asker->result = result;
    loop_stop(asker->loop);
}

/* Blocks until there is a result; ask_result_free().  Both texts are taken; no selection: an
 * empty one. */
static struct ask_result asker_put(struct asker *asker, enum ask_surface surface,
                                   struct private_text *question,
                                   struct private_text *selection)
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

/* ---- the arguments ---- */

static bool parse_options(int argc, char **argv, struct options *options)
{
    for (int at = 0; at < argc; at++) {
        if (strcmp(argv[at], "--json") == 0)
            options->is_json = true;
        else if (strcmp(argv[at], "--jsonl") == 0)
            options->is_jsonl = true;
        else if (strcmp(argv[at], "--chat") == 0)
            options->surface = ASK_CHAT;
        else if (strcmp(argv[at], "--selected") == 0 && at + 1 < argc)
            options->selected = argv[++at];
        else if (strncmp(argv[at], "--", 2) != 0 && options->question == NULL)
            options->question = argv[at];
        else
            return false;
    }
    return options->is_jsonl ? options->question == NULL && options->selected == NULL
                             : options->question != NULL;
}

static bool is_good_text(struct span text, size_t most_characters)
{
    return text.length > 0 && utf8_is_valid(text.bytes, text.length) &&
           utf8_count(text.bytes, text.length) <= most_characters;
}

static bool check_text(const char *what, struct span text, size_t most_characters)
{
    bool is_good = is_good_text(text, most_characters);

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

    if (file < 0 && errno != ENOENT && errno != ENAMETOOLONG && errno != ENOTDIR) {
        fprintf(stderr, "poise ask: %s: %s\n", selected, strerror(errno));
        return false;
    }
    buffer_init(&text, SELECTION_BYTES + 4096);
    if (file < 0)
        buffer_append_string(&text, selected);
    else
        input_read(file, &text);
    if (file >= 0)
        close(file);
    *ret_text = private_text_take(&text);
    return check_text("selected text", private_reveal(ret_text), SELECTION_CHARACTERS);
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

static int print_result(const struct ask_result *result, bool is_json)
{
    if (result->error == OK)
        return print_data(&result->data, is_json);
    fprintf(stderr, "poise ask: %s: %s\n", error_info(result->error)->code,
            result->message != NULL ? result->message
                                    : error_info(result->error)->message_safe);
    return ASKED_FAILED;
}

static int ask_one(struct asker *asker, const struct options *options,
                   struct private_text *selection)
{
    struct private_text question =
        private_text_copy(options->question, strlen(options->question));
    struct ask_result result = asker_put(asker, options->surface, &question, selection);
    int status = print_result(&result, options->is_json);

    ask_result_free(&result);
    return status;
}

/* `data` is that of a success, or empty. */
static void write_line(struct json_object *id, const struct private_text *data,
                       const char *error, struct buffer *out)
{
    struct span span = private_reveal(data);
    const char *name = json_object_to_json_string(id); /* "null" where there is none */
    struct json_writer json;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_key(&json, "id");
    json_raw(&json, name, strlen(name));
    json_key(&json, "data");
    if (span.length > 0)
        json_raw(&json, span.bytes, span.length);
    else
        json_null(&json);
    json_put_string(&json, "error", error);
    json_end_object(&json);
    buffer_append_char(out, '\n');
}

static bool answer_line(void *context, struct span line, struct buffer *out)
{
    struct answering *answering = context;
    struct json_object *object = json_parse(line.bytes, line.length, MAX_DEPTH);
    struct span question = json_member_string(object, "question");
    struct span selected = json_member_string(object, "selected_text");
    struct private_text texts[2] = {{NULL, 0}, {NULL, 0}};
    struct ask_result result = {.error = ERROR_VALIDATION_ERROR};

    if (is_good_text(question, QUESTION_CHARACTERS) &&
        (selected.length == 0 || is_good_text(selected, SELECTION_CHARACTERS))) {
        texts[0] = private_text_copy(question.bytes, question.length);
        if (selected.length > 0)
            texts[1] = private_text_copy(selected.bytes, selected.length);
        result = asker_put(answering->asker, answering->surface, &texts[0], &texts[1]);
    }
    write_line(json_member(object, "id"), &result.data,
               result.error == OK ? NULL : error_info(result.error)->code, out);
    json_wipe_and_put(object);
    ask_result_free(&result);
    return result.error == OK;
}

static int ask_lines(struct asker *asker, const struct options *options)
{
    struct answering answering = {asker, options->surface};

    switch (lines_answer("ask", STDIN_FILENO, answer_line, &answering)) {
    case LINES_GOOD: return ASKED_ANSWERED;
    case LINES_SOME_BAD:
    case LINES_FAILED: break;
    }
    return ASKED_FAILED;
}

const char ask_usage[] =
    "usage: poise ask QUESTION [--selected FILE|TEXT] [--chat] [--json]\n"
    "       poise ask --jsonl [--chat] < LINES\n";

int command_ask(int argc, char **argv)
{
    struct options options = {.surface = ASK_TEXTBOOK};
    struct private_text selection = {NULL, 0};
    struct settings settings = {.port = 0};
    int status = ASKED_BAD_USAGE;
    struct asker *asker = NULL;

    signal(SIGPIPE, SIG_IGN);
    if (!parse_options(argc, argv, &options)) {
        fputs(ask_usage, stderr);
        return status;
    }
    if ((options.is_jsonl ||
         check_text("question", span_of(options.question), QUESTION_CHARACTERS)) &&
        (options.selected == NULL || read_selection(options.selected, &selection)) &&
        settings_open(&settings))
        asker = asker_new(&settings);
    if (asker != NULL)
        status = options.is_jsonl ? ask_lines(asker, &options)
                                  : ask_one(asker, &options, &selection);
    asker_free(asker);
    private_text_free(&selection);
    settings_free(&settings);
    return fflush(stdout) == 0 ? status : ASKED_FAILED;
}
