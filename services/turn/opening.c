/*
 * The beginning of an interview with an advert or a CV.
 *
 *   opening_fill_in    the built-in way: complete, at once
 *   opening_ask > [count it >] coach > on_reply > done    a model's way takes its place, as far as it is good
 *
 * What a model gives is held to the bounds of the contract, to the filter, to the advert (a demand must
 * stand there) and to what an interviewer may ask about; each part that is not so stays the built-in
 * coach's.
 */
#include "opening.h"

#include "advert.h"
#include "clock.h"
#include "coach_builtin.h"
#include "json.h"
#include "mem.h"
#include "model_json.h"
#include "private_reveal.h"
#include "prompt.h"

#include <stdlib.h>

enum { QUESTION_WORDS = 60 };
#define DEMANDS_BYTES (256 * 1024) /* the longest, escaped */

struct opening {
    const struct turn_services *services; /* borrowed */
    struct session *session;              /* owned until it is handed over */
    struct id request_id;
    struct trace trace;
    opening_done_fn *done;
    void *context;
};

static store_done_fn on_counted;
static void ask(struct opening *opening);
static coach_done_fn on_reply;

/* ---- demands as they are stored ---- */

static struct private_text write_demands(const struct private_text *demands, size_t count)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, DEMANDS_BYTES);
    json_writer_init(&writer, &out);
    json_begin_array(&writer);
    for (size_t i = 0; i < count; i++)
        json_private(&writer, &demands[i]);
    json_end_array(&writer);
    return private_text_take(&out);
}

size_t opening_demands(const struct session_papers *papers,
                       struct private_text ret_demands[])
{
    struct span text = private_reveal(&papers->demands);
    struct json_object *list =
        text.length > 0 ? json_parse(text.bytes, text.length, 2) : NULL;
    size_t count = 0;

    for (size_t i = 0; json_object_is_type(list, json_type_array) &&
                       i < json_object_array_length(list) && count < ADVERT_DEMANDS_MOST;
         i++)
        count += model_json_words(json_object_array_get_idx(list, i), ADVERT_DEMAND_WORDS,
                                  &ret_demands[count]);
    json_wipe_and_put(list);
    return count;
}

static void free_demands(struct private_text *demands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        private_text_free(&demands[i]);
}

static void put_demands(struct session *session, const struct private_text *demands,
                        size_t count)
{
    private_text_free(&session->papers.demands);
    session->papers.demands = write_demands(demands, count);
}

/* ---- the built-in way ---- */

static struct coach_facts facts_of(const struct session *session,
                                   const struct private_text *demands, size_t count)
{
    return (struct coach_facts){
        .role = &session->role,
        .interview_type = &session->interview_type,
        .difficulty = (enum difficulty)session->difficulty,
        .total_questions = session->total_questions,
        .job_advert = &session->papers.job_advert,
        .resume = &session->papers.resume,
        .demands = demands,
        .demand_count = count,
    };
}

void opening_fill_in(struct session *session)
{
    struct private_text demands[ADVERT_DEMANDS_MOST];
    struct span advert = private_reveal(&session->papers.job_advert);
    size_t count = advert.length > 0 ? advert_demands(advert, demands) : 0;
    struct coach_facts facts = facts_of(session, demands, count);

    session->asked[0] = coach_first_question(&facts, &session->id);
    session->asked_count = 1;
    if (advert.length > 0)
        put_demands(session, demands, count);
    free_demands(demands, count);
}

/* ---- the model's ---- */

bool opening_wants_model(const struct turn_services *services,
                         const struct session *session)
{
    return !services->coaches->all[0]->is_builtin &&
           !private_text_is_empty(&session->papers.job_advert) &&
           atomic_load_explicit(services->inflight, memory_order_relaxed) <
               services->settings->max_inflight_turns;
}

