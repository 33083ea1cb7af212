/*
 * Which question about advert and CV comes next, and its words.
 *
 * Half of the demands are asked for at least, while there are questions enough: where that gets
 * tight a demand is due, before anything else.  Else demands, lines of the CV and questions of the
 * bank take turns by a hash of the seed.  How a demand is asked for depends on what its words are: a
 * duty, work, a trait, experience, a qualification, a quality, or another skill.
 */
#include "papers_internal.h"

#include "advert.h"
#include "coach_hash_internal.h"
#include "lexicon_internal.h"
#include "paper_internal.h"
#include "private_reveal.h"
#include "words.h"

#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { PURPOSE_TURN = 300, PURPOSE_DEMAND, PURPOSE_LINE, PURPOSE_WORDING };
enum { BANK_SHARE = 4 }; /* one question in so many is the bank's where nothing is due */

/* ---- what was asked for ---- */

size_t demand_stems(struct span demand, uint64_t ret_stems[ADVERT_DEMAND_WORDS])
{
    struct span word;
    size_t offset = 0, count = 0;

    while (count < ADVERT_DEMAND_WORDS && words_next(demand, &offset, &word))
        if ((word.length > 2 || isupper((unsigned char)*word.bytes) ||
             isdigit((unsigned char)*word.bytes)) &&
            !list_has(&paper_words.unshown, word) &&
            !list_has(&paper_words.trailing, word))
            ret_stems[count++] = lexicon_stem(word);
    return count;
}

/* How many of the stems are those of words of the text. */
static size_t count_common(const uint64_t *stems, size_t count, struct span text)
{
    bool is_found[ADVERT_DEMAND_WORDS] = {false};
    struct span word;
    size_t offset = 0, common = 0;

    while (words_next(text, &offset, &word)) {
        uint64_t stem = lexicon_stem(word);

        for (size_t i = 0; i < count; i++) {
            common += stem == stems[i] && !is_found[i];
            is_found[i] |= stem == stems[i];
        }
    }
    return common;
}

bool demand_stands_in(struct span demand, struct span advert)
{
    uint64_t stems[ADVERT_DEMAND_WORDS];
    size_t count = demand_stems(demand, stems);

    return 2 * count_common(stems, count, advert) >= count;
}

/* Two words of three that say what it is about, or all where there are fewer. */
bool demand_is_asked(struct span demand, struct span question)
{
    uint64_t stems[ADVERT_DEMAND_WORDS];
    size_t count = demand_stems(demand, stems), common;

    if (demand.length > 3 && memmem(question.bytes, question.length, demand.bytes + 1,
                                    demand.length - 1) != NULL)
        return true; /* its first letter may be small there */
    common = count_common(stems, count, question);
    return count > 0 && 3 * common >= 2 * count && (count < 3 || common > 1);
}

size_t demands_unasked(const struct coach_facts *facts, bool ret_unasked[])
{
    size_t left = 0;

    for (size_t i = 0; i < facts->demand_count; i++) {
        bool is_asked = false;

        for (size_t k = 0; k < facts->asked_count && !is_asked; k++)
            is_asked = demand_is_asked(private_reveal(&facts->demands[i]),
                                       private_reveal(&facts->asked_questions[k]));
        ret_unasked[i] = !is_asked;
        left += !is_asked;
    }
    return left;
}

bool papers_are_due(const struct coach_facts *facts)
{
    bool unasked[ADVERT_DEMANDS_MOST];
    size_t asked = facts->demand_count - demands_unasked(facts, unasked);
    size_t wanted = (facts->demand_count + 1) / 2;

    return asked < wanted &&
           wanted - asked + facts->asked_count >= facts->total_questions;
}

/* ---- wording ---- */

/* Where what stands behind the thing itself begins: "experience | with ...". */
static size_t head_end(const struct row *row)
{
    size_t end = 1;

    while (end < row->count && !list_has(&paper_words.linkers, row->tokens[end].core))
        end++;
    return end;
}

