/*
 * What all loops need to speak TLS: the certificate that new clients are shown, which may be
 * replaced while the service runs, and what both sides may agree on.
 *
 * TLS 1.3 and 1.2, with forward secrecy and authenticated encryption only (RFC 9325 4.2): no key
 * exchange by RSA, no CBC, no RC4 or 3DES.  HTTP/1.1 is what ALPN offers.  A client that comes back
 * may resume its session with a ticket, whose key is the process's own and is gone with it; there
 * is no early data, because it could be sent twice.
 */
#ifndef TLS_H
#define TLS_H

#include "certificate.h"

struct tls;

/* Borrows the paths.  NULL, with the problem, where the files are of no use. */
struct tls *tls_new(const char *certificate_file, const char *key_file,
                    struct certificate_problem *ret_problem);

/* Reads the files again.  Handshakes that begin from now on show the new certificate; those under
 * way, and connections, go on with theirs.  false, with the problem: the old one stays. */
bool tls_reload(struct tls *tls, struct certificate_problem *ret_problem);

/* The present certificate: a reference for the caller.  From any thread. */
struct certificate *tls_certificate(struct tls *tls);

/* Only when no connection is left.  NULL is fine. */
void tls_free(struct tls *tls);

#endif
