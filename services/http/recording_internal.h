/*
 * The recording in a form, while it passes by in pieces: it is counted, digested, its
 * first bytes are looked at, and where somebody is to hear it, it is kept.  In memory
 * only, and wiped.
 */
#ifndef RECORDING_INTERNAL_H
#define RECORDING_INTERNAL_H

#include "audio.h"
#include "buffer.h"
#include "digest.h"
#include "multipart_internal.h"

/* Zeroed: none has begun. */
struct recording {
    int64_t max_bytes;
    int64_t length;
    struct digest digest; /* once it has ended */
    struct buffer bytes;  /* all of it, where it is kept: may be taken */

    bool is_kept;
    struct digest_state *state; /* owned; NULL: none has begun, or it is over */
    char first[AUDIO_FIRST_BYTES];
    size_t first_length;
    bool is_taken; /* type or file name say that it is one */
    char content_type[MULTIPART_MAX_TYPE_BYTES + 1];
    char file_name[MULTIPART_MAX_FILE_NAME + 1];
};

/* The part that holds it begins. */
void recording_begin(struct recording *recording, const struct multipart_part *part,
                     const struct digest_key *key, int64_t max_bytes);

/* Its bytes will be wanted: before the first of them.  `expected_bytes`: what was
 * announced, a hint; less than 0: nothing was. */
void recording_keep(struct recording *recording, int64_t expected_bytes);

/* false: it is too long, and this piece was not taken. */
bool recording_take(struct recording *recording, struct span bytes);

/* The part has ended: the digest is there. */
void recording_end(struct recording *recording);

enum audio_container recording_container(const struct recording *recording);

/* How long it lasts, in milliseconds; -1 where it is not kept, or its container does not
 * tell. */
int64_t recording_duration_ms(const struct recording *recording);

/* What it counts for where seconds of audio are counted: its duration, known or not.  What
 * does not tell counts as long as its bytes would last at 32 kbit/s, less than which few
 * recorders of speech write, and at most `max_ms`.  One that is not kept is not heard, and
 * counts nothing. */
int64_t recording_counts_ms(const struct recording *recording, int64_t duration_ms,
                            int64_t max_ms);

/* What is wrong with it, or NULL: see upload_audio_fault(). */
const char *recording_fault(const struct recording *recording, int64_t duration_ms,
                            int64_t max_ms);

/* Wipes and frees. */
void recording_done(struct recording *recording);

#endif
