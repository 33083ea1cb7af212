/*
 * How a text is cut for speakers that take little at once.
 */
#include "speech_pieces_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define PIECES 16

static void expect_pieces(const char *text, size_t max_characters, const char *wanted)
{
    struct span pieces[PIECES];
    size_t count = speech_pieces_cut(span_of(text), max_characters, PIECES, pieces);
    char joined[1024] = "";

    for (size_t i = 0; i < count && i < PIECES; i++)
        snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%.*s",
                 i > 0 ? "|" : "", (int)pieces[i].length, pieces[i].bytes);
    cr_expect_str_eq(joined, wanted);
}

Test(pieces, a_text_that_fits_stays_whole)
{
    expect_pieces("What happened next?", 200, "What happened next?");
    expect_pieces("  What happened next?\n", 19, "What happened next?");
    expect_pieces(" \n ", 200, "");
}

Test(pieces, a_longer_one_is_cut_behind_sentences_first)
{
    expect_pieces("One two. Three four. Five six.", 22, "One two. Three four.|Five six.");
    expect_pieces("He said \"Stop!\" Then he left it.", 20,
                  "He said \"Stop!\"|Then he left it.");
}

Test(pieces, then_behind_commas_then_between_words)
{
    expect_pieces("When it broke, what did you do first of all?", 20,
                  "When it broke,|what did you do|first of all?");
    expect_pieces("abcdefghij klmno", 12, "abcdefghij|klmno");
}

Test(pieces, then_inside_words_but_never_inside_a_character)
{
    expect_pieces("abcdefgh", 3, "abc|def|gh");
    expect_pieces("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 3,
                  "\xc3\xa4\xc3\xb6\xc3\xbc|\xc3\x9f");
}

Test(pieces, no_piece_is_ever_too_long_and_no_word_gets_lost)
{
    const char *text =
        "Tell me about a time when you disagreed with your manager, and how "
        "you dealt with it. What would you do differently today?";

    for (size_t most = 1; most < strlen(text) + 2; most++) {
        struct span pieces[256];
        size_t count = speech_pieces_cut(span_of(text), most, 256, pieces), letters = 0;

        for (size_t i = 0; i < count; i++) {
            cr_assert(pieces[i].length > 0 && pieces[i].length <= most);
            for (size_t at = 0; at < pieces[i].length; at++)
                letters += pieces[i].bytes[at] != ' ';
        }
        for (const char *at = text; *at != '\0'; at++)
            letters -= *at != ' ';
        cr_assert_eq(letters, 0);
    }
}
