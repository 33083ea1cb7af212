/*
 * What the URLs of the settings say about the way to a server: is anything that is sent there
 * readable on the way?
 *
 * No name is looked up: only "localhost" is known to be this machine (RFC 6761 6.3; curl never
 * asks a resolver for it).
 */
#ifndef URL_H
#define URL_H

#include <stdbool.h>

/* http:// or https:// with a host, and nothing that cannot stand in a URL. */
bool url_is_http(const char *url);

/* http:// to this machine: localhost, 127.0.0.0/8 or [::1], with or without a port.  A URL with
 * anything else around its host, such as a user name, is not: two programs may read it in two
 * ways. */
bool url_is_plain_loopback(const char *url);

/* The same of HOST, which is an address or a name alone. */
bool url_is_loopback_host(const char *host);

/* http:// to anywhere else: keys and answers could be read on the way. */
bool url_is_exposed(const char *url);

/* The same of a PostgreSQL URL (libpq, "Connection URIs"): a host that is another machine, and an
 * sslmode that takes a connection without TLS.  The default, prefer, does. */
bool url_postgres_is_exposed(const char *url);

/* Host and port for a line of the log: without a user, a password, a path or a query, and
 * without the brackets of an IPv6 address. */
#define URL_HOST_BYTES 128
void url_write_host(const char *url, char ret_host[URL_HOST_BYTES]);

#endif
