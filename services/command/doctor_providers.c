/*
 * The providers: is each there, does it take our key, does it have the model?
 */
#include "doctor_internal.h"

#include "coach_builtin.h"
#include "coach_groq.h"
#include "fallbacks.h"
#include "speaker.h"

#include <stdio.h>
#include <string.h>

/* "coach", "coach, fallback 1", ... */
static const char *name_of(char room[48], const char *what, size_t at)
{
    if (at == 0)
        return what;
    snprintf(room, 48, "%s, fallback %zu", what, at);
    return room;
}

/* What the operator can do about it. */
static const char *advice(enum error error, bool is_own_server)
{
    switch (error) {
    case ERROR_LLM_AUTH_ERROR:
        return is_own_server ? "the server refuses LLM_FALLBACK_API_KEY"
                             : "the server refuses GROQ_API_KEY";
    case ERROR_LLM_MODEL_NOT_FOUND: return "the server does not have this model";
    case ERROR_LLM_TIMEOUT: return "no reply in time";
    case ERROR_LLM_RATE_LIMIT: return "the server's rate limit is reached";
    default: return "no good reply"; /* the others need no advice of their own */
    }
}

static bool check_coach(struct doctor_question *question, const struct settings *settings,
                        const char *what, bool is_own_server)
{
    char detail[320];

    coach_groq_probe_start(settings, question->pool, doctor_on_answer, question);
    loop_run(question->loop);
    if (question->error == OK)
        snprintf(detail, sizeof(detail), "%.120s at %.120s", settings->llm_model,
                 settings->groq_base_url);
    else
        snprintf(detail, sizeof(detail), "%s: %s (%.120s at %.120s)",
                 error_info(question->error)->code,
                 advice(question->error, is_own_server), settings->llm_model,
                 settings->groq_base_url);
    return doctor_say(question->error == OK, what, detail);
}

bool doctor_check_coaches(const struct settings *settings)
{
    struct doctor_question question;
    struct coaches coaches;
    bool is_good = true;
    char room[48];

    doctor_question_init(&question);
    coaches_init(&coaches, settings, question.loop, question.pool, question.log,
                 &question.metrics, coach_builtin_new);
    for (size_t i = 0; i < coaches.count; i++) {
        const struct settings *own =
            coaches.variants[i] != NULL ? coaches.variants[i] : settings;
        const char *what = name_of(room, "coach", i);

        if (coaches.all[i]->url == NULL)
            doctor_say(true, what, "builtin, no key and no network needed");
        else
            is_good &=
                check_coach(&question, own, what,
                            strcmp(own->groq_base_url, settings->groq_base_url) != 0);
    }
    coaches_done(&coaches);
    doctor_question_done(&question);
    return is_good;
}

/* Of a provider of speech. */
static bool say_speech(const char *what, const char *name, enum error error)
{
    char detail[160];

    if (error == OK)
        return doctor_say(true, what, name);
    snprintf(detail, sizeof(detail), "%s: %s", name, error_info(error)->code);
    return doctor_say(false, what, detail);
}

bool doctor_check_ears(const struct settings *settings)
{
    struct doctor_question question;
    struct transcribers ears;
    bool is_good = true;
    char room[48];

    doctor_question_init(&question);
    transcribers_init(&ears, settings, question.pool, question.log, &question.metrics);
    if (ears.count == 0)
        doctor_say(true, "ears",
                   "none: answers come as text, recordings are turned away");
    for (size_t i = 0; i < ears.count; i++) {
        ears.all[i]->probe(ears.all[i], doctor_on_answer, &question);
        loop_run(question.loop);
        is_good &=
            say_speech(name_of(room, "ears", i), ears.all[i]->name, question.error);
    }
    transcribers_done(&ears);
    doctor_question_done(&question);
    return is_good;
}

bool doctor_check_voice(const struct settings *settings)
{
    struct doctor_question question;
    struct speaker *speaker;
    bool is_good;

    doctor_question_init(&question);
    speaker = speaker_new(settings, question.loop, question.pool, question.log,
                          &question.metrics);
    if (speaker == NULL) {
        is_good = doctor_say(true, "voice", "none: replies are not spoken");
    } else {
        speaker->probe(speaker, doctor_on_answer, &question);
        loop_run(question.loop);
        is_good = say_speech("voice", speaker->name, question.error);
        speaker_free(speaker);
    }
    doctor_question_done(&question);
    return is_good;
}
