/*
 * The tips: for each score something that was counted in the answer, or a few of its own words, and
 * one thing to try.  They stay within the contract's bounds by construction: fixed words, numbers,
 * and quotations of a few plain words.
 *
 * A candidate reads many of them in a row, so advice has several wordings, and the number of the
 * question chooses among them.
 */
#include "rubric_internal.h"

#include "coach_lines_internal.h"

#include <ctype.h>
#include <stdio.h>

enum { QUOTED_WORDS = 7, QUOTED_WORDS_FEW = 5, QUOTE_BYTES = 80 };
enum { FAST_STORY = 190, FAST_OTHERWISE = 175, SLOW = 95 }; /* words a minute */
enum { LONG_STORY = 380, LONG_OTHERWISE = 300 }; /* words that a listener can take */

#define SAY(tip, ...) ((void)snprintf((tip), TIP_BYTES, __VA_ARGS__))

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Letters only, so that it may stand in a tip. */
static bool is_quotable(struct span word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!isalpha((unsigned char)word.bytes[i]))
            return false;
    return word.length >= 4 && word.length <= 18;
}

/* A few words around one, beginning up to three before it. */
static bool quote_around(const struct answer *answer, size_t index,
                         char quote[QUOTE_BYTES])
{
    size_t first = index;

    while (first > 0 && index - first < 3 && answer->words[first].gap == GAP_NONE)
        first--;
    return answer_quote(answer, first, QUOTED_WORDS, quote, QUOTE_BYTES);
}

static const char *const theme_names[THEME_COUNT] = {
    [THEME_BACKGROUND] = "your background", [THEME_LEADERSHIP] = "leading others",
    [THEME_TEAM] = "working in a team",     [THEME_WEAKNESS] = "a weakness",
    [THEME_HIRE] = "your case for the job",
};

/* What the question is about: the name of its topic or theme, or the longest of its words in quotation
 * marks, which mostly says it.  false: nothing does. */
static bool name_subject(const struct asked *asked, char *ret_name, size_t size)
{
    struct span best = {NULL, 0};

    if (asked->topic || asked->theme != THEME_COUNT) {
        (void)snprintf(ret_name, size, "%s",
                       asked->topic ? asked->topic->about : theme_names[asked->theme]);
        return true;
    }
    for (size_t i = 0; i < asked->word_count; i++)
        if (is_quotable(asked->words[i]) && asked->words[i].length > best.length)
            best = asked->words[i];
    (void)snprintf(ret_name, size, "\"%.*s\"", (int)best.length,
                   best.bytes ? best.bytes : "");
    return best.length > 0;
}

/* What was said in place of an answer. */
static void tip_no_answer(const struct reading *reading, unsigned number, char *tip)
{
    const struct answer *answer = &reading->answer;
    const struct flow *flow = &reading->flow;
    const struct string_list *hints = &coach_advice[ADVICE_STUCK];
    size_t words = answer->word_count;
    char quote[QUOTE_BYTES] = "";

    (void)answer_quote(answer, flow->most_times > 1 ? flow->most_first : 0, QUOTED_WORDS,
                       quote, sizeof(quote));
    switch (reading->no_answer) {
    case IS_STUCK:
        SAY(tip, "%zu word%s, and an honest start. %s", words, plural(words),
            hints->items[number % hints->count]);
        return;
    case IS_ASKING:
        SAY(tip, "You asked to %s, so there is nothing to judge in answer %u.",
            reading->kind == ANSWER_KIND_SKIP ? "go on" : "hear the question again",
            number);
        return;
    case IS_REPEATED:
        if (quote[0] != '\0')
            SAY(tip,
                "You said \"%s\" %zu times. Once is enough; then say what happened next.",
                quote, flow->most_times);
        else
            SAY(tip, "%zu words, and only %zu of them different.", flow->words,
                flow->different);
        return;
    case IS_ECHO:
        SAY(tip, "These %zu words are the question's own. Now answer it with yours.",
            words);
        return;
    case IS_INSULT:
        SAY(tip, "The %zu word%s of answer %u are about me and not about you.", words,
            plural(words), number);
        return;
    case IS_BARE:
        SAY(tip, "Answer %u is %zu word%s long: too little to picture anything.", number,
            words, plural(words));
        return;
    case IS_NOISE:
    case IS_ANSWER:
        SAY(tip, "I could not find a sentence in the %zu word%s of answer %u.", words,
            plural(words), number);
        return;
    }
}

