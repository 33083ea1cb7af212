/*
 * `poise coach`: the built-in coach on answers from a file, without a service.
 *
 *   poise coach --jsonl [FILE]   a line of JSON in for each answer, its judgement out, in order
 *   poise coach --corpus DIR     labelled answers, and a table of how far the coach agrees
 */
#include "coach_internal.h"
#include "command.h"

#include "lines_internal.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 8, MAX_LINE_BYTES = 1 << 24 };

const char coach_usage[] =
    "usage: poise coach --jsonl [FILE]\n"
    "       poise coach --corpus DIR\n"
    "\n"
    "--jsonl: lines of { \"id\", \"role\", \"interview_type\", \"question\", \"answer\" } in (standard\n"
    "input without FILE), a line of { \"id\", \"kind\", \"scores\", \"tips\" } out for each, as it comes.\n"
    "kind is answer, repeat or skip; scores is null where that is no answer, or in a language that\n"
    "the built-in coach does not read.\n"
    "--corpus: every .jsonl file of a directory, whose lines have labels as well (tests/corpus/coach/\n"
    "README.md), and a table of how far the coach agrees with them.\n"
    "\n"
    "Exit status: 0 every line was judged (with --corpus: and all figures are as good as wanted),\n"
    "1 a figure is not, 2 bad usage or input, 3 a line was no answer to judge.\n";

const char *const coach_dimension_keys[DIMENSION_COUNT] = {
    [DIMENSION_CLARITY] = "clarity",
    [DIMENSION_RELEVANCE] = "relevance",
    [DIMENSION_STRUCTURE] = "structure",
    [DIMENSION_FILLER_WORDS] = "filler_words",
};

static void write_judgement(struct json_writer *writer, const struct judgement *judgement)
{
    json_put_string(writer, "kind", answer_kind_name(judgement->kind));
    json_key(writer, "scores");
    if (judgement->is_scored) {
        json_begin_object(writer);
        for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
            json_put_integer(writer, coach_dimension_keys[dimension],
                             judgement->scores[dimension]);
        }
        json_end_object(writer);
    } else {
        json_null(writer);
    }
    json_put_object(writer, "tips");
    for (int dimension = 0; judgement->is_scored && dimension < DIMENSION_COUNT;
         dimension++) {
        json_put_string(writer, coach_dimension_keys[dimension],
                        judgement->tips[dimension]);
    }
    json_end_object(writer);
}

struct json_object *coach_line_parse(struct span line, struct coach_line *ret_line)
{
    struct json_object *object = line.length <= MAX_LINE_BYTES
                                     ? json_parse(line.bytes, line.length, MAX_DEPTH)
                                     : NULL;

    *ret_line = (struct coach_line){
        .role = json_member_string(object, "role"),
        .question = json_member_string(object, "question"),
        .answer = json_member_string(object, "answer"),
    };
    if (!json_object_is_type(object, json_type_object))
        ret_line->problem = "no JSON object";
    else if (ret_line->question.bytes == NULL)
        ret_line->problem = "no question";
    else if (ret_line->answer.bytes == NULL)
        ret_line->problem = "no answer";
    return object;
}

static bool judge_line(void *context, struct span bytes, struct buffer *out)
{
    struct coach_judge *judge = context;
    struct coach_line line;
    struct json_object *object = coach_line_parse(bytes, &line);
    struct judgement judgement;
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_begin_object(&writer);
    line_write_id(&writer, object);
    if (line.problem != NULL) {
        json_put_string(&writer, "error", line.problem);
    } else {
        coach_judge_answer(judge, line.role, line.question, line.answer, &judgement);
        write_judgement(&writer, &judgement);
        sodium_memzero(&judgement, sizeof(judgement));
    }
    json_end_object(&writer);
    buffer_append_char(out, '\n');
    json_wipe_and_put(object);
    return line.problem == NULL;
}

static int judge_file(const struct coach_judge *judge, const char *path)
{
    static const int statuses[] = {
        [LINES_GOOD] = COACH_GOOD,
        [LINES_SOME_BAD] = COACH_NO_ANSWER,
        [LINES_FAILED] = COACH_BAD_USAGE,
    };
    int file = input_open("coach", path);
    enum lines_outcome outcome;

    if (file < 0)
        return COACH_BAD_USAGE;
    outcome = lines_answer("coach", file, judge_line, (void *)judge);
    input_close(file);
    return statuses[outcome];
}

int command_coach(int argc, char **argv)
{
    struct coach_judge *judge;
    int status = COACH_BAD_USAGE;

    judge = coach_judge_new();
    if (argc >= 1 && argc <= 2 && strcmp(argv[0], "--jsonl") == 0 &&
        (argc == 1 || strncmp(argv[1], "--", 2) != 0))
        status = judge_file(judge, argc == 2 ? argv[1] : NULL);
    else if (argc == 2 && strcmp(argv[0], "--corpus") == 0)
        status = coach_corpus(judge, argv[1]);
    else
        fputs(coach_usage, stderr);
    coach_judge_free(judge);
    return status;
}
