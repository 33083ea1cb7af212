/*
 * A turn begins:
 *
 *     read the facts > decide > claim             the session is as it was read: the turn runs
 *           ^            |  |        `------.
 *           |            |  `-> replay      |     it is not: from the start
 *           `-- wait <---'                  |
 *           `-------------------------------'
 *
 * What may happen is decided by store_decide(); here the facts are gathered and the decision is
 * carried out.  That nothing changed in between is seen by the session's `changes`, so that any
 * number of processes may decide at the same time, and one claims.
 */
#include "postgres_link_internal.h"
#include "postgres_operation_internal.h"

#include "clock.h"
#include "mem.h"

#include <stdlib.h>

#define WAIT_FOR_REPORT_US 500000
#define LOOK_EACH_MS       20 /* whether the report of a reply has come */

/* A client that was just told how its turn ended may ask for the next one by another way, which
 * is quicker than the end of the claim: it is looked at again before the client is turned away. */
static const int64_t looks_ms[] = {10, 30};
#define LOOKS (sizeof(looks_ms) / sizeof(looks_ms[0]))

static struct store_id request_of(const struct postgres_operation *operation)
{
    return store_id_of(&operation->base.request.begin.request_id);
}

static bool find_facts(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_claim *claim = &operation->base.request.begin;
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_digest(&values, claim->input.key.is_there, &claim->input.key.key);
    postgres_value_digest(&values, claim->input.has_audio, &claim->input.audio);
    postgres_value_number(&values, claim->now_ms);
    return postgres_link_send(link, operation, POSTGRES_FIND_FACTS, &values);
}

static bool is_capped(const struct postgres_operation *operation)
{
    return store_has_caps(&operation->base.request.begin.caps) &&
           !operation->beginning.is_ours;
}

static enum store_extent extent_of(const struct postgres_operation *operation)
{
    return store_extent_of(&operation->base.request.begin, operation->beginning.session);
}

/* What else is wanted of the session is read in the same go. */
static bool send_claim(struct postgres_operation *operation,
                       const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_claim *claim = &operation->base.request.begin;
    struct postgres_beginning *beginning = &operation->beginning;
    struct store_id request_id = request_of(operation);
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, beginning->changes);
    postgres_value_id(&values, &request_id);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_digest(&values, claim->input.key.is_there, &claim->input.key.key);
    postgres_value_digest(&values, claim->input.key.is_there,
                          &claim->input.key.fingerprint);
    if (is_capped(operation)) {
        postgres_value_number(&values, store_day(claim->now_ms));
        postgres_value_number(&values, claim->audio_ms);
        postgres_value_number(&values, claim->caps.turns);
        postgres_value_number(&values, claim->caps.audio_ms);
    }
    if (beginning->claim_changes < 0)
        beginning->claim_changes = beginning->changes;
    beginning->was_expected = false;
    beginning->had_room = true;
    beginning->usage = (struct store_usage){0};
    if (!postgres_link_send(link, operation,
                            is_capped(operation) ? POSTGRES_CLAIM_CAPPED : POSTGRES_CLAIM,
                            &values))
        return false;
    return postgres_rest_ask(operation, beginning->session, beginning->has_papers,
                             extent_of(operation), link);
}

/* Under a key that is new, the last commit's outcome is this key's first from now on. */
static bool send_record(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_key *key = &operation->base.request.begin.input.key;
    struct postgres_values forget = {0};
    struct postgres_values insert = {0};

    if (!key->is_there)
        return true;
    postgres_value_id(&forget, &operation->base.session_id);
    postgres_value_number(&forget, STORE_MAX_REMEMBERED - 1);
    postgres_value_id(&insert, &operation->base.session_id);
    postgres_value_digest(&insert, true, &key->key);
    postgres_value_digest(&insert, true, &key->fingerprint);
    postgres_value_number(&insert, operation->beginning.facts.commit_count);
    postgres_value_null(&insert);
    postgres_value_number(&insert, operation->base.now_ms);
    postgres_value_number(&insert, false);
    return postgres_link_send(link, operation, POSTGRES_FORGET_RECORDS, &forget) &&
           postgres_link_send(link, operation, POSTGRES_INSERT_RECORD, &insert);
}

/* A reply that is not known to have arrived is on its way once more, and what depends on that
 * waits for its report. */
static bool send_again(struct postgres_operation *operation,
                       const struct postgres_ground *ground, struct postgres_link *link)
{
    struct postgres_values values = {0};

    if (operation->beginning.facts.is_delivered)
        return true;
    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, operation->beginning.facts.commit_count);
    postgres_value_id(&values, &ground->process.id);
    return postgres_link_send(link, operation, POSTGRES_SEND_AGAIN, &values);
}

