/*
 * Reads an answer once, from left to right: cut into words and sentences, then looked
 * through for the lexicon's phrases, then for who did what.
 */
#include "answer_internal.h"

#include "mem.h"
#include "words.h"

#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_CEILING 16384 /* what stands behind is not read */
#define NOTE_BYTES    40    /* a transcriber's note is no longer */
enum { QUOTE_BYTES = 60, QUOTE_WORDS_LEAST = 3 };

#define PUNCTUATION_LEAD 0xe2 /* the first byte of U+2000 to U+203F, and of others */

/* What U+2000 to U+203F, where keyboards find their dashes and quotation marks, would be
 * in ASCII; 0: the text is none of these.  An ellipsis is a pause, not an end. */
static char plain_punctuation(const char *bytes, size_t left)
{
    if (left < 3 || memcmp(bytes, "\xe2\x80", 2) != 0)
        return 0;
    switch ((unsigned char)bytes[2]) {
    case 0x98:
    case 0x99: return '\'';
    case 0x9c:
    case 0x9d:
    case 0x9e: return '"';
    }
    return '-';
}

/* Later steps need to know ASCII punctuation only. */
static void copy_text(struct answer *answer, struct span text)
{
    char *out = mem_realloc(NULL, text.length + 1);
    size_t at = 0;

    answer->text = out;
    while (at < text.length) {
        size_t left = text.length - at;
        const char *lead = memchr(text.bytes + at, PUNCTUATION_LEAD, left);
        size_t others = lead == NULL ? left : (size_t)(lead - (text.bytes + at));
        char plain;

        memcpy(out, text.bytes + at, others);
        out += others;
        at += others;
        if (at == text.length)
            break;
        plain = plain_punctuation(text.bytes + at, text.length - at);
        *out++ = plain ? plain : text.bytes[at];
        at += plain ? 3 : 1;
    }
    *out = '\0';
    answer->text_length = (size_t)(out - answer->text);
}

/* A letter, a digit, or whatever is not ASCII; by hand, and what is most frequent first, because
 * every byte of every turn is asked for. */
static inline bool is_letter(char byte)
{
    unsigned value = (unsigned char)byte;

    return value - 'a' < 26 || value - 'A' < 26 || value - '0' < 10 || value >= 0x80;
}

/* An apostrophe, hyphen or decimal point inside a word belongs to it. */
static bool is_inside_word(const char *text, size_t at, size_t length)
{
    if (at + 1 >= length || !is_letter(text[at + 1]))
        return false;
    if (text[at] == '.' || text[at] == ',')
        return isdigit((unsigned char)text[at - 1]) &&
               isdigit((unsigned char)text[at + 1]);
    return text[at] == '\'' || text[at] == '-';
}

/* "Well... I" is a pause. */
static bool is_ellipsis(const char *text, size_t at, size_t length)
{
    return (at > 0 && text[at - 1] == '.') || (at + 1 < length && text[at + 1] == '.');
}

static bool ends_sentence(const char *text, size_t at, size_t length)
{
    switch (text[at]) {
    case '!':
    case '?':
    case ';':
    case '|':
    case '\n': return true;
    case '.':
        return !is_ellipsis(text, at, length) &&
               (at + 1 == length || !is_letter(text[at + 1]));
    }
    return false;
}

/* The length of what stands behind the bracket of a transcriber's note, "[laughs]", "(pause)",
 * "<crosstalk>"; 0: it is none, but somebody's words. */
static size_t note_at(const char *text, size_t at, size_t length)
{
    static const char sounds[] =
        "laughs laugh laughter laughing chuckles pause pauses long sighs sigh coughs inaudible "
        "crosstalk unintelligible indistinct silence";
    char closing = text[at] == '[' ? ']' : text[at] == '<' ? '>' : ')';
    size_t left = length - at < NOTE_BYTES ? length - at : NOTE_BYTES, first = at + 1;
    const char *end = memchr(text + at, closing, left);

    while (closing == ')' && is_letter(text[first]))
        first++;
    if (end == NULL ||
        (closing == ')' &&
         !words_is_on(sounds, (struct span){text + at + 1, first - at - 1})))
        return 0;
    return (size_t)(end - (text + at));
}

