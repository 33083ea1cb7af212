/*
 * Text as bytes, characters and words: what works on eight bytes at once says the same as what
 * goes one by one, and what is valid stays so.
 *
 * The input is two texts with a line of "----" between them.
 */
#include "fuzz.h"
#include "private_text.h"
#include "utf8.h"
#include "words.h"

/* The Unicode Standard, table 3-7, row by row. */
static size_t sequence(const unsigned char *at, size_t left)
{
    static const struct {
        unsigned char first_from, first_to, second_from, second_to, length;
    } rows[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (at[0] < rows[i].first_from || at[0] > rows[i].first_to)
            continue;
        if (left < rows[i].length)
            return 0;
        for (size_t j = 1; j < rows[i].length; j++)
            if (at[j] < (j == 1 ? rows[i].second_from : 0x80) ||
                at[j] > (j == 1 ? rows[i].second_to : 0xbf))
                return 0;
        return rows[i].length;
    }
    return 0;
}

static bool is_valid(struct span text, size_t *ret_characters)
{
    size_t at = 0, step;

    for (*ret_characters = 0; at < text.length; at += step, ++*ret_characters) {
        step = sequence((const unsigned char *)text.bytes + at, text.length - at);
        if (step == 0)
            return false;
    }
    return true;
}

static size_t count_words(struct span text)
{
    size_t count = 0;
    bool is_in_word = false;

    for (size_t at = 0; at < text.length;) {
        bool is_space = utf8_is_space(utf8_next(text.bytes, text.length, &at));

        count += !is_space && !is_in_word;
        is_in_word = !is_space;
    }
    return count;
}

static void check(struct span text)
{
    struct private_text copy = private_text_copy(text.bytes, text.length), clone;
    size_t characters, stepped = 0, offset = 0;
    bool is_good = is_valid(text, &characters);
    struct span word;

    must(utf8_is_valid(text.bytes, text.length) == is_good);
    must(private_text_is_valid(&copy) == is_good);
    while (words_next(text, &offset, &word)) {
        must(word.length > 0 && word.bytes >= text.bytes &&
             word.bytes + word.length == text.bytes + offset);
    }
    if (is_good) {
        for (size_t at = 0; at < text.length; stepped++)
            must(utf8_next(text.bytes, text.length, &at) <= 0x10ffff);
        must(stepped == characters && utf8_count(text.bytes, text.length) == characters);
        must(private_text_characters(&copy) == characters);
        must(words_count(text) == count_words(text));
        must(!private_text_is_blank(&copy) || copy.length == 0 ||
             words_count(text) <= characters);
    }
    clone = private_text_clone(&copy);
    must(private_text_equals(&copy, &clone));
    private_text_free(&copy);
    private_text_free(&clone);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), one, other = {"", 0};

    fuzz_next(&input, FUZZ_LINE, &one);
    fuzz_next(&input, FUZZ_LINE, &other);
    check(one);
    check(other);
    if (one.length < 4096 && other.length < 4096) {
        must(words_share_run(one, other, 3) == words_share_run(other, one, 3));
        must(!words_share_run(one, other, 4) || words_share_run(one, other, 3));
    }
    return 0;
}