static void tips_no_answer(const struct reading *reading, unsigned number,
                           struct rubric *rubric)
{
    const struct string_list *shapes = &coach_advice[ADVICE_BUILD];
    const struct string_list *tries = &coach_advice[ADVICE_WORDS];
    size_t words = reading->answer.word_count;
    char subject[QUOTE_BYTES];

    if (!name_subject(&reading->asked, subject, sizeof(subject)))
        (void)snprintf(subject, sizeof(subject), "the question");
    tip_no_answer(reading, number, rubric->tips[DIMENSION_CLARITY]);
    if (reading->no_answer == IS_REPEATED)
        SAY(rubric->tips[DIMENSION_RELEVANCE],
            "All %zu words say one thing; %s needs more than that.", words, subject);
    else
        SAY(rubric->tips[DIMENSION_RELEVANCE], "Nothing in %zu word%s is about %s yet.",
            words, plural(words), subject);
    SAY(rubric->tips[DIMENSION_STRUCTURE],
        "Answer %u has no beginning and no end yet. %s", number,
        shapes->items[number % shapes->count]);
    SAY(rubric->tips[DIMENSION_FILLER_WORDS],
        "Answer %u, with %zu word%s, says too little of how you speak.", number, words,
        plural(words));
    SAY(rubric->summary_tip, "Answer %u leaves %s open. %s", number, subject,
        tries->items[number % tries->count]);
}

static bool tip_stumbles(const struct reading *reading, char *tip)
{
    const struct answer *answer = &reading->answer;
    const struct flow *flow = &reading->flow;
    size_t vague = answer->cues[CUE_VAGUE].count, heavy = reading->fillers.heavy;
    char quote[QUOTE_BYTES];

    if (flow->restarts >= 2 && quote_around(answer, flow->first_restart, quote))
        SAY(tip,
            "You began again %zu times, as at \"%s\". Go on from where you are; nobody "
            "minds a small slip.",
            flow->restarts, quote);
    else if (vague >= 2 && quote_around(answer, answer->cues[CUE_VAGUE].first, quote))
        SAY(tip, "%zu times the listener has to guess, as at \"%s\". Say what exactly.",
            vague, quote);
    else if (heavy >= 3)
        SAY(tip,
            "One word in %zu was a hesitation or \"like\", and the thread gets lost between "
            "them.",
            answer->word_count / heavy);
    else
        return false;
    return true;
}

/* Spoken too fast or too slowly for this kind of question. */
static bool tip_pace(const struct reading *reading, int64_t words_per_minute, char *tip)
{
    bool is_story = reading->asked.asks == ASKS_STORY;
    int64_t fast = is_story ? FAST_STORY : FAST_OTHERWISE;

    if (words_per_minute <= 0 || reading->answer.word_count < 40 ||
        (words_per_minute <= fast && words_per_minute >= SLOW))
        return false;
    SAY(tip, "%lld words a minute are %s for %s; around %d are easy to follow.",
        (long long)words_per_minute, words_per_minute > fast ? "fast" : "slow",
        is_story ? "a story" : "this kind of question", is_story ? 150 : 140);
    return true;
}

static void tip_clarity(const struct reading *reading, const struct manner *manner,
                        int score, char *tip)
{
    const struct flow *flow = &reading->flow;
    size_t words = reading->answer.word_count;
    bool is_story = reading->asked.asks == ASKS_STORY;
    char quote[QUOTE_BYTES];

    if (words < 24 && score < 4)
        SAY(tip, "At %zu word%s this is very short. %s", words, plural(words),
            is_story ? "A sentence on the setting and one on how it ended would help."
                     : "One reason and one example would give more to hold on to.");
    else if (flow->most_times >= 3 && flow->said_again * 6 > flow->rows &&
             answer_quote(&reading->answer, flow->most_first, QUOTED_WORDS, quote,
                          sizeof(quote)))
        SAY(tip, "You said \"%s\" %zu times; once is enough.", quote, flow->most_times);
    else if (score < 4 && tip_stumbles(reading, tip))
        return;
    else if (tip_pace(reading, manner->words_per_minute, tip))
        return;
    else if (words > (is_story ? LONG_STORY : LONG_OTHERWISE))
        SAY(tip, "%zu words are long for %s. About %s keep a listener with you.", words,
            is_story ? "one story" : "a question that asks for no story",
            is_story ? "150 to 300" : "80 to 200");
    else if (words < 40)
        SAY(tip, "%zu words and easy to follow. There is room for one more detail.",
            words);
    else if (score >= 4)
        SAY(tip, "Easy to follow: %zu different words in %zu, and %s.", flow->different,
            flow->words,
            flow->restarts == 0 ? "no sentence begun twice" : "hardly one begun twice");
    else
        SAY(tip,
            "%zu words, of which %zu are different: name people and things by their names "
            "more often.",
            flow->words, flow->different);
}

