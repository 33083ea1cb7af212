/*
 * Sessions: made, found, deleted.
 */
#include "postgres_operation_steps_internal.h"

#include "mem.h"

enum { CREATE_INSERT, CREATE_EXPLAIN };

/* A client whose sessions are counted. */
static bool is_counted(const struct store_new_session *create)
{
    return create->client_most > 0;
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

bool postgres_create_ask(struct postgres_operation *operation, struct postgres_link *link)
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
    operation->base.session = postgres_read_session(&row, &operation->base.session_id);
    id = postgres_row_id(&row);
    postgres_row_digest(&row, &operation->fingerprint);
    if (operation->base.session == NULL || row.is_damaged) {
        postgres_damaged(operation);
        return;
    }
    operation->base.session->id = store_id_text(&id);
}

void postgres_create_take(struct postgres_operation *operation,
                          enum postgres_statement which, const PGresult *result)
{
    if (which == POSTGRES_CREATE_SESSION)
        operation->is_found = PQntuples(result) == 1;
    else if (which == POSTGRES_FIND_CREATED)
        take_created(operation, result);
}

enum postgres_next postgres_create_next(struct postgres_operation *operation)
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

bool postgres_load_ask(struct postgres_operation *operation, struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, operation->base.now_ms);
    return postgres_link_send(link, operation, POSTGRES_LOAD_SESSION, &values);
}

void postgres_load_take(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    if (PQntuples(result) == 0)
        return;
    operation->base.session = postgres_read_session(&row, &operation->base.session_id);
    if (operation->base.session == NULL)
        postgres_damaged(operation);
}

bool postgres_delete_ask(struct postgres_operation *operation, struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    return postgres_link_send(link, operation, POSTGRES_DELETE_SESSION, &values);
}

/* An expired session that the sweep has not come to yet goes as well, and still counts as gone.
 * Where a try may have deleted it and only its answer was lost, finding nothing is success. */
void postgres_delete_take(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    operation->is_found = PQntuples(result) == 0
                              ? operation->is_repeat
                              : postgres_row_number(&row) > operation->base.now_ms;
}

struct session *postgres_read_session(struct postgres_row *row, const struct store_id *id)
{
    struct session *session = MEM_NEW(struct session);

    session->id = store_id_text(id);
    session->expires_ms = postgres_row_number(row);
    session->created_ms = postgres_row_number(row);
    session->last_activity_ms = postgres_row_number(row);
    session->difficulty = (int)postgres_row_number(row);
    session->total_questions = (unsigned)postgres_row_number(row);
    session->turn_count = (unsigned)postgres_row_number(row);
    session->role = postgres_row_text(row);
    session->interview_type = postgres_row_text(row);
    session->asked[0] = postgres_row_text(row);
    session->asked_count =
        1 + postgres_row_texts(row, session->asked + 1, SESSION_MAX_QUESTIONS - 1);
    if (!row->is_damaged && session->turn_count <= SESSION_MAX_QUESTIONS &&
        session->asked_count >= session->turn_count)
        return session;
    session_free(session);
    return NULL;
}
