/*
 * The port's certificate, as the service starts, runs and is told to read it again, and what the
 * log says of it.
 */
#ifndef CERTIFICATE_NOTICES_H
#define CERTIFICATE_NOTICES_H

#include "log.h"
#include "settings.h"
#include "tls.h"

/* What TLS_CERT_FILE and TLS_KEY_FILE name, which are borrowed; NULL without them.  false, and said
 * on standard error as bad settings are, where they are of no use. */
bool certificate_open(const struct settings *settings, struct tls **ret_tls);

/* SIGHUP.  NULL is fine. */
void certificate_read_again(struct tls *tls, struct log *log);

/* For every sweep: says it in the log, now and then each hour, where the certificate has expired, is
 * not good yet, or expires within two weeks.  `*said_us`, 0 at first, is when it was said last.
 * NULL is fine. */
void certificate_remind(struct tls *tls, struct log *log, int64_t *said_us);

#endif
