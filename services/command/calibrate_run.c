/*
 * Puts labelled questions to the retriever, a few at a time.
 */
#include "calibrate_internal.h"

#include "index.h"
#include "retriever.h"

#include <string.h>
#include <unistd.h>

#define IN_FLIGHT     8
#define TIMEOUT_MS    60000
#define PROBLEM_BYTES 4096
#define SHOWN_EVERY   64

struct run {
    struct loop *loop; /* owned, like the next three */
    struct call_pool *pool;
    struct log *log;
    struct retriever *retriever; /* NULL: it cannot be opened */
    struct metrics metrics;
    struct labelled_set *set; /* borrowed */
    size_t next, finished;
    enum error error; /* of the first question that failed */
};

/* A question under way. */
struct slot {
    struct run *run; /* borrowed, like the next */
    struct labelled *question;
};

static void ask_next(struct slot *slot);

static void show_progress(const struct run *run)
{
    if (isatty(STDERR_FILENO) == 0 ||
        (run->finished % SHOWN_EVERY != 0 && run->finished < run->set->count))
        return;
    fprintf(stderr, "\r%zu of %zu questions%s", run->finished, run->set->count,
            run->finished == run->set->count ? "\n" : "");
}

static void note(struct labelled *question, const struct passages *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct passage *passage = &found->all[i];

        if (passage->score > question->best)
            question->best = passage->score;
        for (size_t j = 0; j < question->expected_count; j++)
            if (strcmp(passage->id, question->expected[j]) == 0 &&
                passage->score > question->of_right)
                question->of_right = passage->score;
    }
}

static void on_found(void *context, enum error error, struct retrieval retrieval)
{
    struct slot *slot = context;
    struct run *run = slot->run;

    if (error == OK)
        note(slot->question, &retrieval.passages);
    else if (run->error == OK)
        run->error = error;
    retrieval_done(&retrieval);
    run->finished++;
    show_progress(run);
    ask_next(slot);
    if (run->finished == run->next)
        loop_stop(run->loop);
}

/* After a failure no more are asked. */
static void ask_next(struct slot *slot)
{
    struct run *run = slot->run;
    struct retriever_ask ask = {.limit = CALIBRATE_SOURCES, .timeout_ms = TIMEOUT_MS};

    if (run->next == run->set->count || run->error != OK)
        return;
    slot->question = &run->set->all[run->next++];
    ask.question = &slot->question->text;
    ask.request_id = id_random();
    run->retriever->start(run->retriever, &ask, on_found, slot);
}

static bool ask_all(struct run *run)
{
    struct slot slots[IN_FLIGHT];

    for (size_t i = 0; i < IN_FLIGHT; i++) {
        slots[i] = (struct slot){.run = run};
        ask_next(&slots[i]);
    }
    loop_run(run->loop);
    if (run->error != OK)
        fprintf(stderr, "poise calibrate: the %s retriever failed: %s\n",
                run->retriever->name, error_info(run->error)->code);
    return run->error == OK;
}

/* A label that names a passage of another index would count as a wrong source. */
static bool check_labels(const struct settings *settings, const struct labelled_set *set,
                         struct buffer *problem)
{
    const char *path = *settings->corpus_index != '\0' ? settings->corpus_index : NULL;
    struct index_reader *reader = index_reader_open(path, problem);
    bool is_good = reader != NULL;

    for (size_t i = 0; is_good && i < set->count; i++) {
        const struct labelled *question = &set->all[i];

        for (size_t j = 0; is_good && j < question->expected_count; j++) {
            is_good = index_row_of(reader, question->expected[j]) >= 0;
            if (!is_good)
                fprintf(stderr,
                        "poise calibrate: question %zu: no passage %s in the index\n",
                        i + 1, question->expected[j]);
        }
    }
    index_reader_free(reader);
    return is_good;
}

bool calibrate_run(const struct settings *settings, struct labelled_set *set)
{
    struct run run = {.set = set};
    struct provider_tools tools;
    struct buffer problem;
    bool is_good;

    buffer_init(&problem, PROBLEM_BYTES);
    run.loop = loop_new();
    run.pool = call_pool_new(run.loop);
    run.log = log_new(STDERR_FILENO, LOG_ERROR);
    is_good = check_labels(settings, set, &problem);
    tools = (struct provider_tools){settings, run.pool, run.log, &run.metrics, NULL};
    if (is_good)
        run.retriever = retriever_new(&tools, run.loop, &problem);
    if (problem.length > 0)
        fprintf(stderr, "poise calibrate: %s", problem.bytes);
    is_good = run.retriever != NULL && ask_all(&run);
    retriever_free(run.retriever);
    call_pool_free(run.pool);
    log_free(run.log);
    loop_free(run.loop);
    buffer_done(&problem);
    return is_good;
}
