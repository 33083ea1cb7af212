/*
 * Durations of Ogg (RFC 3533) with Opus (RFC 7845), Vorbis, Speex or FLAC in it, and of
 * FLAC by itself (RFC 9639).
 */
#include "audio_internal.h"

#define PAGE_HEADER_BYTES 27
#define OPUS_RATE         48000 /* of granule positions, whatever was recorded (RFC 7845, 4) */

/* What the first packet says about granule positions. */
struct ogg_codec {
    uint64_t rate;
    uint64_t skipped; /* samples that are decoded but not played */
};

static struct ogg_codec read_codec(struct span packet)
{
    if (audio_has(packet, 0, "OpusHead", 8))
        return (struct ogg_codec){OPUS_RATE, audio_little(packet, 10, 2)};
    if (audio_has(packet, 0, "\x01vorbis", 7))
        return (struct ogg_codec){audio_little(packet, 12, 4), 0};
    if (audio_has(packet, 0, "Speex   ", 8))
        return (struct ogg_codec){audio_little(packet, 36, 4), 0};
    /* The mapping's 9 bytes, "fLaC", a block's header, then STREAMINFO (RFC 9639, 10.1)
     */
    if (audio_has(packet, 0,
                  "\x7f"
                  "FLAC",
                  5))
        return (struct ogg_codec){audio_big(packet, 27, 3) >> 4, 0};
    return (struct ogg_codec){0, 0};
}

/* The whole page at the beginning; 0: there is none. */
static size_t page_bytes(struct span bytes)
{
    size_t segments = (size_t)audio_big(bytes, 26, 1);
    size_t length = PAGE_HEADER_BYTES + segments;

    if (!audio_has(bytes, 0, "OggS", 4) || bytes.length < length)
        return 0;
    for (size_t i = 0; i < segments; i++)
        length += (size_t)audio_big(bytes, PAGE_HEADER_BYTES + i, 1);
    return length;
}

/* A granule position is the number of samples up to the end of its page: the last one of
 * the first stream counts.  All ones: no packet ends on this page. */
int64_t audio_ogg_ms(struct span recording)
{
    size_t segments = (size_t)audio_big(recording, 26, 1);
    struct ogg_codec codec =
        read_codec(audio_from(recording, PAGE_HEADER_BYTES + segments));
    uint64_t serial = audio_little(recording, 14, 4);
    uint64_t last = 0;

    for (size_t length; (length = page_bytes(recording)) > 0;) {
        uint64_t granule = audio_little(recording, 6, 8);

        if (audio_little(recording, 14, 4) == serial && granule != UINT64_MAX &&
            granule > last)
            last = granule;
        recording = audio_from(recording, length);
    }
    return last > codec.skipped ? audio_ms(last - codec.skipped, codec.rate) : -1;
}

/* STREAMINFO is the first block of metadata: 16 and 16 bits of block size, 24 and 24 of
 * frame size, 20 of sample rate, 3 and 5 of channels and bits, 36 of samples; 0: unknown
 * (RFC 9639, 8.2). */
int64_t audio_flac_ms(struct span recording)
{
    struct span info = audio_from(recording, 8);

    if ((audio_big(recording, 4, 1) & 0x7f) != 0)
        return -1;
    return audio_ms(audio_big(info, 13, 5) & 0xfffffffffULL, audio_big(info, 10, 3) >> 4);
}
