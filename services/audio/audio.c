/*
 * Which container a recording is in, and whether its sender's name for it agrees; numbers
 * out of a container's bytes, which may be anything, for the files that read each kind.
 */
#include "audio.h"

#include "audio_internal.h"
#include "wav.h"

#include <string.h>
#include <strings.h>

#define LONGEST_S (366ULL * 24 * 3600)

/* ---- bytes ---- */

static uint64_t byte_at(struct span bytes, size_t offset)
{
    return offset < bytes.length ? (unsigned char)bytes.bytes[offset] : 0;
}

uint64_t audio_big(struct span bytes, size_t offset, size_t width)
{
    uint64_t number = 0;

    for (size_t i = 0; i < width; i++)
        number = number << 8 | byte_at(bytes, offset + i);
    return number;
}

uint64_t audio_little(struct span bytes, size_t offset, size_t width)
{
    uint64_t number = 0;

    for (size_t i = width; i-- > 0;)
        number = number << 8 | byte_at(bytes, offset + i);
    return number;
}

bool audio_has(struct span bytes, size_t offset, const char *magic, size_t length)
{
    return offset <= bytes.length && bytes.length - offset >= length &&
           memcmp(bytes.bytes + offset, magic, length) == 0;
}

struct span audio_from(struct span bytes, uint64_t offset)
{
    if (offset >= bytes.length)
        return (struct span){bytes.bytes, 0};
    return (struct span){bytes.bytes + offset, bytes.length - (size_t)offset};
}

int64_t audio_ms(uint64_t units, uint64_t per_second)
{
    if (units == 0 || per_second == 0)
        return -1;
    if (units / per_second >= LONGEST_S)
        return (int64_t)(LONGEST_S * 1000);
    return (int64_t)(units / per_second * 1000 + (uint64_t)((double)(units % per_second) *
                                                            1000.0 / (double)per_second));
}

size_t audio_id3_bytes(struct span bytes)
{
    size_t length = 0;

    if (!audio_has(bytes, 0, "ID3", 3))
        return 0;
    for (size_t i = 6; i < 10; i++)
        length = length << 7 | (size_t)(byte_at(bytes, i) & 0x7f);
    return length + 10 + (byte_at(bytes, 5) & 0x10 ? 10 : 0); /* the bit: a footer */
}

/* ---- names ---- */

struct promise {
    const char *name;
    enum audio_container container;
    enum audio_container alternative; /* AUDIO_UNKNOWN: none */
};

/* The registered names and those that phones and browsers use. */
static const struct promise by_type[] = {
    {"audio/mp4", AUDIO_MP4, AUDIO_UNKNOWN},
    {"audio/m4a", AUDIO_MP4, AUDIO_UNKNOWN},
    {"audio/x-m4a", AUDIO_MP4, AUDIO_UNKNOWN},
    {"audio/aac", AUDIO_AAC, AUDIO_MP4},
    {"audio/x-aac", AUDIO_AAC, AUDIO_MP4},
    {"audio/aacp", AUDIO_AAC, AUDIO_MP4},
    {"audio/webm", AUDIO_MATROSKA, AUDIO_UNKNOWN},
    {"audio/x-matroska", AUDIO_MATROSKA, AUDIO_UNKNOWN},
    {"audio/matroska", AUDIO_MATROSKA, AUDIO_UNKNOWN},
    {"audio/ogg", AUDIO_OGG, AUDIO_UNKNOWN},
    {"audio/opus", AUDIO_OGG, AUDIO_UNKNOWN},
    {"audio/wav", AUDIO_WAV, AUDIO_UNKNOWN},
    {"audio/x-wav", AUDIO_WAV, AUDIO_UNKNOWN},
    {"audio/wave", AUDIO_WAV, AUDIO_UNKNOWN},
    {"audio/vnd.wave", AUDIO_WAV, AUDIO_UNKNOWN},
    {"audio/flac", AUDIO_FLAC, AUDIO_UNKNOWN},
    {"audio/x-flac", AUDIO_FLAC, AUDIO_UNKNOWN},
    {"audio/mpeg", AUDIO_MP3, AUDIO_UNKNOWN},
    {"audio/mp3", AUDIO_MP3, AUDIO_UNKNOWN},
};

static const struct promise by_extension[] = {
    {"m4a", AUDIO_MP4, AUDIO_UNKNOWN},      {"mp4", AUDIO_MP4, AUDIO_UNKNOWN},
    {"aac", AUDIO_AAC, AUDIO_MP4},          {"webm", AUDIO_MATROSKA, AUDIO_UNKNOWN},
    {"mka", AUDIO_MATROSKA, AUDIO_UNKNOWN}, {"ogg", AUDIO_OGG, AUDIO_UNKNOWN},
    {"oga", AUDIO_OGG, AUDIO_UNKNOWN},      {"opus", AUDIO_OGG, AUDIO_UNKNOWN},
    {"wav", AUDIO_WAV, AUDIO_UNKNOWN},      {"flac", AUDIO_FLAC, AUDIO_UNKNOWN},
    {"mp3", AUDIO_MP3, AUDIO_UNKNOWN},
};

/* ---- which container ---- */

