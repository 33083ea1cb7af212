/*
 * One function for each row of tables/gates.def, in its order.  true: the question passes.  A function whose
 * refusal has words of its own writes them; POST /ask is told the gate's name, POST /v1/chat always the same
 * sentence.
 */
#include "gates_internal.h"

#include <math.h>
#include <stdio.h>

#define REASON_BYTES  256
#define MESSAGE_BYTES 65536 /* title and topics are the corpus's, however many */

static const char chat_message[] =
    "This information cannot be verified from the book content.";
static const char empty_message[] =
    "I can only answer questions from the textbook content. This topic doesn't appear to "
    "be covered in the course materials.";
static const char insufficient_message[] =
    "I found some related content, but not enough to provide a confident answer. Please "
    "try rephrasing your question or selecting specific text from the chapter.";
static const char selection_message[] =
    "The selected text doesn't contain enough information to answer your question. Please "
    "select a different section or ask without selected text to search the full textbook.";

/* Digits behind the point, cut and not rounded: 0.698 is not told to be below 0.70. */
static void write_score(struct buffer *out, double score)
{
    char text[32];

    snprintf(text, sizeof(text), "%.2f", score > 0 ? floor(score * 100 + 1e-6) / 100 : 0);
    buffer_append_string(out, text);
}

/* "What (0.62) below threshold (0.7)" */
static void write_below(struct buffer *reason, const char *what, double score,
                        double threshold)
{
    char text[64];

    buffer_append_string(reason, what);
    buffer_append_string(reason, " (");
    write_score(reason, score);
    snprintf(text, sizeof(text), ") below threshold (%g)", threshold);
    buffer_append_string(reason, text);
}

static bool judge_SELECTED_TEXT(const struct gate_facts *facts, double threshold,
                                struct gate_ruling *ruling)
{
    buffer_append_string(&ruling->message, selection_message);
    return facts->coverage >= threshold;
}

static bool judge_EMPTY_RETRIEVAL(const struct gate_facts *facts, double threshold,
                                  struct gate_ruling *ruling)
{
    struct buffer *message = &ruling->message;

    buffer_append_string(message, empty_message);
    if (facts->scope == CORPUS_OUT_OF_SCOPE) {
        buffer_append_string(message, " If you're looking for information on ");
        buffer_append(message, facts->out_of_scope.bytes, facts->out_of_scope.length);
        if (facts->left_out != NULL) {
            buffer_append_string(message, " (");
            buffer_append_string(message, facts->left_out);
            buffer_append_string(message, ")");
        }
        buffer_append_string(message, ", this may be outside the scope of the ");
        buffer_append_string(message, corpus_title(facts->corpus));
        buffer_append_string(message, " course.");
    }
    return facts->max_score >= threshold;
}

static bool judge_INSUFFICIENT_CONTEXT(const struct gate_facts *facts, double threshold,
                                       struct gate_ruling *ruling)
{
    buffer_append_string(&ruling->message, insufficient_message);
    return facts->max_score >= threshold;
}

/* A question that no verdict could be reached about is not answered. */
static bool judge_OUT_OF_SCOPE(const struct gate_facts *facts, double threshold,
                               struct gate_ruling *ruling)
{
    struct buffer *message = &ruling->message;

    (void)threshold;
    buffer_append_string(message, "This topic is outside the scope of this course. The ");
    buffer_append_string(message, corpus_title(facts->corpus));
    buffer_append_string(message, " covers: ");
    buffer_append_string(message, corpus_topics(facts->corpus));
    buffer_append_string(message, ". For ");
    if (facts->scope == CORPUS_OUT_OF_SCOPE)
        buffer_append(message, facts->out_of_scope.bytes, facts->out_of_scope.length);
    else
        buffer_append_string(message, "this topic");
    buffer_append_string(message, ", please refer to specialized resources.");
    return facts->scope == CORPUS_IN_SCOPE;
}

static bool judge_UNANSWERED(const struct gate_facts *facts, double threshold,
                             struct gate_ruling *ruling)
{
    (void)threshold;
    buffer_append_string(&ruling->reason, facts->has_selection
                                              ? gate_name(GATE_SELECTED_TEXT)
                                              : gate_name(GATE_INSUFFICIENT_CONTEXT));
    buffer_append_string(&ruling->message,
                         facts->has_selection ? selection_message : insufficient_message);
    return !facts->is_unanswered;
}

/* POST /ask has one reason for an answer that the passages do not carry, whoever noticed. */
static bool judge_UNSUPPORTED(const struct gate_facts *facts, double threshold,
                              struct gate_ruling *ruling)
{
    judge_UNANSWERED(facts, threshold, ruling);
    return facts->unsupported < 0;
}

