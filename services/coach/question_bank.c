/*
 * The question bank: reads a session's free text as a kind of interview and a family of
 * roles, and draws questions that fit both.
 *
 * A draw goes through tiers, each wider than the last, until one has a question that was
 * not asked: the wanted kind for this role at about this level, at any level, the kinds
 * next to it, everything for everybody.  Within a tier a hash of the seed decides,
 * weighted towards the exact level and away from subjects that came up already.
 */
#include "question_bank_internal.h"

#include "coach_builtin.h"
#include "coach_hash_internal.h"
#include "mem.h"
#include "private_reveal.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Weights within a tier. */
enum { WEIGHT_SAME_LEVEL = 24, WEIGHT_NEXT_LEVEL = 2, WEIGHT_FAR_LEVEL = 1 };
#define REPEATED_TOPIC_DIVISOR 12

enum tier {
    TIER_EXACT,
    TIER_ANY_LEVEL,
    TIER_RELATED_TYPES,
    TIER_FOR_EVERYBODY,
    TIER_COUNT
};

/* Questions are few and fixed, so a draw keeps a weight for each in one array. */
struct draw {
    const struct bank_wish *wish; /* borrowed */
    uint64_t seed;
    unsigned *weights; /* owned; one for each question; 0: not to be drawn */
    const struct bank_question **asked; /* owned; those of the bank that were asked */
    size_t asked_count;
};

const char *question_bank_pick(const struct private_text *role,
                               const struct private_text *interview_type,
                               enum difficulty difficulty,
                               const struct private_text *asked_questions,
                               size_t asked_count, const char *seed)
{
    struct bank_wish wish = {
        .type = question_bank_type(private_reveal(interview_type)),
        .role = question_bank_role(private_reveal(role)),
        .difficulty = difficulty,
        .asked = asked_questions,
        .asked_count = asked_count,
    };

    return question_bank_draw(&wish, coach_hash(COACH_HASH_START, seed, strlen(seed)))
        ->text;
}

static void mark_asked(struct draw *draw)
{
    for (size_t i = 0; i < draw->wish->asked_count; i++) {
        const struct bank_question *question =
            question_bank_find(private_reveal(&draw->wish->asked[i]));

        if (question)
            draw->asked[draw->asked_count++] = question;
    }
}

/* Draws by the weights that are set; NULL where all are 0. */
static const struct bank_question *draw_weighted(const struct draw *draw)
{
    size_t total = 0, mark;

    for (size_t i = 0; i < bank_question_count; i++)
        total += draw->weights[i];
    if (total == 0)
        return NULL;

    mark = coach_choose(draw->seed, draw->wish->asked_count, total);
    for (size_t i = 0;; i++) {
        if (mark < draw->weights[i])
            return &bank_questions[i];
        mark -= draw->weights[i];
    }
}

/* Interviews without a narrower subject open with the person. */
static const struct bank_question *draw_opener(struct draw *draw)
{
    static const char *const topics[] = {"introduction", "motivation", "fit", "strengths",
                                         "interests"};

    if (draw->wish->type != TYPE_GENERAL && draw->wish->type != TYPE_SCREENING)
        return NULL;
    for (size_t i = 0; i < bank_question_count; i++) {
        const struct bank_question *question = &bank_questions[i];
        bool is_opener = false;

        for (size_t k = 0; k < sizeof(topics) / sizeof(*topics); k++)
            is_opener |= strcmp(question->topic, topics[k]) == 0;
        draw->weights[i] = is_opener && question->asks == ASKS_SELF &&
                           question->levels & BIT(draw->wish->difficulty);
    }
    return draw_weighted(draw);
}

/* "Tell me about yourself" is a way to begin. */
static bool is_too_late(const struct bank_wish *wish,
                        const struct bank_question *question)
{
    return wish->asked_count > 0 && strcmp(question->topic, "introduction") == 0;
}

static bool is_asked(const struct draw *draw, const struct bank_question *question)
{
    for (size_t i = 0; i < draw->asked_count; i++)
        if (draw->asked[i] == question)
            return true;
    return false;
}

static bool is_topic_spent(const struct draw *draw, const struct bank_question *question)
{
    for (size_t i = 0; i < draw->asked_count; i++)
        if (strcmp(draw->asked[i]->topic, question->topic) == 0)
            return true;
    return false;
}

static unsigned level_weight(enum difficulty wanted, unsigned levels)
{
    if (levels & BIT(wanted))
        return WEIGHT_SAME_LEVEL;
    if (wanted == DIFFICULTY_MEDIUM || levels & BIT(LEVEL_MEDIUM))
        return WEIGHT_NEXT_LEVEL;
    return WEIGHT_FAR_LEVEL;
}

static bool is_in_tier(const struct bank_wish *wish, const struct bank_question *question,
                       enum tier tier)
{
    const struct bank_type *type = &bank_types[wish->type];
    bool is_first_choice = wish->type == TYPE_GENERAL
                               ? question->types & type->draws
                               : question->types & BIT(type->first);
    bool fits_role = question->role == wish->role || question->role == ROLE_GENERAL;

