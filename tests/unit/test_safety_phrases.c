/*
 * The phrases without one of which a pattern cannot match.
 */
#include "phrases_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *pattern;
    const char *
        phrases; /* in their order; < and > are the ends of words, $ that of the text, ~ stands
                            before those that a match holds and that are not all of it */
};

static void write(const struct phrases *phrases, char *out, size_t room)
{
    size_t used = (size_t)snprintf(out, room, "%s", phrases->is_exact ? "" : "~");

    for (size_t i = 0; i < phrases->count; i++) {
        const struct phrase *phrase = &phrases->all[i];
        used += (size_t)snprintf(
            out + used, room - used, "%s%s%.*s%s%s", i > 0 ? "|" : "",
            phrase->starts_word ? "<" : "", phrase->length, phrase->bytes,
            phrase->ends_word ? ">" : "", phrase->ends_text ? "$" : "");
    }
}

static void expect(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct phrases phrases = phrases_of(rows[i].pattern);
        char written[400];

        write(&phrases, written, sizeof written);
        cr_assert_str_eq(written, rows[i].phrases, "%s: \"%s\", not \"%s\"",
                         rows[i].pattern, written, rows[i].phrases);
        phrases_done(&phrases);
    }
}

#define EXPECT(...)                                     \
    do {                                                \
        static const struct row rows[] = {__VA_ARGS__}; \
        expect(rows, sizeof rows / sizeof *rows);       \
    } while (0)

Test(phrases, of_words_are_the_words)
{
    EXPECT(
        {"Rhubarb", "rhubarb"}, {"tart|pie", "tart|pie"}, {"\\bpies?\\b", "<pies>|<pie>"},
        {"(?:hot |cold )?pie", "hot pie|cold pie|pie"}, {"p[iy]e", "pie|pye"},
        {"pie(?= chart)", "pie"}, {"(?<!apple )pie(?! chart)", "pie"}, {"pie$", "pie$"});
}

Test(phrases, of_what_repeats_are_the_rarest_piece)
{
    EXPECT({"custard+ cream", "~custard"}, {"a.*marmalade", "~marmalade"},
           {"\\d+ plums", "~ plums"}, {"(?:no ){0,3}plums", "~plums"},
           {"plums|\\w+ jam", "~plums| jam"});
}

Test(phrases, past_ascii_are_any_character_past_it)
{
    EXPECT({"\xc3\xa9"
            "cole",
            "~cole"},
           {"\xd0\xb6\xd1\x83\xd0\xba", "~\x80"});
}

Test(phrases, are_not_there_where_a_match_needs_none)
{
    EXPECT({"\\d{3}-\\d{2}", "~-"}, {"\\w+", "~"}, {"(?:jam)?", "~"}, {"jam|", "~"},
           {"(a)\\1", "~"}, {"jam(*ACCEPT)s", "~"}, {"(?x) j a m", "~"}, {"^", "~"});
}
