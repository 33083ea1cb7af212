/*
 * The rules of "exactly once", ids, and what a day may use up.
 */
#include "store_rules_internal.h"

#include <assert.h>
#include <string.h>
#include <uuid/uuid.h>

#define DAY_MS INT64_C(86400000)

static unsigned value_of(char digit)
{
    return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)((digit | 0x20) - 'a' + 10);
}

/* Several times a turn.  struct id holds nothing but digits and dashes, which stand between bytes. */
struct store_id store_id_of(const struct id *id)
{
    struct store_id bytes;
    const char *at = id->text;

    for (size_t i = 0; i < sizeof(bytes.bytes); i++, at += 2) {
        at += *at == '-';
        bytes.bytes[i] = (unsigned char)(value_of(at[0]) << 4 | value_of(at[1]));
    }
    assert(*at == '\0');
    return bytes;
}

struct id store_id_text(const struct store_id *id)
{
    struct id text;

    uuid_unparse_lower(id->bytes, text.text);
    return text;
}

bool store_id_equals(const struct store_id *one, const struct store_id *other)
{
    return memcmp(one->bytes, other->bytes, sizeof(one->bytes)) == 0;
}

uint32_t store_id_hash(const struct store_id *id)
{
    uint64_t first;
    uint64_t second;

    memcpy(&first, id->bytes, sizeof(first));
    memcpy(&second, id->bytes + sizeof(first), sizeof(second));
    return (uint32_t)((first ^ second) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

bool store_is_repeat(const struct session *then, const struct digest *fingerprint,
                     const struct store_key *key)
{
    return then->turn_count == 0 && digest_equals(fingerprint, &key->fingerprint);
}

void store_facts_of(const struct session *session, struct store_facts *ret_facts)
{
    ret_facts->is_live = true;
    ret_facts->turn_count = session->turn_count;
    ret_facts->commit_count = session->commit_count;
    ret_facts->is_complete = session_is_complete(session);
    ret_facts->attempt_count = session->attempt_count;
}

/* Who asks for another attempt does not mean the turn that was committed before; but who sends a
 * turn may well mean the attempt, where that has gone out of mind. */
static bool may_be_last(const struct store_facts *facts, const struct store_claim *claim)
{
    return facts->turn_count > 0 &&
           (claim->purpose == STORE_FOR_TURN ||
            (claim->purpose == STORE_FOR_ATTEMPT && facts->attempt_count > 1));
}

static bool is_last_recording(const struct store_facts *facts,
                              const struct store_claim *claim)
{
    const struct store_input *input = &claim->input;

    return may_be_last(facts, claim) && facts->has_last_audio && input->has_audio &&
           digest_equals(&facts->last_audio, &input->audio);
}

static bool is_last_answer(const struct store_facts *facts,
                           const struct store_claim *claim)
{
    const struct store_input *input = &claim->input;

    return may_be_last(facts, claim) && facts->has_last_transcript &&
           input->has_transcript &&
           digest_equals(&facts->last_transcript, &input->transcript);
}

static bool is_running_key(const struct store_facts *facts, const struct store_key *key)
{
    return facts->is_running && key->is_there && facts->running_key.is_there &&
           digest_equals(&facts->running_key.key, &key->key);
}

enum store_verdict store_decide(const struct store_facts *facts,
                                const struct store_claim *claim)
{
    const struct store_key *key = &claim->input.key;

    if (!facts->is_live)
        return VERDICT_NOT_FOUND;

    if (key->is_there && facts->has_record)
        return digest_equals(&facts->record_fingerprint, &key->fingerprint)
                   ? VERDICT_REPLAY_RECORD
                   : VERDICT_KEY_REUSE;

    if (is_running_key(facts, key))
        return digest_equals(&facts->running_key.fingerprint, &key->fingerprint)
                   ? VERDICT_IN_PROGRESS
                   : VERDICT_KEY_REUSE;

    if (is_last_recording(facts, claim))
        return VERDICT_REPLAY_LAST;

    if (is_last_answer(facts, claim) && !facts->is_delivered)
        return facts->is_on_its_way ? VERDICT_WAIT : VERDICT_REPLAY_LAST;

    if (facts->is_running)
        return VERDICT_IN_PROGRESS;
    if (claim->purpose == STORE_FOR_TURN)
        return facts->is_complete ? VERDICT_COMPLETE : VERDICT_RUN;
    if (claim->purpose == STORE_FOR_ATTEMPT && facts->turn_count == 0)
        return VERDICT_NO_QUESTION;
    if (claim->purpose == STORE_FOR_ATTEMPT &&
        facts->attempt_count >= claim->attempts_most)
        return VERDICT_TOO_MANY;
    return VERDICT_RUN;
}

enum error store_verdict_error(enum store_verdict verdict)
{
    switch (verdict) {
    case VERDICT_RUN:
    case VERDICT_REPLAY_RECORD:
    case VERDICT_REPLAY_LAST:
    case VERDICT_WAIT: return OK;
    case VERDICT_NOT_FOUND: return ERROR_SESSION_NOT_FOUND;
    case VERDICT_KEY_REUSE: return ERROR_IDEMPOTENCY_KEY_REUSE;
    case VERDICT_IN_PROGRESS: return ERROR_TURN_IN_PROGRESS;
    case VERDICT_COMPLETE: return ERROR_SESSION_COMPLETE;
    case VERDICT_NO_QUESTION: return ERROR_NO_QUESTION_ANSWERED;
    case VERDICT_TOO_MANY: return ERROR_TOO_MANY_ATTEMPTS;
    }
    return ERROR_INTERNAL_ERROR;
}

int64_t store_day(int64_t now_ms)
{
    return now_ms / DAY_MS;
}

bool store_has_caps(const struct store_day_caps *caps)
{
    return caps->turns > 0 || caps->audio_ms > 0;
}

static bool has_turns_left(const struct store_usage *usage,
                           const struct store_day_caps *caps)
{
    return caps->turns == 0 || usage->turns < caps->turns;
}

enum error store_check_caps(const struct store_usage *usage,
                            const struct store_claim *claim)
{
    const struct store_day_caps *caps = &claim->caps;

    if (!has_turns_left(usage, caps))
        return ERROR_USAGE_CAP_REACHED;
    if (caps->audio_ms > 0 && claim->audio_ms > 0 &&
        usage->audio_ms + claim->audio_ms > caps->audio_ms)
        return ERROR_USAGE_CAP_REACHED;
    return OK;
}

bool store_may_be_typed(const struct store_usage *usage, const struct store_claim *claim)
{
    return claim->audio_ms > 0 && claim->caps.audio_ms > 0 &&
           has_turns_left(usage, &claim->caps);
}

void store_usage_init(struct store_usage_board *board)
{
    pthread_mutex_init(&board->lock, NULL);
}

void store_usage_done(struct store_usage_board *board)
{
    pthread_mutex_destroy(&board->lock);
}

void store_usage_note(struct store_usage_board *board, const struct store_usage *usage)
{
    struct store_usage *latest = &board->latest;

    pthread_mutex_lock(&board->lock);
    if (usage->day != latest->day || usage->turns > latest->turns)
        *latest = *usage;
    pthread_mutex_unlock(&board->lock);
}

struct store_usage store_usage_latest(struct store_usage_board *board)
{
    struct store_usage latest;

    pthread_mutex_lock(&board->lock);
    latest = board->latest;
    pthread_mutex_unlock(&board->lock);
    return latest;
}

static const char *const content_types[] = {"audio/mpeg", "audio/wav"};

const char *store_content_type(const char *name)
{
    for (size_t i = 0; i < sizeof(content_types) / sizeof(content_types[0]); i++)
        if (name != NULL && strcmp(content_types[i], name) == 0)
            return content_types[i];
    return NULL;
}

bool store_write_scores(const struct store_commit *commit,
                        unsigned char ret_bytes[SESSION_SCORES])
{
    for (int i = 0; i < SESSION_SCORES; i++)
        ret_bytes[i] = (unsigned char)commit->scores[i];
    return commit->is_scored;
}

void store_read_scores(const unsigned char bytes[SESSION_SCORES],
                       struct session_turn *turn)
{
    turn->is_scored = true;
    for (int i = 0; i < SESSION_SCORES; i++)
        turn->scores[i] = bytes[i];
}