    switch (tier) {
    case TIER_EXACT:
        return is_first_choice && fits_role &&
               level_weight(wish->difficulty, question->levels) != WEIGHT_FAR_LEVEL;
    case TIER_ANY_LEVEL: return is_first_choice && fits_role;
    case TIER_RELATED_TYPES: return question->types & type->draws && fits_role;
    case TIER_FOR_EVERYBODY: return question->role == ROLE_GENERAL;
    case TIER_COUNT: break;
    }
    return true;
}

/* Sets the weights of a tier's questions that are for everybody, or of those for this
 * role only. */
static void weigh(struct draw *draw, enum tier tier, bool for_everybody)
{
    for (size_t i = 0; i < bank_question_count; i++) {
        const struct bank_question *question = &bank_questions[i];
        unsigned weight = 0;

        if ((question->role == ROLE_GENERAL) == for_everybody &&
            is_in_tier(draw->wish, question, tier) && !is_asked(draw, question) &&
            !is_too_late(draw->wish, question))
            weight = level_weight(draw->wish->difficulty, question->levels) *
                     REPEATED_TOPIC_DIVISOR;
        if (weight && is_topic_spent(draw, question))
            weight /= REPEATED_TOPIC_DIVISOR;
        draw->weights[i] = weight;
    }
}

/* Questions of a trade are few beside those for everybody, so which of the two is drawn
 * from is decided first: three in four times the trade's where it is about knowledge,
 * else every second. */
static const struct bank_question *draw_from_tier(struct draw *draw, enum tier tier)
{
    enum interview_type type = draw->wish->type;
    bool is_about_knowledge =
        type == TYPE_TECHNICAL || type == TYPE_CASE || type == TYPE_SYSTEM_DESIGN;
    bool for_everybody =
        is_about_knowledge
            ? coach_choose(draw->seed, 100 + draw->wish->asked_count, 4) == 0
            : coach_choose(draw->seed, 100 + draw->wish->asked_count, 2) == 0;
    const struct bank_question *question;

    weigh(draw, tier, for_everybody);
    question = draw_weighted(draw);
    if (!question) {
        weigh(draw, tier, !for_everybody);
        question = draw_weighted(draw);
    }
    return question;
}

const struct bank_question *question_bank_draw(const struct bank_wish *wish,
                                               uint64_t seed)
{
    struct draw draw = {.wish = wish, .seed = seed};
    const struct bank_question *question = NULL;

    assert(wish->asked_count < bank_question_count);
    draw.weights = mem_zalloc(bank_question_count * sizeof(*draw.weights));
    draw.asked = mem_zalloc((wish->asked_count + 1) * sizeof(*draw.asked));
    mark_asked(&draw);

    if (wish->asked_count == 0)
        question = draw_opener(&draw);
    for (enum tier tier = TIER_EXACT; !question; tier++)
        question = draw_from_tier(&draw, tier);

    free(draw.weights);
    free(draw.asked);
    return question;
}

const struct bank_question *question_bank_find(struct span spoken)
{
    while (spoken.length && isspace((unsigned char)spoken.bytes[spoken.length - 1]))
        spoken.length--;
    for (size_t i = 0; i < bank_question_count; i++) {
        size_t length = strlen(bank_questions[i].text);

        if (length <= spoken.length && memcmp(spoken.bytes + spoken.length - length,
                                              bank_questions[i].text, length) == 0)
            return &bank_questions[i];
    }
    return NULL;
}

static bool is_letter(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

/* Does the keyword stand at `at`, as whole words, or with '*' as the start of one? */
static bool stands_at(struct span text, size_t at, const char *keyword, size_t length)
{
    bool is_open = keyword[length - 1] == '*';

    length -= is_open;
    if ((text.bytes[at] | 0x20) != (*keyword | 0x20)) /* tells most of them, at no cost */
        return false;
    if (length > text.length - at || (at > 0 && is_letter(text.bytes[at - 1])))
        return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)text.bytes[at + i]) != keyword[i])
            return false;
    return is_open || at + length == text.length || !is_letter(text.bytes[at + length]);
}

/* Length of the longest keyword that the text has; 0: none. */
static size_t longest_keyword(struct span text, const struct string_list *keywords)
{
    size_t longest = 0;

    for (size_t i = 0; i < keywords->count; i++) {
        size_t length = strlen(keywords->items[i]);

        for (size_t at = 0; at < text.length && length > longest; at++)
            if (stands_at(text, at, keywords->items[i], length))
                longest = length;
    }
    return longest;
}

enum interview_type question_bank_type(struct span interview_type)
{
    for (enum interview_type type = 0; type < TYPE_COUNT; type++)
        if (longest_keyword(interview_type, &bank_types[type].aliases) > 0)
            return type;
    return TYPE_GENERAL;
}

/* The longest keyword decides, since it says most: "product manager" before "manager". */
enum role_family question_bank_role(struct span role)
{
    for (int is_weak = 0; is_weak <= 1; is_weak++) {
        enum role_family best = ROLE_GENERAL;
        size_t best_length = 0;

        for (enum role_family family = 0; family < ROLE_COUNT; family++) {
            const struct bank_role *words = &bank_roles[family];
            size_t length =
                longest_keyword(role, is_weak ? &words->weak : &words->keywords);

            if (length > best_length) {
                best = family;
                best_length = length;
            }
        }
        if (best_length > 0)
            return best;
    }
    return ROLE_GENERAL;
}
