/*
 * Recordings: which container the bytes are, whether that agrees with what their sender
 * says, and how long they last.  Nothing is decoded: only what a container's own
 * structure tells is read, and never past the end of what is there.
 */
#ifndef AUDIO_H
#define AUDIO_H

#include "span.h"

#include <stdbool.h>
#include <stdint.h>

/* So many first bytes are enough to tell the containers apart. */
#define AUDIO_FIRST_BYTES 64

enum audio_container {
    AUDIO_UNKNOWN,
    AUDIO_MP4,      /* ISO/IEC 14496-12: "ftyp" behind a length; M4A too */
    AUDIO_MATROSKA, /* RFC 8794 and RFC 9559: the EBML magic; WebM too */
    AUDIO_OGG,      /* RFC 3533: "OggS" */
    AUDIO_WAV,      /* "RIFF", a length, "WAVE" */
    AUDIO_FLAC,     /* RFC 9639: "fLaC" */
    AUDIO_MP3,      /* "ID3", or an MPEG audio frame of layer III */
    AUDIO_AAC       /* ADTS: a frame of layer 0 */
};

/* What the first bytes are. */
enum audio_container audio_container(struct span first_bytes);

/* May a part of a form be a recording?  Its type is audio/something, or
 * application/octet-stream or "" while the file name has the extension of a container
 * above.  What follows a ';' in the type is not looked at. */
bool audio_is_taken(const char *content_type, const char *file_name);

/* The first bytes are those of a container, and of the one that type or file name
 * promise; a type that promises no particular one may have any. */
bool audio_is_valid(const char *content_type, const char *file_name,
                    struct span first_bytes);

/* What to call such bytes when they are passed on, static: "audio/mp4", and "m4a" without
 * a dot.  AUDIO_UNKNOWN gives "application/octet-stream" and "bin". */
const char *audio_media_type(enum audio_container container);
const char *audio_extension(enum audio_container container);

/* How long a whole recording lasts, in milliseconds; -1 where its container does not say
 * (or says nonsense).  Goes over headers and frames, never over samples: 10 MB take less
 * than a millisecond but for MP3 and AAC without an index, where every frame is looked
 * at. */
int64_t audio_duration_ms(struct span recording);

/* The frames of an MP3 without what stands before and behind them: tags, and an index
 * frame, which would be wrong once other frames follow.  Empty where there are none. */
struct span audio_mp3_frames(struct span recording);

#endif
