/*
 * What a question asks for.  Questions of the bank say so; of others, a model's or our
 * own follow-ups, the wording tells.
 */
#include "coach_lines_internal.h"
#include "question_bank_internal.h"
#include "reading_internal.h"
#include "words.h"

#include <ctype.h>
#include <string.h>

enum {
    FAMILIES_MOST = 4
}; /* a word that more trades use than these says nothing of any */

static bool has(struct span text, const char *phrase)
{
    size_t length = strlen(phrase);

    for (size_t at = 0; at + length <= text.length; at++) {
        size_t i = 0;

        if (tolower((unsigned char)text.bytes[at]) != *phrase)
            continue;
        while (i < length && tolower((unsigned char)text.bytes[at + i]) == phrase[i])
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool has_any(struct span text, const struct string_list *signs)
{
    for (size_t i = 0; i < signs->count; i++)
        if (has(text, signs->items[i]))
            return true;
    return false;
}

static enum asks guess(struct span question)
{
    static const enum asks order[] = {ASKS_SELF, ASKS_EXPLAIN, ASKS_STORY, ASKS_PLAN};

    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (has_any(question, &question_signs[order[i]]))
            return order[i];
    return ASKS_EXPLAIN;
}

/* Of work in a team only what happened, and conflicts: plans for one are as many as there are jobs. */
static enum theme guess_theme(struct span question, enum asks asks)
{
    bool may_be_team =
        asks == ASKS_STORY || has(question, "conflict") || has(question, "disagree");

    for (enum theme theme = 0; theme < THEME_COUNT; theme++)
        if ((theme != THEME_TEAM || may_be_team) &&
            has_any(question, &theme_signs[theme]))
            return theme;
    return THEME_COUNT;
}

static void find_words(struct asked *asked, const struct lexicon *lexicon,
                       struct span question)
{
    struct span word;
    size_t offset = 0;

    while (asked->word_count < QUESTION_WORDS_MAX &&
           words_next(question, &offset, &word)) {
        uint64_t cues = 0;
        uint32_t families;

        lexicon_find(lexicon, lexicon_hash(lexicon_hash_start(), word), &cues);
        if (word.length < 3 || cues & CUE_BIT(CUE_STOP))
            continue;
        asked->words[asked->word_count] = word;
        asked->stems[asked->word_count] = lexicon_stem(word);
        families = lexicon_vocabularies(lexicon, asked->stems[asked->word_count++]);
        if (!(families & VOCABULARY_WORK) &&
            __builtin_popcount(families) <= FAMILIES_MOST)
            asked->families |= families;
    }
}

/* A topic that the question calls by its name. */
static const struct bank_topic *guess_topic(const struct asked *asked)
{
    for (size_t i = 0; i < bank_topic_count; i++) {
        uint64_t stem = lexicon_stem(span_of(bank_topics[i].topic));

        for (size_t k = 0; k < asked->word_count; k++)
            if (asked->stems[k] == stem)
                return &bank_topics[i];
    }
    return NULL;
}

void asked_read(struct asked *asked, const struct lexicon *lexicon, struct span question)
{
    const struct bank_question *known = question_bank_find(question);

    *asked = (struct asked){.role = ROLE_GENERAL, .reaction = LINE_KIND_COUNT};
    if (known) {
        asked->asks = known->asks;
        asked->role = known->role;
        asked->topic = coach_lines_topic(span_of(known->topic));
    } else {
        asked->reaction = coach_lines_kind(question, &asked->topic);
        asked->asks = guess(question);
    }
    asked->theme = asked->reaction == LINE_KIND_COUNT ? guess_theme(question, asked->asks)
                                                      : THEME_COUNT;
    asked->wants_number = asked->reaction == LINE_OUTCOME || has(question, "how many") ||
                          has(question, "how much") || has(question, "how long");
    find_words(asked, lexicon, question);
    if (known)
        asked->families = asked->role == ROLE_GENERAL ? 0 : BIT(asked->role);
    if (!known && !asked->topic)
        asked->topic = guess_topic(asked);
}
