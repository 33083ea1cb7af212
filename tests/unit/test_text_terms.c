/*
 * A text read for search and comparison: its sentences, words, numbers, names and negations.
 */
#include "terms.h"

#include "buffer.h"
#include "sentences.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_sentences(const char *text, const char *expected)
{
    struct sentences sentences;
    struct span sentence;
    struct buffer got;

    buffer_init(&got, 65536);
    sentences_init(&sentences, span_of(text));
    while (sentences_next(&sentences, &sentence)) {
        if (got.length > 0)
            buffer_append_char(&got, '|');
        buffer_append(&got, sentence.bytes, sentence.length);
    }
    buffer_append_char(&got, '\0');
    cr_expect_str_eq(got.bytes, expected);
    buffer_done(&got);
}

static char flag_letter(uint32_t flag)
{
    return flag == TERM_STOP     ? 's'
           : flag == TERM_NUMBER ? '#'
           : flag == TERM_NAME   ? 'N'
                                 : '!';
}

/* The terms of a text as "stem/flags", stop words left out unless they negate. */
static void expect_terms(const char *text, const char *expected)
{
    struct terms_reader *reader = terms_reader_new();
    struct terms terms = {0};
    struct buffer got;

    buffer_init(&got, 65536);
    terms_read(reader, span_of(text), &terms);
    for (size_t i = 0; i < terms.count; i++) {
        const struct term *term = &terms.all[i];

        if ((term->flags & (TERM_STOP | TERM_NEGATION)) == TERM_STOP)
            continue;
        if (got.length > 0)
            buffer_append_char(&got, ' ');
        buffer_append_string(&got, term_stem(&terms, term));
        for (uint32_t flag = TERM_NUMBER; flag <= TERM_NEGATION; flag *= 2)
            if (term->flags & flag)
                buffer_append_char(&got, flag_letter(flag));
    }
    buffer_append_char(&got, '\0');
    cr_expect_str_eq(got.bytes, expected, "%s\n  gives %s\n  not   %s", text, got.bytes,
                     expected);
    buffer_done(&got);
    terms_done(&terms);
    terms_reader_free(reader);
}

struct case_of {
    const char *text, *expected;
};

#define EACH(cases, check)                                             \
    for (size_t at = 0; at < sizeof(cases) / sizeof((cases)[0]); at++) \
    check((cases)[at].text, (cases)[at].expected)

Test(sentences, end_where_they_end)
{
    static const struct case_of cases[] = {
        {"", ""},
        {" \n\n ", ""},
        {"One. Two! Three? Four", "One.|Two!|Three?|Four"},
        {"It rose by 3.5 percent. Then it fell.",
         "It rose by 3.5 percent.|Then it fell."},
        {"Dr. Smith met Mrs. Jones. They spoke.",
         "Dr. Smith met Mrs. Jones.|They spoke."},
        {"Use a tool, e.g. Excel. See Fig. 3. Go.",
         "Use a tool, e.g. Excel.|See Fig. 3.|Go."},
        {"The answer was no. We left.", "The answer was no.|We left."},
        {"J. R. Tolkien wrote it. I read it.", "J. R. Tolkien wrote it.|I read it."},
        {"So did I. We left.", "So did I.|We left."},
        {"She moved to the U.S. The pay was better.",
         "She moved to the U.S.|The pay was better."},
        {"The U.S. Senate voted. Yes.", "The U.S. Senate voted.|Yes."},
        {"Call at 9 a.m. on Monday. Then wait.", "Call at 9 a.m. on Monday.|Then wait."},
        {"He said \"Stop.\" Then he left.", "He said \"Stop.\"|Then he left."},
        {"\"Why?\" he asked. Silence.", "\"Why?\" he asked.|Silence."},
        {"**Do this.** Then that.", "**Do this.**|Then that."},
        {"Wait... what? Yes.", "Wait... what?|Yes."},
        {"Visit example.com today. Now.", "Visit example.com today.|Now."},
        {"Das ist gut. Über alles. Ende.", "Das ist gut.|Über alles.|Ende."},
        {"一。二！三", "一。|二！|三"},
        {"A line that is\nwrapped. Next\n\nparagraph",
         "A line that is\nwrapped.|Next|paragraph"},
        {"page one\fpage two", "page one|page two"},
    };

    EACH(cases, expect_sentences);
}

Test(sentences, end_with_what_they_stand_in)
{
    static const struct case_of cases[] = {
        {"# Title\nText here", "Title|Text here"},
        {"## Closed ##\nText", "Closed|Text"},
        {"Title\n=====\nText", "Title|Text"},
        {"- one\n- two\n  goes on\n3. three", "one|two\n  goes on|three"},
        {"Intro:\n* a\n* b\n\nEnd", "Intro:|a|b|End"},
        {"| a | b |\n|---|---|\n| 1 | 2 |\nAfter", "| a | b |||---|---||| 1 | 2 ||After"},
        {"> quoted text\n> goes on\n\nplain", "quoted text\n> goes on|plain"},
        {"```c\nint a. B;\n\n# no heading\n```\nAfter", "int a. B;|# no heading|After"},
        {"~~~\n```\nx\n~~~\ny", "```|x|y"},
        {"---\n***\ntext", "text"},
        {"It was in\n1986. We left.\n1. a\n2. b", "It was in\n1986.|We left.|a|b"},
        {"# \n#hash\n", "#hash"},
    };

    EACH(cases, expect_sentences);
}

