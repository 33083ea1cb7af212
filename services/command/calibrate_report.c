/*
 * What thresholds do to labelled questions, counted and printed.
 */
#include "calibrate_internal.h"

#include "private_reveal.h"

#include <string.h>

#define STEPS      100 /* thresholds that are tried, over 1 */
#define KINDS_MOST 32

/* Of a pair, the lower threshold tells this share of the answerable questions, and no more, that the
 * material does not have their topic. */
#define NOT_COVERED_MOST 0.01

/* ---- shares ---- */

struct shares shares_at(const struct labelled_set *set, double threshold,
                        const char *kind)
{
    struct shares shares = {0};

    for (size_t i = 0; i < set->count; i++) {
        const struct labelled *question = &set->all[i];
        bool is_answered = question->best >= threshold;

        if (kind != NULL && (question->kind == NULL || strcmp(question->kind, kind) != 0))
            continue;
        if (!question->is_answerable) {
            shares.unanswerable++;
            shares.false_answers += is_answered ? 1 : 0;
            continue;
        }
        shares.answerable++;
        shares.false_refusals += is_answered ? 0 : 1;
        if (is_answered && question->expected_count > 0) {
            shares.labelled++;
            shares.right += question->of_right >= threshold ? 1 : 0;
        }
    }
    return shares;
}

static double share(size_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

double shares_false_refusals(const struct shares *shares)
{
    return share(shares->false_refusals, shares->answerable);
}

double shares_false_answers(const struct shares *shares)
{
    return share(shares->false_answers, shares->unanswerable);
}

double shares_right(const struct shares *shares)
{
    return share(shares->right, shares->labelled);
}

bool shares_meet(const struct shares *shares)
{
    return shares_false_refusals(shares) <= CALIBRATE_FALSE_REFUSALS_MOST &&
           shares_false_answers(shares) <= CALIBRATE_FALSE_ANSWERS_MOST;
}

/* In the middle of the thresholds that meet both, where it is least likely to be luck. */
bool calibrate_pair(const struct labelled_set *set, double *ret_answer,
                    double *ret_related)
{
    int lowest = -1, highest = -1, related = 0;
    struct shares shares;

    for (int step = 0; step <= STEPS; step++) {
        shares = shares_at(set, (double)step / STEPS, NULL);
        if (!shares_meet(&shares))
            continue;
        lowest = lowest < 0 ? step : lowest;
        highest = step;
    }
    if (lowest < 0)
        return false;
    for (int step = 0; step <= (lowest + highest) / 2; step++) {
        shares = shares_at(set, (double)step / STEPS, NULL);
        if (shares_false_refusals(&shares) <= NOT_COVERED_MOST)
            related = step;
    }
    *ret_answer = (double)((lowest + highest) / 2) / STEPS;
    *ret_related = (double)related / STEPS;
    return true;
}

/* ---- tables ---- */

static void print_share(size_t part, size_t whole)
{
    if (whole > 0)
        printf("  %5zu of %5zu %5.1f %%", part, whole, 100 * share(part, whole));
    else
        printf("  %22s", "-");
}

static void print_row(const char *name, const struct shares *shares)
{
    printf("%-14s", name);
    print_share(shares->false_refusals, shares->answerable);
    print_share(shares->false_answers, shares->unanswerable);
    print_share(shares->right, shares->labelled);
    putchar('\n');
}

static void print_head(const char *first)
{
    printf("\n%-14s  %22s  %22s  %22s\n", first, "false refusals", "false answers",
           "right passage");
}

static void print_kinds(const struct labelled_set *set, double threshold)
{
    const char *kinds[KINDS_MOST];
    size_t count = 0;

    for (size_t i = 0; i < set->count && count < KINDS_MOST; i++) {
        const char *kind = set->all[i].kind;
        bool is_new = kind != NULL;

        for (size_t j = 0; is_new && j < count; j++)
            is_new = strcmp(kinds[j], kind) != 0;
        if (is_new)
            kinds[count++] = kind;
    }
    if (count == 0)
        return;
    print_head("kind");
    for (size_t i = 0; i < count; i++) {
        struct shares shares = shares_at(set, threshold, kinds[i]);

        print_row(kinds[i], &shares);
    }
}

/* The threshold with the fewest wrong of each kind together; of several the highest, for a refusal is the
 * smaller mistake. */
static void print_nearest(const struct labelled_set *set)
{
    double least = 3, nearest = 0;
    struct shares shares;

    for (int step = 0; step <= STEPS; step++) {
        double wrong;

        shares = shares_at(set, (double)step / STEPS, NULL);
        wrong = shares_false_refusals(&shares) + shares_false_answers(&shares);
        if (wrong > least)
            continue;
        least = wrong;
        nearest = (double)step / STEPS;
    }
    shares = shares_at(set, nearest, NULL);
    printf(
        "no threshold meets both; fewest wrong of both with GROUND_ANSWER_SCORE=%.2f (%.1f "
        "%%, %.1f %%)\n",
        nearest, 100 * shares_false_refusals(&shares),
        100 * shares_false_answers(&shares));
}

static void print_pair(const struct labelled_set *set)
{
    double answer, related;

    printf("\nfalse refusals <= %.0f %% and false answers <= %.0f %%: ",
           100 * CALIBRATE_FALSE_REFUSALS_MOST, 100 * CALIBRATE_FALSE_ANSWERS_MOST);
    if (calibrate_pair(set, &answer, &related))
        printf("GROUND_RELATED_SCORE=%.2f GROUND_ANSWER_SCORE=%.2f\n", related, answer);
    else
        print_nearest(set);
}

void calibrate_print(const struct settings *settings, const struct labelled_set *set)
{
    double thresholds[] = {settings->ground_related_score, settings->ground_answer_score};
    const char *names[] = {"related", "answer"};
    struct shares shares;
    char name[32];

    shares = shares_at(set, 0, NULL);
    printf("%zu questions, %zu answerable and %zu not\n", set->count, shares.answerable,
           shares.unanswerable);
    print_head("at present");
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof(name), "%s %.2f", names[i], thresholds[i]);
        shares = shares_at(set, thresholds[i], NULL);
        print_row(name, &shares);
    }
    print_kinds(set, settings->ground_answer_score);
    print_head("threshold");
    for (int step = 5; step < STEPS; step += 5) {
        snprintf(name, sizeof(name), "%.2f", (double)step / STEPS);
        shares = shares_at(set, (double)step / STEPS, NULL);
        print_row(name, &shares);
    }
    print_pair(set);
}

static const char *fault(const struct labelled *question, double threshold)
{
    bool is_answered = question->best >= threshold;

    if (question->is_answerable && !is_answered)
        return "refused";
    if (!question->is_answerable)
        return is_answered ? "answered" : NULL;
    return question->expected_count > 0 && question->of_right < threshold ? "elsewhere"
                                                                          : NULL;
}

void calibrate_explain(const struct settings *settings, const struct labelled_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct labelled *question = &set->all[i];
        const char *wrong = fault(question, settings->ground_answer_score);
        struct span text = private_reveal(&question->text);

        if (wrong != NULL)
            printf("%-9s %.3f  %.*s\n", wrong, question->best, (int)text.length,
                   text.bytes);
    }
}
