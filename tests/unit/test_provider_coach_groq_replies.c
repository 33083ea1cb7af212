/*
 * What a Groq coach makes of replies: a table.
 */
#include "groq_world.h"

#include <criterion/criterion.h>

static const struct {
    enum scripted_action action;
    const char *bytes;
    enum error error;
    const char *text; /* with OK */
    bool is_cut_off;
    int64_t retry_after_s;
} replies[] = {
    /* what is understood */
    {HANG_UP, GOOD, OK, "{\"refused\":false}", false, -1},
    {HANG_UP, HEAD("200", "") COMPLETION("\"{\\\"refused\\\":fa\"", "length"), OK,
     "{\"refused\":fa", true, -1},
    {HANG_UP, HEAD("201", "") COMPLETION("\"plain words\"", "stop"), OK, "plain words",
     false, -1},
    {HANG_UP,
     HEAD(
         "200",
         "") "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I \\\"won't\\\".\"}}]}",
     OK,
     "{\"refused\":true,\"follow_up_question\":\"I \\\"won't\\\".\",\"coaching_feedback\":null}",
     false, -1},

    /* what says nothing */
    {HANG_UP, HEAD("200", "") COMPLETION("null", "stop"), ERROR_NULL_RESPONSE, "", false,
     -1},
    {HANG_UP, HEAD("200", "") "{\"choices\":[]}", ERROR_NULL_RESPONSE, "", false, -1},
    {HANG_UP, HEAD("200", "") "{\"choices\":{}}", ERROR_NULL_RESPONSE, "", false, -1},
    {HANG_UP, HEAD("200", "") "{\"choices\":[null]}", ERROR_NULL_RESPONSE, "", false, -1},
    {HANG_UP, HEAD("200", "") "{\"choices\":[{\"message\":3}]}", ERROR_NULL_RESPONSE, "",
     false, -1},
    {HANG_UP, HEAD("200", "") "{}", ERROR_NULL_RESPONSE, "", false, -1},
    {HANG_UP, HEAD("200", "") COMPLETION("\"\"", "stop"), ERROR_EMPTY_RESPONSE, "", false,
     -1},
    {HANG_UP, HEAD("200", "") COMPLETION("\" \\n\\u3000\\t\"", "stop"),
     ERROR_EMPTY_RESPONSE, "", false, -1},

    /* what is not understood */
    {HANG_UP, HEAD("200", "") "<html>", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("200", ""), ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("200", "") "[]", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("200", "") "\"text\"", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("200", "") "\xff\xfe", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("200", "") COMPLETION("[1]", "stop"), ERROR_LLM_PROVIDER_ERROR, "",
     false, -1},
    {HANG_UP, HEAD("200", "") FAILURE("whatever"), ERROR_LLM_PROVIDER_ERROR, "", false,
     -1},
    {HANG_UP, HEAD("302", "Location: /elsewhere\r\n"), ERROR_LLM_PROVIDER_ERROR, "",
     false, -1},
    {HANG_UP, HEAD("204", ""), ERROR_LLM_PROVIDER_ERROR, "", false, -1},

    /* the key, the model, the request */
    {HANG_UP, HEAD("401", "") FAILURE("invalid_api_key"), ERROR_LLM_AUTH_ERROR, "", false,
     -1},
    {HANG_UP, HEAD("403", "") "not even JSON", ERROR_LLM_AUTH_ERROR, "", false, -1},
    {HANG_UP, HEAD("402", ""), ERROR_LLM_AUTH_ERROR, "", false, -1},
    {HANG_UP, HEAD("404", "") FAILURE("model_not_found"), ERROR_LLM_MODEL_NOT_FOUND, "",
     false, -1},
    {HANG_UP, HEAD("404", ""), ERROR_LLM_MODEL_NOT_FOUND, "", false, -1},
    {HANG_UP, HEAD("400", "") FAILURE("model_decommissioned"), ERROR_LLM_MODEL_NOT_FOUND,
     "", false, -1},
    {HANG_UP, HEAD("400", ""), ERROR_LLM_BAD_REQUEST, "", false, -1},
    {HANG_UP, HEAD("413", "") FAILURE("rate_limit_exceeded"), ERROR_LLM_BAD_REQUEST, "",
     false, -1},
    {HANG_UP, HEAD("422", ""), ERROR_LLM_BAD_REQUEST, "", false, -1},

    /* the provider's policy */
    {HANG_UP, HEAD("200", "") COMPLETION("\"a part\"", "content_filter"),
     ERROR_LLM_CONTENT_FILTER, "", false, -1},
    {HANG_UP, HEAD("400", "") FAILURE("content_filter"), ERROR_LLM_CONTENT_FILTER, "",
     false, -1},

    /* the model's form */
    {HANG_UP,
     HEAD("400",
          "") "{\"error\":{\"code\":\"json_validate_failed\",\"failed_generation\":"
              "\"{\\\"refused\\\":false,\"}}",
     OK, "{\"refused\":false,", true, -1},
    {HANG_UP,
     HEAD(
         "400",
         "") "{\"error\":{\"code\":\"json_validate_failed\",\"failed_generation\":\"\"}}",
     ERROR_LLM_PROVIDER_ERROR, "", false, -1},

    /* too much, too slow, broken */
    {HANG_UP, HEAD("429", "Retry-After: 17\r\n") FAILURE("rate_limit_exceeded"),
     ERROR_LLM_RATE_LIMIT, "", false, 17},
    {HANG_UP, HEAD("429", ""), ERROR_LLM_RATE_LIMIT, "", false, -1},
    {HANG_UP, HEAD("498", "") FAILURE("capacity_exceeded"), ERROR_LLM_RATE_LIMIT, "",
     false, -1},
    {HANG_UP, HEAD("408", ""), ERROR_LLM_TIMEOUT, "", false, -1},
    {HANG_UP, HEAD("499", ""), ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("500", ""), ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("503", "Retry-After: 5\r\n"), ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, HEAD("504", ""), ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, "no HTTP at all", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {HANG_UP, "", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {RESET, "", ERROR_LLM_PROVIDER_ERROR, "", false, -1},
    {FLOOD,
     HEAD("200", "") "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     ERROR_LLM_PROVIDER_ERROR, "", false, -1},
};

Test(coach_groq, every_reply_has_its_error_or_its_text)
{
    for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
        struct scripted_reply script[] = {{PATH, replies[i].action, replies[i].bytes},
                                          {0}};
        struct world world;

        world_open(&world, script, "m");
        ask(&world);
        cr_expect_eq(world.error, replies[i].error, "%.120s: %d", replies[i].bytes,
                     world.error);
        cr_expect_eq(world.answer.is_cut_off, replies[i].is_cut_off, "%.120s",
                     replies[i].bytes);
        cr_expect_eq(world.answer.retry_after_s, replies[i].retry_after_s, "%.120s",
                     replies[i].bytes);
        cr_expect_str_eq(text_of(&world), replies[i].text != NULL ? replies[i].text : "");
        cr_expect_eq(world.server->requests, 1, "%.120s", replies[i].bytes);
        cr_expect_eq(meters_failures(&world.metrics), world.error != OK);
        cr_expect_eq(strstr(log_of(&world), "coach_failed") != NULL, world.error != OK);
        world_close(&world);
    }
}