Test(terms, are_folded_and_stemmed)
{
    static const struct case_of cases[] = {
        {"interviewing interviews interviewed", "interview interview interview"},
        {"Café naïve ÜBER ﬁne", "cafe naiv uberN fine"},
        {"company's companies’ you'll O'Brien's", "compani compani obrienN"},
        {"follow-up e-mail read_file", "follow up e mail read file"},
        {"in C++ and C# or F#", "c++ c# f#"},
        {"see [the guide](http://x.org/page) now", "see guid now"},
        {"the U.S. and the US", "usN usN"},
        {"漢字", "漢 字"},
        {"Straße", "strass"},
    };

    EACH(cases, expect_terms);
}

Test(terms, know_numbers_by_their_plain_form)
{
    static const struct case_of cases[] = {
        {"1,200.50 and 1200.5", "1200.5# 1200.5#"},
        {"1,000,000 1,2 12,34", "1000000# 1# 2# 12# 34#"},
        {"25% 25 percent", "25# percent 25# percent"},
        {"007 3.0 1.2.10", "7# 3# 1.2.10#"},
        {"twenty-five twenty five", "25# 25#"},
        {"three four nineteen eighty-four", "3# 4# 19# 84#"},
        {"one hundred and five people", "105# peopl"},
        {"two thousand three hundred twelve", "2312#"},
        {"2.5 million 3 thousand 10k", "2500000# 3000# 10000#"},
        {"a million", "1000000#"},
        {"one two", "on 2"},
        {"the first second third 4th twenty-first", "first second 3# 4# 21#"},
        {"three and four", "3# 4#"},
        {"in 1990s the 5kg and 12V", "1990# 5# kg 12# v"},
        {"ROS2 or ROS 2, MP3, Python3", "roN 2# roN 2# mp3N python 3#"},
        {"three. Four", "3# 4#"},
        {"1. first item\n2. next item", "first item next item"},
        {"2024-05-01", "2024# 5# 1#"},
    };

    EACH(cases, expect_terms);
}

Test(terms, take_for_a_name_only_what_is_written_like_one)
{
    static const struct case_of cases[] = {
        {"We met Marie Curie in Paris.", "meet mariN curiN pariN"},
        {"Situations vary. Interviews end.", "situat vari interview end"},
        {"Curie won. We met Curie.", "curiN win meet curiN"},
        {"We use the Method here. A method helps.", "us method here method help"},
        {"PID control and the YouTube page", "pidN control youtubN page"},
        {"How To Prepare For The Day", "prepar dai"},
        {"READ THIS NOW PLEASE", "read now pleas"},
        {"Note: Bring paper. \"Please wait,\" he said. (Ask twice.)",
         "note bring paper pleas wait he sai ask twice"},
        {"I think I'm ready", "think readi"},
        {"Who was Neil Armstrong?", "neilN armstrongN"},
        {"works in IT for us", "work itN us"},
        {"- Marie wrote it\n- Bring Marie", "mariN write bring mariN"},
    };

    EACH(cases, expect_terms);
}

Test(terms, bring_irregular_forms_together)
{
    static const struct case_of cases[] = {
        {"They wrote, it is written.", "write write"},
        {"Women, children and teeth", "woman child tooth"},
        {"Who won and who wins?", "win win"},
        {"LED lamps", "ledN lamp"},
        {"He left what he found.", "he left he found"},
    };

    EACH(cases, expect_terms);
}

Test(terms, know_what_turns_a_sentence_round)
{
    static const struct case_of cases[] = {
        {"do not", "not!"},
        {"don't can't won't isn’t cannot", "do! can! will! is! cannot!"},
        {"never without none", "never! without! none!"},
        {"neither this nor that", "neither! nor!"},
        {"hardly ever", "hardli! ever"},
        {"not only but also", "onli but also"},
        {"No. 5 is open", "5# open"},
        {"no. we stay", "no! stai"},
        {"notable knot", "notabl knot"},
    };

    EACH(cases, expect_terms);
}

Test(terms, count_their_sentences_and_places)
{
    struct terms_reader *reader = terms_reader_new();
    struct terms terms = {0};
    const char *text = "# Head\n\n***\n\nOne word. Two more words.";

    terms_read(reader, span_of("something longer that was read before this one"), &terms);
    terms_read(reader, span_of(text), &terms);

    cr_assert_eq(terms.sentence_count, 3);
    cr_expect_eq(terms.sentences[1].first_term, 1);
    cr_expect_eq(terms.sentences[1].term_count, 2);
    cr_expect_eq(terms.sentences[2].term_count, 3);
    cr_expect_eq(terms.all[2].sentence, 1);
    cr_expect(strncmp(text + terms.all[1].start, "One", 3) == 0);
    cr_expect_eq(terms.all[1].end - terms.all[1].start, 3);
    cr_expect(strncmp(text + terms.sentences[2].start, "Two more words.", 15) == 0);
    cr_expect_eq(terms.sentences[2].end, strlen(text));
    terms_done(&terms);
    terms_reader_free(reader);
}

Test(terms, of_any_length_have_bounded_stems)
{
    struct terms_reader *reader = terms_reader_new();
    struct terms terms = {0};
    static char text[100001];

    memset(text, 'x', sizeof(text) - 1);
    terms_read(reader, span_of(text), &terms);
    cr_assert_eq(terms.count, 1);
    cr_expect_eq(terms.all[0].stem_length, 64);
    cr_expect_eq(terms.all[0].end, 100000);

    memset(text, '7', sizeof(text) - 1);
    terms_read(reader, span_of(text), &terms);
    cr_assert_eq(terms.count, 1);
    cr_expect(terms.all[0].stem_length <= 64);
    terms_done(&terms);
    terms_reader_free(reader);
}
