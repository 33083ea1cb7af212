/*
 * The providers: is each there, does it take our key, does it have the model?
 */
#include "doctor_internal.h"

#include "coach_builtin.h"
#include "fallbacks.h"
#include "speaker.h"

#include <stdio.h>

/* A word of the log as people write it. */
static const char *words_of(char room[64], const char *word)
{
    snprintf(room, 64, "%s", word);
    for (char *at = room; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at;
    return room;
}

/* "coach", "coach, fallback 1", ... */
static const char *name_of(char room[48], const char *what, size_t at)
{
    if (at == 0)
        return what;
    snprintf(room, 48, "%s, fallback %zu", what, at);
    return room;
}

/* What the operator can do about it. */
static const char *advice(enum error error)
{
    switch (error) {
    case ERROR_LLM_AUTH_ERROR: return "the server refuses ";
    case ERROR_LLM_MODEL_NOT_FOUND: return "the server does not have this model";
    case ERROR_LLM_TIMEOUT: return "no reply in time";
    case ERROR_LLM_RATE_LIMIT: return "the server's rate limit is reached";
    default: return "no good reply"; /* the others need no advice of their own */
    }
}

/* "127.0.0.1:9: connection refused", "api.example: status 503, its request id req_1", ... */
void doctor_on_probed(void *context, enum error error, const struct probe_reply *reply)
{
    struct doctor_question *question = context;
    const struct call_answer *answer = reply != NULL ? reply->answer : NULL;
    char room[64];

    *question->why = '\0';
    if (answer != NULL && answer->outcome == CALL_ANSWERED)
        snprintf(question->why, sizeof(question->why), "%s: status %ld%s%s", reply->host,
                 answer->status, *answer->server_id != '\0' ? ", its request id " : "",
                 answer->server_id);
    else if (answer != NULL && answer->reason != NULL)
        snprintf(question->why, sizeof(question->why), "%s: %s", reply->host,
                 words_of(room, answer->reason));
    doctor_on_answer(context, error);
}

static bool check_coach(struct doctor_question *question, struct coach *coach,
                        const char *what)
{
    char detail[512];

    if (coach->is_builtin)
        return doctor_say(true, what, "builtin, no key and no network needed");
    coach->probe(coach, doctor_on_probed, question);
    loop_run(question->loop);
    if (question->error == OK)
        snprintf(detail, sizeof(detail), "%.120s at %.120s", coach->model, coach->url);
    else
        snprintf(detail, sizeof(detail), "%s: %s%s (%.120s at %.120s); %s",
                 error_info(question->error)->code, advice(question->error),
                 question->error == ERROR_LLM_AUTH_ERROR ? coach->key_setting : "",
                 coach->model, coach->url, question->why);
    return doctor_say(question->error == OK, what, detail);
}

struct provider_tools doctor_tools(struct doctor_question *question,
                                   const struct settings *settings)
{
    return (struct provider_tools){settings, question->pool, question->log,
                                   &question->metrics, NULL};
}

bool doctor_check_coaches(const struct settings *settings)
{
    struct doctor_question question;
    struct provider_tools tools;
    struct coaches coaches;
    bool is_good = true;
    char room[48];

    doctor_question_init(&question);
    tools = doctor_tools(&question, settings);
    coaches_init(&coaches, &tools, coach_builtin_new);
    for (size_t i = 0; i < coaches.count; i++)
        is_good &= check_coach(&question, coaches.all[i], name_of(room, "coach", i));
    coaches_done(&coaches);
    doctor_question_done(&question);
    return is_good;
}

/* Of a provider of speech. */
static bool say_speech(const char *what, const char *name,
                       const struct doctor_question *question)
{
    char detail[320];

    if (question->error == OK)
        return doctor_say(true, what, name);
    snprintf(detail, sizeof(detail), "%s: %s%s%s", name,
             error_info(question->error)->code, *question->why != '\0' ? ": " : "",
             question->why);
    return doctor_say(false, what, detail);
}

bool doctor_check_ears(const struct settings *settings)
{
    struct doctor_question question;
    struct provider_tools tools;
    struct transcribers ears;
    bool is_good = true;
    char room[48];

    doctor_question_init(&question);
    tools = doctor_tools(&question, settings);
    transcribers_init(&ears, &tools);
    if (ears.count == 0)
        doctor_say(true, "ears",
                   "none: answers come as text, recordings are turned away");
    for (size_t i = 0; i < ears.count; i++) {
        ears.all[i]->probe(ears.all[i], doctor_on_probed, &question);
        loop_run(question.loop);
        is_good &= say_speech(name_of(room, "ears", i), ears.all[i]->name, &question);
    }
    transcribers_done(&ears);
    doctor_question_done(&question);
    return is_good;
}

bool doctor_check_voice(const struct settings *settings)
{
    struct doctor_question question;
    struct provider_tools tools;
    struct speaker *speaker;
    bool is_good;

    doctor_question_init(&question);
    tools = doctor_tools(&question, settings);
    speaker = speaker_new(&tools);
    if (speaker == NULL) {
        is_good = doctor_say(true, "voice", "none: replies are not spoken");
    } else {
        speaker->probe(speaker, doctor_on_probed, &question);
        loop_run(question.loop);
        is_good = say_speech("voice", speaker->name, &question);
        speaker_free(speaker);
    }
    doctor_question_done(&question);
    return is_good;
}
