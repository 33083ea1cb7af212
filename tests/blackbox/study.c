#include "study.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char GRIPPERS[] =
    "# Grippers\n\n"
    "A gripper is the hand of a robot.\n\n"
    "## Speed\n\n" ANSWER_WORDS
    ". It takes 45 milliseconds to close again. The fingers are "
    "covered with silicone, so that glass does not slip.\n\n"
    "## Payload\n\n"
    "The Kestrel gripper lifts 2 kilograms of flour. Nobody has broken one so far.\n";
static const char LIDARS[] =
    "# Lidars\n\n"
    "The Marlin lidar turns ten times a second. It reaches forty metres in sunshine and "
    "sixty at night. Rain scatters its laser.\n";
static const char WHEELS[] =
    "# Wheels\n\n"
    "The supplier does the PID tuning of the wheel controller before delivery. Each wheel "
    "has a rubber tyre.\n";
static const char OWN_JSON[] =
    "{\"title\":\"Small Robots\",\"topics\":[\"grippers\",\"lidars\",\"wheels\"],"
    "\"out_of_scope\":[{\"topic\":\"control theory\",\"pattern\":\"\\\\bPID tuning\\\\b\"}]}";

static void write_file(const char *directory, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/corpus/%s", directory, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

static struct study study_begin(const char *corpus_json)
{
    struct study study = {.directory = directory_make()};
    char path[512];

    snprintf(path, sizeof path, "%s/corpus", study.directory);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(study.setting, sizeof study.setting, "CORPUS_INDEX=%s/index",
             study.directory);
    write_file(study.directory, "corpus.json", corpus_json ? corpus_json : OWN_JSON);
    return study;
}

static void study_index(struct study *study)
{
    struct run run = run_program(
        study->directory, ARGUMENTS("index", "corpus", "--into", "index"), SETTINGS());

    cr_assert_eq(run.status, 0, "%s", run.output.data);
    bytes_free(&run.output);
}

struct study study_make(const char *corpus_json)
{
    struct study study = study_begin(corpus_json);

    write_file(study.directory, "grippers.md", GRIPPERS);
    write_file(study.directory, "lidars.md", LIDARS);
    write_file(study.directory, "wheels.md", WHEELS);
    study_index(&study);
    return study;
}

struct study study_of(const char *document, const char *corpus_json)
{
    struct study study = study_begin(corpus_json);

    write_file(study.directory, "document.md", document);
    write_file(study.directory, "lidars.md", LIDARS);
    write_file(study.directory, "wheels.md", WHEELS);
    study_index(&study);
    return study;
}

void study_remove(struct study *study)
{
    directory_remove(study->directory);
    free(study->directory);
}

const char *json_body(struct world *world, const char *const *members)
{
    struct json_object *object = json_object_new_object();
    char *text;

    for (size_t at = 0; members[at] != NULL; at += 2)
        if (members[at + 1] != NULL)
            json_object_object_add(object, members[at],
                                   json_object_new_string(members[at + 1]));
    text = strdup(json_object_to_json_string(object));
    json_object_put(object);
    return world_keep(world, text, free);
}

const struct reply *post(struct world *world, const char *path, const char *body)
{
    return ask(world, (struct request){.method = "POST",
                                       .path = path,
                                       .content_type = "application/json",
                                       .body = body});
}

const struct reply *ask_textbook(struct world *world, const char *question)
{
    return post(world, "/ask", json_body(world, MEMBERS("question", question)));
}

const struct reply *ask_selection(struct world *world, const char *question,
                                  const char *selection)
{
    return post(
        world, "/ask",
        json_body(world, MEMBERS("question", question, "selected_text", selection)));
}

const struct reply *ask_chat(struct world *world, const char *question)
{
    return post(world, "/v1/chat",
                json_body(world, MEMBERS("query", question, "mode", "book-wide")));
}

const struct reply *chat_selection(struct world *world, const char *question,
                                   const char *selection)
{
    return post(world, "/v1/chat",
                json_body(world, MEMBERS("query", question, "mode", "selected-text",
                                         "context", selection)));
}

const char *answering_passage(struct world *world, const struct study *study)
{
    struct run run = run_program(world->directory, ARGUMENTS("ask", ANSWERABLE, "--json"),
                                 SETTINGS("SAFETY_ENABLED=false", study->setting));
    struct json_object *data = json_tokener_parse(run.output.data);
    struct json_object *sources = json_at(data, "sources");
    char *id = NULL;

    for (size_t at = 0; sources != NULL && at < json_object_array_length(sources); at++) {
        struct json_object *source = json_object_array_get_idx(sources, at);

        if (strstr(json_object_get_string(json_at(source, "snippet")), ANSWER_WORDS))
            id = strdup(json_object_get_string(json_at(source, "passage_id")));
    }
    cr_assert_not_null(id, "poise ask did not answer: %s", run.output.data);
    json_object_put(data);
    bytes_free(&run.output);
    return world_keep(world, id, free);
}

void model_will_answer(struct world *world, double confidence, const char *const *parts)
{
    struct json_object *answer = json_object_new_object();
    struct json_object *sentences = json_object_new_array();

    json_object_object_add(answer, "answered", json_object_new_boolean(true));
    json_object_object_add(answer, "confidence", json_object_new_double(confidence));
    json_object_object_add(answer, "sentences", sentences);
    for (size_t at = 0; parts[at] != NULL; at += 2) {
        struct json_object *sentence = json_object_new_object();
        struct json_object *citations = json_object_new_array();

        json_object_array_add(citations, json_object_new_string(parts[at + 1]));
        json_object_object_add(sentence, "text", json_object_new_string(parts[at]));
        json_object_object_add(sentence, "citations", citations);
        json_object_array_add(sentences, sentence);
    }
    upstream_will_say(world->upstream, json_object_to_json_string(answer));
    json_object_put(answer);
}

void model_will_find_nothing(struct world *world)
{
    upstream_will_say(world->upstream,
                      "{\"answered\":false,\"confidence\":0,\"sentences\":[]}");
}

void expect_refused(const struct reply *reply, const char *reason, const char *message)
{
    expect_success(reply);
    expect_flag(reply, "data.was_refusal", true);
    expect_text(reply, "data.refusal_reason", reason);
    expect_text(reply, "data.answer", message);
    cr_assert_eq(length_at(reply, "data.sources"), 0);
    expect_null(reply, "data.generator");
}

void expect_content_refused(const struct reply *reply, const char *source)
{
    bool is_filter = strcmp(source, "filter") == 0;

    cr_assert_eq(reply->status, 422, "%s", reply->body.data);
    expect_envelope(reply);
    expect_text(reply, "error.code", "content_refused");
    expect_text(reply, "error.stage", "llm");
    expect_flag(reply, "error.retryable", false);
    expect_header(reply, "X-Stage", "llm");
    expect_text(reply, "error.message_safe",
                is_filter
                    ? "Your question couldn't be processed. Please rephrase it."
                    : "This question couldn't be answered. Please try another one.");
    expect_text(reply, "error.details.source", source);
    cr_assert_eq(json_has(reply->json, "error.details.category"), is_filter);
    cr_assert_eq(json_has(reply->json, "error.details.ruleset"), is_filter);
}

static void put_json(void *json)
{
    json_object_put(json);
}

struct json_object *json_of(struct world *world, const char *text)
{
    struct json_object *json = json_tokener_parse(text);

    cr_assert_not_null(json, "no JSON: %s", text);
    return world_keep(world, json, put_json);
}

void expect_chat_refused(const struct reply *reply, const char *reason)
{
    expect_success(reply);
    expect_flag(reply, "data.refused", true);
    expect_text(reply, "data.answer",
                "This information cannot be verified from the book content.");
    cr_assert_not_null(strstr(text_at(reply, "data.refusal_reason"), reason), "%s",
                       text_at(reply, "data.refusal_reason"));
    cr_assert_eq(length_at(reply, "data.sources"), 0);
}

const char *refusals_of(struct world *world, const char *setting,
                        const char *const *arguments)
{
    struct run run = run_program(world->directory, arguments,
                                 SETTINGS(store_place_setting(world->store), setting));

    cr_assert_eq(run.status, 0, "%s", run.output.data);
    if (run.output.data == NULL)
        bytes_add_text(&run.output, "");
    return world_keep(world, run.output.data, free);
}
