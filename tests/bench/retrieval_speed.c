/*
 * How long the embedded search takes: the median and the 99th of 100 questions, over generated text
 * whose words are as unevenly frequent as a language's (Zipf), and how often the right passage is
 * among the best five.
 *
 *   retrieval_speed DIRECTORY [PASSAGES [WORDS]]     100,000 of 120 words unless said otherwise
 *
 * The corpus and its index are made in DIRECTORY, and used again where they are there.
 */
#include "clock_ns.h"
#include "index.h"
#include "search_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VOCABULARY = 60000,
    COMMONEST = 20, /* the stop words of a language are not among those of a question */
    SECTIONS = 100, /* of a document */
    SENTENCE_WORDS = 15,
    QUESTIONS = 1000,
    QUESTION_WORDS = 8,
    KEPT = 5,
    PATH_BYTES = 512
};

static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift: the same text on every machine. */
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* A rank from 0, with a probability of about 1 / (rank + COMMONEST). */
static unsigned zipf(void)
{
    double uniform = (double)(next_random() >> 11) / 9007199254740992.0;

    return (unsigned)(COMMONEST * exp(uniform * log(VOCABULARY / COMMONEST))) - COMMONEST;
}

/* Pronounceable, and no two ranks alike: syllables are the digits of the rank. */
static void write_word(unsigned rank, char *word)
{
    static const char consonants[] = "bdfgklmnprtv", vowels[] = "aou";
    unsigned rest = rank + 36;

    for (; rest > 0; rest /= 36) {
        *word++ = consonants[rest % 36 / 3];
        *word++ = vowels[rest % 3];
    }
    *word = '\0';
}

static void write_section(FILE *file, unsigned words)
{
    char word[32];

    for (unsigned i = 0; i < words; i++) {
        write_word(zipf(), word);
        if (i % SENTENCE_WORDS == 0)
            word[0] = (char)(word[0] - 'a' + 'A');
        fprintf(file, "%s%s", word,
                i % SENTENCE_WORDS == SENTENCE_WORDS - 1 || i + 1 == words ? ". " : " ");
    }
    fputs("\n\n", file);
}

static bool write_corpus(const char *directory, unsigned passages, unsigned words)
{
    char path[PATH_BYTES + 32], word[32];

    mkdir(directory, 0755);
    for (unsigned i = 0; i < (passages + SECTIONS - 1) / SECTIONS; i++) {
        FILE *file;

        snprintf(path, sizeof(path), "%s/%06u.md", directory, i);
        file = fopen(path, "w");
        if (file == NULL)
            return false;
        write_word(zipf(), word);
        fprintf(file, "# %s\n\n", word);
        for (unsigned j = 0; j < SECTIONS && i * SECTIONS + j < passages; j++) {
            write_word(zipf(), word);
            fprintf(file, "## %s %u\n\n", word, j);
            write_section(file, words);
        }
        if (fclose(file) != 0)
            return false;
    }
    return true;
}

static bool build(const char *directory, const char *index, unsigned passages,
                  unsigned words)
{
    struct index_report report;
    struct buffer problem;
    char corpus[PATH_BYTES + 16];
    int64_t started = clock_ns();
    bool is_good;

    if (access(index, R_OK) == 0)
        return true;
    buffer_init(&problem, 4096);
    snprintf(corpus, sizeof(corpus), "%s/corpus", directory);
    is_good = write_corpus(corpus, passages, words) &&
              index_build(corpus, index, NULL, NULL, &report, &problem);
    if (is_good)
        printf("indexed %lld passages, %.1f MB, in %.1f s with writing them\n",
               (long long)report.passages, (double)report.bytes / 1e6,
               (double)(clock_ns() - started) / 1e9);
    else
        fprintf(stderr, "%s\n", problem.length > 0 ? problem.bytes : "cannot be written");
    buffer_done(&problem);
    return is_good;
}

/* Words from one place of a passage, every other one left out. */
static void write_question(const char *text, char *question, size_t size)
{
    size_t length = strlen(text), used = 0;
    const char *at = text + next_random() % (length / 2 + 1);

    at += strcspn(at, " ");
    for (int i = 0; i < 2 * QUESTION_WORDS && *at != '\0'; i++) {
        size_t blanks = strspn(at, " .\n"), word;

        at += blanks;
        word = strcspn(at, " .\n");
        if (i % 2 == 0 && used + word + 2 < size) {
            memcpy(question + used, at, word);
            used += word;
            question[used++] = ' ';
        }
        at += word;
    }
    question[used] = '\0';
}

static int compare(const void *one, const void *other)
{
    int64_t first = *(const int64_t *)one, second = *(const int64_t *)other;

    return (first > second) - (first < second);
}

static bool has(const struct passages *found, const char *id)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->all[i].id, id) == 0)
            return true;
    return false;
}

static int64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void print_times(const char *what, int64_t *times_ns)
{
    qsort(times_ns, QUESTIONS, sizeof(*times_ns), compare);
    printf("%s: p50 %.2f ms, p99 %.2f ms, most %.2f ms\n", what,
           (double)times_ns[QUESTIONS / 2] / 1e6,
           (double)times_ns[QUESTIONS * 99 / 100] / 1e6,
           (double)times_ns[QUESTIONS - 1] / 1e6);
}

static void measure(struct search *search, struct index_reader *reader)
{
    static int64_t times_ns[QUESTIONS], cpus_ns[QUESTIONS];
    int64_t passages = index_passage_count(reader);
    unsigned right = 0;

    for (int i = 0; i < QUESTIONS; i++) {
        struct passages found = {0};
        struct passage passage = {0};
        char question[512];
        int64_t row =
            index_next_row(reader, (int64_t)(next_random() % (uint64_t)passages));

        if (row < 0 || !index_load(reader, row, &passage))
            abort();
        write_question(passage.text, question, sizeof(question));
        times_ns[i] = clock_ns();
        cpus_ns[i] = cpu_ns();
        if (!search_find(search, span_of(question), KEPT, &found))
            abort();
        cpus_ns[i] = cpu_ns() - cpus_ns[i];
        times_ns[i] = clock_ns() - times_ns[i];
        right += has(&found, passage.id);
        passages_done(&found);
        passage_done(&passage);
    }
    printf("%lld passages, %d questions; the right one among %d: %.1f %%\n",
           (long long)passages, QUESTIONS, KEPT, 100.0 * right / QUESTIONS);
    print_times("on the clock", times_ns);
    print_times("of the processor", cpus_ns);
}

int main(int argc, char **argv)
{
    unsigned passages = argc > 2 ? (unsigned)atoi(argv[2]) : 100000;
    unsigned words = argc > 3 ? (unsigned)atoi(argv[3]) : 120;
    struct index_reader *reader;
    struct search *search;
    struct buffer problem;
    char index[PATH_BYTES];

    if (argc < 2 || strlen(argv[1]) > PATH_BYTES / 2) {
        fprintf(stderr, "usage: retrieval_speed DIRECTORY [PASSAGES [WORDS]]\n");
        return 2;
    }
    mkdir(argv[1], 0755);
    snprintf(index, sizeof(index), "%s/index", argv[1]);
    if (!build(argv[1], index, passages, words))
        return 1;
    buffer_init(&problem, 4096);
    search = search_new(index);
    reader = index_reader_open(index, &problem);
    if (reader == NULL || !search_refresh(search, &problem)) {
        fprintf(stderr, "%s\n", problem.bytes);
        return 1;
    }
    measure(search, reader);
    index_reader_free(reader);
    search_free(search);
    buffer_done(&problem);
    return 0;
}