/* "Interviewee:" before somebody's turn in a transcript of two. */
static bool is_label(struct span word)
{
    return words_is_on(
        "interviewee interviewer candidate applicant participant respondent "
        "student speaker",
        word);
}

/* Where the word ends that begins at `at`. */
static size_t end_of_word(const char *text, size_t at, size_t length)
{
    do {
        while (is_letter(text[at])) /* the NUL behind the text is none */
            at++;
    } while (is_inside_word(text, at, length) && at++ < length);
    return at;
}

static void cut_words(struct answer *answer)
{
    const char *text = answer->text;
    size_t length = answer->text_length, at = 0, end;
    enum gap gap = GAP_SENTENCE;
    bool is_quoted = false, is_others = false; /* said by who asks the questions */

    /* No word is shorter than a letter and what parts it from the next. */
    answer->words =
        mem_realloc(NULL, (length / 2 < WORDS_CEILING ? length / 2 + 1 : WORDS_CEILING) *
                              sizeof(*answer->words));
    for (; at < length && answer->word_count < WORDS_CEILING; at = end) {
        end = at + 1;
        if (is_letter(text[at])) {
            struct span word = {text + at, end_of_word(text, at, length) - at};

            end = at + word.length;
            if (text[end] == ':' && gap == GAP_SENTENCE && text[at] <= '9') {
                end += strspn(text + end, "0123456789:"); /* "00:12 so I" */
            } else if (text[end] == ':' && is_label(word)) {
                is_others = span_equals_ignoring_case(word, "interviewer");
                gap = GAP_SENTENCE;
            } else if (!is_others) {
                answer->words[answer->word_count++] =
                    (struct word){.text = word, .gap = gap, .is_quoted = is_quoted};
                gap = GAP_NONE;
            }
            end += text[end] == ' ';
        } else if (text[at] != ' ') {
            if (text[at] == '[' || text[at] == '(' || text[at] == '<')
                end += note_at(text, at, length);
            is_quoted ^= text[at] == '"';
            if (ends_sentence(text, at, length))
                gap = GAP_SENTENCE;
            else if (gap == GAP_NONE && end == at + 1 && ispunct((unsigned char)text[at]))
                gap = GAP_PAUSE;
        }
    }
}

void answer_cut(struct answer *answer, struct span text)
{
    *answer = (struct answer){0};
    copy_text(answer, text);
    cut_words(answer);
}

static void look_up_words(struct answer *answer, const struct lexicon *lexicon)
{
    for (size_t i = 0; i < answer->word_count; i++) {
        struct word *word = &answer->words[i];

        word->hash = lexicon_hash(lexicon_hash_start(), word->text);
        lexicon_find(lexicon, word->hash, &word->cues);
        if (isdigit((unsigned char)*word->text.bytes) ||
            word->cues & CUE_BIT(CUE_FIGURE_WORDS)) {
            answer->number_count++;
            answer->last_figure = i;
        } else if (word->cues & CUE_BIT(CUE_NUMBER_WORDS)) {
            answer->number_count++;
        }
    }
}

/* Of the words; one in another script is counted once for each letter. */
static void count_letters(struct answer *answer)
{
    for (size_t i = 0; i < answer->word_count; i++) {
        struct span word = answer->words[i].text;

        for (size_t at = 0; at < word.length; at++) {
            unsigned char byte = (unsigned char)word.bytes[at];

            answer->ascii_letters += isalpha(byte) != 0;
            answer->other_letters += byte >= 0xc0;
        }
    }
}

