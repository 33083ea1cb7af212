/*
 * What the files of `poise doctor` share: doctor.c (the order of things, patterns, store,
 * study material), doctor_providers.c (the services asked over the network) and doctor_limits.c
 * (what the service is held to, and where it runs).
 */
#ifndef DOCTOR_INTERNAL_H
#define DOCTOR_INTERNAL_H

#include "call.h"
#include "errors.h"
#include "log.h"
#include "loop.h"
#include "metrics.h"
#include "provider.h"
#include "settings.h"

#include <stdbool.h>

/* One question that is answered by a loop, and what it takes to ask it. */
struct doctor_question {
    struct loop *loop;      /* owned, like the next two */
    struct call_pool *pool; /* connections of its own */
    struct log *log;        /* silent; for constructors that want one */
    enum error error;
    char why[160]; /* of a provider: what went wrong, in words; "": nobody knows */
    struct metrics metrics; /* required by constructors; not read */
};

void doctor_question_init(struct doctor_question *question);
void doctor_question_done(struct doctor_question *question);

/* What it lends to a provider. */
struct provider_tools doctor_tools(struct doctor_question *question,
                                   const struct settings *settings);

/* The answer; `context` is the question, whose loop stops. */
void doctor_on_answer(void *context, enum error error);

/* The same of a provider. */
void doctor_on_probed(void *context, enum error error, const struct probe_reply *reply);

/* One line: ok or FAIL; returns `is_good`. */
bool doctor_say(bool is_good, const char *what, const char *detail);
/* The same of a line for a terminal, whose end is taken off. */
bool doctor_say_line(bool is_good, const char *what, struct buffer *line);
void doctor_note(const char *what, const char *detail);

/* Each that may be asked, fallbacks too. */
bool doctor_check_coaches(const struct settings *settings);
bool doctor_check_ears(const struct settings *settings);
bool doctor_check_voice(const struct settings *settings);

bool doctor_check_proxies(const struct settings *settings);
void doctor_show_limits(const struct settings *settings);
void doctor_show_unit(const struct settings *settings);

#endif
