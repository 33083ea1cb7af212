/*
 * The prompts: whatever a client chose or a person said, the user message is one JSON object that holds
 * it, the system message has it nowhere but in the JSON of the facts at its end, and the first words that a
 * candidate hears are a text.
 *
 * The input is an answer, a role, a kind of interview and the question, with lines of "----" between
 * them; the first byte chooses the task.
 */
#include "fuzz.h"
#include "json.h"
#include "private_reveal.h"
#include "prompt.h"
#include "utf8.h"

enum { ANSWER, ROLE, TYPE, QUESTION, PARTS };

static enum coach_task task_of(unsigned choice)
{
    static const enum coach_task tasks[] = {COACH_NEXT_QUESTION, COACH_CLOSING,
                                            COACH_SUMMARY};

    return tasks[choice % 3];
}

static struct coach_ask ask_for(const struct private_text *parts, unsigned choice,
                                const struct coach_turn *turn)
{
    return (struct coach_ask){
        .task = task_of(choice),
        .facts = {.role = &parts[ROLE],
                  .interview_type = &parts[TYPE],
                  .difficulty = (enum difficulty)(choice / 4 % 3),
                  .question_number = 1,
                  .total_questions = 2,
                  .question = &parts[QUESTION],
                  .asked_questions = &parts[QUESTION],
                  .asked_count = 1,
                  .transcript = &parts[ANSWER],
                  .turns = turn,
                  .turn_count = 1},
    };
}

/* What is not the same for everybody is the JSON of the facts, and nothing else. */
static void check_system(struct span system, const struct private_text *parts)
{
    struct json_object *facts = json_parse(system.bytes, system.length, 4);

    must(facts != NULL);
    must(fuzz_same(json_member_string(facts, "role"), private_reveal(&parts[ROLE])));
    must(fuzz_same(json_member_string(facts, "question_just_answered"),
                   private_reveal(&parts[QUESTION])));
    json_object_put(facts);
}

static void check(const struct private_text *parts, unsigned choice)
{
    struct coach_turn turn = {.question = &parts[QUESTION],
                              .transcript = &parts[ANSWER],
                              .is_scored = choice & 64,
                              .scores = {1, 2, 4, 5}};
    struct coach_ask ask = ask_for(parts, choice, &turn);
    struct json_object *user, *schema;
    struct span text;

    prompt_write(&ask);
    text = private_reveal(&ask.user);
    user = json_parse(text.bytes, text.length, 8);
    must(json_object_is_type(user, json_type_object));
    json_object_put(user);
    schema = json_parse(ask.schema, strlen(ask.schema), 32);
    must(schema != NULL && *ask.schema_name != '\0');
    json_object_put(schema);
    text = private_reveal(&ask.system);
    must(utf8_is_valid(text.bytes, text.length));
    if (ask.task != COACH_SUMMARY)
        check_system(text, parts);
    private_text_free(&ask.system);
    private_text_free(&ask.user);
}

static void check_opening(const struct private_text *parts)
{
    struct private_text opening =
        prompt_opening(&parts[ROLE], &parts[TYPE], &parts[QUESTION]);
    struct span text = private_reveal(&opening),
                question = private_reveal(&parts[QUESTION]);

    must(utf8_is_valid(text.bytes, text.length));
    must(text.length > question.length &&
         fuzz_same(question, (struct span){text.bytes + text.length - question.length,
                                           question.length}));
    private_text_free(&opening);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length);
    unsigned choice = fuzz_choice(&input);
    struct private_text parts[PARTS];

    if (!utf8_is_valid(input.bytes, input.length))
        return 0;
    for (int i = 0; i < PARTS; i++) {
        struct span part = {"", 0};

        fuzz_next(&input, FUZZ_LINE, &part);
        parts[i] = private_text_copy(part.bytes, part.length);
    }
    check(parts, choice);
    check_opening(parts);
    for (int i = 0; i < PARTS; i++)
        private_text_free(&parts[i]);
    return 0;
}
