/*
 * Counts fillers by the rules of patterns/fillers.json.
 *
 * "I like tables", "a kind of table" and "so that" are no fillers: a word counts by its
 * neighbours and by the pauses around it, and a few are free in every answer because
 * everybody says them.
 *
 * A filler_counter is for whoever has a text and no built-in coach.  Every turn is counted, so its
 * words are not looked up in the coach's lexicon, which costs more than all the rest: two letters
 * and a length tell most of them from the few words with which a filler begins.
 */
#include "mem.h"
#include "reading_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64 /* hesitations, or rules; more are not looked at: a bit each */

/* The number of an ASCII letter in the alphabet, whatever its case; others share these. */
static unsigned letter_number(char byte)
{
    return (unsigned char)byte & 31;
}

/* Which phrases begin with a letter, by its number in the alphabet: a bit for each.  Most of what
 * is compared differs in its first letter already. */
struct by_letter {
    uint64_t hesitations[32];
    uint64_t rules[32];
};

/* The list stays in order; of more than it holds the rarest are left out. */
static void add_tally(struct fillers *fillers, const char *word, size_t count)
{
    struct filler_tally tally = {word, count};

    fillers->count += count;
    for (size_t i = 0; i < FILLERS_MAX && tally.count > 0; i++) {
        struct filler_tally other = fillers->top[i];

        if (tally.count > other.count) {
            fillers->top[i] = tally;
            tally = other;
        }
    }
}

static void sort_by_letter(struct by_letter *by_letter)
{
    for (size_t i = 0; i < hesitations.count && i < WORDS_MAX; i++)
        by_letter->hesitations[letter_number(*hesitations.items[i])] |= 1ULL << i;
    for (size_t i = 0; i < filler_rule_count && i < WORDS_MAX; i++)
        by_letter->rules[letter_number(*filler_rules[i].phrase)] |= 1ULL << i;
}

/* WORDS_MAX: it is none. */
static size_t find_hesitation(const struct answer *answer, size_t index,
                              uint64_t candidates)
{
    for (; candidates != 0; candidates &= candidates - 1) {
        size_t i = (size_t)__builtin_ctzll(candidates);

        if (answer_word_is(answer, index, hesitations.items[i]))
            return i;
    }
    return WORDS_MAX;
}

/* Number of words where the phrase stands at `index`; 0: it does not. */
static size_t phrase_at(const struct answer *answer, size_t index, const char *phrase)
{
    size_t count = 0;

    while (*phrase) {
        size_t length = strcspn(phrase, " ");
        char word[24];

        if (length >= sizeof(word) || (count && index + count < answer->word_count &&
                                       answer->words[index + count].gap != GAP_NONE))
            return 0;
        memcpy(word, phrase, length);
        word[length] = '\0';
        if (!answer_word_is(answer, index + count, word))
            return 0;
        phrase += length + strspn(phrase + length, " ");
        count++;
    }
    return count;
}

/* "*s" of a list: any word that ends so, as "tools like these". */
static bool has_before(const struct answer *answer, size_t index,
                       const struct string_list *list)
{
    struct span word;

    if (index == 0)
        return false;
    word = answer->words[index - 1].text;
    for (size_t i = 0; i < list->count; i++)
        if (answer_word_is(answer, index - 1, list->items[i]) ||
            (*list->items[i] == '*' && word.length > 4 &&
             word.bytes[word.length - 2] != '\'' &&
             word.bytes[word.length - 1] == list->items[i][1]))
            return true;
    return false;
}

static bool has_behind(const struct answer *answer, size_t end,
                       const struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (answer_word_is(answer, end, list->items[i]) &&
            answer->words[end].gap != GAP_SENTENCE)
            return true;
    return false;
}

/* Between pauses: ", like," or at the edge of a sentence, "Yeah, ...". */
static bool is_set_off(const struct answer *answer, size_t index, size_t end)
{
    return answer->words[index].gap != GAP_NONE &&
           (end == answer->word_count || answer->words[end].gap != GAP_NONE);
}

static bool is_filler(const struct answer *answer, size_t index, size_t length,
                      const struct filler_rule *rule)
{
    size_t end = index + length;
    bool is_opening = answer->words[index].gap == GAP_SENTENCE;

    if (rule->set_off && is_set_off(answer, index, end))
        return true;
    if (!is_opening && has_before(answer, index, &rule->ordinary_after))
        return false;
    if (has_behind(answer, end, &rule->ordinary_before))
        return false;
    if (has_behind(answer, end, &rule->filler_before))
        return true;
    return is_opening
               ? rule->opening || rule->otherwise
               : rule->otherwise && !has_before(answer, index, &rule->seldom_after);
}