static void measure_sentences(struct answer *answer)
{
    for (size_t i = 0; i < answer->word_count; i++)
        if (answer->words[i].gap == GAP_SENTENCE) {
            answer->sentence_count++;
            answer->last_first = i;
        }
}

#define THEME_CUES                                       \
    ((CUE_BIT(CUE_HINTS_BACKGROUND + THEME_COUNT) - 1) & \
     ~(CUE_BIT(CUE_TELLS_BACKGROUND) - 1))

/* Phrases of the themes, each by its hash: a word said ten times says no more than once. */
struct themes_heard {
    uint64_t hashes[256];
    size_t count;
};

static bool is_new(struct themes_heard *heard, uint64_t hash)
{
    for (size_t i = 0; i < heard->count; i++)
        if (heard->hashes[i] == hash)
            return false;
    if (heard->count == sizeof(heard->hashes) / sizeof(*heard->hashes))
        return false;
    heard->hashes[heard->count++] = hash;
    return true;
}

static void count_cue(struct cue_hits *hits, size_t index)
{
    if (hits->count++ == 0)
        hits->first = index;
    hits->last = index;
}

static void count_cues(struct answer *answer, size_t index, uint64_t cues)
{
    for (; cues != 0; cues &= cues - 1) {
        int cue = __builtin_ctzll(cues);

        count_cue(&answer->cues[cue], index);
    }
}

static void count_themes(struct answer *answer, uint64_t cues)
{
    for (int theme = 0; theme < THEME_COUNT; theme++) {
        answer->tells[theme] += (cues & CUE_BIT(CUE_TELLS_BACKGROUND + theme)) != 0;
        answer->hints[theme] += (cues & CUE_BIT(CUE_HINTS_BACKGROUND + theme)) != 0;
    }
}

/* At every word the phrases that begin there; a phrase does not run on into the next
 * sentence. */
static void find_cues(struct answer *answer, const struct lexicon *lexicon)
{
    struct themes_heard heard = {.count = 0};

    for (size_t i = 0; i < answer->word_count; i++) {
        uint64_t hash = answer->words[i].hash;
        uint64_t seen = 0, cues;
        size_t end = i;

        while (lexicon_find(lexicon, hash, &cues)) {
            if (answer->words[i].is_quoted) /* told of, not said */
                cues &= ~CUE_BIT(CUE_INSULT);
            count_cues(answer, i, cues & ~seen);
            if (cues & THEME_CUES && is_new(&heard, hash))
                count_themes(answer, cues);
            seen |= cues;
            end++;
            if (end == answer->word_count || answer->words[end].gap == GAP_SENTENCE)
                break;
            hash = lexicon_hash(hash, answer->words[end].text);
        }
    }
    sodium_memzero(&heard, sizeof(heard));
}

/* A word that says what was done: "called", "built"; not "wanted". */
static bool is_deed(const struct word *word)
{
    size_t length = word->text.length;

    if (word->cues & CUE_BIT(CUE_IRREGULAR_ACTION))
        return true;
    return length >= 4 && !(word->cues & CUE_BIT(CUE_NOT_ACTION)) &&
           tolower((unsigned char)word->text.bytes[length - 2]) == 'e' &&
           tolower((unsigned char)word->text.bytes[length - 1]) == 'd';
}

/*
 * Follows who is being spoken of.  A deed is theirs when nothing but small words stands
 * between ("I then quickly called"), or when it goes on from an earlier one ("and
 * arranged").
 */
