/*
 * What a URL says of how safe the way to its server is.
 */
#include "url.h"

#include "span.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <string.h>

#define HOST_BYTES 64 /* of an address, or localhost: longer is neither */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool url_is_http(const char *url)
{
    const char *rest = starts_with(url, "https://")  ? url + 8
                       : starts_with(url, "http://") ? url + 7
                                                     : NULL;

    return rest != NULL && *rest != '\0' && *rest != '/' &&
           strpbrk(rest, " \t\r\n\"<>") == NULL;
}

/* Only the plain forms: not 127.1 or 0x7f000001, which some programs take for the same. */
static bool is_loopback_address(struct span host)
{
    char text[HOST_BYTES];
    struct in_addr four;
    struct in6_addr six;

    if (host.length >= sizeof(text))
        return false;
    memcpy(text, host.bytes, host.length);
    text[host.length] = '\0';
    if (inet_pton(AF_INET, text, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool is_port(struct span text)
{
    size_t digits = 0;

    while (digits < text.length && text.bytes[digits] >= '0' && text.bytes[digits] <= '9')
        digits++;
    return digits == text.length;
}

/* `host`, `host:port`, `[address]` or `[address]:port`; {NULL, 0}: none of these. */
static struct span host_of(struct span authority)
{
    bool has_brackets = authority.length > 0 && authority.bytes[0] == '[';
    const char *end = authority.bytes + authority.length;
    const char *stop =
        memchr(authority.bytes, has_brackets ? ']' : ':', authority.length);
    struct span host = {authority.bytes + has_brackets, 0};
    const char *rest;

    if (stop == NULL && has_brackets)
        return (struct span){NULL, 0};
    host.length = (size_t)((stop != NULL ? stop : end) - host.bytes);
    rest = stop != NULL ? stop + has_brackets : end;
    if (rest < end &&
        (*rest != ':' || !is_port((struct span){rest + 1, (size_t)(end - rest - 1)})))
        return (struct span){NULL, 0};
    return host;
}

static bool is_loopback(struct span authority)
{
    struct span host = host_of(authority);

    return host.bytes != NULL &&
           (span_equals_ignoring_case(host, "localhost") || is_loopback_address(host));
}

bool url_is_loopback_host(const char *host)
{
    return span_equals_ignoring_case(span_of(host), "localhost") ||
           is_loopback_address(span_of(host));
}

bool url_is_plain_loopback(const char *url)
{
    if (!starts_with(url, "http://"))
        return false;
    url += strlen("http://");
    return is_loopback((struct span){url, strcspn(url, "/?#")});
}

bool url_is_exposed(const char *url)
{
    return starts_with(url, "http://") && !url_is_plain_loopback(url);
}

/* The value of a parameter behind the "?"; the last one counts.  {NULL, 0}: not there. */
static struct span parameter(const char *url, const char *name)
{
    struct span found = {NULL, 0};
    size_t name_length = strlen(name);
    const char *at = strchr(url, '?');

    while (at != NULL) {
        at++;
        if (strncmp(at, name, name_length) == 0 && at[name_length] == '=') {
            at += name_length + 1;
            found = (struct span){at, strcspn(at, "&")};
        }
        at = strchr(at, '&');
    }
    return found;
}

/* One of `a,b:5432`: a socket in a directory is on this machine, and so is libpq's default. */
static bool are_all_local(struct span hosts)
{
    const char *end = hosts.bytes + hosts.length;

    for (const char *at = hosts.bytes; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        struct span host = {at, (size_t)((comma != NULL ? comma : end) - at)};
        bool is_socket =
            host.length > 0 && (*at == '/' || *at == '@' || starts_with(at, "%2F") ||
                                starts_with(at, "%2f"));

        if (host.length > 0 && !is_socket && !is_loopback(host))
            return false;
        at += host.length + 1;
    }
    return true;
}

/* What stands between the user, if there is one, and the path. */
static struct span hosts_of(const char *url)
{
    const char *start = strstr(url, "://");
    struct span authority = {url, 0};
    const char *user_end;

    if (start == NULL)
        return authority;
    authority.bytes = start + 3;
    authority.length = strcspn(authority.bytes, "/?#");
    user_end = memrchr(authority.bytes, '@', authority.length);
    if (user_end != NULL) {
        authority.length -= (size_t)(user_end + 1 - authority.bytes);
        authority.bytes = user_end + 1;
    }
    return authority;
}

bool url_postgres_is_exposed(const char *url)
{
    struct span mode = parameter(url, "sslmode");
    struct span address = parameter(url, "hostaddr");
    struct span host = parameter(url, "host");

    if (span_equals(mode, "require") || span_equals(mode, "verify-ca") ||
        span_equals(mode, "verify-full"))
        return false;
    if (address.bytes != NULL) /* goes before any name */
        return !are_all_local(address);
    return !are_all_local(host.bytes != NULL ? host : hosts_of(url));
}

void url_write_host(const char *url, char ret_host[URL_HOST_BYTES])
{
    struct span hosts = hosts_of(url);
    size_t length = 0;

    for (size_t at = 0; at < hosts.length && length < URL_HOST_BYTES - 1; at++)
        if (isalnum((unsigned char)hosts.bytes[at]) ||
            strchr("_.:-", hosts.bytes[at]) != NULL)
            ret_host[length++] = hosts.bytes[at];
    ret_host[length] = '\0';
}
