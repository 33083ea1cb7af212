/*
 * What the operations ask and make of the answers: sessions, what was heard, refusals, rates.  (Turns
 * and speech have files of their own.)
 */
#include "postgres_operation_internal.h"

#include "mem.h"
#include "postgres_link_internal.h"
#include "postgres_state_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct postgres_operation *postgres_pop(struct store_list *list)
{
    return (struct postgres_operation *)store_list_pop(list);
}

void postgres_prepend(struct store_list *list, struct store_list *other)
{
    store_list_append(other, list);
    *list = *other;
    *other = (struct store_list){0};
}

enum postgres_next postgres_done(struct postgres_operation *operation, enum error error)
{
    operation->base.error = error;
    return NEXT_DONE;
}

void postgres_damaged(struct postgres_operation *operation)
{
    store_operation_drop_result(&operation->base); /* an error brings nothing with it */
    memcpy(operation->sqlstate, POSTGRES_DAMAGED, sizeof(operation->sqlstate));
    operation->base.error = ERROR_STORE_UNAVAILABLE;
}

/* What locks is alone: sessions and uses that are counted, and rates, of which two may ask in opposite
 * orders.  A refusal gets its id here, so that however often it is sent it is noted once. */
void postgres_operation_prepare(struct postgres_operation *operation)
{
    enum store_kind kind = operation->base.kind;
    struct id id;

    operation->beginning.claim_changes = -1;
    operation->is_alone =
        kind == STORE_RATES || kind == STORE_COUNT_USE ||
        (kind == STORE_CREATE && operation->base.request.create.client_most > 0);
    if (kind == STORE_REFUSAL) {
        id = id_random();
        operation->note_id = store_id_of(&id);
    }
}

struct postgres_operation *postgres_operation_new(enum store_kind kind)
{
    struct postgres_operation *operation = MEM_NEW(struct postgres_operation);

    operation->base.kind = kind;
    postgres_operation_prepare(operation);
    return operation;
}

void postgres_operation_free(struct postgres_operation *operation)
{
    if (operation == NULL)
        return;
    assert(operation->timer == NULL);
    postgres_begin_forget(operation);
    store_operation_free(&operation->base);
}

enum { CREATE_INSERT, CREATE_EXPLAIN };

/* A client whose sessions are counted. */
static bool is_counted(const struct store_new_session *create)
{
    return create->client_most > 0;
}

/* NULLs where there are none. */
static void papers_values(struct postgres_values *values,
                          const struct session_papers *papers)
{
    bool is_optional = session_papers_are_empty(papers);

    postgres_value_text(values, &papers->job_advert, is_optional);
    postgres_value_text(values, &papers->resume, is_optional);
    postgres_value_text(values, &papers->demands, is_optional);
}

static bool insert(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_new_session *create = &operation->base.request.create;
    const struct session *session = create->session;
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, session->expires_ms);
    postgres_value_number(&values, session->created_ms);
    postgres_value_number(&values, session->last_activity_ms);
    postgres_value_number(&values, session->difficulty);
    postgres_value_number(&values, session->total_questions);
    postgres_value_text(&values, &session->role, false);
    postgres_value_text(&values, &session->interview_type, false);
    postgres_value_text(&values, &session->asked[0], false);
    postgres_value_digest(&values, create->key.is_there, &create->key.key);
    postgres_value_digest(&values, create->key.is_there, &create->key.fingerprint);
    postgres_value_digest(&values, is_counted(create), &create->client);
    postgres_value_number(&values, create->client_most);
    postgres_value_number(&values, create->now_ms);
    papers_values(&values, &session->papers);
    return postgres_link_send(link, operation, POSTGRES_CREATE_SESSION, &values);
}

/* The key of an expired session is free: that session goes.  Whose sessions are counted waits
 * here for others that are made for the same client. */
static bool prepare(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_new_session *create = &operation->base.request.create;
    struct postgres_values gate = {0};
    struct postgres_values key = {0};

    postgres_value_number(&gate, create->client.bytes[0]);
    postgres_value_digest(&key, true, &create->key.key);
    postgres_value_number(&key, create->now_ms);
    return (!is_counted(create) ||
            postgres_link_send(link, operation, POSTGRES_PASS_GATE, &gate)) &&
           (!create->key.is_there ||
            postgres_link_send(link, operation, POSTGRES_FREE_KEY, &key));
}

