/*
 * `poise support --jsonl [FILE]`: the last gate of grounded answers alone, for people who tune it.
 *
 *   in   { "id", "question", "answer", "passages": [text, ...] }
 *   out  { "id", "supported": bool, "unsupported": [sentence, ...] }
 *
 * Other members are ignored.  The question may be left out; with it the answer may be phrased in its words.  A line
 * that is none of these is answered by { "id", "error" }.
 */
#include "support.h"
#include "command.h"

#include "json.h"
#include "lines_internal.h"

#include <stdio.h>
#include <string.h>

/* Exit statuses. */
enum { SUPPORT_GOOD = 0, SUPPORT_BAD_USAGE = 2, SUPPORT_NO_VERDICT = 3 };

#define MAX_DEPTH      16
#define MAX_PASSAGES   64
#define MAX_LINE_BYTES (1 << 24)

const char support_usage[] =
    "usage: poise support --jsonl [FILE]\n"
    "\n"
    "Lines of { \"id\", \"question\", \"answer\", \"passages\": [text] } in, a line of { \"id\",\n"
    "\"supported\", \"unsupported\": [sentence] } out for each.  Without FILE, standard input is\n"
    "read.  Exit status: 0 every line has its verdict, 2 bad usage or input, 3 a line was none.\n";

static bool judge_line(void *context, struct span line, struct buffer *out);

int command_support(int argc, char **argv)
{
    static const int statuses[] = {
        [LINES_GOOD] = SUPPORT_GOOD,
        [LINES_SOME_BAD] = SUPPORT_NO_VERDICT,
        [LINES_FAILED] = SUPPORT_BAD_USAGE,
    };
    struct support *support;
    enum lines_outcome outcome;
    int file;

    if (argc < 1 || argc > 2 || strcmp(argv[0], "--jsonl") != 0 ||
        (argc == 2 && strncmp(argv[1], "--", 2) == 0)) {
        fputs(support_usage, stderr);
        return SUPPORT_BAD_USAGE;
    }
    file = input_open("support", argc == 2 ? argv[1] : NULL);
    if (file < 0)
        return SUPPORT_BAD_USAGE;
    support = support_new();
    outcome = lines_answer("support", file, judge_line, support);
    support_free(support);
    input_close(file);
    return statuses[outcome];
}

/* NULL, or what is wrong with them. */
static const char *read_passages(struct json_object *object, struct span *passages,
                                 size_t *ret_count)
{
    struct json_object *list = json_member(object, "passages");

    if (!json_object_is_type(list, json_type_array))
        return "no passages";
    *ret_count = json_object_array_length(list);
    if (*ret_count > MAX_PASSAGES)
        return "more than 64 passages";
    for (size_t at = 0; at < *ret_count; at++) {
        struct json_object *passage = json_object_array_get_idx(list, at);

        if (!json_object_is_type(passage, json_type_string))
            return "a passage is no string";
        passages[at] = (struct span){json_object_get_string(passage),
                                     (size_t)json_object_get_string_len(passage)};
    }
    return NULL;
}

static void write_verdict(struct support *support, struct span answer, size_t count,
                          struct json_writer *writer)
{
    uint64_t all = count == MAX_PASSAGES ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    bool is_supported = true;
    struct span sentence;

    for (size_t offset = 0; support_next_sentence(support, answer, &offset, &sentence);)
        is_supported = is_supported && support_holds(support, sentence, all);
    json_put_boolean(writer, "supported", is_supported);
    json_put_array(writer, "unsupported");
    for (size_t offset = 0;
         !is_supported && support_next_sentence(support, answer, &offset, &sentence);)
        if (!support_holds(support, sentence, all))
            json_span(writer, sentence);
    json_end_array(writer);
}

static bool judge_line(void *context, struct span line, struct buffer *out)
{
    struct json_object *object = line.length <= MAX_LINE_BYTES
                                     ? json_parse(line.bytes, line.length, MAX_DEPTH)
                                     : NULL;
    struct span answer = json_member_string(object, "answer");
    struct span passages[MAX_PASSAGES];
    const char *problem = NULL;
    struct json_writer writer;
    size_t count = 0;

    if (!json_object_is_type(object, json_type_object))
        problem = "no JSON object";
    else if (answer.bytes == NULL)
        problem = "no answer";
    else
        problem = read_passages(object, passages, &count);

    json_writer_init(&writer, out);
    json_begin_object(&writer);
    line_write_id(&writer, object);
    if (problem != NULL) {
        json_put_string(&writer, "error", problem);
    } else {
        support_read(context, passages, count);
        support_asked(context, json_member_string(object, "question"));
        write_verdict(context, answer, count, &writer);
    }
    json_end_object(&writer);
    buffer_append_char(out, '\n');
    json_wipe_and_put(object);
    return problem == NULL;
}
