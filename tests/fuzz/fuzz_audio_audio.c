/*
 * What tells containers and durations: no input may make it read past its end, run for
 * long, or say a time that no recording lasts.
 */
#include "audio.h"
#include "fuzz.h"
#include "wav.h"

#define YEAR_MS (366LL * 24 * 3600 * 1000)

/* Frames stand in the recording and are MP3 by themselves, but for such as look like something else
 * too; what is taken away from them again is another index. */
static void check_frames(struct span recording)
{
    struct span frames = audio_mp3_frames(recording), again;

    if (frames.length == 0)
        return;
    must(frames.bytes >= recording.bytes &&
         frames.bytes + frames.length <= recording.bytes + recording.length);
    if (!(frames.length >= 8 && memcmp(frames.bytes + 4, "ftyp", 4) == 0))
        must(audio_container(frames) == AUDIO_MP3);
    again = audio_mp3_frames(frames);
    must(again.length == 0 || again.bytes + again.length == frames.bytes + frames.length);
}

/* A header that is written for the same samples is read again. */
static void check_wav(struct span recording)
{
    struct wav wav, again;
    struct buffer out;

    if (!wav_parse(recording, &wav))
        return;
    must(wav.samples.bytes >= recording.bytes && wav.samples.length > 0 &&
         wav.samples.bytes + wav.samples.length <= recording.bytes + recording.length);
    buffer_init(&out, WAV_HEADER_BYTES + wav.samples.length);
    must(wav_write_header(&out, &wav, wav.samples.length));
    must(buffer_append(&out, wav.samples.bytes, wav.samples.length));
    must(wav_parse((struct span){out.bytes, out.length}, &again));
    must(fuzz_same(wav.samples, again.samples));
    if (wav.format == 1)
        must(wav_matches(&wav, &again));
    buffer_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *copy = malloc(length > 0 ? length : 1); /* exactly as long: a sanitizer looks */
    struct span recording = {copy, length};
    int64_t duration_ms;

    must(copy != NULL);
    if (length > 0)
        memcpy(copy, bytes, length);
    duration_ms = audio_duration_ms(recording);
    must(duration_ms >= -1 && duration_ms <= YEAR_MS);
    must(duration_ms == -1 || audio_container(recording) != AUDIO_UNKNOWN);
    check_wav(recording);
    check_frames(recording);
    audio_is_valid("audio/mp4", "", recording);
    free(copy);
    return 0;
}