static bool send_replay(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct postgres_beginning *beginning = &operation->beginning;
    bool is_record = beginning->replays_record;
    bool is_last =
        !is_record || beginning->record_commit == beginning->facts.commit_count;
    struct postgres_values values = {0};

    if ((!is_record && !send_record(operation, link)) ||
        (is_last && beginning->facts.commit_count > 0 &&
         !send_again(operation, ground, link)))
        return false;
    postgres_value_id(&values, &operation->base.session_id);
    if (is_record)
        postgres_value_digest(&values, true,
                              &operation->base.request.begin.input.key.key);
    else
        postgres_value_number(&values, beginning->facts.commit_count);
    return postgres_link_send(link, operation,
                              is_record ? POSTGRES_READ_RECORD : POSTGRES_READ_OUTCOME,
                              &values);
}

bool postgres_begin_ask(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link)
{
    switch (operation->beginning.step) {
    case BEGIN_FACTS: break;
    case BEGIN_CLAIM: return send_claim(operation, ground, link);
    case BEGIN_REPLAY: return send_replay(operation, ground, link);
    }
    return find_facts(operation, link);
}

/* Who runs a turn of the session now, if anybody does.  Our own claim, made by a try whose answer
 * was lost, is nobody's. */
static void read_claim(struct postgres_operation *operation, struct postgres_row *row)
{
    struct postgres_beginning *beginning = &operation->beginning;
    struct store_facts *facts = &beginning->facts;
    struct store_id request_id = request_of(operation);
    struct store_id running = {{0}};
    struct store_id process = {{0}};

    facts->is_running = postgres_row_flag(row);
    postgres_row_bytes(row, running.bytes, sizeof(running.bytes));
    postgres_row_bytes(row, process.bytes, sizeof(process.bytes));
    facts->running_key.is_there = postgres_row_digest(row, &facts->running_key.key);
    if (!postgres_row_digest(row, &facts->running_key.fingerprint))
        facts->running_key.is_there = false;
    beginning->is_ours = facts->is_running && operation->is_repeat &&
                         beginning->claim_changes >= 0 &&
                         beginning->changes > beginning->claim_changes &&
                         store_id_equals(&running, &request_id) &&
                         store_id_equals(&process, &operation->ground->process.id);
    if (beginning->is_ours)
        facts->is_running = false;
}

static void take_facts(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_beginning *beginning = &operation->beginning;
    struct store_facts *facts = &beginning->facts;
    struct postgres_row row = postgres_row_of(result, 0);

    postgres_begin_forget(operation);
    if (PQntuples(result) == 0)
        return;
    beginning->session =
        postgres_read_session(&row, &operation->base.session_id, &beginning->has_papers);
    if (beginning->session == NULL) {
        postgres_damaged(operation);
        return;
    }
    store_facts_of(beginning->session, facts);
    facts->is_delivered = postgres_row_number(&row) == facts->commit_count;
    beginning->changes = postgres_row_number(&row);
    facts->has_last_audio = postgres_row_digest(&row, &facts->last_audio);
    facts->has_last_transcript = postgres_row_digest(&row, &facts->last_transcript);
    read_claim(operation, &row);
    beginning->has_sender = postgres_row_flag(&row);
    facts->has_record = postgres_row_digest(&row, &facts->record_fingerprint);
    beginning->record_commit =
        postgres_row_is_null(&row) ? 0 : (unsigned)postgres_row_number(&row);
    beginning->record_is_reply = postgres_row_flag(&row);
    beginning->heard = postgres_row_text(&row);
    if (row.is_damaged)
        postgres_damaged(operation);
}

static void take_claim(struct postgres_operation *operation,
                       enum postgres_statement which, const PGresult *result)
{
    struct postgres_beginning *beginning = &operation->beginning;
    struct postgres_row row = postgres_row_of(result, 0);

    if (which == POSTGRES_CLAIM) {
        beginning->was_expected = PQntuples(result) == 1;
    } else if (PQntuples(result) == 1) {
        beginning->was_expected = postgres_row_number(&row) == 1;
        beginning->had_room = postgres_row_number(&row) == 1;
        beginning->usage.day = store_day(operation->base.request.begin.now_ms);
        beginning->usage.turns = postgres_row_number(&row);
        beginning->usage.audio_ms = postgres_row_number(&row);
    }
}

void postgres_begin_take(struct postgres_operation *operation,
                         enum postgres_statement which, const PGresult *result)
{
    struct postgres_beginning *beginning = &operation->beginning;
    struct postgres_row row = postgres_row_of(result, 0);

