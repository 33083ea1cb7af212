/*
 * The client's half of TLS, by OpenSSL: another implementation than the program's.
 *
 * A connection to a port of which secure_port() was told speaks TLS by itself (http.h), so that every
 * story can be played over it.
 */
#ifndef BLACKBOX_SECURE_H
#define BLACKBOX_SECURE_H

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "bytes.h"

/* From now on connections to this port speak TLS, or no longer. */
void secure_port(int port, bool speaks_tls);
bool secure_is_port(int port);

/* What a client insists on; what is 0 or NULL is left to OpenSSL. */
struct secure_wishes {
    int lowest, highest;  /* TLS1_2_VERSION ... */
    const char *ciphers;  /* of TLS 1.2 and before */
    const char *protocol; /* the one that ALPN offers */
    SSL_SESSION *session; /* to be resumed: borrowed */
};

struct secure;

/* A session on a connected descriptor (borrowed), not begun. */
struct secure *secure_new(int descriptor, const struct secure_wishes *wishes);

/* Says hello and waits until the server's answer is there, without reading it. */
void secure_say_hello(struct secure *secure);

/* Shakes hands, to the end; false where the server would not. */
bool secure_shake_hands(struct secure *secure);

/* As send(2) and recv(2). */
ssize_t secure_send(struct secure *secure, const void *data, size_t size);
ssize_t secure_receive(struct secure *secure, void *data, size_t room);

/* Is there anything to be received that is no part of TLS itself?  Does not wait. */
bool secure_has_news(struct secure *secure);

void secure_say_goodbye(struct secure *secure); /* close_notify */
bool secure_was_told_goodbye(const struct secure *secure);
void secure_free(struct secure *secure); /* says nothing; NULL is fine */

/* The common name in the certificate that the server showed, for the caller to free. */
char *secure_peer(const struct secure *secure);
SSL *secure_ssl(const struct secure *secure);

/* The bytes with which a client begins. */
struct bytes secure_hello(void);

/* A self-signed certificate of this name and its key, as PEM, for the caller to free; it was good
 * from a day before until so many days from now. */
struct key_pair {
    struct bytes certificate, key;
};
struct key_pair key_pair_make(const char *name, int days);
void key_pair_free(struct key_pair *pair);

#endif
