/*
 * Places to cut a text at, and WAV or MP3 joined.
 */
#include "speech_pieces_internal.h"

#include "private_reveal.h"
#include "utf8.h"
#include "wav.h"

#include <assert.h>

#define JOINED_MAX_BYTES (64 * 1024 * 1024)

/* ---- cutting ---- */

/* How good a place to cut is. */
enum cut { CUT_NONE, CUT_WORD, CUT_CLAUSE, CUT_SENTENCE };

static bool is_one_of(uint32_t character, const char *ascii)
{
    for (; *ascii != '\0'; ascii++)
        if (character == (unsigned char)*ascii)
            return true;
    return false;
}

/* The place before white space, by the last character that is no quotation mark or
 * bracket. */
static enum cut cut_behind(uint32_t character)
{
    if (is_one_of(character, ".!?") || character == 0x2026) /* an ellipsis */
        return CUT_SENTENCE;
    if (is_one_of(character, ",;:-") || character == 0x2013 || character == 0x2014)
        return CUT_CLAUSE; /* en and em dash */
    return CUT_WORD;
}

static bool is_closing(uint32_t character)
{
    return is_one_of(character, "\"')]") || character == 0x2019 || character == 0x201d;
}

static struct span trim(struct span text)
{
    size_t offset = 0, end = 0;

    while (offset < text.length) {
        size_t start = offset;
        bool is_space = utf8_is_space(utf8_next(text.bytes, text.length, &offset));

        if (is_space && start == 0) {
            text.bytes += offset;
            text.length -= offset;
            offset = end = 0;
        } else if (!is_space) {
            end = offset;
        }
    }
    text.length = end;
    return text;
}

/* The length of the first piece: the best place to cut of those that fit, and of equally
 * good ones the last. */
static size_t piece_length(struct span text, size_t max_characters)
{
    size_t offset = 0, best_length = 0, start = 0;
    enum cut best = CUT_NONE, here = CUT_WORD;

    for (size_t characters = 0; offset < text.length; characters++) {
        uint32_t character;

        start = offset;
        character = utf8_next(text.bytes, text.length, &offset);
        if (utf8_is_space(character)) {
            if (here >= best) {
                best = here;
                best_length = start;
            }
        } else if (!is_closing(character)) {
            here = cut_behind(character);
        }
        if (characters == max_characters)
            return best != CUT_NONE ? best_length : start;
    }
    return text.length;
}

size_t speech_pieces_cut(struct span text, size_t max_characters, size_t max_pieces,
                         struct span *ret_pieces)
{
    size_t count = 0;

    assert(max_characters > 0);
    for (text = trim(text); text.length > 0; text = trim(text)) {
        size_t length = piece_length(text, max_characters);
        struct span piece = trim((struct span){text.bytes, length});

        if (count < max_pieces)
            ret_pieces[count] = piece;
        count++;
        text.bytes += length;
        text.length -= length;
    }
    return count;
}

/* ---- joining ---- */

enum audio_container speech_pieces_kind(const struct private_text *piece)
{
    enum audio_container kind = audio_container(private_reveal(piece));
    struct wav wav;

    if (kind == AUDIO_WAV)
        return wav_parse(private_reveal(piece), &wav) ? kind : AUDIO_UNKNOWN;
    return kind == AUDIO_MP3 ? kind : AUDIO_UNKNOWN;
}

static bool join_wav(const struct private_text *pieces, size_t count, struct buffer *out)
{
    struct wav first, piece;
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        if (!wav_parse(private_reveal(&pieces[i]), i == 0 ? &first : &piece) ||
            (i > 0 && !wav_matches(&first, &piece)))
            return false;
        bytes += i == 0 ? first.samples.length : piece.samples.length;
    }
    if (!wav_write_header(out, &first, bytes) || buffer_reserve(out, bytes) == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        wav_parse(private_reveal(&pieces[i]), &piece);
        buffer_append(out, piece.samples.bytes, piece.samples.length);
    }
    return true;
}

static bool join_mp3(const struct private_text *pieces, size_t count, struct buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        struct span frames = audio_mp3_frames(private_reveal(&pieces[i]));

        if (frames.length == 0 || !buffer_append(out, frames.bytes, frames.length))
            return false;
    }
    return true;
}

bool speech_pieces_join(struct private_text *pieces, size_t count,
                        struct private_text *ret_audio)
{
    enum audio_container kind = speech_pieces_kind(&pieces[0]);
    struct buffer out;
    bool is_joined;

    if (count == 1 && kind == AUDIO_MP3) {
        *ret_audio = pieces[0];
        pieces[0] = (struct private_text){NULL, 0};
        return true;
    }
    for (size_t i = 1; i < count; i++)
        if (speech_pieces_kind(&pieces[i]) != kind)
            return false;
    buffer_init(&out, JOINED_MAX_BYTES);
    is_joined = kind == AUDIO_WAV   ? join_wav(pieces, count, &out)
                : kind == AUDIO_MP3 ? join_mp3(pieces, count, &out)
                                    : false;
    if (is_joined)
        *ret_audio = private_text_take(&out);
    buffer_done(&out);
    for (size_t i = 0; i < count && is_joined; i++)
        private_text_free(&pieces[i]);
    return is_joined;
}
