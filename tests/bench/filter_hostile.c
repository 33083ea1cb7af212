/*
 * How long the filter takes for texts that are made to take long: at most 50 ms each, whatever the
 * text and whatever the patterns.  Prints the worst of each kind; exit status 1 where one is over.
 */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_BYTES = 1 << 20, MOST_MS = 50 };

/* A text is one unit over and over, with `end` behind it. */
struct hostile {
    const char *unit;
    const char *end;
};

static const struct hostile texts[] = {
    {"a", ""},
    {"a", "!"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ", ""},
    {"a ", ""},
    {"f u c ", ""},
    {"i ", ""},
    {"i i' ", ""},
    {"\xcc\x81", ""}, /* combining acute */
    {"e\xcc\x81\xcc\xa7\xcc\xa8", ""},
    {"\xe2\x80\x8b", ""},      /* zero width space */
    {"\xef\xb7\xba", ""},      /* one character, eighteen when decomposed */
    {"\xf0\x9d\x90\x9f", ""},  /* mathematical f */
    {"a\xd0\xb0\xce\xb1", ""}, /* Latin, Cyrillic, Greek in turn */
    {"fu\xd1\x81k ", ""},
    {"\xff", ""}, /* not UTF-8 */
    {"\xe2\x82", ""},
    {"*", ""},
    {"f*", ""},
    {"f***", ""},
    {"f*** ", "g"},
    {"f**-*_*.*", ""},
    {"@$!|", ""},
    {"@ $ ! | ", ""},
    {"1!|lI", ""},
    {"-", ""},
    {"f-_.~", ""},
    {"' ", ""},
    {"'", ""},
    {"((((((((", ""},
    {"[expletive", ""},
    {"[ _", ""},
    {"i will ", ""},
    {"i will just really actually ", ""},
    {"i'm going to ", ""},
    {"i am gonna go and ", ""},
    {"i will kill ", ""},
    {"i will kill the ", ""},
    {"i will kill the stuck process and ", ""},
    {"he said i will kill you ", ""},
    {"i'll shoot you an email ", ""},
    {"i will come over and ", ""},
    {"we should all just ", ""},
    {"give me your ", ""},
    {"give me ", ""},
    {"can i have your bank bank account ", ""},
    {"what is the last four of your ", ""},
    {"your your your password policy ", ""},
    {"please just kindly ", ""},
    {"read me the code the code ", ""},
    {"the number on the back of your ", ""},
    {"you stupid little ", ""},
    {"spic and span ", ""},
    {"a chink in the armour ", ""},
    {"dick van dyke ", ""},
    {"my maine coon ", ""},
    {"bitch puppies ", ""},
    {"wank wan wanke ", ""},
    {"shi shit shitt shi", "z"},
    {"\xe5\xbd\xa2\xe5\xbc\x8f", ""},         /* Chinese */
    {"\xf0\x9f\x87\xab\xf0\x9f\x87\xba", ""}, /* flags that spell F U */
};

static const char *const pattern_files[] = {
    NULL, /* built in */
    "[\"(a+)+$\", \"^(?=(a+)+$)b\"]",
    "[\"(?=(a|aa)+$)c\", \"(?=(?:a?){30}a{30}$)x\"]",
    "[\"(?<=a)(?=.*.*.*x)y\", \"(.)(?=.*\\\\1\\\\1z)\"]",
    "[\"(?=(\\\\w+\\\\s*)+:)x\"]",
    "[\"(?!(?:[^b]*)*c)(?=.*b)\"]",
};

static double check_ms(struct filter *filter, const char *text, size_t length)
{
    struct timespec before;
    struct timespec after;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    (void)filter_check(filter, text, length);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return (double)(after.tv_sec - before.tv_sec) * 1e3 +
           (double)(after.tv_nsec - before.tv_nsec) / 1e6;
}

static size_t fill(char *text, const struct hostile *hostile)
{
    size_t unit = strlen(hostile->unit);
    size_t end = strlen(hostile->end);
    size_t length = 0;

    while (length + unit + end <= TEXT_BYTES) {
        memcpy(text + length, hostile->unit, unit);
        length += unit;
    }
    memcpy(text + length, hostile->end, end);
    return length + end;
}

static struct filter *open_filter(const char *json)
{
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    bool is_loaded = json == NULL ? ruleset_load_default(&ruleset, &problem)
                                  : ruleset_load_text("hostile", json, strlen(json),
                                                      &ruleset, &problem);

    if (!is_loaded) {
        fprintf(stderr, "%s\n", problem.text);
        exit(2);
    }
    struct filter *filter = filter_new(ruleset);
    ruleset_unref(ruleset);
    return filter;
}

int main(void)
{
    size_t text_count = sizeof texts / sizeof *texts;
    size_t file_count = sizeof pattern_files / sizeof *pattern_files;
    char *text = malloc(TEXT_BYTES);
    double worst = 0;
    size_t inputs = 0;

    if (text == NULL)
        return 2;
    for (size_t file = 0; file < file_count; file++) {
        struct filter *filter = open_filter(pattern_files[file]);
        for (size_t i = 0; i < text_count; i++) {
            double ms = check_ms(filter, text, fill(text, &texts[i]));
            inputs++;
            if (ms > worst)
                worst = ms;
            if (ms > MOST_MS)
                printf("%7.1f ms  patterns %zu, \"%s\" over and over\n", ms, file,
                       texts[i].unit);
        }
        filter_free(filter);
    }
    free(text);
    printf("%zu texts of 1 MiB, the worst took %.1f ms of CPU\n", inputs, worst);
    return worst > MOST_MS;
}