/* The session of this id, which an earlier try made, or of this key. */
static bool explain(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_key *key = &operation->base.request.create.key;
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_digest(&values, key->is_there, &key->key);
    return postgres_link_send(link, operation, POSTGRES_FIND_CREATED, &values);
}

static bool ask_create(struct postgres_operation *operation, struct postgres_link *link)
{
    if (operation->step == CREATE_EXPLAIN)
        return explain(operation, link);
    return prepare(operation, link) && insert(operation, link);
}

static void take_created(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);
    struct store_id id;

    operation->is_found = PQntuples(result) > 0;
    if (!operation->is_found)
        return;
    operation->base.session =
        postgres_read_session(&row, &operation->base.session_id, NULL);
    id = postgres_row_id(&row);
    postgres_row_digest(&row, &operation->fingerprint);
    if (operation->base.session == NULL || row.is_damaged) {
        postgres_damaged(operation);
        return;
    }
    operation->base.session->id = store_id_text(&id);
}

static void take_create(struct postgres_operation *operation,
                        enum postgres_statement which, const PGresult *result)
{
    if (which == POSTGRES_CREATE_SESSION)
        operation->is_found = PQntuples(result) == 1;
    else if (which == POSTGRES_FIND_CREATED)
        take_created(operation, result);
}

static enum postgres_next next_create(struct postgres_operation *operation)
{
    const struct store_key *key = &operation->base.request.create.key;
    struct store_id found;

    if (operation->step == CREATE_INSERT) {
        if (operation->is_found)
            return postgres_done(operation, OK);
        operation->step = CREATE_EXPLAIN;
        return NEXT_ASK;
    }
    if (!operation->is_found) {
        if (is_counted(&operation->base.request.create))
            return postgres_done(operation, ERROR_USAGE_CAP_REACHED);
        operation->step = CREATE_INSERT; /* what was in the way went meanwhile */
        return NEXT_ASK;
    }
    found = store_id_of(&operation->base.session->id);
    if (!store_id_equals(&found, &operation->base.session_id)) {
        operation->base.is_replay = true;
        if (store_is_repeat(operation->base.session, &operation->fingerprint, key))
            return postgres_done(operation, OK);
    }
    session_free(operation->base.session); /* an earlier try made it: the caller has it */
    operation->base.session = NULL;
    return postgres_done(operation,
                         operation->base.is_replay ? ERROR_IDEMPOTENCY_KEY_REUSE : OK);
}

enum { LOAD_SESSION, LOAD_REST };

static bool ask_load(struct postgres_operation *operation, struct postgres_link *link)
{
    struct postgres_values values = {0};

    if (operation->step == LOAD_REST)
        return postgres_rest_ask(operation, operation->base.session,
                                 operation->has_papers, EXTENT_WHOLE, link);
    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, operation->base.now_ms);
    return postgres_link_send(link, operation, POSTGRES_LOAD_SESSION, &values);
}

static void take_load(struct postgres_operation *operation, enum postgres_statement which,
                      const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    if (which != POSTGRES_LOAD_SESSION) {
        postgres_rest_take(operation->base.session, which, result);
        return;
    }
    if (PQntuples(result) == 0)
        return;
    operation->base.session =
        postgres_read_session(&row, &operation->base.session_id, &operation->has_papers);
    if (operation->base.session == NULL)
        postgres_damaged(operation);
}

/* What went with the session meanwhile is not missing: the session is. */
static enum postgres_next next_load(struct postgres_operation *operation)
{
    struct session **session = &operation->base.session;

    if (*session == NULL)
        return postgres_done(operation, ERROR_SESSION_NOT_FOUND);
    if (!operation->base.request.is_whole)
        return postgres_done(operation, OK);
    if (operation->step == LOAD_SESSION) {
        operation->step = LOAD_REST;
        return NEXT_ASK;
    }
    if (postgres_rest_is_read(*session, operation->has_papers, EXTENT_WHOLE))
        return postgres_done(operation, OK);
    session_free(*session);
    *session = NULL;
    return postgres_done(operation, ERROR_SESSION_NOT_FOUND);
}

static bool ask_delete(struct postgres_operation *operation, struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    return postgres_link_send(link, operation, POSTGRES_DELETE_SESSION, &values);
}

/* An expired session that the sweep has not come to yet goes as well, and still counts as gone.
 * Where a try may have deleted it and only its answer was lost, finding nothing is success. */
