/*
 * Texts as words with interned stems, for the check for support.
 */
#include "support_internal.h"

#include "mem.h"
#include "sentences.h"
#include "words.h"

#include <string.h>

uint32_t support_intern(struct support *support, const char *stem, size_t length)
{
    size_t count = support->texts.count;
    uint32_t number = intern_put(&support->texts, stem, length);

    MEM_ROOM(support->stems, count, support->stem_capacity, 1);
    if (number == count)
        support->stems[number] = (struct support_stem){.length = (uint32_t)length};
    return number;
}

static bool is_word(struct span text, const struct term *term, const char *word)
{
    return span_equals_ignoring_case(
        (struct span){text.bytes + term->start, term->end - term->start}, word);
}

/* "one" and "on" have one stem, and are not one word here. */
static uint32_t intern_term(struct support *support, struct span text,
                            const struct term *term)
{
    if (is_word(text, term, "one"))
        return support_intern(support, "one", 3);
    return support_intern(support, term_stem(&support->terms, term), term->stem_length);
}

/* Back to what the lists hold. */
static void forget(struct support *support)
{
    support->word_count = support->sentence_count = 0;
    intern_keep(&support->texts, support->list_stems);
    for (size_t i = 0; i < support->texts.count; i++) {
        support->stems[i].passages_with = 0;
        support->stems[i].flags &= ~(uint32_t)(SUPPORT_ASKED | SUPPORT_ASKED_NAME);
    }
}

void support_read(struct support *support, const struct span *passages, size_t count)
{
    forget(support);
    for (size_t i = 0; i < count && i < SUPPORT_PASSAGES_MOST; i++)
        support_add_text(support, passages[i], (uint32_t)i);
    support->passage_words = support->word_count;
    support->passage_sentences = support->sentence_count;
    for (size_t i = 0; i < support->sentence_count; i++) {
        const struct support_sentence *sentence = &support->sentences[i];

        for (uint32_t at = 0; at < sentence->count; at++)
            support->stems[support->words[sentence->first + at].stem].passages_with++;
    }
}

/* "How was it built?" takes for given that it was; "Was it built?" does not, nor does "Is it true what they say?" */
static bool takes_for_given(struct span question)
{
    static const char asking[] =
        "how what what's when where where's which who who's whom whose why";
    static const char doubting[] =
        "are can could did do does had has have is may might must shall should was were "
        "will would";
    size_t offset = 0, number = 0;
    struct span word;

    for (; words_next(question, &offset, &word); number++)
        if (words_is_on(asking, word))
            return true;
        else if (number < 2 && words_is_on(doubting, word)) /* "Hi, is it so?" */
            return false;
    return false;
}

void support_asked(struct support *support, struct span question)
{
    if (!takes_for_given(question))
        return;
    terms_read(support->reader, question, &support->terms);
    for (size_t i = 0; i < support->terms.count; i++) {
        const struct term *term = &support->terms.all[i];
        uint32_t stem = intern_term(support, question, term);

        support->stems[stem].flags |= SUPPORT_ASKED;
        if (term->flags & TERM_NAME)
            support->stems[stem].flags |= SUPPORT_ASKED_NAME;
    }
}

/* What stands between two words ends a clause. */
static bool is_broken(struct span text, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (text.bytes[at] != '\0' && strchr(",;:()", text.bytes[at]) != NULL)
            return true;
    return to - from >= 4 && memchr(text.bytes + from, '-', to - from) != NULL;
}

static bool is_bracketed(struct span text, const struct term *term)
{
    return term->flags & TERM_NUMBER && term->start > 0 && term->end < text.length &&
           text.bytes[term->start - 1] == '[' && text.bytes[term->end] == ']';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static uint32_t flags_of(const struct support *support, struct span text, size_t at,
                         const struct term_sentence *sentence, uint32_t stem)
{
    const struct term *term = &support->terms.all[at];
    uint32_t flags = term->flags | support->stems[stem].flags;
    size_t capitals = 0;

    if (at > sentence->first_term && is_broken(text, term[-1].end, term->start))
        flags |= SUPPORT_BREAK;
    if (term->flags & TERM_NAME)
        flags &= ~(uint32_t)SUPPORT_LIGHT; /* May */
    if (is_word(text, term, "one") || is_word(text, term, "two"))
        flags |= SUPPORT_SMALL;
    if (is_bracketed(text, term))
        flags |= SUPPORT_MARKER;
    if (at == sentence->first_term && is_upper(text.bytes[term->start]))
        flags |= SUPPORT_BEGINS;
    while (term->start + capitals < term->end &&
           is_upper(text.bytes[term->start + capitals]))
        capitals++;
    if (capitals >= 2 && capitals == term->end - term->start)
        flags |= SUPPORT_CAPITALS;
    return flags;
}

void support_add_text(struct support *support, struct span text, uint32_t passage)
{
    const struct terms *terms = &support->terms;

    terms_read(support->reader, text, &support->terms);
    for (size_t i = 0; i < terms->sentence_count; i++) {
        const struct term_sentence *read = &terms->sentences[i];

        MEM_ROOM(support->sentences, support->sentence_count, support->sentence_capacity,
                 1);
        support->sentences[support->sentence_count++] = (struct support_sentence){
            passage, (uint32_t)support->word_count, read->term_count};
        for (size_t at = read->first_term; at < read->first_term + read->term_count;
             at++) {
            const struct term *term = &terms->all[at];
            uint32_t stem = intern_term(support, text, term);

            MEM_ROOM(support->words, support->word_count, support->word_capacity, 1);
            support->words[support->word_count++] = (struct support_word){
                stem, flags_of(support, text, at, read, stem), term->start, term->end};
        }
    }
}

/* Sentences without a word ("...") are none. */
static bool has_word(struct span sentence)
{
    struct span word;
    size_t offset = 0;

    return words_next(sentence, &offset, &word);
}

bool support_next_sentence(struct support *support, struct span answer, size_t *offset,
                           struct span *ret_sentence)
{
    struct sentences sentences;
    struct span sentence;

    (void)support;
    sentences_init(&sentences,
                   (struct span){answer.bytes + *offset, answer.length - *offset});
    while (sentences_next(&sentences, &sentence)) {
        if (!has_word(sentence))
            continue;
        *offset = (size_t)(sentence.bytes + sentence.length - answer.bytes);
        *ret_sentence = sentence;
        return true;
    }
    *offset = answer.length;
    return false;
}
