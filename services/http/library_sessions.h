/*
 * libmicrohttpd's TLS, with sessions of ours.
 *
 * libmicrohttpd 0.9.75 can speak TLS, but four things of it fall short here.  It polls a handshake
 * that waits for the client without a pause (the connection stays on its list of ready ones); it
 * gives a client that has said hello and nothing more as much memory as one with a request; a
 * handshake that fails ends without an alert; and it frees the session before it tells of a
 * connection's end, so that no last word could be said.  So the handshake is ours (greeting.h), and
 * libmicrohttpd is lent a session in which it is done.
 *
 * There is no option for that, but libmicrohttpd calls GnuTLS through the dynamic linker, and a
 * definition in the program takes the place of the library's (ld.so(8), symbol interposition; so do
 * library_replies.h).  Three functions are ours: gnutls_init() gives out the session that is lent,
 * gnutls_handshake() finds it done, gnutls_deinit() leaves it to us.  For any other session they
 * are GnuTLS's own.  libmicrohttpd's sends and receives go to GnuTLS directly.
 */
#ifndef LIBRARY_SESSIONS_H
#define LIBRARY_SESSIONS_H

#include <gnutls/gnutls.h>

/* The next session that libmicrohttpd asks for on this thread, borrowed; NULL takes it back. Only
 * for sessions with a mark (tls_session.h). */
void library_sessions_lend(gnutls_session_t session);

/* GnuTLS's own functions. */
int library_sessions_handshake(gnutls_session_t session);
void library_sessions_free(gnutls_session_t session);

#endif