static bool judge_CHAT_SELECTED_TEXT(const struct gate_facts *facts, double threshold,
                                     struct gate_ruling *ruling)
{
    write_below(&ruling->reason, "Selected text coverage", facts->coverage, threshold);
    return facts->coverage >= threshold;
}

static bool judge_TOP_SIMILARITY(const struct gate_facts *facts, double threshold,
                                 struct gate_ruling *ruling)
{
    write_below(&ruling->reason, "Top-1 similarity", facts->max_score, threshold);
    return facts->max_score >= threshold;
}

static bool judge_KEY_WORDS(const struct gate_facts *facts, double threshold,
                            struct gate_ruling *ruling)
{
    (void)threshold;
    (void)ruling;
    return facts->has_key_words;
}

static bool judge_CONFIDENCE(const struct gate_facts *facts, double threshold,
                             struct gate_ruling *ruling)
{
    if (facts->is_unanswered)
        buffer_append_string(&ruling->reason, "The passages do not carry an answer");
    else
        write_below(&ruling->reason, "Generation confidence", facts->confidence,
                    threshold);
    return !facts->is_unanswered && facts->confidence >= threshold;
}

static bool judge_SUPPORT(const struct gate_facts *facts, double threshold,
                          struct gate_ruling *ruling)
{
    (void)threshold;
    buffer_append_string(&ruling->reason, "Sentence ");
    buffer_append_number(&ruling->reason, facts->unsupported + 1);
    buffer_append_string(&ruling->reason,
                         " of the answer is not supported by the passages that it cites");
    return facts->unsupported < 0;
}

/* A gate's row. */
struct row {
    enum ask_surface surface;
    enum gate_when when;
    bool is_warning;
    enum warning warning;
    bool (*judge)(const struct gate_facts *facts, double threshold,
                  struct gate_ruling *ruling);
};

static const struct row rows[GATE_COUNT] = {
#define WARNING_OF_REFUSE(symbol) .is_warning = false
#define WARNING_OF_WARN(symbol)   .is_warning = true, .warning = WARNING_##symbol
#define GATE(symbol, its_surface, its_when, name, threshold, outcome) \
    [GATE_##symbol] = {.surface = ASK_##its_surface,                  \
                       .when = GATE_WHEN_##its_when,                  \
                       .judge = judge_##symbol,                       \
                       WARNING_OF_##outcome(symbol)},
#include "gates.def"
};

static double threshold_of(enum gate gate, const struct settings *settings)
{
    /* What a row may name. */
    const struct {
        double NONE, ground_related_score, ground_answer_score, ground_selection_coverage,
            ground_confidence;
    } known = {
        .ground_related_score = settings->ground_related_score,
        .ground_answer_score = settings->ground_answer_score,
        .ground_selection_coverage = settings->ground_selection_coverage,
        .ground_confidence = settings->ground_confidence,
    };
    const double thresholds[GATE_COUNT] = {
#define GATE(symbol, its_surface, its_when, name, threshold, outcome) \
    [GATE_##symbol] = known.threshold,
#include "gates.def"
    };

    return thresholds[gate];
}

void gate_ruling_init(struct gate_ruling *ruling)
{
    *ruling = (struct gate_ruling){.refused_by = GATE_COUNT};
    buffer_init(&ruling->reason, REASON_BYTES);
    buffer_init(&ruling->message, MESSAGE_BYTES);
}

void gate_ruling_done(struct gate_ruling *ruling)
{
    buffer_done(&ruling->reason);
    buffer_done(&ruling->message);
}

static void refuse(enum gate gate, struct gate_ruling *ruling)
{
    ruling->refused_by = gate;
    if (ruling->reason.length == 0)
        buffer_append_string(&ruling->reason, gate_name(gate));
    if (ruling->message.length == 0)
        buffer_append_string(&ruling->message, chat_message);
}

void gates_ask(enum ask_surface surface, enum gate_when when,
               const struct settings *settings, const struct gate_facts *facts,
               struct gate_ruling *ruling)
{
    for (enum gate gate = 0; gate < GATE_COUNT; gate++) {
        const struct row *row = &rows[gate];

        if (row->surface != surface || row->when != when)
            continue;
        buffer_clear(&ruling->reason);
        buffer_clear(&ruling->message);
        if (row->judge(facts, threshold_of(gate, settings), ruling))
            continue;
        if (!row->is_warning) {
            refuse(gate, ruling);
            return;
        }
        ruling->warnings[ruling->warning_count++] = row->warning;
    }
}
