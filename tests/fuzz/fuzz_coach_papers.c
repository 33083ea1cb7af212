/*
 * Adverts and CVs, masked and read: what is masked once stays as it is, demands and lines keep their
 * bounds and are valid text, none is what nobody may be asked about, each can be asked for, and what is
 * found in an answer stands there.
 *
 * The input is an advert or a CV, and an answer, with a line of "----" between them.
 */
#include "advert.h"
#include "fuzz.h"
#include "mask.h"
#include "papers_internal.h"
#include "private_reveal.h"
#include "utf8.h"
#include "words.h"

static struct private_text masked(struct span text)
{
    struct buffer out;

    buffer_init(&out, 8 * text.length + 64);
    mask_contacts(text, &out);
    must(!out.is_over);
    return private_text_take(&out);
}

static void check_demands(const struct private_text *demands, size_t count,
                          const struct private_text *answer)
{
    struct span transcript = private_reveal(answer);

    for (size_t i = 0; i < count; i++) {
        struct span demand = private_reveal(&demands[i]);
        struct coach_facts facts = {
            .demands = &demands[i], .demand_count = 1, .total_questions = 1};
        struct coach_turn turn = {.question = &demands[i], .transcript = answer};
        struct demand_shown shown = demand_find_shown(demand, &turn, 1);
        struct buffer question;

        must(demand.length > 0 && utf8_is_valid(demand.bytes, demand.length));
        must(words_count(demand) <= ADVERT_DEMAND_WORDS && demand_is_fit(demand));
        buffer_init(&question, 4096);
        must(papers_ask(&facts, i, &question) && !question.is_over);
        must(utf8_is_valid(question.bytes, question.length));
        buffer_done(&question);
        must(shown.number == 0 || (shown.quote.bytes >= transcript.bytes &&
                                   shown.quote.bytes + shown.quote.length <=
                                       transcript.bytes + transcript.length));
    }
}

static void check_resume(struct span resume)
{
    struct resume_lines lines;

    resume_lines_read(resume, &lines);
    for (size_t i = 0; i < lines.count; i++)
        must(utf8_is_valid(lines.all[i], strlen(lines.all[i])));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), paper = {"", 0}, answer = {"", 0};
    struct private_text once, twice, said, demands[ADVERT_DEMANDS_MOST];
    size_t count;

    fuzz_next(&input, FUZZ_LINE, &paper);
    fuzz_next(&input, FUZZ_LINE, &answer);
    if (!utf8_is_valid(paper.bytes, paper.length) ||
        !utf8_is_valid(answer.bytes, answer.length))
        return 0;
    once = masked(paper);
    twice = masked(private_reveal(&once));
    said = private_text_copy(answer.bytes, answer.length);
    must(private_text_is_valid(&once));
    count = advert_demands(private_reveal(&once), demands);
    must(count <= ADVERT_DEMANDS_MOST);
    check_demands(demands, count, &said);
    check_resume(private_reveal(&once));
    for (size_t i = 0; i < count; i++)
        private_text_free(&demands[i]);
    private_text_free(&once);
    private_text_free(&twice);
    private_text_free(&said);
    return 0;
}
