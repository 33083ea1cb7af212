/*
 * What a CV says was done, line by line, as it can be said to whoever wrote it: "led a team of
 * five", "were promoted to deputy manager".  Only lines and sentences that begin with a deed, and none
 * that touches what an interviewer must not ask about (the list `private`).
 */
#include "paper_internal.h"
#include "papers_internal.h"
#include "words.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_WORDS = 3, SUBJECT_WITHIN = 4 };

struct resume_search {
    struct resume_lines *lines;
    bool is_skipped; /* the section: hobbies, references ... */
};

/* How a deed is told: "led ..." as it stands, "promoted ..." with a "were" before it. */
enum telling { TELLING_NONE, TELLING_PLAIN, TELLING_WERE };

static bool has_past_ending(struct span word)
{
    return word.length >= 5 && strncasecmp(word.bytes + word.length - 2, "ed", 2) == 0;
}

/* "Organised a move", but not "Organised and calm". */
static bool is_past(const struct row *row)
{
    struct span word = row->tokens[0].core;
    bool has_ending = has_past_ending(word);

    if (has_ending && list_has(&paper_words.no_verbs, word))
        return words_is_on("the a an my our about over all more several two three four "
                           "five six seven eight nine ten",
                           row->tokens[1].core) ||
               isdigit((unsigned char)*row->tokens[1].core.bytes);
    return has_ending || list_has(&paper_words.past, word);
}

/* "Promoted to ...", "Awarded ..."; but "Trained new staff". */
static bool is_passive(const struct row *row)
{
    struct span word = row->tokens[0].core;

    return list_has(&paper_words.always_passive, word) ||
           (list_has(&paper_words.passive, word) && row->count > 1 &&
            list_has(&paper_words.passive_after, row->tokens[1].core));
}

/* "Negotiate contracts", but not "Support Engineer". */
static bool is_present(const struct row *row)
{
    return list_has(&paper_words.verbs, row->tokens[0].core) && row->count > 1 &&
           !isupper((unsigned char)row->tokens[1].core.bytes[0]);
}

/* "Managing a team"; but "Working student, ..." */
static bool is_doing(const struct row *row)
{
    struct row both = row_until(row, 2);

    return is_gerund(row->tokens[0].core) && !row_ends_with(&both, ',') &&
           !words_is_on("looking seeking wanting hoping", row->tokens[0].core);
}

/* `before`: the word before it, "I", "was"; empty: there is none. */
static enum telling telling_of(const struct row *row, struct span before, bool is_item)
{
    struct span first;
    bool is_said = before.length > 0, is_were = words_is_on("was", before);

    if (row->count < LEAST_WORDS)
        return TELLING_NONE;
    first = row->tokens[0].core;
    if (words_is_on("responsible part", first) || is_doing(row) || is_passive(row))
        return TELLING_WERE;
    if (is_said && has_past_ending(first))
        return is_were ? TELLING_WERE : TELLING_PLAIN; /* "I qualified as ..." */
    if (!is_were && (is_past(row) || ((is_item || is_said) && is_present(row))))
        return TELLING_PLAIN;
    return TELLING_NONE;
}

/* Behind "I", "I have", "I was"; 0: nobody says I.  "In 2017 I moved": what stands before is left out. */
static size_t skip_subject(const struct row *row)
{
    size_t at = 0;

    while (at < SUBJECT_WITHIN && at < row->count &&
           !words_is_on("i i've", row->tokens[at].core))
        at++;
    if (at == SUBJECT_WITHIN || at >= row->count)
        return words_is_on("was", row->tokens[0].core);
    at++;
    while (at < row->count && words_is_on("have had also then was", row->tokens[at].core))
        at++;
    return at;
}

static const char *addressed(struct span word)
{
    static const char *const pairs[][2] = {
        {"my", "your"},   {"i", "you"},           {"me", "you"},     {"mine", "yours"},
        {"am", "are"},    {"myself", "yourself"}, {"i'm", "you're"}, {"i've", "you've"},
        {"i'd", "you'd"}, {"i'll", "you'll"}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (words_is_on(pairs[i][0], word))
            return pairs[i][1];
    return NULL;
}

/* "my team" becomes "your team"; false: it does not fit. */
static bool address(const char *phrase, enum telling telling, char *ret_line)
{
    size_t length = 0;
    const char *at = phrase;

    if (telling == TELLING_WERE)
        length = (size_t)sprintf(ret_line, "were ");
    while (*at != '\0') {
        size_t word = strcspn(at, " ,.;:"), gap = strspn(at + word, " ,.;:");
        const char *other = addressed((struct span){at, word});
        size_t other_length = other != NULL ? strlen(other) : word;

        if (length + other_length + gap + 1 > RESUME_LINE_BYTES)
            return false;
        memcpy(ret_line + length, other != NULL ? other : at, other_length);
        memcpy(ret_line + length + other_length, at + word, gap);
        length += other_length + gap;
        at += word + gap;
    }
    ret_line[length] = '\0';
    if (telling == TELLING_PLAIN)
        ret_line[0] = (char)tolower((unsigned char)ret_line[0]);
    else
        ret_line[5] = (char)tolower((unsigned char)ret_line[5]);
    return true;
}

static void read_sentence(struct resume_search *search, const struct row *sentence,
                          bool is_item)
{
    struct resume_lines *lines = search->lines;
    size_t subject = skip_subject(sentence), at;
    struct row deed = row_from(sentence, subject);
    char phrase[PHRASE_BYTES];
    struct span before =
        subject > 0 ? sentence->tokens[subject - 1].core : (struct span){NULL, 0};
    enum telling telling = telling_of(&deed, before, is_item);

    if (telling == TELLING_NONE || lines->count == RESUME_LINES_MOST ||
        row_find(sentence, &paper_words.private, &at) > 0 ||
        row_find(sentence, &paper_words.barred, &at) > 0 ||
        row_ends_with(sentence, '?') || !row_phrase(&deed, RESUME_LINE_WORDS, phrase) ||
        words_count(span_of(phrase)) < LEAST_WORDS)
        return;
    lines->count += address(phrase, telling, lines->all[lines->count]);
    sodium_memzero(phrase, sizeof(phrase));
}

static void on_line(void *context, const struct paper_line *line)
{
    struct resume_search *search = context;
    struct row row = line->row, sentence;
    size_t at = 0;

    if (!line->is_item && row.count <= 3) {
        size_t skipped = row_match(&row, 0, &paper_words.cv_skip);
        size_t kept = row_match(&row, 0, &paper_words.cv_keep);

        if (skipped == row.count || kept == row.count) {
            search->is_skipped = skipped == row.count;
            return;
        }
    }
    if (search->is_skipped && (line->is_heading || row_ends_with(&row, ':')))
        search->is_skipped = row_match(&row, 0, &paper_words.cv_keep) == 0;
    while (!search->is_skipped && row_sentence(&row, &at, &sentence))
        read_sentence(search, &sentence, line->is_item);
}

void resume_lines_read(struct span resume, struct resume_lines *ret_lines)
{
    struct resume_search search = {.lines = ret_lines};

    ret_lines->count = 0;
    paper_read(resume, on_line, &search);
}
