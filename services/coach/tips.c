/*
 * The tips: for each score one thing that was seen in the answer and one thing to try.
 * They stay within the contract's bounds by construction: fixed words, numbers, and
 * quotations of at most five plain words.
 */
#include "tips_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void tip_clarity(const struct reading *reading, int score, char *tip);
static void tip_relevance(const struct reading *reading, int score, char *tip);
static void tip_filler_words(const struct reading *reading, char *tip);
static void tip_summary(const struct reading *reading, struct rubric *rubric);
static void tips_foreign(struct rubric *rubric);

void rubric_write_tips(const struct reading *reading, struct rubric *rubric)
{
    const int *scores = rubric->scores;

    if (reading->is_foreign) {
        tips_foreign(rubric);
        return;
    }
    tip_clarity(reading, scores[DIMENSION_CLARITY], rubric->tips[DIMENSION_CLARITY]);
    tip_relevance(reading, scores[DIMENSION_RELEVANCE],
                  rubric->tips[DIMENSION_RELEVANCE]);
    tips_structure(reading, scores[DIMENSION_STRUCTURE],
                   rubric->tips[DIMENSION_STRUCTURE]);
    tip_filler_words(reading, rubric->tips[DIMENSION_FILLER_WORDS]);
    tip_summary(reading, rubric);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void tips_foreign(struct rubric *rubric)
{
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        SAY(rubric->tips[dimension],
            "The built-in coach reads English only, so it did not judge this; 3 is a neutral score.");
    SAY(rubric->summary_tip,
        "I can only read English. Try the answer in English, or have the service connected to a "
        "language model that speaks yours.");
}

static void tip_long_sentence(const struct answer *answer, char *tip)
{
    char quote[QUOTE_BYTES];

    if (answer_quote(answer, answer->longest_first, QUOTED_WORDS_FEW, quote,
                     sizeof quote))
        SAY(tip,
            "One sentence ran to %zu words, beginning \"%s\". Cut it in two or three, one "
            "thought each.",
            answer->longest_sentence, quote);
    else
        SAY(tip,
            "One sentence ran to %zu words. Cut it in two or three, one thought each.",
            answer->longest_sentence);
}

/* Too short to be clear: what is missing depends on what was asked for. */
static void tip_brief(const struct reading *reading, char *tip)
{
    size_t words = reading->answer.word_count;

    SAY(tip, "At %zu word%s this is very short. %s", words, plural(words),
        reading->asked.asks == ASKS_STORY
            ? "A sentence on the setting and one on how it ended would help the listener."
            : "One reason and one example would give the listener more to hold on to.");
}

static void tip_good_clarity(const struct reading *reading, int score, char *tip)
{
    const struct answer *answer = &reading->answer;
    size_t words = answer->word_count;
    size_t sentences = answer->sentence_count ? answer->sentence_count : 1;

    if (score == 5)
        SAY(tip,
            "Easy to follow: %zu sentence%s of about %zu words each. Keep speaking like that.",
            sentences, plural(sentences), words / sentences);
    else if (words < 40 && reading->asked.reaction != LINE_KIND_COUNT)
        SAY(tip, "Short and clear, as an answer to a follow-up may be.");
    else if (words < 40)
        SAY(tip, "Clear and short, at %zu words. There is room for one more detail.",
            words);
    else
        SAY(tip,
            "Mostly easy to follow. Aim for sentences of fifteen to twenty words with a "
            "pause between them.");
}

static void tip_clarity(const struct reading *reading, int score, char *tip)
{
    const struct answer *answer = &reading->answer;
    size_t words = answer->word_count;

    if (reading->is_stuck)
        SAY(tip,
            "That is an honest answer. Two or three sentences about something similar "
            "would already be a start.");
    else if (reading->is_noise)
        SAY(tip,
            "I could not make sense of this. Two or three plain sentences are enough.");
    else if (words < 24 && score < 4)
        tip_brief(reading, tip);
    else if (words > 380)
        SAY(tip,
            "At %zu words this ran long. About two minutes, 150 to 250 words, keeps a listener "
            "with you.",
            words);
    else if (reading->is_unpunctuated && score < 4)
        SAY(tip,
            "%zu words hung together by \"and\" and \"so\". Shorter sentences with a pause "
            "between them are easier to follow.",
            words);
    else if (!reading->is_unpunctuated && answer->longest_sentence > 42)
        tip_long_sentence(answer, tip);
    else
        tip_good_clarity(reading, score, tip);
}

/* Letters only, so that it may stand in a tip. */
static bool is_quotable(struct span word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!isalpha((unsigned char)word.bytes[i]))
            return false;
    return word.length >= 4 && word.length <= 18;
}

