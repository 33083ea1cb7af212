/*
 * Containers, what senders say of them, and durations.  The recordings are half a second
 * of a tone, made by ffmpeg, one of each kind: the seeds of the fuzz target.
 */
#include "audio.h"
#include "buffer.h"
#include "wav.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES 65536

static struct span read_recording(const char *name, char *bytes)
{
    char path[4096];
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), TESTS "/fuzz/corpus/audio/%s", name);
    file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    length = fread(bytes, 1, FILE_BYTES, file);
    fclose(file);
    return (struct span){bytes, length};
}

static int64_t duration_of(const char *name)
{
    static char bytes[FILE_BYTES];

    return audio_duration_ms(read_recording(name, bytes));
}

static struct span span_of_bytes(const void *bytes, size_t length)
{
    return (struct span){bytes, length};
}
#define BYTES(literal) span_of_bytes(literal, sizeof(literal) - 1)

/* ---- containers ---- */

Test(audio, knows_every_container_by_its_first_bytes)
{
    static const struct {
        const char *name;
        enum audio_container container;
    } recordings[] = {
        {"moov_first.m4a", AUDIO_MP4}, {"moov_last.m4a", AUDIO_MP4},
        {"opus.webm", AUDIO_MATROSKA}, {"opus.ogg", AUDIO_OGG},
        {"vorbis.ogg", AUDIO_OGG},     {"wave.wav", AUDIO_WAV},
        {"flac.flac", AUDIO_FLAC},     {"xing.mp3", AUDIO_MP3},
        {"cbr.mp3", AUDIO_MP3},        {"adts.aac", AUDIO_AAC},
    };
    static char bytes[FILE_BYTES];

    for (size_t i = 0; i < sizeof(recordings) / sizeof(*recordings); i++) {
        struct span first = read_recording(recordings[i].name, bytes);

        first.length = AUDIO_FIRST_BYTES;
        cr_expect_eq(audio_container(first), recordings[i].container, "%s",
                     recordings[i].name);
    }
}

Test(audio, does_not_take_other_bytes_for_a_recording)
{
    cr_expect_eq(audio_container(BYTES("")), AUDIO_UNKNOWN);
    cr_expect_eq(audio_container(BYTES("{\"not\": \"audio\"}")), AUDIO_UNKNOWN);
    cr_expect_eq(audio_container(BYTES("RIFF\0\0\0\0AVI ")), AUDIO_UNKNOWN);
    cr_expect_eq(audio_container(BYTES("\xff\xd8\xff\xe0")), AUDIO_UNKNOWN, "a JPEG");
    cr_expect_eq(audio_container(BYTES("Ogg")), AUDIO_UNKNOWN, "cut off");
}

Test(audio, knows_every_frame_that_an_mpeg_recording_can_begin_with)
{
    cr_expect_eq(audio_container(BYTES("ID3\x04\0")), AUDIO_MP3);
    cr_expect_eq(audio_container(BYTES("\xff\xfb\x90\x64")), AUDIO_MP3);
    cr_expect_eq(audio_container(BYTES("\xff\xf3\x40\xc4")), AUDIO_MP3);
    cr_expect_eq(audio_container(BYTES("\xff\xf1\x50\x80")), AUDIO_AAC);
    cr_expect_eq(audio_container(BYTES("\xff\xf9\x50\x80")), AUDIO_AAC);
    cr_expect_eq(audio_container(BYTES("\xff\xff\xff\xff")), AUDIO_UNKNOWN);
}

Test(audio, takes_audio_types_and_unnamed_ones_with_a_known_extension)
{
    cr_expect(audio_is_taken("audio/mp4", ""));
    cr_expect(audio_is_taken("AUDIO/anything", ""));
    cr_expect(audio_is_taken("application/octet-stream", "answer.m4a"));
    cr_expect(audio_is_taken("application/octet-stream; charset=binary", "answer.M4A"));
    cr_expect(audio_is_taken("", "answer.webm"));
    cr_expect_not(audio_is_taken("application/octet-stream", "answer"));
    cr_expect_not(audio_is_taken("application/octet-stream", "answer.exe"));
    cr_expect_not(audio_is_taken("", "m4a"));
    cr_expect_not(audio_is_taken("", ""));
    cr_expect_not(audio_is_taken("text/plain", "answer.m4a"));
    cr_expect_not(audio_is_taken("video/mp4", "answer.mp4"));
}

Test(audio, refuses_a_container_that_is_not_the_promised_one)
{
    struct span ogg = BYTES("OggS\0\2\0\0\0\0\0\0\0\0");
    struct span mp4 = BYTES("\0\0\0\x1c"
                            "ftypM4A ");

    cr_expect(audio_is_valid("audio/ogg", "", ogg));
    cr_expect(audio_is_valid("audio/ogg;codecs=opus", "", ogg));
    cr_expect(audio_is_valid("audio/x-something", "a.mp3", ogg), "no promise");
    cr_expect(audio_is_valid("application/octet-stream", "a.m4a", mp4));
    cr_expect(audio_is_valid("audio/aac", "", mp4), "phones call it so");
    cr_expect_not(audio_is_valid("audio/mp4", "", ogg));
    cr_expect_not(audio_is_valid("audio/mp4; codecs=mp4a.40.2", "", ogg));
    cr_expect_not(audio_is_valid("", "a.m4a", ogg));
    cr_expect_not(audio_is_valid("audio/mp4", "", BYTES("hello, hello")));
}

/* ---- durations ---- */

