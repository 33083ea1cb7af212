/*
 * One question about the study material: from the question to an answer with its sources.
 *
 *   ask_start > screen_question > retrieve > judge_passages > generate > screen_answer
 *             > judge_answer > answer
 *
 * The functions stand in the order in which they run.  A step that must wait starts one call and returns; its
 * continuation is the function right below it.  Where a gate refuses, refuse() notes it in the refusal log;
 * every path ends in finish(), the only caller of ask->done.  Only generate() knows the model, and it is
 * called from behind the gates alone.
 */
#include "ask_internal.h"

#include "clock.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define PASSAGES_WANTED 5

/* Of a question or selection that the safety filter stops. */
static const char filter_message[] =
    "Your question couldn't be processed. Please rephrase it.";
static const char model_message[] =
    "This question couldn't be answered. Please try another one.";

static loop_fn screen_question;
static void retrieve(struct ask *ask);
static retriever_done_fn on_retrieved;
static void judge_passages(struct ask *ask);
static void generate(struct ask *ask);
static coach_done_fn on_reply;
static void screen_answer(struct ask *ask);
static void judge_answer(struct ask *ask);
static void answer(struct ask *ask);
static void refuse(struct ask *ask);
static store_done_fn on_noted;
static void refuse_content(struct ask *ask, const char *source,
                           struct filter_verdict verdict);
static void fail(struct ask *ask, enum error error);
static void finish(struct ask *ask, struct ask_result *result);

static enum error admit(const struct ask_services *services)
{
    if (atomic_load_explicit(services->is_draining, memory_order_relaxed))
        return ERROR_DRAINING;
    if (atomic_load_explicit(services->inflight, memory_order_relaxed) >=
        services->settings->max_inflight_turns)
        return ERROR_OVERLOADED;
    return OK;
}

void ask_start(struct ask_services *services, struct ask_request *request,
               ask_done_fn *done, void *context)
{
    struct ask *ask = MEM_NEW(struct ask);

    ask->services = services;
    ask->request = *request;
    memset(request, 0, sizeof(*request));
    ask->done = done;
    ask->context = context;
    ask->started_us = clock_monotonic_us();
    ask->deadline_us = ask->started_us + services->settings->turn_deadline_s * 1000000;
    gate_ruling_init(&ask->ruling);
    if (admit(services) == OK) {
        ask->is_counted = true;
        atomic_fetch_add_explicit(services->inflight, 1, memory_order_relaxed);
        metrics_add(&services->metrics->ASKS_INFLIGHT, 1);
    }
    loop_later(services->loop, screen_question, ask);
}

/* What the filter stops goes nowhere. */
static void screen_question(void *context)
{
    struct ask *ask = context;
    struct filter_verdict verdict;

    if (!ask->is_counted) {
        enum error error = admit(ask->services);

        fail(ask, error != OK ? error : ERROR_OVERLOADED);
        return;
    }
    verdict = filter_admit(ask->services->filter, &ask->request.question);
    if (verdict.outcome == FILTER_PASS)
        verdict = filter_admit(ask->services->filter, &ask->request.selection);
    switch (verdict.outcome) {
    case FILTER_PASS: retrieve(ask); break;
    case FILTER_UNAVAILABLE: fail(ask, ERROR_SAFETY_UNAVAILABLE); break;
    case FILTER_HIT: refuse_content(ask, "filter", verdict); break;
    }
}

/* With a selection nothing is searched: the retriever only weighs it. */
static void retrieve(struct ask *ask)
{
    struct retriever *retriever = ask->services->retriever;
    struct retriever_ask wanted = {
        .question = &ask->request.question,
        .limit = PASSAGES_WANTED,
        .request_id = ask->request.request_id,
        .trace = ask->request.trace,
        .timeout_ms =
            ask_time_left_ms(ask, ask->services->settings->turn_deadline_s * 1000),
    };

    ask->facts.has_selection = !private_text_is_empty(&ask->request.selection);
    if (ask->facts.has_selection)
        wanted.selection = &ask->request.selection;
    ask->retrieving_us = clock_monotonic_us();
    if (wanted.timeout_ms <= 0)
        fail(ask, ERROR_LLM_TIMEOUT);
    else
        retriever->start(retriever, &wanted, on_retrieved, ask);
}

/* Of a search in the index, which is no call: Qdrant's notes its own. */
static void note_retrieval(const struct ask *ask, enum error error)
{
    struct trace trace = trace_child(&ask->request.trace);

    if (strcmp(ask->services->retriever->name, "sqlite") == 0)
        spans_note(ask->services->spans,
                   &(struct span_note){
                       .name = "retrieve",
                       .kind = SPAN_INTERNAL,
                       .trace = &trace,
                       .started_us = ask->retrieving_us,
                       .error = error != OK ? error_info(error)->code : NULL,
                       .request_id = &ask->request.request_id,
                       .session_id = &ask->request.session_id,
                   });
}

static void on_retrieved(void *context, enum error error, struct retrieval retrieval)
{
    struct ask *ask = context;

    note_retrieval(ask, error);
    ask->retrieval = retrieval;
    if (error != OK)
        fail(ask, error);
    else
        judge_passages(ask);
}

