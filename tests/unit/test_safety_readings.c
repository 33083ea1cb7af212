/*
 * Other readings of a text: misspelt, run together, in Cyrillic letters that are spaced out or partly Latin.
 */
#include "filter.h"
#include "readings_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define LIST(...)                                                                 \
    {                                                                             \
        (char *[]){__VA_ARGS__}, sizeof((char *[]){__VA_ARGS__}) / sizeof(char *) \
    }

struct row {
    const char *text;
    const char *reading; /* NULL: there is no other */
};

static void expect(const struct row *row, bool has_reading, struct buffer *out)
{
    const char *reading = out->length > 0 ? out->bytes : "";

    cr_assert_eq(has_reading, row->reading != NULL, "%s", row->text);
    if (has_reading)
        cr_assert(out->length == strlen(row->reading) &&
                      memcmp(reading, row->reading, out->length) == 0,
                  "\"%s\" became \"%.*s\"", row->text, (int)out->length, reading);
    buffer_clear(out);
}

Test(readings, put_misspelt_and_joined_words_right)
{
    static const struct row rows[] = {
        {"i ahte women", "i hate women"},
        {"i desise them", "i despise them"},
        {"wmen,are scmu.", "women,are scum."},
        {"ihatewomen", "i hate women"},
        {"i hatewomen", "i hate women"},
        {"you arescum", "you are scum"},
        {"i hate women", NULL},
        {"i wear hats", NULL},      /* hats is a word */
        {"a scm repository", NULL}, /* four letters lose none */
        {"whatever scumbag", NULL}, /* bag is no word of the lists */
        {"areyou women", NULL},     /* nothing in it is worth it */
        {"hatehatehatehatehatehatehatehatehatehatehatehatehatehatehatehatehate", NULL},
    };
    const struct pattern_texts words = LIST("hate", "despise", "women", "scum");
    const struct pattern_texts others = LIST("hats", "hat", "ate");
    const struct pattern_texts small = LIST("i", "you", "are", "a");
    struct readings *readings = readings_new(&words, &others, &small);
    struct buffer out;

    buffer_init(&out, 4096);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(&rows[i],
               readings_mend(readings, rows[i].text, strlen(rows[i].text), &out), &out);
    buffer_done(&out);
    readings_free(readings);
}

Test(readings, make_cyrillic_words_whole)
{
    static const struct row rows[] = {
        {"\u0436 \u0443 \u043a", "\u0436\u0443\u043a"},
        {"\u0436y\u043a \u0438 \u044f", "\u0436\u0443\u043a \u0438 \u044f"},
        {"\u0436 y \u043a!", "\u0436\u0443\u043a!"},
        {"\u0436\u0443\u043a", "\u0436\u0443\u043a"},
        {"a b c", NULL},
        {"\u0410 \u0438", "\u0410 \u0438"},
        {"\u0436\u0443\u043a and a cup", "\u0436\u0443\u043a and a cup"},
    };
    struct buffer out;

    buffer_init(&out, 4096);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(&rows[i], readings_cyrillic(rows[i].text, strlen(rows[i].text), &out),
               &out);
    buffer_done(&out);
}

static bool is_refused(const char *json, const char *text)
{
    struct ruleset_problem problem;
    struct ruleset *ruleset;

    cr_assert(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem),
              "%s", problem.text);
    struct filter *filter = filter_new(ruleset);
    bool is_hit = filter_check(filter, text, strlen(text)).outcome == FILTER_HIT;
    filter_free(filter);
    ruleset_unref(ruleset);
    return is_hit;
}

/* "Hook", all of whose letters look like Latin ones. */
Test(readings, a_cyrillic_word_of_a_pattern_is_found_as_it_is_written)
{
    static const char list[] =
        "[{\"strong_words\":[\"fuck\"]},{\"name\":\"hook\",\"surface\":\"normalised\","
        "\"pattern\":\"\\\\b\u0441\u0443\u043a\\\\b\"}]";

    cr_expect(is_refused(list, "\u043d\u0443 \u0441\u0443\u043a"));
    cr_expect(is_refused(list, "\u0441 \u0443 \u043a"));
    cr_expect(is_refused(list, "c\u0443\u043a!"));
    cr_expect_not(is_refused(list, "\u0441\u0443\u043a\u0430"));
}

Test(readings, are_looked_at_where_the_first_shows_nothing)
{
    static const char list[] =
        "[{\"misspelt_words\":[\"rhubarb\",\"custard\"]},{\"words\":[\"and\"]},"
        "{\"pattern\":\"rhubarb and custard\",\"surface\":\"normalised\"},"
        "{\"strong_words\":[\"schei\u00dfe\",\"\u0436\u0443\u043a\"]},"
        "{\"pattern\":\"\\\\bscheisse\\\\b\",\"surface\":\"normalised\"},"
        "{\"pattern\":\"\u0436\u0443\u043a\"}]";

    cr_expect(is_refused(list, "Rhubrab and csutard!"));
    cr_expect(is_refused(list, "rhubarbandcustard"));
    cr_expect_not(is_refused(list, "rhubarb or custard"));
    cr_expect(is_refused(list, "Schei\u00dfe"));
    cr_expect(is_refused(list, "sch3isse"));
    cr_expect(is_refused(list, "\u0416 \u0423 \u041a"));
    cr_expect(is_refused(list, "\u0436y\u043a"));
}

Test(readings, of_a_story_leave_the_insult_to_who_made_it)
{
    static const char list[] =
        "[{\"pattern\":\"\\\\bpudding\\\\b\",\"surface\":\"normalised\","
        "\"unless_story\":\"^(?=.*\\\\bshouted\\\\b)(?=.*\\\\bunacceptable\\\\b)\"}]";

    cr_expect(is_refused(list, "Pudding. That is unacceptable."));
    cr_expect(is_refused(list, "He shouted: pudding."));
    cr_expect_not(
        is_refused(list, "He shouted pudding at her. I said it was unacceptable."));
}

Test(readings, of_a_frame_refuse_only_what_stands_in_it)
{
    static const char list[] =
        "[{\"pattern\":\"\\\\beat the pudding\\\\b\",\"surface\":\"normalised\","
        "\"only_after\":\"\\\\b(?:i will|we shall) $\"}]";

    cr_expect(is_refused(list, "Now I will eat the pudding."));
    cr_expect_not(is_refused(list, "They eat the pudding."));
    cr_expect_not(is_refused(list, "I will not eat the pudding."));
    cr_expect(is_refused(list, "They eat the pudding and we shall eat the pudding."));
}

Test(readings, examples_warn_of_what_normalised_texts_never_have)
{
    static const struct {
        const char *pattern;
        bool is_warned_of;
    } rows[] = {{"cabr\u00f3n", true},     {"stop!", true},
                {"a|stop!", false},        {"cabron", false},
                {"cabr[o\u00f3]n", false}, {"(?:\u00e9|\u00e8)cole", true},
                {"STOP", false},           {"\u0436\u0443\u043a", false}};
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    char json[200];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = 0;
        snprintf(json, sizeof json, "[{\"pattern\":\"%s\",\"surface\":\"normalised\"}]",
                 rows[i].pattern);
        cr_assert(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem));
        cr_expect_eq(ruleset_check_examples(ruleset, &at, &problem),
                     !rows[i].is_warned_of, "%s", rows[i].pattern);
        ruleset_unref(ruleset);
    }
}
