/* The scripted upstream's responses.  See upstream_reply.h. */
#include "upstream_reply.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Stand where the two numbers go, and are as wide as what replaces them. */
#define NUMBER_BLANK "#########"
#define HELD_BLANK   "@@@@@@@@@"
#define BLANK_DIGITS 9

static const char question[] =
    "Call " NUMBER_BLANK ", held=" HELD_BLANK
    "; thank you for walking me through that migration so concretely. Which part of it would you "
    "plan differently today, and how would you have noticed the risk before it reached your "
    "customers?";

static const char coaching[] =
    "{\"dimensions\":["
    "{\"label\":\"Clarity\",\"score\":4,\"tip\":\"You named the system and the deadline early; "
    "put the measured result into your first two sentences as well.\"},"
    "{\"label\":\"Relevance\",\"score\":4,\"tip\":\"The example fits the question; close by tying "
    "it to what this role would ask of you.\"},"
    "{\"label\":\"Structure\",\"score\":3,\"tip\":\"Situation and action are easy to follow, but "
    "say earlier which task was yours alone.\"},"
    "{\"label\":\"Filler Words\",\"score\":5,\"tip\":\"Hardly any fillers; the short pauses before "
    "figures work well, so keep them.\"}],"
    "\"summary_tip\":\"Lead with the outcome, name your own part, and finish with what you learnt "
    "and would repeat in the next team.\"}";

static const char session_body[] =
    "{\"data\":{\"session_id\":\"6f1d7a52-93c4-4b0e-8a27-5d2f0c9be113\",\"session_token\":"
    "\"c2NyaXB0ZWQtdXBzdHJlYW0tc2Vzc2lvbi10b2tlbi13aXRoLXRoZS11c3VhbC1sZW5ndGg\","
    "\"opening_prompt\":\"Welcome. Tell me about yourself.\"},\"error\":null,"
    "\"request_id\":\"0d9f7f3c-55a1-4a86-9b8e-2f6f1b7f7a10\"}";

static const char not_found_body[] = "{\"error\":{\"message\":\"no such path\"}}";

/* Appends `text` to the string in `out`, with the quotes that a JSON string needs
 * escaped. */
static void append_escaped(char *out, size_t room, const char *text)
{
    size_t used = strlen(out);
    for (; *text != '\0'; text++) {
        assert(used + 3 <= room);
        if (*text == '"')
            out[used++] = '\\';
        out[used++] = *text;
    }
    out[used] = '\0';
}

static void append(char *out, size_t room, const char *text)
{
    size_t used = strlen(out), length = strlen(text);
    assert(used + length < room);
    memcpy(out + used, text, length + 1);
}

static void build_completion_body(char *out, size_t room)
{
    out[0] = '\0';
    append(
        out, room,
        "{\"id\":\"chatcmpl-5b1f0c36-8f0e-4d1c-9c55-3e0f6a2d7b94\",\"object\":"
        "\"chat.completion\",\"created\":1767225600,\"model\":\"openai/gpt-oss-120b\","
        "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"");
    append_escaped(out, room, "{\"refused\": false, \"follow_up_question\": \"");
    append_escaped(out, room, question);
    append_escaped(out, room, "\", \"coaching_feedback\": ");
    append_escaped(out, room, coaching);
    append_escaped(out, room, "}");
    append(
        out, room,
        "\"},\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"queue_time\":0.0021,"
        "\"prompt_tokens\":1104,\"prompt_time\":0.0391,\"completion_tokens\":243,"
        "\"completion_time\":0.4862,\"total_tokens\":1347,\"total_time\":0.5253},"
        "\"system_fingerprint\":\"fp_44e53ff041\",\"service_tier\":\"on_demand\"}\n");
}

static void build_turn_body(char *out, size_t room)
{
    out[0] = '\0';
    append(out, room, "{\"data\":{\"transcript\":\"");
    for (int sentence = 0; sentence < 12; sentence++)
        append(
            out, room,
            "The answer comes back to the candidate, so the envelope is as long as with the "
            "service itself; this stands for it. ");
    append(out, room, "\",\"assistant_text\":\"");
    append(out, room, question);
    append(out, room, "\",\"tts_audio_url\":null,\"coaching_feedback\":");
    append(out, room, coaching);
    append(
        out, room,
        ",\"session_summary\":null,\"timings\":{\"upload_ms\":0,\"stt_ms\":0,\"safety_ms\":0,"
        "\"llm_ms\":500,\"tts_ms\":0,\"store_ms\":2,\"total_ms\":503},\"is_complete\":false,"
        "\"question_number\":1,\"total_questions\":10,\"coach\":\"groq\",\"warnings\":[]},"
        "\"error\":null,\"request_id\":\"0d9f7f3c-55a1-4a86-9b8e-2f6f1b7f7a10\"}");
}

static size_t find_blank(const struct upstream_reply *reply, const char *blank)
{
    const char *at = strstr(reply->bytes, blank);
    return at == NULL ? 0 : (size_t)(at - reply->bytes);
}

static void build(struct upstream_reply *reply, const char *status, const char *body)
{
    int written = snprintf(reply->bytes, sizeof reply->bytes,
                           "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                           "Content-Length: %zu\r\nConnection: keep-alive\r\n\r\n%s",
                           status, strlen(body), body);
    assert(written > 0 && (size_t)written < sizeof reply->bytes);
    reply->length = (size_t)written;
    reply->number_at = find_blank(reply, NUMBER_BLANK);
    reply->held_at = find_blank(reply, HELD_BLANK);
}

void upstream_replies_init(struct upstream_reply replies[UPSTREAM_REPLY_KINDS])
{
    char body[UPSTREAM_REPLY_MAX_BYTES];

    build_completion_body(body, sizeof body);
    build(&replies[UPSTREAM_REPLY_COMPLETION], "200 OK", body);
    build_turn_body(body, sizeof body);
    build(&replies[UPSTREAM_REPLY_TURN], "200 OK", body);
    build(&replies[UPSTREAM_REPLY_SESSION], "200 OK", session_body);
    build(&replies[UPSTREAM_REPLY_NOT_FOUND], "404 Not Found", not_found_body);
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t end_length = strlen(end);
    return length >= end_length &&
           memcmp(text + length - end_length, end, end_length) == 0;
}

enum upstream_reply_kind upstream_reply_kind_of(const char *target, size_t target_bytes)
{
    if (ends_with(target, target_bytes, "/chat/completions"))
        return UPSTREAM_REPLY_COMPLETION;
    if (ends_with(target, target_bytes, "/turn"))
        return UPSTREAM_REPLY_TURN;
    if (ends_with(target, target_bytes, "/session/start"))
        return UPSTREAM_REPLY_SESSION;
    return UPSTREAM_REPLY_NOT_FOUND;
}

static void fill_blank(char *out, uint64_t number)
{
    for (int place = BLANK_DIGITS - 1; place >= 0; place--, number /= 10)
        out[place] = (char)('0' + number % 10);
}

void upstream_reply_fill(struct upstream_reply *reply, unsigned number, int64_t held_us)
{
    if (reply->number_at != 0)
        fill_blank(reply->bytes + reply->number_at, number);
    if (reply->held_at != 0)
        fill_blank(reply->bytes + reply->held_at, (uint64_t)held_us);
}
