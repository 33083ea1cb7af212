/*
 * WAV: read as programs really write it, written as it should be.
 */
#include "wav.h"

#include "audio_internal.h"

#include <string.h>

#define CHUNK_HEADER_BYTES 8
#define FORMAT_BYTES       16
#define FORMAT_EXTENSIBLE  0xfffe
#define RIFF_MAX_BYTES     0xffffffffu

static void read_format(struct wav *wav, struct span chunk)
{
    wav->format = (unsigned)audio_little(chunk, 0, 2);
    wav->channels = (unsigned)audio_little(chunk, 2, 2);
    wav->sample_rate = (unsigned)audio_little(chunk, 4, 4);
    wav->byte_rate = (unsigned)audio_little(chunk, 8, 4);
    wav->block_align = (unsigned)audio_little(chunk, 12, 2);
    wav->bits_per_sample = (unsigned)audio_little(chunk, 14, 2);
    if (wav->format == FORMAT_EXTENSIBLE) /* the real one begins the GUID further on */
        wav->format = (unsigned)audio_little(chunk, 24, 2);
}

/* Samples come in whole blocks: half a one at the end, where a writer was cut off, is
 * left out. */
static bool check(struct wav *wav)
{
    if (wav->channels == 0 || wav->sample_rate == 0 || wav->byte_rate == 0 ||
        wav->block_align == 0)
        return false;
    wav->samples.length -= wav->samples.length % wav->block_align;
    return wav->samples.length > 0;
}

bool wav_parse(struct span bytes, struct wav *ret_wav)
{
    struct wav wav = {0};
    size_t offset = 12;

    if (!audio_has(bytes, 0, "RIFF", 4) || !audio_has(bytes, 8, "WAVE", 4))
        return false;
    while (bytes.length - offset >= CHUNK_HEADER_BYTES) {
        uint64_t size = audio_little(bytes, offset + 4, 4);
        struct span chunk = audio_from(bytes, offset + CHUNK_HEADER_BYTES);

        if (audio_has(bytes, offset, "data", 4)) {
            wav.samples = chunk;
            if (size > 0 && size < chunk.length)
                wav.samples.length = (size_t)size;
            if (!check(&wav))
                return false;
            *ret_wav = wav;
            return true;
        }
        if (size > chunk.length)
            return false;
        if (audio_has(bytes, offset, "fmt ", 4) && size >= FORMAT_BYTES)
            read_format(&wav, chunk);
        offset += CHUNK_HEADER_BYTES + (size_t)size + (size_t)(size & 1); /* padded */
        if (offset > bytes.length)
            return false;
    }
    return false;
}

bool wav_matches(const struct wav *one, const struct wav *other)
{
    return one->format == other->format && one->channels == other->channels &&
           one->sample_rate == other->sample_rate &&
           one->block_align == other->block_align &&
           one->bits_per_sample == other->bits_per_sample;
}

static void put(char *out, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width; i++)
        out[i] = (char)(number >> 8 * i & 0xff);
}

bool wav_write_header(struct buffer *out, const struct wav *like, size_t sample_bytes)
{
    char header[WAV_HEADER_BYTES] = {0};

    if (sample_bytes > RIFF_MAX_BYTES - WAV_HEADER_BYTES)
        return false;
    memcpy(header, "RIFF", 4);
    put(header + 4, sample_bytes + WAV_HEADER_BYTES - CHUNK_HEADER_BYTES, 4);
    memcpy(header + 8, "WAVEfmt ", 8);
    put(header + 16, FORMAT_BYTES, 4);
    put(header + 20, like->format, 2);
    put(header + 22, like->channels, 2);
    put(header + 24, like->sample_rate, 4);
    put(header + 28, like->byte_rate, 4);
    put(header + 32, like->block_align, 2);
    put(header + 34, like->bits_per_sample, 2);
    memcpy(header + 36, "data", 4);
    put(header + 40, sample_bytes, 4);
    return buffer_append(out, header, sizeof(header));
}