static void tip_on_the_point(const struct reading *reading, char *tip)
{
    const struct overlap *overlap = &reading->overlap;
    struct span words[2];
    char quote[QUOTE_BYTES];
    size_t count = 0;

    for (size_t i = 0; i < overlap->shown_count; i++) {
        struct span word = reading->answer.words[overlap->shown[i]].text;

        if (is_quotable(word))
            words[count++] = word;
    }
    if (count == 2)
        SAY(tip,
            "On the point: you took up \"%.*s\" and \"%.*s\", the heart of the question.",
            (int)words[0].length, words[0].bytes, (int)words[1].length, words[1].bytes);
    else if (count == 1)
        SAY(tip, "On the point: you took up \"%.*s\", which the question is about.",
            (int)words[0].length, words[0].bytes);
    else if (answer_quote(&reading->answer, 0, QUOTED_WORDS_FEW, quote, sizeof(quote)))
        SAY(tip, "On the point from \"%s\" on.", quote);
    else
        SAY(tip, "On the point, with %zu things told that belong to it.", overlap->told);
}

/* How many words and phrases of the answer belong to the question. */
static size_t count_near(const struct reading *reading)
{
    enum theme theme = reading->asked.theme;
    size_t near = reading->overlap.question + reading->overlap.topic;

    if (theme != THEME_COUNT)
        near += reading->answer.tells[theme] + reading->answer.hints[theme];
    return near;
}

/* An answer to another of the common questions. */
static bool tip_other_theme(const struct reading *reading, char *tip)
{
    enum theme other = rubric_rival(reading);
    size_t others, near = count_near(reading);

    if (reading->asked.theme == THEME_COUNT || other == THEME_COUNT)
        return false;
    others = reading->answer.tells[other] + reading->answer.hints[other];
    if (others <= near)
        return false;
    SAY(tip, "This says more about %s (%zu) than about %s (%zu). Begin with the latter.",
        theme_names[other], others, theme_names[reading->asked.theme], near);
    return true;
}

/* "hard worker": anybody could say it. */
static bool tip_empty_claim(const struct reading *reading, char *tip)
{
    const struct cue_hits *cliches = &reading->answer.cues[CUE_CLICHE];
    char quote[QUOTE_BYTES];

    if (cliches->count == 0 || !rubric_is_vague(reading) ||
        !quote_around(&reading->answer, cliches->first, quote))
        return false;
    SAY(tip, "\"%s\" could be said by anybody. Say one thing that is only true of you.",
        quote);
    return true;
}

static void tip_relevance(const struct reading *reading, int score, char *tip)
{
    size_t words = reading->answer.word_count, near = count_near(reading);
    char subject[QUOTE_BYTES];

    if (!name_subject(&reading->asked, subject, sizeof(subject)))
        (void)snprintf(subject, sizeof(subject), "the question");
    if (score == 5)
        tip_on_the_point(reading, tip);
    else if (reading->asked.reaction != LINE_KIND_COUNT)
        SAY(tip, "%s in %zu words. %s",
            score == 4 ? "That answers the follow-up"
                       : "The follow-up asked for one thing",
            words,
            score == 4 ? "One more concrete detail would round it off."
                       : "Answer that first, then add to it.");
    else if (score <= 3 &&
             (tip_other_theme(reading, tip) || tip_empty_claim(reading, tip)))
        return;
    else if (score == 4 && near > 0)
        SAY(tip,
            "On the subject: %zu word%s of yours belong%s to %s. Come back to it at the end.",
            near, plural(near), near == 1 ? "s" : "", subject);
    else if (score == 4)
        SAY(tip, "These %zu words fit, but none names %s. Name it once, early.", words,
            subject);
    else
        SAY(tip, "%s of your %zu words point%s to %s. Name it early.",
            near == 0   ? "None"
            : near == 1 ? "Only one"
                        : "Few",
            words, near <= 1 ? "s" : "", subject);
}

/* "we rolled it out": which part was yours? */
static void tip_own_part(const struct answer *answer, char *tip)
{
    char quote[QUOTE_BYTES];

    if (answer_quote(answer, answer->shared.first, QUOTED_WORDS, quote, sizeof(quote)))
        SAY(tip, "You said \"%s\". Say which part was yours: what did you do yourself?",
            quote);
    else
        SAY(tip, "%zu times \"we\" did something. Say which part was yours, with \"I\".",
            answer->shared.count);
}

