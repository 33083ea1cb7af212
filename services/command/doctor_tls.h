/*
 * What doctor says of the certificate and of the ways to providers.
 */
#ifndef DOCTOR_TLS_H
#define DOCTOR_TLS_H

#include "settings.h"

/* Says "ok" or "FAIL", of what, and a detail; returns is_good. */
bool doctor_check_certificate(const struct settings *settings);

/* Notes, which are no failures: what travels unencrypted over a network. */
void doctor_note_exposed(const struct settings *settings);

#endif
