#include "summary.h"

#include "json.h"
#include "model_json.h"
#include "private_reveal.h"

#include <math.h>
#include <string.h>

#define ASSESSMENT_WORDS 60
#define LINE_WORDS       20
#define ACTION_WORDS     25

/* `min` to `max` texts of at most `max_words` words. */
static bool read_lines(struct json_object *list, size_t min, size_t max, size_t max_words,
                       struct private_text *lines, size_t *ret_count)
{
    size_t count;

    if (!json_object_is_type(list, json_type_array))
        return false;
    count = json_object_array_length(list);
    if (count < min || count > max)
        return false;
    for (size_t at = 0; at < count; at++)
        if (!model_json_words(json_object_array_get_idx(list, at), max_words, &lines[at]))
            return false;
    *ret_count = count;
    return true;
}

static bool read_object(struct json_object *object, struct summary *summary)
{
    return model_json_words(json_member(object, "overall_assessment"), ASSESSMENT_WORDS,
                            &summary->overall_assessment) &&
           read_lines(json_member(object, "strengths"), 1, 3, LINE_WORDS,
                      summary->strengths, &summary->strength_count) &&
           read_lines(json_member(object, "improvements"), 1, 3, LINE_WORDS,
                      summary->improvements, &summary->improvement_count) &&
           read_lines(json_member(object, "recommended_actions"), 0, 4, ACTION_WORDS,
                      summary->actions, &summary->action_count);
}

bool summary_parse(const struct private_text *text, struct summary *ret_summary)
{
    struct summary summary;
    struct json_object *object;
    bool is_good;

    memset(&summary, 0, sizeof(summary));
    if (model_json_parse(private_reveal(text), &object) != MODEL_JSON_OBJECT)
        return false;
    is_good = read_object(object, &summary);
    json_wipe_and_put(object);
    if (is_good)
        *ret_summary = summary;
    else
        summary_free(&summary);
    return is_good;
}

bool summary_average(const struct coach_turn *turns, size_t count,
                     enum dimension dimension, double *ret_average)
{
    int sum = 0, scored = 0;

    for (size_t at = 0; at < count; at++) {
        if (!turns[at].is_scored)
            continue;
        sum += turns[at].scores[dimension];
        scored++;
    }
    if (scored == 0)
        return false;
    *ret_average = round(100.0 * sum / scored) / 100.0;
    return true;
}

void summary_free(struct summary *summary)
{
    private_text_free(&summary->overall_assessment);
    for (size_t at = 0; at < SUMMARY_MAX_LINES; at++) {
        private_text_free(&summary->strengths[at]);
        private_text_free(&summary->improvements[at]);
        private_text_free(&summary->actions[at]);
    }
}
