/*
 * The filter's speed in MB/s, beside a plain filter of three regular expressions on PCRE2-JIT, in
 * alternating rounds of one run; the medians are printed.
 *
 *   filter_speed FILE.jsonl    {"text": ...} lines, such as those of tests/corpus/pass_spoken.jsonl
 */
#include "filter.h"
#include "json.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_TEXTS = 20000, ROUNDS = 15, MOST_BYTES = 4 << 20 };

static const char *const plain_patterns[3] = {
    "\\b(?:fuck\\w*|shit\\w*|bitch\\w*|asshole\\w*|cunt\\w*|bastard\\w*|dick\\w*|nigger\\w*|faggot\\w*|"
    "retard\\w*|whore\\w*|slut\\w*)\\b",
    "\\b(?:i will|i'll|i'm going to|i am going to|gonna|we will)\\s+(?:kill|shoot|stab|murder|beat|hurt|"
    "bomb|strangle|attack|destroy)\\b",
    "\\b(?:give|tell|send|share|what(?:'s| is))\\s+(?:me\\s+)?your\\s+(?:social(?: security)?|ssn|credit "
    "card|password|pin|cvv|address|passport|bank)\\b",
};

struct texts {
    char *texts[MOST_TEXTS]; /* owned */
    size_t lengths[MOST_TEXTS];
    size_t count;
    size_t bytes;
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Texts of a file, again and again until there are a few megabytes. */
static bool read_texts(const char *path, struct texts *texts)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    if (file == NULL)
        return false;
    while (texts->bytes < MOST_BYTES && texts->count < MOST_TEXTS) {
        length = getline(&line, &capacity, file);
        if (length <= 0 && texts->count == 0)
            break;
        if (length <= 0) {
            rewind(file);
            continue;
        }
        struct json_object *object = json_parse(line, (size_t)length, 8);
        struct span text = json_member_string(object, "text");
        if (text.bytes != NULL) {
            char *copy = malloc(text.length + 1);
            if (copy == NULL)
                abort();
            memcpy(copy, text.bytes, text.length);
            copy[text.length] = '\0';
            texts->texts[texts->count] = copy;
            texts->lengths[texts->count++] = text.length;
            texts->bytes += text.length;
        }
        json_object_put(object);
    }
    free(line);
    fclose(file);
    return texts->count > 0;
}

static double time_filter(const struct texts *texts, struct filter *filter,
                          size_t *ret_hits)
{
    double start = now_s();

    *ret_hits = 0;
    for (size_t i = 0; i < texts->count; i++)
        *ret_hits += filter_check(filter, texts->texts[i], texts->lengths[i]).outcome !=
                     FILTER_PASS;
    return (double)texts->bytes / (now_s() - start) / 1e6;
}

static double time_plain(const struct texts *texts, pcre2_code **codes,
                         pcre2_match_data *match)
{
    double start = now_s();

    for (size_t i = 0; i < texts->count; i++) {
        for (size_t code = 0; code < 3; code++)
            pcre2_match(codes[code], (PCRE2_SPTR)texts->texts[i], texts->lengths[i], 0,
                        PCRE2_NO_UTF_CHECK, match, NULL);
    }
    return (double)texts->bytes / (now_s() - start) / 1e6;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;

    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv)
{
    struct texts *texts = calloc(1, sizeof *texts);
    double filter_rates[ROUNDS];
    double plain_rates[ROUNDS];
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    pcre2_code *codes[3];
    size_t hits = 0;

    if (texts == NULL || argc != 2 || !read_texts(argv[1], texts) ||
        !ruleset_load_default(&ruleset, &problem)) {
        fprintf(stderr, "usage: filter_speed FILE.jsonl\n");
        return 2;
    }
    struct filter *filter = filter_new(ruleset);
    pcre2_match_data *match = pcre2_match_data_create(1, NULL);
    for (size_t i = 0; i < 3; i++) {
        int error;
        size_t offset;
        codes[i] =
            pcre2_compile((PCRE2_SPTR)plain_patterns[i], PCRE2_ZERO_TERMINATED,
                          PCRE2_CASELESS | PCRE2_UTF | PCRE2_UCP, &error, &offset, NULL);
        if (codes[i] == NULL || pcre2_jit_compile(codes[i], PCRE2_JIT_COMPLETE) != 0)
            return 2;
    }

    for (size_t i = 0; i < ROUNDS; i++) {
        filter_rates[i] = time_filter(texts, filter, &hits);
        plain_rates[i] = time_plain(texts, codes, match);
    }
    qsort(filter_rates, ROUNDS, sizeof *filter_rates, compare);
    qsort(plain_rates, ROUNDS, sizeof *plain_rates, compare);
    printf("%zu texts, %.1f MB, %zu refused\n", texts->count, (double)texts->bytes / 1e6,
           hits);
    printf("the filter, all patterns   %6.1f MB/s\n", filter_rates[ROUNDS / 2]);
    printf("three plain patterns       %6.1f MB/s\n", plain_rates[ROUNDS / 2]);
    printf("ratio                      %6.2f\n",
           filter_rates[ROUNDS / 2] / plain_rates[ROUNDS / 2]);

    for (size_t i = 0; i < texts->count; i++)
        free(texts->texts[i]);
    free(texts);
    for (size_t i = 0; i < 3; i++)
        pcre2_code_free(codes[i]);
    pcre2_match_data_free(match);
    filter_free(filter);
    ruleset_unref(ruleset);
    return 0;
}
