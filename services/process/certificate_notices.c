#include "certificate_notices.h"

#include "clock.h"

#include <stdio.h>

#define HOUR_US   INT64_C(3600000000)
#define SOON_DAYS 14

bool certificate_open(const struct settings *settings, struct tls **ret_tls)
{
    struct certificate_problem problem;

    *ret_tls = NULL;
    if (*settings->tls_cert_file == '\0')
        return true;
    *ret_tls = tls_new(settings->tls_cert_file, settings->tls_key_file, &problem);
    if (*ret_tls == NULL)
        fprintf(stderr, "poise: bad settings\n%s\n", problem.text);
    return *ret_tls != NULL;
}

static void say(struct log *log, enum log_level level, const char *event,
                const struct certificate *certificate)
{
    struct log_line *line = log_begin(log, level, event);

    log_number(line, LOG_DAYS_LEFT, certificate_days_left(certificate));
    log_end(line);
}

void certificate_read_again(struct tls *tls, struct log *log)
{
    struct certificate_problem problem;
    struct certificate *certificate;
    struct log_line *line;

    if (tls == NULL)
        return;
    if (!tls_reload(tls, &problem)) {
        line = log_begin(log, LOG_ERROR, "certificate_kept");
        log_word(line, LOG_REASON, problem.reason);
        log_end(line);
        return;
    }
    certificate = tls_certificate(tls);
    say(log, LOG_INFO, "certificate_reloaded", certificate);
    certificate_unref(certificate);
}

void certificate_remind(struct tls *tls, struct log *log, int64_t *said_us)
{
    int64_t now_us = clock_monotonic_us();
    struct certificate *certificate;
    int64_t days;

    if (tls == NULL || (*said_us != 0 && now_us - *said_us < HOUR_US))
        return;
    *said_us = now_us;
    certificate = tls_certificate(tls);
    days = certificate_days_left(certificate);
    if (days < 0)
        say(log, LOG_ERROR, "certificate_expired", certificate);
    else if (certificate_not_before_s(certificate) > clock_wall_ms() / 1000)
        say(log, LOG_ERROR, "certificate_not_good_yet", certificate);
    else if (days < SOON_DAYS)
        say(log, LOG_WARNING, "certificate_expires_soon", certificate);
    certificate_unref(certificate);
}