void opening_ask(const struct turn_services *services, struct session *session,
                 const struct id *request_id, const struct trace *trace,
                 opening_done_fn *done, void *context)
{
    struct opening *opening = MEM_NEW(struct opening);
    const struct store_day_caps caps = {.turns = services->settings->max_turns_per_day};

    opening->services = services;
    opening->session = session;
    opening->request_id = *request_id;
    opening->trace = *trace;
    opening->done = done;
    opening->context = context;
    atomic_fetch_add_explicit(services->inflight, 1, memory_order_relaxed);
    if (caps.turns > 0)
        store_count_use(services->store, &caps, clock_wall_ms(), on_counted, opening);
    else
        ask(opening);
}

static void finish(struct opening *opening)
{
    atomic_fetch_sub_explicit(opening->services->inflight, 1, memory_order_relaxed);
    opening->done(opening->context, opening->session);
    free(opening);
}

/* On a day that is used up nothing is spent on it. */
static void on_counted(void *context, enum error error)
{
    if (error == OK)
        ask(context);
    else
        finish(context);
}

static void ask(struct opening *opening)
{
    const struct settings *settings = opening->services->settings;
    struct coach *coach = opening->services->coaches->all[0];
    int64_t timeout_s = settings->start_timeout_s < settings->llm_timeout_s
                            ? settings->start_timeout_s
                            : settings->llm_timeout_s;
    struct coach_ask ask = {.task = COACH_OPENING,
                            .facts = facts_of(opening->session, NULL, 0),
                            .request_id = opening->request_id,
                            .trace = opening->trace};

    if (timeout_s >
        settings->turn_deadline_s) /* a drain waits no longer than for turns */
        timeout_s = settings->turn_deadline_s;
    ask.timeout_ms = timeout_s * 1000;
    prompt_write(&ask);
    coach->start(coach, &ask, on_reply, opening);
}

static bool is_safe(const struct opening *opening, struct private_text *text)
{
    return filter_admit(opening->services->filter, text).outcome == FILTER_PASS &&
           demand_is_fit(private_reveal(text));
}

static void take_demands(struct opening *opening, struct json_object *list)
{
    struct session *session = opening->session;
    struct span advert = private_reveal(&session->papers.job_advert);
    struct private_text demands[ADVERT_DEMANDS_MOST] = {{NULL, 0}};
    size_t count = 0;

    for (size_t i = 0; json_object_is_type(list, json_type_array) &&
                       i < json_object_array_length(list) && count < ADVERT_DEMANDS_MOST;
         i++) {
        if (model_json_words(json_object_array_get_idx(list, i), ADVERT_DEMAND_WORDS,
                             &demands[count]) &&
            is_safe(opening, &demands[count]) &&
            demand_stands_in(private_reveal(&demands[count]), advert))
            count++;
        else
            private_text_free(&demands[count]);
    }
    if (count > 0)
        put_demands(session, demands, count);
    free_demands(demands, count);
}

static void take_question(struct opening *opening, struct json_object *value)
{
    struct private_text question = {NULL, 0};

    if (model_json_words(value, QUESTION_WORDS, &question) &&
        is_safe(opening, &question)) {
        private_text_free(&opening->session->asked[0]);
        opening->session->asked[0] = private_text_move(&question);
    }
    private_text_free(&question);
}

static void take_reply(struct opening *opening, const struct private_text *text)
{
    struct json_object *object;
    bool is_refused = false;

    if (model_json_parse(private_reveal(text), &object) != MODEL_JSON_OBJECT)
        return;
    model_json_flag(json_member(object, "refused"), &is_refused);
    if (!is_refused) {
        take_demands(opening, json_member(object, "demands"));
        take_question(opening, json_member(object, "first_question"));
    }
    json_wipe_and_put(object);
}

static void on_reply(void *context, enum error error, struct coach_reply reply)
{
    struct opening *opening = context;

    if (error == OK)
        take_reply(opening, &reply.text);
    private_text_free(&reply.text);
    finish(opening);
}
