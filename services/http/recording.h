/*
 * The recording in a form, while it passes by in pieces: it is counted, digested, its
 * first bytes are looked at, and where somebody is to hear it, it is kept.  In memory
 * only, and wiped.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "audio.h"
#include "buffer.h"
#include "digest.h"
#include "multipart.h"

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

/* What is wrong with it, or NULL: see upload_audio_fault().  How long it lasts is known
 * only of one that is kept. */
const char *recording_fault(const struct recording *recording, int64_t max_ms);

/* Wipes and frees. */
void recording_done(struct recording *recording);

#endif