static void take_delete(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    operation->is_found = PQntuples(result) == 0
                              ? operation->is_repeat
                              : postgres_row_number(&row) > operation->base.now_ms;
}

struct session *postgres_read_session(struct postgres_row *row, const struct store_id *id,
                                      bool *ret_has_papers)
{
    struct session *session = MEM_NEW(struct session);
    bool has_papers;

    session->id = store_id_text(id);
    session->expires_ms = postgres_row_number(row);
    session->created_ms = postgres_row_number(row);
    session->last_activity_ms = postgres_row_number(row);
    session->difficulty = (int)postgres_row_number(row);
    session->total_questions = (unsigned)postgres_row_number(row);
    session->turn_count = (unsigned)postgres_row_number(row);
    session->commit_count = (unsigned)postgres_row_number(row);
    session->attempt_count = (unsigned)postgres_row_number(row);
    session->is_finished = postgres_row_flag(row);
    has_papers = postgres_row_flag(row);
    if (ret_has_papers != NULL)
        *ret_has_papers = has_papers;
    session->role = postgres_row_text(row);
    session->interview_type = postgres_row_text(row);
    session->asked[0] = postgres_row_text(row);
    session->asked_count =
        1 + postgres_row_texts(row, session->asked + 1, SESSION_MAX_QUESTIONS - 1);
    if (!row->is_damaged && session->turn_count <= SESSION_MAX_QUESTIONS &&
        session->asked_count >= session->turn_count &&
        session->commit_count >= session->turn_count &&
        session->commit_count <= SESSION_MAX_COMMITS)
        return session;
    session_free(session);
    return NULL;
}

static bool ask_of(struct postgres_operation *operation, enum postgres_statement which,
                   struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    return postgres_link_send(link, operation, which, &values);
}

bool postgres_rest_ask(struct postgres_operation *operation,
                       const struct session *session, bool has_papers,
                       enum store_extent extent, struct postgres_link *link)
{
    bool is_whole = extent == EXTENT_WHOLE;
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, is_whole);
    return (extent == EXTENT_SESSION || session->commit_count == 0 ||
            postgres_link_send(link, operation, POSTGRES_READ_TURNS, &values)) &&
           (!has_papers || ask_of(operation, POSTGRES_READ_PAPERS, link)) &&
           (!is_whole || !session->is_finished ||
            ask_of(operation, POSTGRES_READ_FINISH, link));
}

static void take_turns(struct session *session, const PGresult *result)
{
    if ((unsigned)PQntuples(result) < session->commit_count || session->turns != NULL)
        return;
    session->turns = mem_zalloc(session->commit_count * sizeof(*session->turns));
    for (unsigned i = 0; i < session->commit_count; i++) {
        struct postgres_row row = postgres_row_of(result, (int)i);
        struct session_turn *turn = &session->turns[i];
        unsigned char scores[SESSION_SCORES];

        turn->number = (unsigned)postgres_row_number(&row);
        if (turn->number < 1 || turn->number > session->turn_count)
            turn->number = 1;
        if (postgres_row_bytes(&row, scores, sizeof(scores)))
            store_read_scores(scores, turn);
        turn->transcript = postgres_row_text(&row);
        turn->at_ms = postgres_row_number(&row);
        turn->is_skipped = postgres_row_flag(&row);
        turn->outcome = postgres_row_text(&row);
    }
    session_number_turns(session);
}

void postgres_rest_take(struct session *session, enum postgres_statement which,
                        const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    if (which == POSTGRES_READ_TURNS) {
        take_turns(session, result);
    } else if (which == POSTGRES_READ_PAPERS && PQntuples(result) == 1) {
        session_papers_free(&session->papers);
        session->papers.job_advert = postgres_row_text(&row);
        session->papers.resume = postgres_row_text(&row);
        session->papers.demands = postgres_row_text(&row);
    } else if (which == POSTGRES_READ_FINISH && PQntuples(result) == 1 &&
               (unsigned)postgres_row_number(&row) == session->commit_count) {
        private_text_free(&session->finish);
        session->finish = postgres_row_text(&row);
    }
}

bool postgres_rest_is_read(const struct session *session, bool has_papers,
                           enum store_extent extent)
{
    return (extent == EXTENT_SESSION || session->commit_count == 0 ||
            session->turns != NULL) &&
           (!has_papers || !session_papers_are_empty(&session->papers));
}