static void tip_missing_result(const struct answer *answer, char *tip)
{
    char quote[QUOTE_BYTES];

    if (answer->own.count > 0 &&
        answer_quote(answer, answer->own.last, QUOTED_WORDS, quote, sizeof(quote)))
        SAY(tip,
            "\"%s\" shows what you did. Close with the result: what changed, and by how much?",
            quote);
    else
        SAY(tip,
            "%zu things were done, and the end is missing: what changed, and by how much?",
            answer->own.count + answer->shared.count);
}

static void tip_whole_story(const struct reading *reading, char *tip)
{
    const struct answer *answer = &reading->answer;
    const struct cue_hits *result = &answer->cues[CUE_RESULT];
    char quote[QUOTE_BYTES];

    if (result->count > 0 && result->last * 5 >= answer->word_count * 3 &&
        answer_quote(answer, result->last, QUOTED_WORDS, quote, sizeof(quote)))
        SAY(tip,
            "From the start to the result in order, and \"%s\" makes the ending concrete.",
            quote);
    else
        SAY(tip,
            "A situation, %zu thing%s that you did, and how it ended: all of it is there.",
            answer->own.count, plural(answer->own.count));
}

/* What the candidate did, in their own words or as a number; of several deeds the one that comes last. */
static void name_deed(const struct answer *answer, char *ret_name, size_t size)
{
    char quote[QUOTE_BYTES];

    if (answer_quote(answer, answer->own.last, QUOTED_WORDS, quote, sizeof(quote)) ||
        answer_quote(answer, answer->own.first, QUOTED_WORDS, quote, sizeof(quote)))
        (void)snprintf(ret_name, size, "\"%s\"", quote);
    else
        (void)snprintf(ret_name, size, "%zu thing%s that you did", answer->own.count,
                       plural(answer->own.count));
}

static void tip_story(const struct reading *reading, int score, char *tip)
{
    const struct parts *parts = &reading->parts;
    char deed[QUOTE_BYTES + 2];

    name_deed(&reading->answer, deed, sizeof(deed));
    if (!parts->action)
        SAY(tip,
            "In %zu words nobody did anything yet. Tell one real event step by step.",
            reading->answer.word_count);
    else if (!parts->own_action)
        tip_own_part(&reading->answer, tip);
    else if (!parts->result)
        tip_missing_result(&reading->answer, tip);
    else if (!parts->situation)
        SAY(tip, "I heard %s, and a result. Open with one sentence on where and when.",
            deed);
    else if (score == 5)
        tip_whole_story(reading, tip);
    else
        SAY(tip, "All the parts are there, with %s. %s", deed,
            parts->task ? "Say a little more about how you did it."
                        : "Add what you had to achieve.");
}

/* Where no story was asked for: what of steps, reasons, examples is there, and what is not. */
static void tip_other_kinds(const struct reading *reading, int score, char *tip)
{
    const struct cue_hits *cues = reading->answer.cues;
    size_t reasons = cues[CUE_REASON].count, examples = cues[CUE_EXAMPLE].count;
    size_t steps = cues[CUE_PLAN].count + reading->answer.own.count;
    size_t told = reading->overlap.told;
    bool is_plan = reading->asked.asks == ASKS_PLAN;
    bool is_self = reading->asked.asks == ASKS_SELF;

    if (score == 5 && reasons > 0)
        SAY(tip, "Well built: %zu %s%s, with %zu reason%s.", steps > 0 ? steps : told,
            steps > 0 ? "step" : "detail", plural(steps > 0 ? steps : told), reasons,
            plural(reasons));
    else if (is_plan && !reading->parts.sequence)
        SAY(tip,
            "I counted %zu step%s. Put them in order: what first, and what if that fails?",
            cues[CUE_PLAN].count, plural(cues[CUE_PLAN].count));
    else if (reasons == 0)
        SAY(tip,
            "In %zu words there is no \"because\" yet. Say why, for the point that matters "
            "most.",
            reading->answer.word_count);
    else if (examples == 0 && !reading->parts.own_action)
        SAY(tip, "%zu reason%s and no example. %s", reasons, plural(reasons),
            is_self ? "Back it up with one thing you did."
                    : "One from your own work would make it stick.");
    else
        SAY(tip, "%zu reason%s and something to show for it. %s", reasons,
            plural(reasons),
            is_self   ? "End by linking it to this role."
            : is_plan ? "Say also how you would check that it worked."
                      : "Say also when you would do it differently.");
}