/* What ffprobe says of them too, to a frame; encoders fill their last one up. */
Test(audio, tells_how_long_each_kind_of_recording_lasts)
{
    static const struct {
        const char *name;
        int64_t duration_ms;
    } recordings[] = {
        {"moov_first.m4a", 500}, {"moov_last.m4a", 500}, {"fragments.m4a", 628},
        {"opus.webm", 508},      {"live.webm", 501},     {"opus.ogg", 500},
        {"vorbis.ogg", 500},     {"speex.ogg", 495},     {"flac.ogg", 500},
        {"flac.flac", 500},      {"wave.wav", 100},      {"xing.mp3", 648},
        {"cbr.mp3", 648},        {"vbr.mp3", 548},       {"adts.aac", 640},
    };

    for (size_t i = 0; i < sizeof(recordings) / sizeof(*recordings); i++)
        cr_expect_eq(duration_of(recordings[i].name), recordings[i].duration_ms, "%s",
                     recordings[i].name);
}

Test(audio, does_not_know_how_long_what_is_no_recording_lasts)
{
    cr_expect_eq(audio_duration_ms(BYTES("")), -1);
    cr_expect_eq(audio_duration_ms(BYTES("hello")), -1);
    cr_expect_eq(audio_duration_ms(BYTES("\0\0\0\x10"
                                         "ftypM4A \0\0\0\0")),
                 -1, "a movie without its header");
    cr_expect_eq(audio_duration_ms(BYTES("fLaC")), -1);
    cr_expect_eq(audio_duration_ms(BYTES("ID3\4\0\0\0\0\0\0")), -1);
}

Test(audio, reads_the_64_bit_movie_header)
{
    static const char movie[] = "\0\0\0\x0c"
                                "ftypM4A "
                                "\0\0\0\x34"
                                "moov"
                                "\0\0\0\x2c"
                                "mvhd"
                                "\1\0\0\0"              /* version 1 */
                                "\0\0\0\0\0\0\0\0"      /* made */
                                "\0\0\0\0\0\0\0\0"      /* changed */
                                "\0\0\3\xe8"            /* 1,000 a second */
                                "\0\0\0\0\0\1\xd4\xc0"; /* 120,000 */

    cr_expect_eq(audio_duration_ms(BYTES(movie)), 120000);
}

Test(audio, passes_over_a_tag_before_the_first_frame)
{
    static char bytes[FILE_BYTES], frames[FILE_BYTES];
    struct span plain = read_recording("cbr.mp3", frames);

    memcpy(bytes, "ID3\4\0\0\0\0\1\0", 10);     /* 128 bytes, seven bits of each count */
    memcpy(bytes + 128, "\xff\xfb\x90\x64", 4); /* like a frame, but in the tag */
    memcpy(bytes + 138, plain.bytes, plain.length);
    cr_expect_eq(audio_duration_ms((struct span){bytes, plain.length + 138}),
                 audio_duration_ms(plain));
}

Test(audio, every_recording_may_be_cut_off_anywhere)
{
    static const char *const names[] = {"moov_last.m4a", "fragments.m4a", "live.webm",
                                        "opus.ogg",      "xing.mp3",      "adts.aac",
                                        "wave.wav",      "flac.flac"};
    static char bytes[FILE_BYTES];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct span whole = read_recording(names[i], bytes);

        for (size_t length = 0; length < whole.length; length++) {
            char *cut = malloc(length + 1); /* a sanitizer sees one byte too many */
            int64_t duration_ms;

            memcpy(cut, whole.bytes, length);
            duration_ms = audio_duration_ms((struct span){cut, length});
            cr_assert(duration_ms >= -1 && duration_ms < 10000, "%s", names[i]);
            free(cut);
        }
    }
}

/* ---- WAV ---- */

Test(wav, a_size_that_was_never_filled_in_reaches_to_the_end)
{
    static char bytes[FILE_BYTES];
    struct span whole = read_recording("wave.wav", bytes);
    char *data = memmem(bytes, whole.length, "data", 4);
    struct wav wav;

    memset(data + 4, 0xff, 4);
    cr_assert(wav_parse(whole, &wav));
    cr_expect_eq(wav.samples.length, 1600);
    cr_expect_eq(wav.sample_rate, 8000);
    memset(data + 4, 0, 4);
    cr_assert(wav_parse(whole, &wav));
    cr_expect_eq(wav.samples.length, 1600);
}

Test(wav, the_header_that_is_written_is_read_again)
{
    struct wav pcm = {1, 1, 24000, 48000, 2, 16, {NULL, 0}}, again;
    struct buffer out;

    buffer_init(&out, 1024);
    cr_assert(wav_write_header(&out, &pcm, 4));
    cr_expect_eq(out.length, WAV_HEADER_BYTES);
    buffer_append(&out, "\1\2\3\4", 4);
    cr_assert(wav_parse((struct span){out.bytes, out.length}, &again));
    cr_expect(wav_matches(&pcm, &again));
    cr_expect_eq(again.samples.length, 4);
    cr_expect_eq(memcmp(out.bytes, "RIFF\x28\0\0\0WAVEfmt \x10\0\0\0", 20), 0);
    buffer_done(&out);
}

Test(wav, is_refused_where_its_format_makes_no_sense)
{
    static char bytes[FILE_BYTES];
    struct span whole = read_recording("wave.wav", bytes);
    struct wav wav;

    memset(bytes + 28, 0, 4); /* no bytes a second */
    cr_expect_not(wav_parse(whole, &wav));
    cr_expect_not(wav_parse((struct span){bytes, 40}, &wav), "no data chunk");
}