#define MINUTE_US INT64_C(60000000)

static bool ask_remember(struct postgres_operation *operation, struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_digest(&values, true, &operation->base.request.remember.audio);
    postgres_value_text(&values, &operation->base.request.remember.heard, false);
    return postgres_link_send(link, operation, POSTGRES_KEEP_HEARD, &values);
}

static bool ask_refusal(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct refusal *refusal = &operation->base.request.refusal;
    struct postgres_values values = {0};
    struct store_id session;

    postgres_value_id(&values, &operation->note_id);
    postgres_value_number(&values, refusal->at_ms);
    if (*refusal->session_id.text != '\0') {
        session = store_id_of(&refusal->session_id);
        postgres_value_id(&values, &session);
    } else {
        postgres_value_null(&values);
    }
    postgres_value_text(&values, &refusal->question, true);
    postgres_value_string(&values, refusal->reason);
    postgres_value_number(&values, refusal->chunks_retrieved);
    if (refusal->max_score >= 0)
        postgres_value_double(&values, refusal->max_score);
    else
        postgres_value_null(&values);
    return postgres_link_send(link, operation, POSTGRES_NOTE_REFUSAL, &values);
}

/* `step` is the quota that is being asked; a denied one is asked once more, for when it is whole.
 */
static bool ask_rates(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_rate_request *request = &operation->base.request.rates;
    bool was_denied = operation->number > 0;
    struct postgres_values values = {0};

    postgres_value_digest(&values, true, &request->rates[operation->step].key);
    if (!was_denied)
        postgres_value_number(&values,
                              MINUTE_US / request->rates[operation->step].per_minute);
    operation->is_found = false;
    return postgres_link_send(
        link, operation, was_denied ? POSTGRES_READ_RATE : POSTGRES_TAKE_RATE, &values);
}

static void take_rates(struct postgres_operation *operation,
                       enum postgres_statement which, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    operation->is_found = PQntuples(result) == 1;
    if (!operation->is_found)
        return;
    operation->base.rates[operation->step] = (struct store_rate){
        .is_taken = which == POSTGRES_TAKE_RATE,
        .whole_us = postgres_row_number(&row),
    };
    if (row.is_damaged)
        postgres_damaged(operation);
}

static enum postgres_next next_rates(struct postgres_operation *operation)
{
    bool was_denied = operation->number > 0;

    if (!was_denied && !operation->is_found) {
        operation->number = 1;
        return NEXT_ASK;
    }
    if (was_denied || ++operation->step == operation->base.request.rates.count)
        return postgres_done(operation, OK);
    return NEXT_ASK;
}

static bool beat(struct postgres_operation *operation,
                 const struct postgres_ground *ground, struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_process_values(&values, &ground->process);
    return postgres_link_send(link, operation, POSTGRES_BEAT, &values);
}

static bool ask_count_use(struct postgres_operation *operation,
                          struct postgres_link *link)
{
    const struct store_claim *use = &operation->base.request.begin;
    struct postgres_values values = {0};

    postgres_value_number(&values, store_day(use->now_ms));
    postgres_value_number(&values, use->caps.turns);
    return postgres_link_send(link, operation, POSTGRES_COUNT_USE, &values);
}

static void take_count_use(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);
    struct store_usage usage = {.day = store_day(operation->base.request.begin.now_ms)};

    operation->is_found = PQntuples(result) == 1;
    if (!operation->is_found)
        return;
    usage.turns = postgres_row_number(&row);
    usage.audio_ms = postgres_row_number(&row);
    store_usage_note(&operation->ground->usage, &usage);
}

bool postgres_operation_ask(struct postgres_operation *operation,
                            struct postgres_ground *ground, struct postgres_link *link)
{
    operation->ground = ground;
    switch (operation->base.kind) {
    case STORE_CREATE: return ask_create(operation, link);
    case STORE_LOAD: return ask_load(operation, link);
    case STORE_DELETE: return ask_delete(operation, link);
    case STORE_BEGIN: return postgres_begin_ask(operation, ground, link);
    case STORE_COMMIT: return postgres_commit_ask(operation, ground, link);
    case STORE_FINISH: return postgres_finish_ask(operation, ground, link);
    case STORE_END: return postgres_end_ask(operation, ground, link);
    case STORE_REMEMBER: return ask_remember(operation, link);
    case STORE_SPEECH: return postgres_speech_ask(operation, link);
    case STORE_REFUSAL: return ask_refusal(operation, link);
    case STORE_RATES: return ask_rates(operation, link);
    case STORE_COUNT_USE: return ask_count_use(operation, link);
    case STORE_REPORT: return postgres_delivery_ask(operation, ground, link);
    case STORE_CHECK: /* writes, and durably */
    case STORE_BEAT: return beat(operation, ground, link);
    case STORE_SWEEP: break; /* the connector does it */
    }
    return false;
}