    if (which == POSTGRES_FIND_FACTS)
        take_facts(operation, result);
    else if (which == POSTGRES_READ_TURNS || which == POSTGRES_READ_PAPERS ||
             which == POSTGRES_READ_FINISH)
        postgres_rest_take(beginning->session, which, result);
    else if (which == POSTGRES_CLAIM || which == POSTGRES_CLAIM_CAPPED)
        take_claim(operation, which, result);
    else if ((which == POSTGRES_READ_OUTCOME || which == POSTGRES_READ_RECORD) &&
             PQntuples(result) == 1) {
        private_text_free(&beginning->outcome);
        beginning->outcome = postgres_row_text(&row);
        beginning->has_outcome = true;
    }
}

static enum postgres_next wait(struct postgres_operation *operation, int64_t wait_ms)
{
    operation->wait_ms = wait_ms;
    return NEXT_WAIT;
}

static enum postgres_next go_to(struct postgres_operation *operation,
                                enum postgres_begin_step step)
{
    operation->beginning.step = step;
    return NEXT_ASK;
}

/* The last commit's reply is on its way in a process that lives, and half a second has not passed. */
static void look_for_sender(struct postgres_beginning *beginning)
{
    int64_t now_us = clock_monotonic_us();

    if (beginning->wait_until_us == 0 && beginning->has_sender)
        beginning->wait_until_us = now_us + WAIT_FOR_REPORT_US;
    beginning->facts.is_on_its_way =
        beginning->has_sender && now_us < beginning->wait_until_us;
}

static enum postgres_next decide(struct postgres_operation *operation)
{
    struct postgres_beginning *beginning = &operation->beginning;
    enum store_verdict verdict;

    look_for_sender(beginning);
    verdict = store_decide(&beginning->facts, &operation->base.request.begin);
    beginning->replays_record = verdict == VERDICT_REPLAY_RECORD;
    switch (verdict) {
    case VERDICT_RUN:
        operation->is_alone |= is_capped(operation); /* it locks the day */
        return go_to(operation, BEGIN_CLAIM);
    case VERDICT_REPLAY_LAST:
    case VERDICT_REPLAY_RECORD: return go_to(operation, BEGIN_REPLAY);
    case VERDICT_WAIT: return wait(operation, LOOK_EACH_MS);
    case VERDICT_IN_PROGRESS:
        if (beginning->looks < LOOKS)
            return wait(operation, looks_ms[beginning->looks++]);
        break;
    case VERDICT_NOT_FOUND:
    case VERDICT_KEY_REUSE:
    case VERDICT_COMPLETE:
    case VERDICT_NO_QUESTION:
    case VERDICT_TOO_MANY: break;
    }
    return postgres_done(operation, store_verdict_error(verdict));
}

static enum postgres_next on_claimed(struct postgres_operation *operation)
{
    struct postgres_beginning *beginning = &operation->beginning;

    if (!beginning->was_expected)
        return go_to(operation, BEGIN_FACTS);
    if (!beginning->had_room) {
        operation->base.begun.may_be_typed =
            store_may_be_typed(&beginning->usage, &operation->base.request.begin);
        return postgres_done(operation, ERROR_USAGE_CAP_REACHED);
    }
    if (beginning->usage.day != 0)
        store_usage_note(&operation->ground->usage, &beginning->usage);
    if (!postgres_rest_is_read(beginning->session, beginning->has_papers,
                               extent_of(operation))) {
        postgres_damaged(operation);
        return NEXT_DONE;
    }
    operation->base.begun.decision = STORE_RUN;
    operation->base.begun.session = beginning->session;
    operation->base.begun.heard = beginning->heard;
    beginning->session = NULL;
    beginning->heard = (struct private_text){0};
    return postgres_done(operation, OK);
}

static enum postgres_next on_replay(struct postgres_operation *operation)
{
    struct postgres_beginning *beginning = &operation->beginning;
    unsigned commit_number = beginning->replays_record ? beginning->record_commit
                                                       : beginning->facts.commit_count;

    if (!beginning->has_outcome) /* the session went meanwhile */
        return go_to(operation, BEGIN_FACTS);
    operation->base.begun = (struct store_begun){
        .decision = STORE_REPLAY,
        .is_refusal = commit_number == 0 && !beginning->record_is_reply,
        .outcome = beginning->outcome,
        .commit_number = commit_number,
    };
    beginning->outcome = (struct private_text){0};
    return postgres_done(operation, OK);
}

