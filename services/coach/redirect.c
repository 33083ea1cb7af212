/*
 * Tells a command to the coach from an answer that speaks of commands, by where it
 * stands.
 *
 * A sentence that begins with the command, after "please" or "can you", is addressed to
 * the coach; a few unmistakable ones count in the middle of a sentence as well, since
 * speech comes without full stops.  What somebody told, said or would do, and what stands
 * in quotation marks, is part of an answer.
 */
#include "reading_internal.h"

#include <string.h>

enum { OPENERS_MAX = 8, GAP_WORDS = 3, BRIEF_WORDS = 30 };

/* Is this word of a text the same as a choice of a pattern, which ends at '/', ' ' or
 * '?'? */
static bool is_choice(const struct answer *answer, size_t index, const char *choice,
                      size_t length)
{
    char word[24];

    if (length >= sizeof(word))
        return false;
    memcpy(word, choice, length);
    word[length] = '\0';
    return answer_word_is(answer, index, word);
}

/* Is the word one of "a/b/c"?  `element` has `length` characters. */
static bool is_element(const struct answer *answer, size_t index, const char *element,
                       size_t length)
{
    const char *end = element + length;

    while (element < end) {
        size_t choice = strcspn(element, "/ ?");

        if (is_choice(answer, index, element, choice))
            return true;
        element += choice + 1;
    }
    return false;
}

static bool is_same_sentence(const struct answer *answer, size_t first, size_t index)
{
    return index < answer->word_count &&
           (index == first || answer->words[index].gap != GAP_SENTENCE);
}

/* Index behind the match of a pattern that begins at `index`; 0: it does not match.
 * Recursion is as deep as the pattern is long. */
static size_t match(const struct answer *answer, size_t first, size_t index,
                    const char *pattern)
{
    size_t length = strcspn(pattern, " ");
    const char *rest = pattern + length + strspn(pattern + length, " ");
    size_t end = 0;

    if (length == 0)
        return index;
    if (strncmp(pattern, "..", 2) == 0) {
        size_t most = length > 2 ? (size_t)(pattern[2] - '0') : GAP_WORDS;

        for (size_t skipped = 0; skipped <= most && end == 0; skipped++) {
            end = match(answer, first, index + skipped, rest);
            if (!is_same_sentence(answer, first, index + skipped))
                break;
        }
        return end;
    }
    if (is_same_sentence(answer, first, index) &&
        is_element(answer, index, pattern, length))
        end = match(answer, first, index + 1, rest);
    if (end == 0 && pattern[length - 1] == '?')
        end = match(answer, first, index, rest);
    return end;
}

static const struct string_list *patterns_from(size_t first_bit)
{
    switch (first_bit) {
    case LEXICON_OPENERS: return &redirect_rules.openers;
    case LEXICON_ANYWHERE: return &redirect_rules.anywhere;
    case LEXICON_WHEN_BRIEF: return &redirect_rules.when_brief;
    }
    return &redirect_rules.commands;
}

static bool is_listed(const struct answer *answer, size_t index,
                      const struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (answer_word_is(answer, index, list->items[i]))
            return true;
    return false;
}

/* Does a pattern that matched up to `end` stand in "ignore the rules is what they say"?
 */
static bool is_spoken_of(const struct answer *answer, size_t end)
{
    return end < answer->word_count && answer->words[end].gap != GAP_SENTENCE &&
           is_listed(answer, end, &redirect_rules.ordinary_before);
}

/* The first pattern from bit `from` on, and below `end`; `end`: there is none. */
static size_t next_pattern(const struct pattern_set *set, size_t from, size_t end)
{
    while (from < end) {
        uint64_t left = set->words[from / 64] >> from % 64;

        if (left != 0)
            return from + (size_t)__builtin_ctzll(left);
        from += 64 - from % 64;
    }
    return end;
}

/* Words of the longest match of one kind of pattern here; 0: there is none. */
static size_t longest_match(const struct answer *answer, size_t index,
                            const struct lexicon *lexicon, size_t first_bit)
{
    const struct string_list *patterns = patterns_from(first_bit);
    size_t end_bit = first_bit + patterns->count, longest = 0;
    const struct pattern_set *set;

    if (index >= answer->word_count)
        return 0;
    set = lexicon_patterns(lexicon, answer->words[index].hash);
    for (size_t bit = first_bit; set; bit++) {
        size_t end;

        bit = next_pattern(set, bit, end_bit);
        if (bit >= end_bit)
            break;
        end = match(answer, index, index, patterns->items[bit - first_bit]);
        if (end > index + longest &&
            (first_bit == LEXICON_OPENERS || !is_spoken_of(answer, end)))
            longest = end - index;
    }
    return longest;
}

/* Who tells what they did is answering, whatever it sounds like, and who asks what the question means
 * ("could you explain what you mean?") is no less in the interview. */
static bool is_brief(const struct reading *reading)
{
    return reading->answer.word_count <= BRIEF_WORDS && reading->answer.own.count == 0 &&
           reading->kind == ANSWER_KIND_ANSWER;
}

static bool is_command_at(const struct reading *reading, size_t index,
                          const struct lexicon *lexicon)
{
    const struct answer *answer = &reading->answer;

    return longest_match(answer, index, lexicon, LEXICON_COMMANDS) > 0 ||
           (is_brief(reading) &&
            longest_match(answer, index, lexicon, LEXICON_WHEN_BRIEF) > 0);
}

static size_t skip_openers(const struct answer *answer, size_t index,
                           const struct lexicon *lexicon)
{
    for (size_t skipped = 0; skipped < OPENERS_MAX; skipped++) {
        size_t length = longest_match(answer, index, lexicon, LEXICON_OPENERS);

        if (length == 0)
            break;
        index += length;
    }
    return index;
}

/* Somebody else's words, or what somebody did. */
static bool is_guarded(const struct answer *answer, size_t index)
{
    return index > 0 && (answer->words[index].is_quoted ||
                         is_listed(answer, index - 1, &redirect_rules.guards));
}

bool redirect_is_attempt(const struct reading *reading, const struct lexicon *lexicon)
{
    const struct answer *answer = &reading->answer;

    for (size_t i = 0; i < answer->word_count; i++) {
        if (answer->words[i].gap == GAP_SENTENCE &&
            (i == 0 || !answer->words[i].is_quoted) &&
            (is_command_at(reading, i, lexicon) ||
             is_command_at(reading, skip_openers(answer, i, lexicon), lexicon)))
            return true;
        if (longest_match(answer, i, lexicon, LEXICON_ANYWHERE) > 0 &&
            !is_guarded(answer, i))
            return true;
    }
    return false;
}
