/*
 * What the gates are told of a question: the facts, gathered where there are things to be asked, so that the
 * gates themselves need nothing but numbers.
 */
#include "ask_internal.h"

#include "clock.h"
#include "mem.h"
#include "private_reveal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SELECTION_ID      "user-selection"
#define SELECTION_CHAPTER "Selected text"
#define TIME_BEHIND_MS    1500

/* Of a passage that is shown as a source, beside those that the answer was made from. */
#define SHOWN_SCORE_LEAST 0.1

int64_t ask_time_left_ms(const struct ask *ask, int64_t longest_ms)
{
    int64_t left_ms = (ask->deadline_us - clock_monotonic_us()) / 1000;

    return left_ms < longest_ms ? left_ms : longest_ms;
}

struct coach *ask_model(const struct ask *ask)
{
    struct coach *coach = ask->services->coaches->all[ask->coach_at];

    return coach->is_builtin ? NULL : coach;
}

int64_t ask_model_time_ms(const struct ask *ask)
{
    int64_t behind = (int64_t)(ask->services->coaches->count - ask->coach_at) - 1;
    int64_t most_ms = ask->services->settings->llm_timeout_s * 1000;
    int64_t left_ms = ask_time_left_ms(ask, INT64_MAX) - behind * TIME_BEHIND_MS;

    return left_ms < most_ms ? left_ms : most_ms;
}

bool ask_may_ask_elsewhere(struct ask *ask, enum error error)
{
    if (!fallback_helps(error) || ask->coach_at + 1 == ask->services->coaches->count)
        return false;
    ask->coach_at++;
    return true;
}

struct filter_verdict ask_screen(struct ask *ask, const struct private_text *text)
{
    struct filter_verdict passed = {.outcome = FILTER_PASS};
    struct span span = private_reveal(text);

    if (ask->services->filter == NULL || span.length == 0)
        return passed;
    return filter_check(ask->services->filter, span.bytes, span.length);
}

/* To the four digits that are shown, so that what is decided and what is shown agree. */
static void cut_scores(struct ask *ask)
{
    struct passages *found = &ask->retrieval.passages;

    for (size_t at = 0; at < found->count; at++)
        found->all[at].score = floor(found->all[at].score * 1e4 + 1e-6) / 1e4;
    ask->retrieval.coverage = floor(ask->retrieval.coverage * 1e4 + 1e-6) / 1e4;
}

const char *ask_quoted(const struct ask *ask, size_t passage)
{
    const char *text = ask->shown.all[passage].text;

    for (size_t at = 0; at < ask->generated.count; at++) {
        const struct generated_sentence *sentence = &ask->generated.sentences[at];
        struct span words = private_reveal(
            ask->generated.is_extractive ? &sentence->quoted : &sentence->text);
        const char *found = NULL;

        if ((sentence->cited >> passage & 1) != 0)
            found = memmem(text, strlen(text), words.bytes, words.length);
        if (found != NULL)
            return found;
    }
    return text;
}

static int by_order(const void *one, const void *other)
{
    int64_t first = ((const struct passage *)one)->order;
    int64_t second = ((const struct passage *)other)->order;

    return first < second ? -1 : first > second;
}

/* How many of the passages, the best of which come first, have at least that score, behind `from` in document
 * order. */
static size_t sort_best(struct passages *found, size_t from, double least)
{
    size_t count = from;

    while (count < found->count && found->all[count].score >= least)
        count++;
    if (count > from)
        qsort(found->all + from, count - from, sizeof(struct passage), by_order);
    return count;
}

/* POST /ask answers from what is good enough to answer from; POST /v1/chat, whose answers may lack confidence,
 * from all that has to do with the question.  A reader is shown what else was found. */