static void tip_structure(const struct reading *reading, int score, char *tip)
{
    const struct answer *answer = &reading->answer;
    char quote[QUOTE_BYTES];

    if (reading->parts.trails_off &&
        quote_around(answer, answer->cues[CUE_TRAILING].last, quote))
        SAY(tip,
            "It fades out at \"%s\". Stop after the last thing that happened, and mean it.",
            quote);
    else if (reading->asked.reaction != LINE_KIND_COUNT && score >= 4)
        SAY(tip, "The follow-up is answered in %zu words%s.", answer->word_count,
            reading->parts.number ? ", with a figure" : "");
    else if (reading->asked.asks == ASKS_STORY ||
             (reading->parts.own_action && reading->parts.result))
        tip_story(reading, score, tip);
    else
        tip_other_kinds(reading, score, tip);
}

static void tip_filler_words(const struct reading *reading, char *tip)
{
    const struct fillers *fillers = &reading->fillers;
    const struct filler_tally *first = &fillers->top[0], *second = &fillers->top[1];
    size_t words = reading->answer.word_count;

    if (words < 6)
        SAY(tip, "%zu words are too few to judge by; 3 is a neutral score.", words);
    else if (fillers->count == 0)
        SAY(tip, "No filler words in %zu words.", words);
    else if (second->count == 0)
        SAY(tip, "You said \"%s\" %zu time%s in %zu words.%s", first->word, first->count,
            plural(first->count), words,
            first->count <= 1 ? " Nobody will mind."
                              : " A short silence does the same job.");
    else
        SAY(tip,
            "You said \"%s\" %zu time%s and \"%s\" %zu time%s in %zu words. A short silence "
            "does the same job.",
            first->word, first->count, plural(first->count), second->word, second->count,
            plural(second->count), words);
}

static const char *praise(const int *scores)
{
    int sum = 0, least = 5;

    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
        sum += scores[dimension];
        least = scores[dimension] < least ? scores[dimension] : least;
    }
    if (sum >= 18 && least >= 4)
        return "A strong answer.";
    if (sum >= 15 && least >= 3)
        return "A good answer.";
    return sum >= 11 ? "A fair start." : "There is room to grow here.";
}

static enum advice advice_on(const struct reading *reading, const int *scores)
{
    static const enum advice by_lack[] = {
        [LACK_WORDS] = ADVICE_WORDS,       [LACK_EXAMPLE] = ADVICE_EXAMPLE,
        [LACK_OWN_PART] = ADVICE_OWN_PART, [LACK_RESULT] = ADVICE_RESULT,
        [LACK_REASON] = ADVICE_REASON,
    };
    enum lack lack = rubric_lack(reading);

    if (scores[DIMENSION_RELEVANCE] <= 2)
        return ADVICE_RELEVANCE;
    if (lack != LACK_NOTHING)
        return by_lack[lack];
    if (scores[DIMENSION_RELEVANCE] <= 3)
        return ADVICE_RELEVANCE;
    if (scores[DIMENSION_FILLER_WORDS] <= 3)
        return ADVICE_FILLERS;
    if (scores[DIMENSION_CLARITY] <= 3)
        return reading->answer.word_count < 40 ? ADVICE_MORE : ADVICE_PLAIN;
    if (scores[DIMENSION_STRUCTURE] <= 3)
        return reading->asked.asks == ASKS_STORY ? ADVICE_SHAPE : ADVICE_SUPPORT;
    return reading->parts.number ? ADVICE_KEEP : ADVICE_FIGURE;
}

void rubric_write_tips(const struct reading *reading, const struct manner *manner,
                       struct rubric *rubric)
{
    const int *scores = rubric->scores;
    const struct string_list *advice;

    if (reading->no_answer != IS_ANSWER) {
        tips_no_answer(reading, manner->number, rubric);
        return;
    }
    tip_clarity(reading, manner, scores[DIMENSION_CLARITY],
                rubric->tips[DIMENSION_CLARITY]);
    tip_relevance(reading, scores[DIMENSION_RELEVANCE],
                  rubric->tips[DIMENSION_RELEVANCE]);
    tip_structure(reading, scores[DIMENSION_STRUCTURE],
                  rubric->tips[DIMENSION_STRUCTURE]);
    tip_filler_words(reading, rubric->tips[DIMENSION_FILLER_WORDS]);
    advice = &coach_advice[advice_on(reading, scores)];
    SAY(rubric->summary_tip, "%s %s", praise(scores),
        advice->items[manner->number % advice->count]);
}
