/*
 * The recording in a form: counted, digested, looked at, and kept where somebody is to hear it.
 */
#include "recording_internal.h"

#include "transcriber.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LATENESS_MS            500 /* of a recorder that stops by itself at the limit */
#define ESTIMATED_BYTES_PER_MS 4

/* The state must lie on a boundary that calloc(3) does not promise. */
void recording_begin(struct recording *recording, const struct multipart_part *part,
                     const struct digest_key *key, int64_t max_bytes)
{
    static_assert(sizeof(struct digest_state) % _Alignof(struct digest_state) == 0,
                  "aligned_alloc() takes a multiple of the alignment");
    recording->state =
        aligned_alloc(_Alignof(struct digest_state), sizeof(struct digest_state));
    if (recording->state == NULL)
        abort(); /* as mem.h has it */
    digest_begin(recording->state, key);
    digest_add_field(recording->state, "audio", 5);
    recording->max_bytes = max_bytes;
    recording->is_taken = audio_is_taken(part->content_type, part->file_name);
    memcpy(recording->content_type, part->content_type, sizeof(recording->content_type));
    memcpy(recording->file_name, part->file_name, sizeof(recording->file_name));
}

/*
 * The announced length is most of what will come, and room for it at once spares every
 * copy.  Memory that is not written to yet costs nothing, so a client gains nothing by
 * announcing too much.
 */
void recording_keep(struct recording *recording, int64_t expected_bytes)
{
    size_t expected;

    buffer_init(&recording->bytes, (size_t)recording->max_bytes + TRANSCRIBER_ROOM_BYTES);
    recording->is_kept = true;
    if (expected_bytes <= 0)
        return;
    expected = (size_t)(expected_bytes < recording->max_bytes ? expected_bytes
                                                              : recording->max_bytes);
    buffer_reserve(&recording->bytes, expected + TRANSCRIBER_ROOM_BYTES);
}

bool recording_take(struct recording *recording, struct span bytes)
{
    size_t room = sizeof(recording->first) - recording->first_length;
    size_t first = bytes.length < room ? bytes.length : room;

    recording->length += (int64_t)bytes.length;
    if (recording->length > recording->max_bytes)
        return false;
    memcpy(recording->first + recording->first_length, bytes.bytes, first);
    recording->first_length += first;
    digest_add(recording->state, bytes.bytes, bytes.length);
    if (recording->is_kept)
        buffer_append(&recording->bytes, bytes.bytes, bytes.length);
    return true;
}

static void free_state(struct recording *recording)
{
    if (recording->state != NULL)
        explicit_bzero(recording->state, sizeof(*recording->state));
    free(recording->state);
    recording->state = NULL;
}

void recording_end(struct recording *recording)
{
    recording->digest = digest_end(recording->state);
    free_state(recording);
}

static struct span first_of(const struct recording *recording)
{
    return (struct span){recording->first, recording->first_length};
}

enum audio_container recording_container(const struct recording *recording)
{
    return audio_container(first_of(recording));
}

int64_t recording_duration_ms(const struct recording *recording)
{
    struct span all = {recording->bytes.bytes, recording->bytes.length};

    return all.length > 0 ? audio_duration_ms(all) : -1;
}

int64_t recording_counts_ms(const struct recording *recording, int64_t duration_ms,
                            int64_t max_ms)
{
    int64_t estimate_ms = (int64_t)recording->bytes.length / ESTIMATED_BYTES_PER_MS;

    if (duration_ms >= 0)
        return duration_ms;
    return estimate_ms < max_ms ? estimate_ms : max_ms;
}

const char *recording_fault(const struct recording *recording, int64_t duration_ms,
                            int64_t max_ms)
{
    if (recording->length == 0)
        return "empty";
    if (!recording->is_taken || recording_container(recording) == AUDIO_UNKNOWN)
        return "not_audio";
    if (!audio_is_valid(recording->content_type, recording->file_name,
                        first_of(recording)))
        return "other_container";
    if (duration_ms > max_ms + LATENESS_MS)
        return "too_long";
    return NULL;
}

void recording_done(struct recording *recording)
{
    free_state(recording);
    buffer_done(&recording->bytes);
}
