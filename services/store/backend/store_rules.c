/*
 * The rules of a turn, given what is stored of it.
 */
#include "store_rules_internal.h"

#include <assert.h>
#include <string.h>
#include <uuid/uuid.h>

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

static bool is_last_recording(const struct store_facts *facts,
                              const struct store_input *input)
{
    return facts->turn_count > 0 && facts->has_last_audio && input->has_audio &&
           digest_equals(&facts->last_audio, &input->audio);
}

static bool is_last_answer(const struct store_facts *facts,
                           const struct store_input *input)
{
    return facts->turn_count > 0 && facts->has_last_transcript && input->has_transcript &&
           digest_equals(&facts->last_transcript, &input->transcript);
}

static bool is_running_key(const struct store_facts *facts, const struct store_key *key)
{
    return facts->is_running && key->is_there && facts->running_key.is_there &&
           digest_equals(&facts->running_key.key, &key->key);
}

enum store_verdict store_decide(const struct store_facts *facts,
                                const struct store_input *input)
{
    const struct store_key *key = &input->key;

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

    if (is_last_recording(facts, input))
        return VERDICT_REPLAY_LAST;

    if (is_last_answer(facts, input) && !facts->is_delivered)
        return facts->is_on_its_way ? VERDICT_WAIT : VERDICT_REPLAY_LAST;

    if (facts->is_running)
        return VERDICT_IN_PROGRESS;
    return facts->turn_count >= facts->total_questions ? VERDICT_COMPLETE : VERDICT_RUN;
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
    }
    return ERROR_INTERNAL_ERROR;
}