/* MPEG audio (ISO/IEC 11172-3) and ADTS (ISO/IEC 13818-7) frames begin with the same
 * eleven or twelve bits; the layer tells them apart: 01 is layer III, 00 is ADTS. */
static enum audio_container frame_container(struct span bytes)
{
    unsigned second = (unsigned)audio_big(bytes, 1, 1);

    if (bytes.length < 4 || audio_big(bytes, 0, 1) != 0xff)
        return AUDIO_UNKNOWN;
    if ((second & 0xf6) == 0xf0)
        return AUDIO_AAC;
    if ((second & 0xe6) == 0xe2 && (second & 0x18) != 0x08)
        return AUDIO_MP3;
    return AUDIO_UNKNOWN;
}

enum audio_container audio_container(struct span bytes)
{
    if (audio_has(bytes, 4, "ftyp", 4))
        return AUDIO_MP4;
    if (audio_has(bytes, 0, "\x1a\x45\xdf\xa3", 4))
        return AUDIO_MATROSKA;
    if (audio_has(bytes, 0, "OggS", 4))
        return AUDIO_OGG;
    if (audio_has(bytes, 0, "RIFF", 4) && audio_has(bytes, 8, "WAVE", 4))
        return AUDIO_WAV;
    if (audio_has(bytes, 0, "fLaC", 4))
        return AUDIO_FLAC;
    if (audio_has(bytes, 0, "ID3", 3))
        return AUDIO_MP3;
    return frame_container(bytes);
}

/* ---- what the sender says ---- */

/* A media type without its parameters: "audio/webm;codecs=opus" is "audio/webm". */
static struct span media_type(const char *content_type)
{
    return (struct span){content_type, strcspn(content_type, "; \t")};
}

static const struct promise *find(const struct promise *promises, size_t count,
                                  struct span name)
{
    for (size_t i = 0; i < count; i++)
        if (span_equals_ignoring_case(name, promises[i].name))
            return &promises[i];
    return NULL;
}

static const struct promise *promise_of_type(const char *content_type)
{
    return find(by_type, sizeof(by_type) / sizeof(by_type[0]), media_type(content_type));
}

static const struct promise *promise_of_file(const char *file_name)
{
    const char *dot = strrchr(file_name, '.');

    if (dot == NULL)
        return NULL;
    return find(by_extension, sizeof(by_extension) / sizeof(by_extension[0]),
                span_of(dot + 1));
}

static bool is_audio_type(const char *content_type)
{
    return strncasecmp(content_type, "audio/", 6) == 0;
}

bool audio_is_taken(const char *content_type, const char *file_name)
{
    if (is_audio_type(content_type))
        return true;
    return (content_type[0] == '\0' ||
            span_equals_ignoring_case(media_type(content_type),
                                      "application/octet-stream")) &&
           promise_of_file(file_name) != NULL;
}

bool audio_is_valid(const char *content_type, const char *file_name,
                    struct span first_bytes)
{
    enum audio_container container = audio_container(first_bytes);
    const struct promise *promise = is_audio_type(content_type)
                                        ? promise_of_type(content_type)
                                        : promise_of_file(file_name);

    if (container == AUDIO_UNKNOWN)
        return false;
    return promise == NULL || container == promise->container ||
           container == promise->alternative;
}

/* ---- names, durations ---- */

const char *audio_media_type(enum audio_container container)
{
    switch (container) {
    case AUDIO_MP4: return "audio/mp4";
    case AUDIO_MATROSKA: return "audio/webm";
    case AUDIO_OGG: return "audio/ogg";
    case AUDIO_WAV: return "audio/wav";
    case AUDIO_FLAC: return "audio/flac";
    case AUDIO_MP3: return "audio/mpeg";
    case AUDIO_AAC: return "audio/aac";
    case AUDIO_UNKNOWN: break;
    }
    return "application/octet-stream";
}

const char *audio_extension(enum audio_container container)
{
    switch (container) {
    case AUDIO_MP4: return "m4a";
    case AUDIO_MATROSKA: return "webm";
    case AUDIO_OGG: return "ogg";
    case AUDIO_WAV: return "wav";
    case AUDIO_FLAC: return "flac";
    case AUDIO_MP3: return "mp3";
    case AUDIO_AAC: return "aac";
    case AUDIO_UNKNOWN: break;
    }
    return "bin";
}

static int64_t wav_ms(struct span recording)
{
    struct wav wav;

    return wav_parse(recording, &wav) ? audio_ms(wav.samples.length, wav.byte_rate) : -1;
}

int64_t audio_duration_ms(struct span recording)
{
    switch (audio_container(recording)) {
    case AUDIO_MP4: return audio_mp4_ms(recording);
    case AUDIO_MATROSKA: return audio_matroska_ms(recording);
    case AUDIO_OGG: return audio_ogg_ms(recording);
    case AUDIO_WAV: return wav_ms(recording);
    case AUDIO_FLAC: return audio_flac_ms(recording);
    case AUDIO_MP3: return audio_mp3_ms(recording);
    case AUDIO_AAC: return audio_aac_ms(recording);
    case AUDIO_UNKNOWN: break;
    }
    return -1;
}
