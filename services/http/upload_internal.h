/*
 * The body of POST /turn: from bytes, in pieces, to a struct turn_request.
 *
 * multipart/form-data with `session_id`, `audio` or `transcript` or both, and perhaps `attempt`, or the
 * same without audio as JSON.  Every recording is counted and digested while it passes, and
 * its first bytes are looked at (take_audio()).  Its bytes are kept, in memory only,
 * where they have to be heard: somebody can, and there is no transcript.
 */
#ifndef UPLOAD_INTERNAL_H
#define UPLOAD_INTERNAL_H

#include "form_internal.h"
#include "headers_internal.h"
#include "settings.h"
#include "turn.h"

struct upload;

struct upload_terms {
    const struct settings *settings;    /* borrowed for the upload's life, like the key */
    const struct digest_key *input_key; /* of digests */
    bool can_hear;      /* a recording that must be heard is worth its memory */
    int64_t body_bytes; /* as announced, or less than 0: a hint */
};

/* The longest body that can be good. */
int64_t upload_max_bytes(const struct settings *settings);

/* `content_type` decides what is read: ERROR_UNSUPPORTED_MEDIA_TYPE, or
 * ERROR_VALIDATION_ERROR for a missing or broken boundary, said in `errors`. */
enum error upload_new(const struct upload_terms *terms, struct span content_type,
                      struct upload **ret_upload, struct field_errors *errors);

/* OK, or ERROR_FILE_TOO_LARGE: read no further. */
enum error upload_take(struct upload *upload, struct span bytes);

/* The body is complete.  Fills in transcript or recording, and input, of the turn
 * request, whose session_id is the token's already; errors of the contract, with
 * ERROR_VALIDATION_ERROR said in `errors`.  The texts are for the caller to free in any
 * case. */
enum error upload_finish(struct upload *upload, const struct headers *headers,
                         struct turn_request *request, struct field_errors *errors);

/* What is wrong with a recording, after ERROR_INVALID_AUDIO: static; "empty",
 * "not_audio", "other_container" (than its type or name promise) or "too_long". */
const char *upload_audio_fault(const struct upload *upload);

/* What it keeps in memory by now, in bytes. */
size_t upload_kept_bytes(const struct upload *upload);

/* NULL is fine. */
void upload_free(struct upload *upload);

#endif
