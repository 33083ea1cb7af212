/*
 * Which words are fillers, and which only look like it.
 */
#include "reading_internal.h"

#include <criterion/criterion.h>

/* By both ways there are, which must agree. */
static struct fillers count(const char *text)
{
    struct lexicon *lexicon = lexicon_new();
    struct answer answer;
    struct filler_counter *counter = filler_counter_new();
    struct fillers fillers, counted;

    answer_read(&answer, lexicon, span_of(text));
    fillers = fillers_count(&answer);
    filler_counter_count(counter, span_of(text), &counted);
    cr_expect_eq(memcmp(&counted, &fillers, sizeof(fillers)), 0, "%s", text);
    answer_done(&answer);
    lexicon_free(lexicon);
    filler_counter_free(counter);
    return fillers;
}

Test(fillers, stand_behind_so_many_words)
{
    struct fillers fillers =
        count("Um, I well-nigh  fell, you know. So I\nleft, um, early.");
    static const struct filler_place places[] = {{0, "um"}, {4, "you know"}, {9, "um"}};

    cr_assert_eq(fillers.place_count, sizeof(places) / sizeof(*places));
    for (size_t i = 0; i < fillers.place_count; i++) {
        cr_expect_eq(fillers.places[i].words_before, places[i].words_before);
        cr_expect_str_eq(fillers.places[i].word, places[i].word);
    }
}

Test(fillers, count_by_what_stands_around_them)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        {"Um, I called them.", 1},
        {"I, uh, called, um, them.", 2},
        {"It was, like, really late.", 1},
        {"It was like really late.", 1},
        {"And like we had no time.", 1},
        {"I like tables.", 0},
        {"I would like to help.", 0},
        {"It looked like rain.", 0},
        {"It felt like home.", 0},
        {"Tools like these are rare.", 0},
        {"She treated me like a friend.", 0},
        {"You know, it was late.", 1},
        {"It was late, you know.", 1},
        {"It was you know pretty late.", 1},
        {"Do you know the place?", 0},
        {"As you know, I came early.", 0},
        {"I wanted to let you know.", 0},
        {"You know how that goes.", 0},
        {"I mean, it was late.", 1},
        {"What I mean is this.", 0},
        {"It was kind of late.", 1},
        {"It is a kind of table.", 0},
        {"What kind of table was it?", 0},
        {"She was kind to me.", 0},
        {"It was sort of fine.", 1},
        {"This sort of problem is common.", 0},
        {"So I called. So I wrote.", 0},
        {"So I called. So I wrote. So I went. So I slept.", 2},
        {"It was so late that I left.", 0},
        {"I did it so that they could sleep.", 0},
        {"Actually, I called.", 0},
        {"Actually, I called. It actually rang. They actually came.", 2},
        {"Basically, it was late and basically over.", 1},
        {"Well, I called.", 0},
        {"It went well and they slept well.", 0},
        {"It was late, right, and dark, right?", 1},
        {"That was the right thing and it was right.", 0},
        {"We had pens and stuff.", 1},
        {"", 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t found = count(cases[i].text).count;

        cr_expect_eq(found, cases[i].count, "%s: %zu", cases[i].text, found);
    }
}

Test(fillers, name_the_two_that_come_most)
{
    struct fillers fillers =
        count("Um I um went and uh um then you know I uh came, you know, home.");

    cr_expect_str_eq(fillers.top[0].word, "um");
    cr_expect_eq(fillers.top[0].count, 3);
    cr_expect_eq(fillers.top[1].count, 2);
}