static void judge_passages(struct ask *ask)
{
    ask_judge_retrieval(ask);
    gates_ask(ask->request.surface,
              ask->facts.has_selection ? GATE_WHEN_SELECTION : GATE_WHEN_RETRIEVED,
              ask->services->settings, &ask->facts, &ask->ruling);
    if (ask->ruling.refused_by != GATE_COUNT)
        refuse(ask);
    else
        generate(ask);
}

/* Without a model the answer is an extract. */
static void generate(struct ask *ask)
{
    struct coach *coach = ask_model(ask);
    struct coach_ask coach_ask = {
        .request_id = ask->request.request_id,
        .trace = ask->request.trace,
        .timeout_ms = ask_model_time_ms(ask),
    };

    if (coach == NULL) {
        generate_extract(ask->services->thesaurus, &ask->request.question, &ask->given,
                         &ask->generated);
        screen_answer(ask);
    } else if (coach_ask.timeout_ms <= 0) {
        fail(ask, ERROR_LLM_TIMEOUT);
    } else {
        generate_ask(&coach_ask, &ask->request.question, &ask->given);
        ask->llm_us -= clock_monotonic_us();
        coach->start(coach, &coach_ask, on_reply, ask);
    }
}

static void on_reply(void *context, enum error error, struct coach_reply reply)
{
    struct ask *ask = context;

    ask->llm_us += clock_monotonic_us();
    if (error == OK)
        error = generate_read(&reply.text, &ask->given, &ask->generated);
    private_text_free(&reply.text);
    if (error == OK) {
        screen_answer(ask);
    } else if (ask_may_ask_elsewhere(ask, error)) {
        generate(ask);
    } else {
        struct ask_result result = {.error = error, .retry_after_s = reply.retry_after_s};

        finish(ask, &result);
    }
}

static void screen_answer(struct ask *ask)
{
    struct filter_verdict verdict = {.outcome = FILTER_PASS};

    ask->is_generated = true;
    ask->answer = generated_text(&ask->generated);
    verdict = ask_screen(ask, &ask->answer);
    switch (verdict.outcome) {
    case FILTER_PASS: judge_answer(ask); break;
    case FILTER_UNAVAILABLE: fail(ask, ERROR_SAFETY_UNAVAILABLE); break;
    case FILTER_HIT: refuse_content(ask, "model", verdict); break;
    }
}

static void judge_answer(struct ask *ask)
{
    ask_judge_generated(ask);
    gates_ask(ask->request.surface, GATE_WHEN_GENERATED, ask->services->settings,
              &ask->facts, &ask->ruling);
    if (ask->ruling.refused_by != GATE_COUNT)
        refuse(ask);
    else
        answer(ask);
}

static void answer(struct ask *ask)
{
    struct ask_result result = {.error = OK, .retry_after_s = -1};

    result.data = ask_write_data(ask);
    finish(ask, &result);
}

/* A refusal is an answer: it is given once it is in the refusal log, and also where that cannot be written. */
static void refuse(struct ask *ask)
{
    ask_note_refusal(ask, on_noted);
}

static void on_noted(void *context, enum error error)
{
    struct ask *ask = context;

    if (error != OK) {
        struct log_line *line =
            log_begin(ask->services->log, LOG_ERROR, "refusal_not_kept");

        log_request(line, &ask->request.request_id, &ask->request.trace);
        log_end(line);
    }
    answer(ask);
}

/* The safety filter's doing: no gate has refused, and nothing is kept. */
static void refuse_content(struct ask *ask, const char *source,
                           struct filter_verdict verdict)
{
    struct ask_result result = {.error = ERROR_CONTENT_REFUSED, .retry_after_s = -1};

    ask->refusal_source = source;
    strncpy(ask->category, verdict.category, sizeof(ask->category) - 1);
    result.message = *source == 'f' ? filter_message : model_message;
    result.details = ask_write_details(ask);
    finish(ask, &result);
}

static void fail(struct ask *ask, enum error error)
{
    struct ask_result result = {.error = error, .retry_after_s = -1};

    finish(ask, &result);
}

static void ask_free(struct ask *ask)
{
    if (ask->selected.text != NULL) /* a person's */
        explicit_bzero(ask->selected.text, strlen(ask->selected.text));
    passage_done(&ask->selected);
    retrieval_done(&ask->retrieval);
    generated_done(&ask->generated);
    gate_ruling_done(&ask->ruling);
    private_text_free(&ask->answer);
    private_text_free(&ask->request.question);
    private_text_free(&ask->request.selection);
    free(ask);
}

static void finish(struct ask *ask, struct ask_result *result)
{
    if (ask->is_counted) {
        ask_report(ask, result->error);
        atomic_fetch_sub_explicit(ask->services->inflight, 1, memory_order_relaxed);
        metrics_add(&ask->services->metrics->ASKS_INFLIGHT, -1);
    }
    ask->done(ask->context, *result);
    ask_free(ask);
}

void ask_result_free(struct ask_result *result)
{
    private_text_free(&result->data);
    private_text_free(&result->details);
}
