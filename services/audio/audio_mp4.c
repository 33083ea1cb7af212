/*
 * The duration of an MP4 (ISO/IEC 14496-12): boxes in boxes, each with its length and
 * four letters.
 *
 * The movie's header has it.  A recorder that writes while it records (fragments) has
 * nothing to say there yet: then it is in the extended header, or the end of the last
 * fragment of a track is looked for.
 */
#include "audio_internal.h"

#include <string.h>

#define UNKNOWN_32 0xffffffffu

struct box {
    char type[5];
    struct span content;
};

/* What fragments need to know of the movie. */
struct movie {
    uint64_t time_scale;       /* of the movie's own times */
    uint64_t track_time_scale; /* of the first track's */
    uint64_t sample_duration;  /* where a fragment does not say */
};

/* Moves on.  Length 1: the real one is in the 64 bits behind the type; 0: up to the end
 * (4.2).  A box that is longer than what is there ends where that ends. */
static bool next_box(struct span *bytes, struct box *ret_box)
{
    uint64_t length = audio_big(*bytes, 0, 4);
    size_t header = 8;

    if (bytes->length < header)
        return false;
    memcpy(ret_box->type, bytes->bytes + 4, 4);
    ret_box->type[4] = '\0';
    if (length == 1) {
        length = audio_big(*bytes, 8, 8);
        header = 16;
    } else if (length == 0) {
        length = bytes->length;
    }
    if (length < header)
        return false;
    ret_box->content = audio_from(*bytes, header);
    if (length - header < ret_box->content.length)
        ret_box->content.length = (size_t)(length - header);
    *bytes = audio_from(*bytes, length);
    return true;
}

static bool find_box(struct span bytes, const char *type, struct span *ret_content)
{
    struct box box;

    while (next_box(&bytes, &box)) {
        if (strcmp(box.type, type) == 0) {
            *ret_content = box.content;
            return true;
        }
    }
    return false;
}

/* A path of boxes, "mdia" in "trak" in the first. */
static bool find_path(struct span bytes, const char *const *types, struct span *ret)
{
    for (; *types != NULL; types++)
        if (!find_box(bytes, *types, &bytes))
            return false;
    *ret = bytes;
    return true;
}

/* "mvhd" and "mdhd" (8.2.2, 8.4.2): version and flags, two times, the scale, the
 * duration; times and duration have 64 bits in version 1.  All ones: unknown. */
static uint64_t header_time_scale(struct span header)
{
    return audio_big(header, audio_big(header, 0, 1) == 1 ? 20 : 12, 4);
}

static uint64_t header_duration(struct span header)
{
    bool is_long = audio_big(header, 0, 1) == 1;
    uint64_t duration = is_long ? audio_big(header, 24, 8) : audio_big(header, 16, 4);

    return duration == (is_long ? UINT64_MAX : UNKNOWN_32) ? 0 : duration;
}

static int64_t read_movie(struct span moov, struct movie *ret_movie)
{
    static const char *const track[] = {"trak", "mdia", "mdhd", NULL};
    static const char *const extended[] = {"mvex", "mehd", NULL};
    static const char *const defaults[] = {"mvex", "trex", NULL};
    struct span box;
    uint64_t duration = 0;

    if (find_box(moov, "mvhd", &box)) {
        ret_movie->time_scale = header_time_scale(box);
        duration = header_duration(box);
    }
    if (duration == 0 && find_path(moov, extended, &box))
        duration = audio_big(box, 4, audio_big(box, 0, 1) == 1 ? 8 : 4);
    if (duration > 0)
        return audio_ms(duration, ret_movie->time_scale);

    if (find_path(moov, track, &box)) {
        ret_movie->track_time_scale = header_time_scale(box);
        if (header_duration(box) > 0)
            return audio_ms(header_duration(box), ret_movie->track_time_scale);
    }
    if (find_path(moov, defaults, &box))
        ret_movie->sample_duration = audio_big(box, 12, 4);
    return -1;
}

/* "tfhd" (8.8.7): flags say which of the fields are there. */
static uint64_t default_duration(struct span header, const struct movie *movie)
{
    uint64_t flags = audio_big(header, 1, 3);
    size_t offset = 8 + (flags & 1 ? 8u : 0) + (flags & 2 ? 4u : 0);

    return flags & 8 ? audio_big(header, offset, 4) : movie->sample_duration;
}

/* "trun" (8.8.8): each sample may have its own duration, size, flags and offset. */
static uint64_t run_duration(struct span run, uint64_t each)
{
    uint64_t flags = audio_big(run, 1, 3);
    uint64_t count = audio_big(run, 4, 4), duration = 0;
    size_t offset = 8 + (flags & 1 ? 4u : 0) + (flags & 4 ? 4u : 0);
    size_t stride = 0;

    for (uint64_t flag = 0x100; flag <= 0x800; flag <<= 1)
        stride += flags & flag ? 4u : 0;
    if (!(flags & 0x100))
        return count * each;
    for (; count > 0 && offset < run.length; count--, offset += stride)
        duration += audio_big(run, offset, 4);
    return duration;
}

/* The end of a fragment in the track's time: where it begins, and its runs of samples. */
static uint64_t fragment_end(struct span moof, const struct movie *movie)
{
    struct span fragment, header, begin;
    struct box box;
    uint64_t each = movie->sample_duration, end = 0;

    if (!find_box(moof, "traf", &fragment))
        return 0;
    if (find_box(fragment, "tfhd", &header))
        each = default_duration(header, movie);
    if (find_box(fragment, "tfdt", &begin))
        end = audio_big(begin, 4, audio_big(begin, 0, 1) == 1 ? 8 : 4);
    while (next_box(&fragment, &box))
        if (strcmp(box.type, "trun") == 0)
            end += run_duration(box.content, each);
    return end;
}

int64_t audio_mp4_ms(struct span recording)
{
    struct movie movie = {0};
    struct box box;
    struct span moov;
    uint64_t end = 0;
    int64_t duration_ms;

    if (!find_box(recording, "moov", &moov))
        return -1;
    duration_ms = read_movie(moov, &movie);
    if (duration_ms >= 0)
        return duration_ms;
    while (next_box(&recording, &box)) {
        uint64_t this_end =
            strcmp(box.type, "moof") == 0 ? fragment_end(box.content, &movie) : 0;

        end = this_end > end ? this_end : end;
    }
    return audio_ms(end, movie.track_time_scale);
}

/* ---- the movie's header ---- */

/* ---- fragments ---- */