enum postgres_next postgres_begin_next(struct postgres_operation *operation)
{
    switch (operation->beginning.step) {
    case BEGIN_FACTS: return decide(operation);
    case BEGIN_CLAIM: return on_claimed(operation);
    case BEGIN_REPLAY: return on_replay(operation);
    }
    return NEXT_DONE;
}

/* What was found; not how often it was looked for, nor when the claim was tried. */
void postgres_begin_forget(struct postgres_operation *operation)
{
    struct postgres_beginning *beginning = &operation->beginning;

    session_free(beginning->session);
    private_text_free(&beginning->heard);
    private_text_free(&beginning->outcome);
    beginning->session = NULL;
    beginning->facts = (struct store_facts){0};
    beginning->has_outcome = beginning->is_ours = beginning->has_sender = false;
    beginning->record_commit = 0;
    beginning->record_is_reply = false;
    beginning->step = BEGIN_FACTS;
}

/* The end of a turn: it is committed, or its claim is given back. */

enum { COMMIT_STORE, COMMIT_EXPLAIN };

static struct store_id commit_request_of(const struct postgres_operation *operation)
{
    return store_id_of(operation->base.kind == STORE_FINISH
                           ? &operation->base.request.finish.request_id
                           : &operation->base.request.commit.request_id);
}

static bool send_commit(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_commit *commit = &operation->base.request.commit;
    const struct store_input *input = &commit->input;
    struct store_id request_id = commit_request_of(operation);
    unsigned char scores[SESSION_SCORES];
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, commit->turn_number);
    postgres_value_number(&values, commit->now_ms);
    postgres_value_number(&values, commit->expires_ms);
    postgres_value_digest(&values, input->has_audio, &input->audio);
    postgres_value_digest(&values, input->has_transcript, &input->transcript);
    postgres_value_id(&values, &request_id);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_digest(&values, input->key.is_there, &input->key.key);
    postgres_value_digest(&values, input->key.is_there, &input->key.fingerprint);
    if (store_write_scores(commit, scores))
        postgres_value_bytes(&values, scores, sizeof(scores));
    else
        postgres_value_null(&values);
    postgres_value_text(&values, &commit->transcript, false);
    postgres_value_text(&values, &commit->outcome, false);
    postgres_value_text(&values, &commit->next_question, true);
    postgres_speech_values(&values, &commit->speech);
    postgres_value_number(&values, commit->commit_number);
    postgres_value_number(&values, commit->was_finished);
    postgres_value_number(&values, commit->is_skipped);
    return postgres_link_send(link, operation, POSTGRES_COMMIT_TURN, &values);
}

static bool send_release(struct postgres_operation *operation,
                         const struct postgres_ground *ground,
                         const struct id *request_id, int64_t expires_ms,
                         struct postgres_link *link)
{
    struct store_id request = store_id_of(request_id);
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_id(&values, &request);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_number(&values, expires_ms);
    postgres_value_number(&values, operation->base.now_ms);
    return postgres_link_send(link, operation, POSTGRES_END_TURN, &values);
}

/* The claim, if it is still there, is given back. */
static bool send_explain(struct postgres_operation *operation,
                         const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_commit *commit = &operation->base.request.commit;
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, commit->commit_number);
    postgres_value_number(&values, commit->now_ms);
    return postgres_link_send(link, operation, POSTGRES_EXPLAIN_COMMIT, &values) &&
           send_release(operation, ground, &commit->request_id, 0, link);
}

bool postgres_commit_ask(struct postgres_operation *operation,
                         struct postgres_ground *ground, struct postgres_link *link)
{
    if (operation->step == COMMIT_EXPLAIN)
        return send_explain(operation, ground, link);
    return postgres_speech_make_room(operation, ground, link) &&
           send_commit(operation, ground, link);
}

static void take_explanation(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);
    struct store_id request_id = commit_request_of(operation);
    struct store_id stored = {{0}};

    operation->is_found = PQntuples(result) == 1;
    operation->is_ours = operation->is_found &&
                         postgres_row_bytes(&row, stored.bytes, sizeof(stored.bytes)) &&
                         store_id_equals(&stored, &request_id);
}

void postgres_commit_take(struct postgres_operation *operation,
                          enum postgres_statement which, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    if (which == POSTGRES_COMMIT_TURN || which == POSTGRES_FINISH_SESSION)
        operation->is_found = PQntuples(result) == 1 && postgres_row_number(&row) == 1;
    else if (which == POSTGRES_EXPLAIN_COMMIT || which == POSTGRES_EXPLAIN_FINISH)
        take_explanation(operation, result);
    else if (which == POSTGRES_FIND_LIVE)
        operation->is_found = PQntuples(result) == 1;
    else if (which == POSTGRES_EVICT_SPEECH && PQntuples(result) == 1)
        operation->number = postgres_row_number(&row);
}

