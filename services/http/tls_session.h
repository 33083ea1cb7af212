/*
 * A session of TLS on one connection, as GnuTLS knows it.
 */
#ifndef TLS_SESSION_H
#define TLS_SESSION_H

#include "tls.h"

#include <gnutls/gnutls.h>

/* A session that has not begun, on a descriptor (borrowed), with a reference to the certificate
 * that it will show and must not outlive.  NULL: no room.  The caller ends it with
 * library_sessions_free(); `mark`, not NULL, is what gnutls_db_get_ptr() says of it. */
gnutls_session_t tls_session_new(struct tls *tls, int descriptor, void *mark,
                                 struct certificate **ret_certificate);

#endif
