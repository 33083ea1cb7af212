/*
 * The gates: whatever is known of a question, they say the same twice, only what passes all of them
 * is not refused, nothing that scores better is refused where something worse was not, and what they
 * say is text.
 *
 * The input is numbers, one a line: surface, when, selection, coverage, score, key words, scope,
 * unanswered, confidence, unsupported; then the words that are out of scope.
 */
#include "fuzz.h"
#include "gates_internal.h"
#include "utf8.h"

enum { NUMBERS = 10 };

static double number_of(struct span line)
{
    char text[32] = "";
    double number;

    memcpy(text, line.bytes != NULL ? line.bytes : "",
           line.length < sizeof(text) ? line.length : sizeof(text) - 1);
    number = strtod(text, NULL);
    return number >= -1e9 && number <= 1e9 ? number : 0; /* nor NaN: scores are checked */
}

static double share(double number)
{
    return number < 0 ? 0 : number > 1 ? 1 : number;
}

static enum gate ask(enum ask_surface surface, enum gate_when when,
                     const struct gate_facts *facts, struct buffer *ret_said)
{
    static const struct settings settings = {.ground_answer_score = 0.7,
                                             .ground_related_score = 0.5,
                                             .ground_selection_coverage = 0.4,
                                             .ground_confidence = 0.6};
    struct gate_ruling ruling;
    enum gate refused_by;

    gate_ruling_init(&ruling);
    gates_ask(surface, when, &settings, facts, &ruling);
    refused_by = ruling.refused_by;
    must(refused_by <= GATE_COUNT && ruling.warning_count <= GATE_COUNT);
    if (refused_by != GATE_COUNT) {
        must(ruling.reason.length > 0 && ruling.message.length > 0);
        must(utf8_is_valid(ruling.message.bytes, ruling.message.length));
        must(utf8_is_valid(ruling.reason.bytes, ruling.reason.length));
        buffer_append(ret_said, ruling.reason.bytes, ruling.reason.length);
        buffer_append(ret_said, ruling.message.bytes, ruling.message.length);
    }
    gate_ruling_done(&ruling);
    return refused_by;
}

static void check(enum ask_surface surface, enum gate_when when, struct gate_facts facts)
{
    struct buffer said, again;
    enum gate refused_by;

    buffer_init(&said, 1 << 18);
    buffer_init(&again, 1 << 18);
    refused_by = ask(surface, when, &facts, &said);
    must(ask(surface, when, &facts, &again) == refused_by);
    must(said.length == again.length &&
         (said.length == 0 || memcmp(said.bytes, again.bytes, said.length) == 0));
    buffer_done(&said);
    buffer_done(&again);

    if (refused_by != GATE_COUNT)
        return;
    buffer_init(&again, 1 << 18);
    facts.max_score = facts.coverage = facts.confidence = 1;
    must(ask(surface, when, &facts, &again) == GATE_COUNT);
    buffer_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char json[] = "{\"title\":\"Cars\",\"topics\":[\"brakes\",\"tyres\"]}";
    static struct corpus *corpus;
    struct span input = fuzz_input(bytes, length), line;
    double numbers[NUMBERS] = {0};
    struct buffer problem;

    if (corpus == NULL) {
        buffer_init(&problem, 256);
        corpus = corpus_new("corpus.json", span_of(json), &problem);
        must(corpus != NULL);
    }
    for (int i = 0; i < NUMBERS && fuzz_next(&input, "\n", &line); i++)
        numbers[i] = number_of(line);
    if (input.length > 2000 || !utf8_is_valid(input.bytes, input.length))
        return 0;
    check((int64_t)numbers[0] & 1 ? ASK_CHAT : ASK_TEXTBOOK,
          (enum gate_when)(((int64_t)numbers[1] & 0xff) % 3),
          (struct gate_facts){.has_selection = (int64_t)numbers[2] & 1,
                              .coverage = share(numbers[3]),
                              .max_score = numbers[4] < 0 ? -1 : share(numbers[4]),
                              .has_key_words = (int64_t)numbers[5] & 1,
                              .corpus = corpus,
                              .scope =
                                  (enum corpus_scope)(((int64_t)numbers[6] & 0xff) % 3),
                              .out_of_scope = input,
                              .is_unanswered = (int64_t)numbers[7] & 1,
                              .confidence = share(numbers[8]),
                              .unsupported = numbers[9] < 0 ? -1 : (int)numbers[9] % 64});
    return 0;
}