/* What the question is about, in quotation marks or by the name of its topic.  The
 * longest of its words mostly says it.  false: nothing does. */
static bool name_subject(const struct asked *asked, char *ret_name, size_t size)
{
    struct span best = {NULL, 0};

    if (asked->topic) {
        (void)snprintf(ret_name, size, "%s", asked->topic->about);
        return true;
    }
    for (size_t i = 0; i < asked->word_count; i++)
        if (is_quotable(asked->words[i]) && asked->words[i].length > best.length)
            best = asked->words[i];
    (void)snprintf(ret_name, size, "\"%.*s\"", (int)best.length,
                   best.bytes ? best.bytes : "");
    return best.length > 0;
}

static void tip_on_the_point(const struct reading *reading, char *tip)
{
    const struct overlap *overlap = &reading->overlap;
    struct span words[2];
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
    else
        SAY(tip, "On the point: you answered what was asked.");
}

static void tip_relevance(const struct reading *reading, int score, char *tip)
{
    char subject[QUOTE_BYTES];

    if (reading->is_stuck)
        SAY(tip,
            "Saying so is fine. A smaller or similar experience counts too; it need not be "
            "a perfect match.");
    else if (reading->is_noise)
        SAY(tip, "I could not find an answer to the question in this.");
    else if (score == 5)
        tip_on_the_point(reading, tip);
    else if (reading->asked.reaction != LINE_KIND_COUNT)
        SAY(tip, "%s",
            score == 4
                ? "That answers the follow-up. One more concrete detail would round it off."
                : "The follow-up asked for one particular thing. Answer that first, then "
                  "add to it.");
    else if (!name_subject(&reading->asked, subject, sizeof subject))
        SAY(tip, "Say in your first sentence how this answers the question.");
    else if (score == 4)
        SAY(tip,
            "On the subject. One sentence that comes back to %s would make the link plain.",
            subject);
    else if (score == 3)
        SAY(tip,
            "I did not hear a clear link to the question. Name it early, with a sentence about "
            "%s.",
            subject);
    else
        SAY(tip, "I heard little about %s, which the question asks for. Begin with that.",
            subject);
}

static void tip_filler_words(const struct reading *reading, char *tip)
{
    const struct fillers *fillers = &reading->fillers;
    const struct filler_tally *first = &fillers->top[0], *second = &fillers->top[1];
    size_t words = reading->answer.word_count;

    if (words < 6)
        SAY(tip, "Too short to judge; 3 is a neutral score.");
    else if (fillers->count == 0)
        SAY(tip, "No filler words in %zu words. That sounds calm and sure.", words);
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
    return sum >= 11 ? "A fair start." : "Thank you for trying this one.";
}

static const char *advice_on_lack(enum lack lack)
{
    switch (lack) {
    case LACK_WORDS:
        return "Next time, name the closest thing you have done, however small.";
    case LACK_EXAMPLE: return "Next time, tell one real situation from beginning to end.";
    case LACK_OWN_PART:
        return "Next time, say \"I\" for your own part and \"we\" for the rest.";
    case LACK_RESULT:
        return "Next time, finish with the result and, if you can, a figure.";
    case LACK_REASON: return "Next time, give your steps in order and say why.";
    case LACK_NOTHING: break;
    }
    return NULL;
}

static const char *advice_on_scores(const struct reading *reading, const int *scores)
{
    if (scores[DIMENSION_RELEVANCE] <= 3)
        return "Next time, begin with one sentence that answers the question directly.";
    if (scores[DIMENSION_FILLER_WORDS] <= 3)
        return "Next time, let a silent pause stand where a filler wants to come.";
    if (scores[DIMENSION_CLARITY] <= 3 && reading->answer.word_count < 40)
        return "Next time, say a little more: one reason or one detail goes a long way.";
    if (scores[DIMENSION_CLARITY] <= 3)
        return "Next time, use shorter sentences with one thought in each.";
    if (scores[DIMENSION_STRUCTURE] <= 3 && reading->asked.asks != ASKS_STORY)
        return "Next time, add the reason why, and one example.";
    if (scores[DIMENSION_STRUCTURE] <= 3)
        return "Next time, decide on a beginning, a middle and an end before you speak.";
    if (!reading->parts.number)
        return "To make it memorable, add one figure or a detail that only you would know.";
    return "Keep this shape and try it with your other examples.";
}

static void tip_summary(const struct reading *reading, struct rubric *rubric)
{
    const char *advice =
        advice_on_lack(reading->is_stuck ? LACK_WORDS : rubric_lack(reading));

    SAY(rubric->summary_tip, "%s %s", praise(rubric->scores),
        advice ? advice : advice_on_scores(reading, rubric->scores));
}
