/*
 * Normalising and matching any bytes: nothing crashes, offsets point into the text, the normalised
 * text is UTF-8 with one byte between words, and the prefilter hides nothing.
 */
#include "filter.h"
#include "filter_internal.h"
#include "fuzz.h"
#include "normalise_internal.h"
#include "ruleset_internal.h"
#include "utf8.h"

static struct filter *filter; /* made once: loading takes longer than a thousand inputs */
static struct filter *unfiltered; /* the same without the prefilter */
static struct normal_text normal;

static void prepare(void)
{
    struct ruleset_problem problem;
    struct ruleset *ruleset;

    if (filter != NULL)
        return;
    must(ruleset_load_default(&ruleset, &problem));
    filter = filter_new(ruleset);
    unfiltered = filter_new(ruleset);
    filter_ignore_prefilter(unfiltered);
    ruleset_unref(ruleset);
}

static void check_normal_text(const char *text, size_t length)
{
    size_t last = 0;

    normalise(&normal, filter_ruleset(filter)->words, text, length,
              normalise_is_even(text, length));
    must(normal.length == 0 || utf8_is_valid(normal.bytes, normal.length));
    for (size_t i = 0; i <= normal.length; i++) {
        size_t origin = normal_text_origin(&normal, i);
        must(origin <= length);
        if (i == normal.length)
            must(origin >= last || origin == length);
        last = origin;
    }
    for (size_t i = 1; i < normal.length; i++)
        must(!(normal.bytes[i] == ' ' && normal.bytes[i - 1] == ' '));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *text = (const char *)bytes;

    prepare();
    struct filter_verdict verdict = filter_check(filter, text, length);
    must(verdict.outcome != FILTER_UNAVAILABLE);
    if (verdict.outcome == FILTER_HIT) {
        must(verdict.category != NULL && verdict.entry != NULL);
        must(verdict.start <= verdict.end && verdict.end <= length);
    }

    /* Every pattern on the whole text takes twenty times as long. */
    if (length % 8 == 0) {
        struct filter_verdict other = filter_check(unfiltered, text, length);
        must(other.outcome == verdict.outcome && other.entry == verdict.entry);
    }
    if (length > 0 && utf8_is_valid(text, length))
        check_normal_text(text, length);
    return 0;
}
