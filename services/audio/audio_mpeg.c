/*
 * Durations of MP3 and of AAC in ADTS: rows of frames, each of which says how long it is
 * and how many samples it has.
 *
 * Where the first frame of an MP3 is an index (Xing, Info or VBRI), that tells the number
 * of frames; else they are counted.  Bytes between frames that belong to no frame are skipped.
 */
#include "audio.h"
#include "audio_internal.h"

#include <string.h>

#define GARBAGE_BYTES 65536

struct frame {
    size_t bytes;
    unsigned samples;
    unsigned rate;
    unsigned kind; /* the bits that are alike in all frames of a recording */
};

typedef bool read_frame_fn(struct span bytes, struct frame *ret_frame);

/* ISO/IEC 11172-3, 2.4.1.3, and 13818-3 for the lower rates: layer III, in kbit/s. */
static const unsigned short mpeg1_kbits[16] = {0,   32,  40,  48,  56,  64,  80,  96,
                                               112, 128, 160, 192, 224, 256, 320, 0};
static const unsigned short mpeg2_kbits[16] = {0,  8,  16, 24,  32,  40,  48,  56,
                                               64, 80, 96, 112, 128, 144, 160, 0};
static const unsigned mpeg1_rates[4] = {44100, 48000, 32000, 0};

/* ISO/IEC 14496-3, 1.6.3.4. */
static const unsigned aac_rates[16] = {96000, 88200, 64000, 48000, 44100, 32000,
                                       24000, 22050, 16000, 12000, 11025, 8000,
                                       7350,  0,     0,     0};

static bool read_mp3_frame(struct span bytes, struct frame *ret_frame)
{
    unsigned head = (unsigned)audio_big(bytes, 0, 4);
    unsigned version = head >> 19 & 3; /* 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5 */
    unsigned kbits = (version == 3 ? mpeg1_kbits : mpeg2_kbits)[head >> 12 & 15];
    unsigned rate = mpeg1_rates[head >> 10 & 3];
    unsigned padding = head >> 9 & 1;

    if (bytes.length < 4 || (head & 0xffe60000) != 0xffe20000 || version == 1 ||
        kbits == 0 || rate == 0)
        return false;
    if (version != 3)
        rate /= version == 2 ? 2 : 4;
    *ret_frame = (struct frame){
        .samples = version == 3 ? 1152 : 576,
        .rate = rate,
        .kind = head & 0xfffe0c00, /* without bit rate, padding, mode */
    };
    ret_frame->bytes = ret_frame->samples / 8 * kbits * 1000 / rate + padding;
    return true;
}

static bool read_aac_frame(struct span bytes, struct frame *ret_frame)
{
    unsigned head = (unsigned)audio_big(bytes, 0, 4);
    unsigned rate = aac_rates[head >> 10 & 15];
    size_t length = (size_t)(audio_big(bytes, 3, 3) >> 5 & 0x1fff);

    if (bytes.length < 7 || (head & 0xfff60000) != 0xfff00000 || rate == 0 || length < 7)
        return false;
    *ret_frame = (struct frame){
        .bytes = length,
        .samples = 1024 * ((unsigned)(audio_big(bytes, 6, 1) & 3) + 1),
        .rate = rate,
        .kind = head & 0xfffefc00,
    };
    return true;
}

/* Moves on to the next frame, skipping at most GARBAGE_BYTES that belong to no frame. */
static bool find_frame(struct span *bytes, read_frame_fn *read_frame,
                       struct frame *ret_frame)
{
    struct span end = audio_from(*bytes, GARBAGE_BYTES);

    while (bytes->length > end.length) {
        const char *sync = memchr(bytes->bytes, 0xff, bytes->length - end.length);

        if (sync == NULL)
            return false;
        *bytes = audio_from(*bytes, (uint64_t)(sync - bytes->bytes));
        if (read_frame(*bytes, ret_frame))
            return true;
        *bytes = audio_from(*bytes, 1);
    }
    return false;
}

/* A frame of another kind is taken for bytes that look like one. */
static int64_t count_frames(struct span bytes, read_frame_fn *read_frame)
{
    struct frame first, frame;
    uint64_t samples = 0;

    if (!find_frame(&bytes, read_frame, &first))
        return -1;
    while (find_frame(&bytes, read_frame, &frame)) {
        bool belongs = frame.kind == first.kind;

        samples += belongs ? frame.samples : 0;
        bytes = audio_from(bytes, belongs ? frame.bytes : 1);
    }
    return audio_ms(samples, first.rate);
}

/* The number of frames out of the index that many encoders write into the first one; 0:
 * none.  Xing's stands behind the side information, VBRI's always at the same place
 * (Fraunhofer). */
static uint64_t indexed_frames(struct span frame, unsigned kind)
{
    bool is_mpeg1 = (kind >> 19 & 3) == 3;
    bool is_mono = (audio_big(frame, 3, 1) >> 6 & 3) == 3;
    size_t side_bytes = is_mpeg1 ? (is_mono ? 17 : 32) : (is_mono ? 9 : 17);
    struct span index = audio_from(frame, 4 + side_bytes);

    if ((audio_has(index, 0, "Xing", 4) || audio_has(index, 0, "Info", 4)) &&
        (audio_big(index, 4, 4) & 1) != 0)
        return audio_big(index, 8, 4);
    if (audio_has(frame, 36, "VBRI", 4))
        return audio_big(frame, 36 + 14, 4);
    return 0;
}

int64_t audio_mp3_ms(struct span recording)
{
    struct span bytes = audio_from(recording, audio_id3_bytes(recording));
    struct frame first;
    uint64_t frames;

    if (!find_frame(&bytes, read_mp3_frame, &first))
        return -1;
    frames = indexed_frames(bytes, first.kind);
    return frames > 0 ? audio_ms(frames * first.samples, first.rate)
                      : count_frames(bytes, read_mp3_frame);
}

#define ID3V1_BYTES 128 /* "TAG" and fields of fixed length, at the very end */

struct span audio_mp3_frames(struct span recording)
{
    struct span bytes = audio_from(recording, audio_id3_bytes(recording));
    struct frame first;

    if (bytes.length >= ID3V1_BYTES &&
        audio_has(bytes, bytes.length - ID3V1_BYTES, "TAG", 3))
        bytes.length -= ID3V1_BYTES;
    if (!find_frame(&bytes, read_mp3_frame, &first))
        return (struct span){NULL, 0};
    if (indexed_frames(bytes, first.kind) == 0)
        return bytes;
    bytes = audio_from(bytes, first.bytes);
    return find_frame(&bytes, read_mp3_frame, &first) ? bytes : (struct span){NULL, 0};
}

int64_t audio_aac_ms(struct span recording)
{
    return count_frames(recording, read_aac_frame);
}