/* "Report writing", "Management skills": a thing, though it begins with a verb. */
static bool is_thing(const struct row *row)
{
    size_t end = head_end(row);

    return end > 1 && list_has(&paper_words.head_nouns, row->tokens[end - 1].core);
}

/* "reliable", "calm and patient", "able to ...", "good with people" */
static bool is_trait(const struct row *demand)
{
    struct span first = demand->tokens[0].core;
    struct row one = row_until(demand, 1);

    if (!list_has(&paper_words.adjectives, first) || is_thing(demand))
        return false;
    if (demand->count == 1 ||
        words_is_on("able willing prepared ready keen happy", first))
        return true;
    if (words_is_on("good strong excellent", first))
        return words_is_on("with at in under", demand->tokens[1].core);
    return row_ends_with(&one, ',') ||
           list_has(&paper_words.linkers, demand->tokens[1].core);
}

/* "safe administration of medicines": what is done, said as a thing. */
static bool is_deed(const struct row *demand)
{
    for (size_t at = 0; at < 3 && at + 1 < demand->count; at++) {
        struct span word = demand->tokens[at].core;
        uint64_t stem = lexicon_stem(word);

        if (!words_is_on("of", demand->tokens[at + 1].core) ||
            list_has(&paper_words.verbs, word) || list_has(&paper_words.head_nouns, word))
            continue;
        for (size_t i = 0; i < paper_words.verbs.count; i++)
            if (lexicon_stem(span_of(paper_words.verbs.items[i])) == stem)
                return true;
    }
    return false;
}

static bool is_work(const struct row *demand)
{
    if (is_thing(demand))
        return false;
    return is_gerund(demand->tokens[0].core) ||
           (demand->count > 2 && words_is_on("and", demand->tokens[1].core) &&
            list_has(&paper_words.nouns_ing, demand->tokens[0].core) &&
            is_gerund(demand->tokens[2].core));
}

/* "lead a team", "plan and book travel"; but "design of posters", "own car". */
static bool is_duty(const struct row *demand)
{
    struct span first = demand->tokens[0].core;

    if (!list_has(&paper_words.verbs, first) || demand->count < 2 || is_thing(demand) ||
        (demand->count == 2 && words_is_on("own", first)))
        return false;
    if (words_is_on("and or", demand->tokens[1].core))
        return demand->count > 2 && list_has(&paper_words.verbs, demand->tokens[2].core);
    return !words_is_on("of", demand->tokens[1].core);
}

/* The article that a single thing needs: "a", "an", "the"; "" where it has one, or needs none. */
static const char *article_for(const struct row *row)
{
    struct span first = row->tokens[0].core;
    bool is_named = first.length > 1 && isupper((unsigned char)first.bytes[1]);
    const char *vowels = is_named ? "AEFHILMNORSX" : "aeio";
    char letter = is_named ? *first.bytes : (char)tolower((unsigned char)*first.bytes);

    if (words_is_on("ability capacity", first))
        return "the ";
    if (words_is_on("a an the one two three four five your", first) ||
        isdigit((unsigned char)*first.bytes) ||
        !list_has(&paper_words.countable, row->tokens[head_end(row) - 1].core))
        return "";
    return strchr(vowels, letter) != NULL ? "an " : "a ";
}

static bool has_word_of(const struct row *row, const struct string_list *list)
{
    for (size_t i = 0; i < row->count; i++)
        if (list_has(list, row->tokens[i].core))
            return true;
    return false;
}

/* How a demand is asked for. */
struct wording {
    const struct string_list *list; /* NULL: not known yet */
    const char *article;
};

static void find_wording(const struct row *demand, struct wording *wording)
{
    if (is_trait(demand))
        wording->list = &paper_words.ask_trait;
    else if (is_work(demand) || is_deed(demand))
        wording->list = &paper_words.ask_work;
    else if (is_duty(demand))
        wording->list = &paper_words.ask_duty;
    if (wording->list != NULL)
        return;
    wording->article = article_for(demand);
    if (has_word_of(demand, &paper_words.qualification))
        wording->list = &paper_words.ask_qualification;
    else if (has_word_of(demand, &paper_words.experience))
        wording->list = &paper_words.ask_experience;
    else if (has_word_of(demand, &paper_words.quality))
        wording->list = &paper_words.ask_quality;
    else
        wording->list = &paper_words.ask_skill;
}