void postgres_operation_take(struct postgres_operation *operation,
                             enum postgres_statement which, const PGresult *result)
{
    switch (operation->base.kind) {
    case STORE_CREATE: take_create(operation, which, result); break;
    case STORE_LOAD: take_load(operation, which, result); break;
    case STORE_DELETE: take_delete(operation, result); break;
    case STORE_BEGIN: postgres_begin_take(operation, which, result); break;
    case STORE_COMMIT:
    case STORE_FINISH:
    case STORE_END: postgres_commit_take(operation, which, result); break;
    case STORE_SPEECH: postgres_speech_take(operation, result); break;
    case STORE_RATES: take_rates(operation, which, result); break;
    case STORE_COUNT_USE: take_count_use(operation, result); break;
    case STORE_REMEMBER:
    case STORE_REFUSAL:
    case STORE_REPORT:
    case STORE_CHECK:
    case STORE_SWEEP:
    case STORE_BEAT: break; /* that there was no error is all there is to know */
    }
}

enum postgres_next postgres_operation_next(struct postgres_operation *operation)
{
    if (operation->base.error == ERROR_STORE_UNAVAILABLE) /* postgres_damaged() */
        return NEXT_DONE;
    switch (operation->base.kind) {
    case STORE_CREATE: return next_create(operation);
    case STORE_BEGIN: return postgres_begin_next(operation);
    case STORE_COMMIT:
    case STORE_FINISH: return postgres_commit_next(operation);
    case STORE_RATES: return next_rates(operation);
    case STORE_COUNT_USE:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_USAGE_CAP_REACHED);
    case STORE_LOAD: return next_load(operation);
    case STORE_END:
        return postgres_done(operation,
                             store_end_is_reply(&operation->base) && !operation->is_found
                                 ? ERROR_SESSION_NOT_FOUND
                                 : OK);
    case STORE_DELETE:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_SESSION_NOT_FOUND);
    case STORE_SPEECH:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_TTS_AUDIO_NOT_FOUND);
    case STORE_REMEMBER:
    case STORE_REFUSAL:
    case STORE_REPORT:
    case STORE_CHECK:
    case STORE_SWEEP:
    case STORE_BEAT: break;
    }
    return postgres_done(operation, OK);
}

void postgres_operation_forget(struct postgres_operation *operation)
{
    store_operation_drop_result(&operation->base);
    postgres_begin_forget(operation);
    operation->base.error = OK;
    operation->is_found = false;
    operation->number = 0;
    operation->step = 0;
}

void postgres_operation_fail(struct postgres_operation *operation)
{
    store_operation_drop_result(&operation->base);
    operation->base.error = ERROR_STORE_UNAVAILABLE;
}

struct postgres_operation *postgres_operation_release(
    const struct postgres_operation *operation)
{
    struct postgres_operation *release;
    struct id request_id;

    if (operation->base.error != ERROR_STORE_UNAVAILABLE)
        return NULL;
    if (operation->base.kind == STORE_COMMIT)
        request_id = operation->base.request.commit.request_id;
    else if (operation->base.kind == STORE_FINISH)
        request_id = operation->base.request.finish.request_id;
    else if (operation->base.kind == STORE_END)
        request_id = operation->base.request.end.request_id;
    else if (operation->base.kind == STORE_BEGIN &&
             operation->beginning.claim_changes >= 0)
        request_id = operation->base.request.begin.request_id;
    else
        return NULL;
    release = postgres_operation_new(STORE_END);
    release->base.has_session = true;
    release->base.session_id = operation->base.session_id;
    release->base.request.end.request_id = request_id;
    return release;
}

void postgres_operation_tell(struct postgres_operation *operation)
{
    postgres_begin_forget(operation);
    store_operation_tell(&operation->base);
}
