/*
 * What GnuTLS needs of a certificate, for the files that talk TLS.
 */
#ifndef CERTIFICATE_INTERNAL_H
#define CERTIFICATE_INTERNAL_H

#include "certificate.h"

#include <gnutls/gnutls.h>

/* Borrowed: as good as the reference. */
gnutls_certificate_credentials_t certificate_credentials(
    const struct certificate *certificate);

#endif