static void on_line(void *context, const struct paper_line *line)
{
    struct wording *wording = context;

    if (wording->list == NULL)
        find_wording(&line->row, wording);
}

static void write_line(const char *line, const char *article, const char *thing,
                       struct buffer *out)
{
    const char *open = strchr(line, '{'), *close = strchr(open, '}');

    buffer_append(out, line, (size_t)(open - line));
    buffer_append_string(out, article);
    buffer_append_string(out, thing);
    buffer_append_string(out, close + 1);
}

static void write_demand(struct span demand, uint64_t seed, struct buffer *out)
{
    struct wording wording = {NULL, ""};
    char phrase[PHRASE_BYTES];
    size_t length = demand.length < sizeof(phrase) ? demand.length : sizeof(phrase) - 1;

    while (length > 0 && strchr(" .;,!?", demand.bytes[length - 1]) != NULL)
        length--;
    memcpy(phrase, demand.bytes, length);
    phrase[length] = '\0';
    paper_read((struct span){phrase, length}, on_line, &wording);
    if (wording.list == NULL)
        wording.list = &paper_words.ask_skill;
    phrase_lower(phrase);
    write_line(
        wording.list->items[coach_choose(seed, PURPOSE_WORDING, wording.list->count)],
        wording.article, phrase, out);
    sodium_memzero(phrase, sizeof(phrase));
}

/* ---- the choice ---- */

static bool ask_demand(const struct coach_facts *facts, uint64_t seed, struct buffer *out)
{
    bool unasked[ADVERT_DEMANDS_MOST];
    size_t left = demands_unasked(facts, unasked), chosen;

    if (left == 0)
        return false;
    chosen = coach_choose(seed, PURPOSE_DEMAND, left);
    for (size_t i = 0; i < facts->demand_count; i++) {
        if (!unasked[i] || chosen-- > 0)
            continue;
        write_demand(private_reveal(&facts->demands[i]), seed, out);
        return true;
    }
    return false;
}

static bool is_line_asked(const struct coach_facts *facts, const char *line)
{
    for (size_t i = 0; i < facts->asked_count; i++) {
        struct span asked = private_reveal(&facts->asked_questions[i]);

        if (memmem(asked.bytes, asked.length, line, strlen(line)) != NULL)
            return true;
    }
    return false;
}

static bool ask_line(const struct coach_facts *facts, uint64_t seed, struct buffer *out)
{
    struct resume_lines lines;
    const struct string_list *list = &paper_words.ask_resume;
    size_t first;
    bool is_asked = true;

    if (facts->resume == NULL || private_text_is_empty(facts->resume))
        return false;
    resume_lines_read(private_reveal(facts->resume), &lines);
    first = lines.count > 0 ? coach_choose(seed, PURPOSE_LINE, lines.count) : 0;
    for (size_t i = 0; i < lines.count && is_asked; i++) {
        const char *line = lines.all[(first + i) % lines.count];

        is_asked = is_line_asked(facts, line);
        if (!is_asked)
            write_line(list->items[coach_choose(seed, PURPOSE_WORDING, list->count)], "",
                       line, out);
    }
    sodium_memzero(&lines, sizeof(lines));
    return !is_asked;
}

bool papers_ask(const struct coach_facts *facts, uint64_t seed, struct buffer *out)
{
    size_t turn = coach_choose(seed, PURPOSE_TURN + 100 * facts->asked_count, BANK_SHARE);
    bool is_first = facts->asked_count == 0;

    if (papers_are_due(facts) || (is_first && facts->demand_count > 0))
        return ask_demand(facts, seed, out);
    if (turn == 0 && !is_first)
        return false;
    if (turn == 1 || facts->demand_count == 0)
        return ask_line(facts, seed, out) || ask_demand(facts, seed, out);
    return ask_demand(facts, seed, out) || ask_line(facts, seed, out);
}
