/*
 * Speech: stored with a turn or a kept reply, within the room that all of it has, and read again.
 */
#include "postgres_link_internal.h"
#include "postgres_operation_internal.h"

/* Where there is no room, room is made for more than one, so that it is seldom. */
#define SPARE_PART        16
#define SPARE_BYTES_LEAST (1 << 20) /* of all the room there may be, for that */

bool postgres_speech_is_stored(const struct store_speech *speech)
{
    return !private_text_is_empty(&speech->audio) &&
           (int64_t)speech->audio.length <= speech->max_total_bytes;
}

static const struct store_speech *speech_of(const struct postgres_operation *operation)
{
    switch ((int)operation->base.kind) {
    case STORE_COMMIT: return &operation->base.request.commit.speech;
    case STORE_END: return &operation->base.request.end.speech;
    }
    return NULL;
}

void postgres_speech_values(struct postgres_values *values,
                            const struct store_speech *speech)
{
    if (postgres_speech_is_stored(speech)) {
        postgres_value_text(values, &speech->audio, false);
        postgres_value_number(values, speech->expires_ms);
        postgres_value_number(values, (int64_t)speech->audio.length);
        postgres_value_string(values, speech->content_type);
    } else {
        for (int i = 0; i < 4; i++)
            postgres_value_null(values);
    }
}

bool postgres_speech_make_room(struct postgres_operation *operation,
                               struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_speech *speech = speech_of(operation);
    int64_t bytes = (int64_t)speech->audio.length;
    int64_t most = speech->max_total_bytes;
    int64_t spare = most >= SPARE_BYTES_LEAST ? most / SPARE_PART : 0;
    struct postgres_values values = {0};

    operation->number = -1;
    if (!postgres_speech_is_stored(speech) ||
        atomic_load_explicit(&ground->speech_bytes, memory_order_relaxed) + bytes <= most)
        return true;
    postgres_value_number(&values, spare < most - bytes ? most - bytes - spare : 0);
    return postgres_link_send(link, operation, POSTGRES_EVICT_SPEECH, &values);
}

void postgres_speech_count(const struct postgres_operation *operation,
                           struct postgres_ground *ground)
{
    const struct store_speech *speech = speech_of(operation);

    if (speech == NULL || operation->base.error != OK ||
        !postgres_speech_is_stored(speech))
        return;
    if (operation->number >= 0) /* the true sum, of what was left */
        atomic_store_explicit(&ground->speech_bytes, operation->number,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&ground->speech_bytes, (int64_t)speech->audio.length,
                              memory_order_relaxed);
}

bool postgres_speech_ask(struct postgres_operation *operation, struct postgres_link *link)
{
    struct store_id request_id = store_id_of(&operation->base.request.speech_of);
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_id(&values, &request_id);
    postgres_value_number(&values, operation->base.now_ms);
    return postgres_link_send(link, operation, POSTGRES_READ_SPEECH, &values);
}

void postgres_speech_take(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);
    char content_type[16];

    operation->is_found = PQntuples(result) > 0;
    if (!operation->is_found)
        return;
    operation->base.speech.expires_ms = postgres_row_number(&row);
    postgres_row_word(&row, content_type, sizeof(content_type));
    operation->base.speech.content_type = store_content_type(content_type);
    operation->base.speech.audio = postgres_row_text(&row);
    if (row.is_damaged || operation->base.speech.content_type == NULL)
        postgres_damaged(operation);
}
