/*
 * What a well-behaved provider writes: chat completion objects around the model's JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upstream.h"

static char *printed(struct json_object *json)
{
    char *text = strdup(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));

    json_object_put(json);
    if (!text)
        abort();
    return text;
}

static struct json_object *dimension(const char *label, int score, const char *tip)
{
    struct json_object *json = json_object_new_object();

    json_object_object_add(json, "label", json_object_new_string(label));
    json_object_object_add(json, "score", json_object_new_int(score));
    json_object_object_add(json, "tip", json_object_new_string(tip));
    return json;
}

static struct json_object *good_feedback(void)
{
    struct json_object *json = json_object_new_object();
    struct json_object *dimensions = json_object_new_array();

    json_object_array_add(
        dimensions, dimension("Clarity", 4, "Name the system " MODEL_CANARY " earlier."));
    json_object_array_add(dimensions,
                          dimension("Relevance", 3, "Tie it to the question."));
    json_object_array_add(dimensions, dimension("Structure", 5, "Keep this order."));
    json_object_array_add(dimensions, dimension("Filler Words", 4, "Pause instead."));
    json_object_object_add(json, "dimensions", dimensions);
    json_object_object_add(json, "summary_tip",
                           json_object_new_string("Say what changed because of you."));
    return json;
}

char *good_reply(const char *question)
{
    struct json_object *json = json_object_new_object();

    json_object_object_add(json, "refused", json_object_new_boolean(false));
    json_object_object_add(json, "follow_up_question", json_object_new_string(question));
    json_object_object_add(json, "coaching_feedback", good_feedback());
    return printed(json);
}

static struct json_object *one_string(const char *text)
{
    struct json_object *json = json_object_new_array();

    json_object_array_add(json, json_object_new_string(text));
    return json;
}

char *good_summary(void)
{
    struct json_object *json = json_object_new_object();

    json_object_object_add(json, "overall_assessment",
                           json_object_new_string("A steady interview " MODEL_CANARY
                                                  " with clear examples."));
    json_object_object_add(json, "strengths", one_string("Concrete examples."));
    json_object_object_add(json, "improvements", one_string("State results sooner."));
    json_object_object_add(json, "recommended_actions",
                           one_string("Practise two stories with numbers."));
    return printed(json);
}

char *completion(const char *content, const char *finish_reason)
{
    struct json_object *json = json_object_new_object();
    struct json_object *choices = json_object_new_array();
    struct json_object *choice = json_object_new_object();
    struct json_object *message = json_object_new_object();
    struct json_object *usage = json_object_new_object();

    json_object_object_add(usage, "prompt_tokens", json_object_new_int(PROMPT_TOKENS));
    json_object_object_add(usage, "completion_tokens",
                           json_object_new_int(COMPLETION_TOKENS));
    json_object_object_add(message, "role", json_object_new_string("assistant"));
    json_object_object_add(message, "content",
                           content ? json_object_new_string(content) : NULL);
    json_object_object_add(choice, "index", json_object_new_int(0));
    json_object_object_add(choice, "message", message);
    json_object_object_add(choice, "finish_reason",
                           json_object_new_string(finish_reason));
    json_object_array_add(choices, choice);
    json_object_object_add(json, "id", json_object_new_string("chatcmpl-1"));
    json_object_object_add(json, "object", json_object_new_string("chat.completion"));
    json_object_object_add(json, "created", json_object_new_int(1700000000));
    json_object_object_add(json, "model", json_object_new_string("openai/gpt-oss-120b"));
    json_object_object_add(json, "choices", choices);
    json_object_object_add(json, "usage", usage);
    return printed(json);
}

void upstream_will_say_then_stop(struct upstream *upstream, const char *content,
                                 const char *finish_reason)
{
    char *body = completion(content, finish_reason);

    upstream_will(upstream, (struct saying){.body = body});
    free(body);
}

void upstream_will_say(struct upstream *upstream, const char *content)
{
    upstream_will_say_then_stop(upstream, content, "stop");
}

void upstream_will_ask(struct upstream *upstream, const char *question)
{
    char *content = good_reply(question);

    upstream_will_say(upstream, content);
    free(content);
}

void upstream_will_refuse(struct upstream *upstream, const char *refusal)
{
    struct json_object *json = json_object_new_object();

    json_object_object_add(json, "refused", json_object_new_boolean(true));
    json_object_object_add(json, "follow_up_question",
                           refusal ? json_object_new_string(refusal) : NULL);
    json_object_object_add(json, "coaching_feedback", NULL);
    char *content = printed(json);
    upstream_will_say(upstream, content);
    free(content);
}

void upstream_will_give_summary(struct upstream *upstream)
{
    char *content = good_summary();
    char *body = completion(content, "stop");

    upstream_will_summarise(upstream, (struct saying){.body = body});
    free(body);
    free(content);
}
