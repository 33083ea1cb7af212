/*
 * What a speaker is given to cut and what comes back of it: no text loses a word, and audio that
 * is joined is audio.
 */
#include "fuzz.h"
#include "private_reveal.h"
#include "speech_pieces_internal.h"
#include "utf8.h"
#include "wav.h"

#define PIECES 64

static size_t letters(struct span text)
{
    size_t count = 0;

    for (size_t offset = 0; offset < text.length;)
        count += !utf8_is_space(utf8_next(text.bytes, text.length, &offset));
    return count;
}

static void cut(struct span text, size_t max_characters)
{
    struct span pieces[PIECES];
    size_t count = speech_pieces_cut(text, max_characters, PIECES, pieces), kept = 0;

    for (size_t i = 0; i < count && i < PIECES; i++) {
        must(pieces[i].length > 0);
        must(utf8_is_valid(pieces[i].bytes, pieces[i].length));
        must(utf8_count(pieces[i].bytes, pieces[i].length) <= max_characters);
        kept += letters(pieces[i]);
    }
    must(count > PIECES || kept == letters(text));
}

/* The input as two pieces of audio, cut in the middle and whole. */
static void join(struct span input)
{
    size_t middle = input.length / 2;
    struct private_text pieces[] = {
        private_text_copy(input.bytes, middle),
        private_text_copy(input.bytes + middle, input.length - middle),
        private_text_copy(input.bytes, input.length)};
    struct private_text audio = {NULL, 0};
    struct wav wav;

    if (speech_pieces_join(&pieces[2], 1, &audio) &&
        audio_container(private_reveal(&audio)) == AUDIO_WAV)
        must(wav_parse(private_reveal(&audio), &wav) &&
             private_reveal(&audio).length == WAV_HEADER_BYTES + wav.samples.length);
    private_text_free(&audio);
    if (speech_pieces_join(pieces, 2, &audio))
        private_text_free(&audio);
    for (size_t i = 0; i < 3; i++)
        private_text_free(&pieces[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = {(const char *)bytes, length}, text;

    if (length == 0)
        return 0;
    text = (struct span){input.bytes + 1, length - 1};
    join(input);
    if (utf8_is_valid(text.bytes, text.length))
        cut(text, (size_t)*bytes % 64 + 1);
    return 0;
}
