/*
 * What tells containers and durations: no input may make it read past its end, run for
 * long, or say a time that no recording lasts.
 */
#include "audio.h"
#include "wav.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define YEAR_MS (366LL * 24 * 3600 * 1000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *copy = malloc(length > 0 ? length : 1); /* exactly as long: a sanitizer looks */
    struct span recording = {copy, length};
    int64_t duration_ms;
    struct wav wav;

    must(copy != NULL);
    if (length > 0)
        memcpy(copy, bytes, length);
    duration_ms = audio_duration_ms(recording);
    must(duration_ms >= -1 && duration_ms <= YEAR_MS);
    must(duration_ms == -1 || audio_container(recording) != AUDIO_UNKNOWN);
    if (wav_parse(recording, &wav))
        must(wav.samples.bytes >= copy &&
             wav.samples.bytes + wav.samples.length <= copy + length);
    audio_is_valid("audio/mp4", "", recording);
    free(copy);
    return 0;
}