static bool send_finish(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_finish *finish = &operation->base.request.finish;
    struct store_id request_id = store_id_of(&finish->request_id);
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, finish->commit_count);
    postgres_value_number(&values, finish->now_ms);
    postgres_value_number(&values, finish->expires_ms);
    postgres_value_id(&values, &request_id);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_text(&values, &finish->outcome, false);
    return postgres_link_send(link, operation, POSTGRES_FINISH_SESSION, &values);
}

/* Likewise. */
bool postgres_finish_ask(struct postgres_operation *operation,
                         const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_finish *finish = &operation->base.request.finish;
    struct postgres_values values = {0};

    if (operation->step == COMMIT_STORE)
        return send_finish(operation, ground, link);
    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, finish->now_ms);
    return postgres_link_send(link, operation, POSTGRES_EXPLAIN_FINISH, &values) &&
           send_release(operation, ground, &finish->request_id, 0, link);
}

/* A turn that an earlier try of this very commit stored is committed. */
enum postgres_next postgres_commit_next(struct postgres_operation *operation)
{
    if (operation->step == COMMIT_STORE) {
        if (operation->is_found)
            return postgres_done(operation, OK);
        operation->step = COMMIT_EXPLAIN;
        return NEXT_ASK;
    }
    if (!operation->is_found)
        return postgres_done(operation, ERROR_SESSION_NOT_FOUND);
    return postgres_done(operation, operation->is_ours && operation->is_repeat
                                        ? OK
                                        : ERROR_TURN_IN_PROGRESS);
}

static bool send_kept_record(struct postgres_operation *operation,
                             struct postgres_link *link)
{
    const struct store_end *end = &operation->base.request.end;
    struct postgres_values forget = {0};
    struct postgres_values insert = {0};

    postgres_value_id(&forget, &operation->base.session_id);
    postgres_value_number(&forget, STORE_MAX_REMEMBERED - 1);
    postgres_value_id(&insert, &operation->base.session_id);
    postgres_value_digest(&insert, true, &end->key.key);
    postgres_value_digest(&insert, true, &end->key.fingerprint);
    postgres_value_number(&insert, 0);
    postgres_value_text(&insert, &end->outcome, false);
    postgres_value_number(&insert, operation->base.now_ms);
    postgres_value_number(&insert, store_end_is_reply(&operation->base));
    return postgres_link_send(link, operation, POSTGRES_FORGET_RECORDS, &forget) &&
           postgres_link_send(link, operation, POSTGRES_INSERT_RECORD, &insert);
}

/* Is the session there, and the speech of the reply, if it has one. */
static bool send_kept_reply(struct postgres_operation *operation,
                            struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_end *end = &operation->base.request.end;
    struct store_id request_id = store_id_of(&end->request_id);
    struct postgres_values live = {0};
    struct postgres_values speech = {0};

    postgres_value_id(&live, &operation->base.session_id);
    postgres_value_number(&live, end->now_ms);
    if (!postgres_link_send(link, operation, POSTGRES_FIND_LIVE, &live))
        return false;
    if (!postgres_speech_is_stored(&end->speech))
        return true;
    postgres_value_id(&speech, &operation->base.session_id);
    postgres_value_id(&speech, &request_id);
    postgres_speech_values(&speech, &end->speech);
    postgres_value_number(&speech, end->now_ms);
    return postgres_speech_make_room(operation, ground, link) &&
           postgres_link_send(link, operation, POSTGRES_KEEP_SPEECH, &speech);
}

/* What is remembered and what is forgotten go first: when the claim is given back, it is so. */
bool postgres_end_ask(struct postgres_operation *operation,
                      struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_end *end = &operation->base.request.end;
    struct postgres_values unheard = {0};

    postgres_value_id(&unheard, &operation->base.session_id);
    if (end->forgets_heard &&
        !postgres_link_send(link, operation, POSTGRES_FORGET_HEARD, &unheard))
        return false;
    if (store_end_is_remembered(end) && !send_kept_record(operation, link))
        return false;
    if (store_end_is_reply(&operation->base) && !send_kept_reply(operation, ground, link))
        return false;
    return send_release(operation, ground, &end->request_id, end->expires_ms, link);
}

bool postgres_delivery_ask(struct postgres_operation *operation,
                           const struct postgres_ground *ground,
                           struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, operation->base.request.report.commit_number);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_number(&values, operation->base.request.report.was_delivered);
    return postgres_link_send(link, operation, POSTGRES_REPORT, &values);
}