static void add_place(struct fillers *fillers, size_t index, const char *word)
{
    if (fillers->place_count < FILLER_PLACES_MAX)
        fillers->places[fillers->place_count++] = (struct filler_place){index, word};
}

/* So far the places are numbers of the answer's own words. */
static void count_words_before(const struct answer *answer, struct fillers *fillers)
{
    const char *at = answer->text;
    size_t words = 0;

    while (isspace((unsigned char)*at))
        at++;
    for (size_t i = 0; i < fillers->place_count; i++) {
        struct filler_place *place = &fillers->places[i];
        const char *end = answer->words[place->words_before].text.bytes;

        for (; at < end; at++)
            words += isspace((unsigned char)at[0]) && !isspace((unsigned char)at[1]);
        place->words_before = words;
    }
}

static void count_by_rules(const struct answer *answer, size_t index, uint64_t candidates,
                           size_t *counts, struct fillers *fillers)
{
    for (; candidates != 0; candidates &= candidates - 1) {
        size_t i = (size_t)__builtin_ctzll(candidates);
        size_t length = phrase_at(answer, index, filler_rules[i].phrase);

        if (length > 0 && is_filler(answer, index, length, &filler_rules[i]) &&
            ++counts[i] > filler_rules[i].free)
            add_place(fillers, index, filler_rules[i].phrase);
    }
}

struct fillers fillers_count(const struct answer *answer)
{
    size_t hesitation_counts[WORDS_MAX + 1] = {0}, rule_counts[WORDS_MAX] = {0};
    struct fillers fillers = {0};
    struct by_letter by_letter = {0};

    sort_by_letter(&by_letter);
    for (size_t i = 0; i < answer->word_count; i++) {
        unsigned letter;
        size_t hesitation;

        if (!(answer->words[i].cues & CUE_BIT(CUE_FILLER)))
            continue;
        letter = letter_number(answer->words[i].text.bytes[0]);
        hesitation = find_hesitation(answer, i, by_letter.hesitations[letter]);
        hesitation_counts[hesitation]++;
        if (hesitation < WORDS_MAX)
            add_place(&fillers, i, hesitations.items[hesitation]);
        count_by_rules(answer, i, by_letter.rules[letter], rule_counts, &fillers);
    }
    count_words_before(answer, &fillers);
    for (size_t i = 0; i < hesitations.count && i < WORDS_MAX; i++) {
        add_tally(&fillers, hesitations.items[i], hesitation_counts[i]);
        fillers.heavy += hesitation_counts[i];
    }
    for (size_t i = 0; i < filler_rule_count && i < WORDS_MAX; i++)
        if (rule_counts[i] > filler_rules[i].free) {
            size_t count = rule_counts[i] - filler_rules[i].free;

            add_tally(&fillers, filler_rules[i].phrase, count);
            if (strcmp(filler_rules[i].phrase, "like") == 0)
                fillers.heavy += count;
        }
    return fillers;
}

struct filler_counter {
    uint32_t lengths[32][32]; /* a bit for each length, by the first two letters */
};

/* Where the lengths are of words that begin like this one. */
static size_t row_of(struct span word)
{
    return letter_number(word.bytes[0]);
}

static size_t column_of(struct span word)
{
    return word.length > 1 ? letter_number(word.bytes[1]) : 0;
}

static uint32_t length_bit(size_t length)
{
    return BIT(length < 31 ? length : 31);
}

static void add_first_word(struct filler_counter *counter, const char *phrase)
{
    struct span word = {phrase, strcspn(phrase, " ")};

    counter->lengths[row_of(word)][column_of(word)] |= length_bit(word.length);
}

struct filler_counter *filler_counter_new(void)
{
    struct filler_counter *counter = MEM_NEW(struct filler_counter);

    for (size_t i = 0; i < hesitations.count; i++)
        add_first_word(counter, hesitations.items[i]);
    for (size_t i = 0; i < filler_rule_count; i++)
        add_first_word(counter, filler_rules[i].phrase);
    return counter;
}

void filler_counter_free(struct filler_counter *counter)
{
    free(counter);
}

static bool may_begin_filler(const struct filler_counter *counter, struct span word)
{
    uint32_t lengths = counter->lengths[row_of(word)][column_of(word)];

    return (lengths & length_bit(word.length)) != 0;
}

void filler_counter_count(const struct filler_counter *counter, struct span text,
                          struct fillers *ret_fillers)
{
    struct answer answer;

    answer_cut(&answer, text);
    for (size_t i = 0; i < answer.word_count; i++)
        if (may_begin_filler(counter, answer.words[i].text))
            answer.words[i].cues = CUE_BIT(CUE_FILLER);
    *ret_fillers = fillers_count(&answer);
    answer_done(&answer);
}