static void find_deeds(struct answer *answer)
{
    struct deeds *deeds = NULL;
    size_t who = 0;
    bool is_near = false, has_deed = false;

    for (size_t i = 0; i < answer->word_count; i++) {
        const struct word *word = &answer->words[i];

        if (word->cues & (CUE_BIT(CUE_DOER_OWN) | CUE_BIT(CUE_DOER_SHARED))) {
            struct deeds *whose =
                word->cues & CUE_BIT(CUE_DOER_OWN) ? &answer->own : &answer->shared;

            has_deed = has_deed && deeds == whose && word->gap != GAP_SENTENCE;
            deeds = whose;
            who = i;
            is_near = true;
        } else if (word->gap == GAP_SENTENCE || word->cues & CUE_BIT(CUE_DOER_OTHER)) {
            deeds = NULL;
        } else if (deeds && is_deed(word) &&
                   (is_near || (has_deed && (answer_word_is(answer, i - 1, "and") ||
                                             answer_word_is(answer, i - 1, "then") ||
                                             word->gap == GAP_PAUSE)))) {
            if (deeds->count++ == 0)
                deeds->first = who;
            deeds->last = who;
            has_deed = true;
            is_near = false;
        } else if (!(word->cues & (CUE_BIT(CUE_BETWEEN) | CUE_BIT(CUE_HESITATION)))) {
            is_near = false;
        }
    }
}

void answer_read(struct answer *answer, const struct lexicon *lexicon, struct span text)
{
    answer_cut(answer, text);
    look_up_words(answer, lexicon);
    count_letters(answer);
    measure_sentences(answer);
    find_cues(answer, lexicon);
    find_deeds(answer);
}

void answer_done(struct answer *answer)
{
    if (answer->text)
        sodium_memzero(answer->text, answer->text_length);
    if (answer->words)
        sodium_memzero(answer->words, answer->word_count * sizeof(*answer->words));
    free(answer->text);
    free(answer->words);
    *answer = (struct answer){0};
}

bool answer_word_is(const struct answer *answer, size_t index, const char *word)
{
    return index < answer->word_count &&
           span_equals_ignoring_case(answer->words[index].text, word);
}

bool answer_is_foreign(const struct answer *answer)
{
    size_t english = answer->cues[CUE_ENGLISH].count;
    size_t foreign = answer->cues[CUE_FOREIGN].count;

    if (answer->other_letters * 3 > answer->ascii_letters)
        return true;
    return foreign >= 2 && foreign > english;
}

/* Only what can be quoted without a second look. */
static bool is_plain(struct span word)
{
    for (size_t i = 0; i < word.length; i++)
        if ((unsigned char)word.bytes[i] >= 0x80 ||
            (!isalnum((unsigned char)word.bytes[i]) && word.bytes[i] != '\'' &&
             word.bytes[i] != '-'))
            return false;
    return true;
}

/* Another clause begins, which a quotation can do without. */
static bool opens_clause(const struct answer *answer, size_t index)
{
    return words_is_on(
        "and so but then because which even though although while when if that "
        "who where until before after since as",
        answer->words[index].text);
}

bool answer_quote(const struct answer *answer, size_t first, size_t most, char *ret_quote,
                  size_t size)
{
    size_t end = first, length = 0;

    while (end < answer->word_count && end - first < most &&
           (end == first || answer->words[end].gap == GAP_NONE) &&
           (end == first || !opens_clause(answer, end)) &&
           is_plain(answer->words[end].text))
        end++;
    while (end > first && answer->words[end - 1].cues & CUE_BIT(CUE_STOP) &&
           end - first > 2 && !answer_word_is(answer, end - 1, "out") &&
           !answer_word_is(answer, end - 1, "up") &&
           !answer_word_is(answer, end - 1, "down"))
        end--;
    if (end < first + QUOTE_WORDS_LEAST)
        return false;

    for (size_t i = first; i < end; i++)
        length += answer->words[i].text.length + 1;
    if (length > QUOTE_BYTES || length > size)
        return false;
    length = 0;
    for (size_t i = first; i < end; i++) {
        struct span word = answer->words[i].text;

        memcpy(ret_quote + length, word.bytes, word.length);
        length += word.length;
        ret_quote[length++] = i + 1 < end ? ' ' : '\0';
    }
    return true;
}
