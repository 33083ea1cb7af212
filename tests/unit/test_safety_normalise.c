/*
 * What the normaliser makes of a text.
 */
#include "mem.h"
#include "normalise_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *text;
    const char *normal;
};

static struct wordbook *book(void)
{
    static const char *const strong[] = {"fuck",     "fucking", "shit", "bitch",
                                         "asshole",  "nigger",  "kill", "dick",
                                         "bullshit", "coon"};
    static const char *const words[] = {"i",   "you",  "will",   "shoot", "password",
                                        "pin", "your", "social", "so",    "a"};
    struct wordbook *made = wordbook_new();

    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
        wordbook_add(made, strong[i], true);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        wordbook_add(made, words[i], false);
    return made;
}

static void expect(const struct row *rows, size_t count)
{
    struct wordbook *words = book();
    struct normal_text normal = {0};

    for (size_t i = 0; i < count; i++) {
        normalise(&normal, words, rows[i].text, strlen(rows[i].text),
                  normalise_is_even(rows[i].text, strlen(rows[i].text)));
        cr_assert_str_eq(normal.bytes, rows[i].normal, "\"%s\" became \"%s\", not \"%s\"",
                         rows[i].text, normal.bytes, rows[i].normal);
    }
    normal_text_done(&normal);
    wordbook_free(words);
}

#define EXPECT(...)                                     \
    do {                                                \
        static const struct row rows[] = {__VA_ARGS__}; \
        expect(rows, sizeof rows / sizeof *rows);       \
    } while (0)

Test(normalise, puts_one_byte_between_words)
{
    EXPECT({"", ""}, {"  Hello   World ", "hello world"}, {"Yes, sir. No!", "yes,sir.no"},
           {"what? now", "what?now"}, {"well -- no", "well,no"},
           {"one\ntwo\tthree", "one two three"});
}

Test(normalise, reads_on_over_pauses_and_pictures)
{
    EXPECT({"I...will...shoot", "i will shoot"}, {"I... will", "i will"},
           {"I\u2026 will", "i will"}, {"well... I will", "well.i will"},
           {"so... ", "so"}, {"I \U0001F600 will", "i will"},
           {"I\U0001F600\U0001F600will", "i will"}, {"I \u2192 will", "i will"},
           {"sh\U0001F600it", "shit"}, {"so\U0001F600\U0001F600\U0001F600", "so"});
}

Test(normalise, keeps_apostrophes_inside_words_only)
{
    EXPECT({"I'll don't", "i'll don't"}, {"'quoted' word", "quoted word"},
           {"dogs' bowls", "dogs bowls"}, {"I \xe2\x80\x99ll go", "i'll go"},
           {"do n't", "don't"}, {"i m what s", "i'm what's"});
}

Test(normalise, drops_fillers_and_words_said_twice)
{
    EXPECT({"I, um, will uh go", "i will go"}, {"I I I will will go", "i will go"},
           {"no. no", "no.no"}, {"s s n", "s s n"});
}

Test(normalise, folds_what_looks_latin)
{
    EXPECT({"\xef\xbd\x86\xef\xbd\x95\xef\xbd\x83\xef\xbd\x8b", "fuck"}, /* full width */
           {"f\xc3\xbc"
            "ck caf\xc3\xa9",
            "fuck cafe"},           /* marks */
           {"fu\xd1\x81k", "fuck"}, /* Cyrillic es */
           {"fu\xe2\x80\x8b"
            "ck",
            "fuck"}, /* zero width */
           {"\xf0\x9d\x90\xa4\xf0\x9d\x90\xa2\xf0\x9d\x90\xa5\xf0\x9d\x90\xa5", "kill"});
}

Test(normalise, leaves_other_scripts_alone)
{
    EXPECT({"\xd0\xb6\xd1\x83\xd0\xba", "\xd0\xb6\xd1\x83\xd0\xba"}, /* zhuk */
           {"\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0\xe5\xa5\xbd"});
}

Test(normalise, reads_disguises_of_known_words)
{
    EXPECT({"sh1t", "shit"}, {"@sshole", "asshole"}, {"f*ck", "fuck"}, {"f***", "fuck"},
           {"F***ing!", "fucking"}, {"fuuuuck", "fuck"}, {"s.h.i.t", "shit"},
           {"f-u-c-k", "fuck"}, {"fu_ck", "fuck"}, {"f--k", "fuck"},
           {"bull$hit", "bullshit"}, {"k!ll", "kill"}, {"sociaI", "social"},
           {"b****", "bitch"}, {"p4ssw0rd", "password"}, {"f**ucking", "fucking"},
           {"fu*ck", "fuck"}, {"so*cial", "so cial"});
}

Test(normalise, spells_rows_of_letters)
{
    EXPECT({"f u c k  y o u", "fuck you"}, {"I w i l l k i l l y o u", "i will kill you"},
           {"my P I N is", "my pin is"}, {"F.U.C.K.", "fuck"},
           {"f u c k i n g hell", "fucking hell"});
}

Test(normalise, joins_no_words)
{
    EXPECT({"push it", "push it"}, {"as soles", "as soles"},
           {"F U C 1 4 units", "f u c 1 4 units"}, {"f- never", "f never"},
           {"well-known", "well known"}, {"uint8_t** p", "uint8 t p"},
           {"p < 0.05***", "p 0 05"}, {"c** and n*", "c and n"},
           {"b2b k8s 5H17-B", "b2b k8s 5h17 b"}, {"U S A", "u s a"}, {"coop", "coop"});
}

Test(normalise, knows_where_every_byte_came_from)
{
    const char *text = "Well,  uh, f u c k that";
    struct wordbook *words = book();
    struct normal_text normal = {0};

    normalise(&normal, words, text, strlen(text), normalise_is_even(text, strlen(text)));
    cr_assert_str_eq(normal.bytes, "well fuck that");
    cr_assert_eq(normal_text_origin(&normal, 0), 0);
    cr_assert_eq(normal_text_origin(&normal, 5), 11);
    cr_assert_eq(normal_text_origin(&normal, 10), 19);
    cr_assert_eq(normal_text_origin(&normal, normal.length), strlen(text));
    normal_text_done(&normal);
    wordbook_free(words);
}

Test(normalise, names_the_words_that_were_disguised)
{
    const char *text = "c00n and coon and fu\xd1\x81k";
    struct wordbook *words = book();
    struct normal_text normal = {0};

    normalise(&normal, words, text, strlen(text), normalise_is_even(text, strlen(text)));
    cr_assert_eq(normal.disguised.length, strlen("coon fuck "));
    cr_assert_eq(memcmp(normal.disguised.bytes, "coon fuck ", normal.disguised.length),
                 0);
    normal_text_done(&normal);
    wordbook_free(words);
}