static void give_retrieved(struct ask *ask)
{
    const struct settings *settings = ask->services->settings;
    struct passages *found = &ask->retrieval.passages;
    double least = settings->ground_answer_score;

    if (ask->request.surface == ASK_CHAT && settings->ground_related_score < least)
        least = settings->ground_related_score;
    ask->given = (struct passages){found->all, sort_best(found, 0, least)};
    ask->shown = (struct passages){found->all,
                                   sort_best(found, ask->given.count, SHOWN_SCORE_LEAST)};
}

static void give_selection(struct ask *ask)
{
    struct span text = private_reveal(&ask->request.selection);

    ask->selected = (struct passage){
        .id = mem_copy_string(SELECTION_ID),
        .chapter = mem_copy_string(SELECTION_CHAPTER),
        .section = mem_copy_string(""),
        .page = -1,
        .text = mem_copy(text.bytes, text.length),
        .score = ask->retrieval.coverage,
    };
    ask->given = ask->shown = (struct passages){&ask->selected, 1};
}

/* A flag beside those of terms.h. */
#define KEY_WORD_FOUND (1u << 31)

static void find_key_words(struct terms_reader *reader, const char *text,
                           struct terms *question, struct terms *room)
{
    terms_read(reader, span_of(text), room);
    for (size_t at = 0; at < question->count; at++)
        for (size_t other = 0; other < room->count; other++)
            if (term_equals(question, &question->all[at], room, &room->all[other]))
                question->all[at].flags |= KEY_WORD_FOUND;
}

/* Does a word of the question that says something of its subject stand in a passage or above it, and each of its
 * names and numbers? */
static bool has_key_words(struct ask *ask)
{
    struct terms_reader *reader = thesaurus_reader(ask->services->thesaurus);
    struct terms question = {0}, passage = {0};
    bool is_found = false, is_missing = false;

    terms_read(reader, private_reveal(&ask->request.question), &question);
    for (size_t at = 0; at < ask->given.count; at++) {
        const struct passage *given = &ask->given.all[at];

        find_key_words(reader, given->text, &question, &passage);
        find_key_words(reader, given->section, &question, &passage);
        find_key_words(reader, given->chapter, &question, &passage);
    }
    for (size_t at = 0; at < question.count; at++) {
        uint32_t flags = question.all[at].flags;

        if ((flags & TERM_STOP) != 0)
            continue;
        is_found |= (flags & KEY_WORD_FOUND) != 0;
        is_missing |=
            (flags & (TERM_NAME | TERM_NUMBER)) != 0 && (flags & KEY_WORD_FOUND) == 0;
    }
    terms_done(&question);
    terms_done(&passage);
    return is_found && !is_missing;
}

void ask_judge_retrieval(struct ask *ask)
{
    struct retriever *retriever = ask->services->retriever;
    struct gate_facts *facts = &ask->facts;
    const struct passages *found = &ask->retrieval.passages;
    struct corpus *corpus;

    facts->unsupported = -1;
    facts->max_score = -1;
    cut_scores(ask);
    if (facts->has_selection) {
        facts->coverage = ask->retrieval.coverage;
        give_selection(ask);
        return;
    }
    if (found->count > 0)
        facts->max_score = found->all[0].score;
    give_retrieved(ask);
    facts->has_key_words = has_key_words(ask);
    corpus = retriever->corpus(retriever);
    facts->corpus = corpus;
    facts->scope = corpus_judge(corpus, private_reveal(&ask->request.question),
                                &facts->out_of_scope, &facts->left_out);
}

static bool cites_anything(const struct generated *generated)
{
    for (size_t at = 0; at < generated->count; at++)
        if (generated->sentences[at].cited != 0)
            return true;
    return false;
}

void ask_judge_generated(struct ask *ask)
{
    struct gate_facts *facts = &ask->facts;

    facts->corpus = NULL; /* another index may have taken its place */
    facts->is_unanswered = ask->generated.is_refused || !cites_anything(&ask->generated);
    facts->confidence =
        facts->is_unanswered
            ? 0
            : generated_confidence(&ask->generated, &ask->request.question, &ask->given,
                                   &facts->unsupported);
}
