/*
 * Who asks, behind which proxies.
 */
#include "client_address_internal.h"

#include "mem.h"

#include <string.h>

#define FORWARDED_MOST 32 /* entries of X-Forwarded-For that are looked at */

struct network *client_trusted(const char *list, size_t *ret_count)
{
    struct network *networks = mem_zalloc((strlen(list) + 1) * sizeof(*networks));
    struct span entry;

    *ret_count = 0;
    while (settings_next_entry(&list, &entry))
        *ret_count += network_parse(entry, &networks[*ret_count]);
    return networks;
}

bool client_is_trusted(const struct server *server, const struct address *address)
{
    for (size_t i = 0; i < server->trusted_count; i++)
        if (network_has(&server->trusted[i], address))
            return true;
    return false;
}

/* What has not been looked at yet of X-Forwarded-For: a list, over one line or more. */
struct forwarded {
    const struct span *lines; /* borrowed from the request */
    size_t line_count;        /* the last of them ... */
    size_t end;               /* ... up to here */
};

static struct forwarded forwarded_of(const struct headers *headers)
{
    size_t count = headers->forwarded_count;

    return (struct forwarded){headers->forwarded_for, count,
                              count > 0 ? headers->forwarded_for[count - 1].length : 0};
}

/* The last entry; false: there is none. */
static bool take_entry(struct forwarded *rest, struct span *ret_entry)
{
    struct span list;
    size_t stop, from;

    while (rest->end == 0 && rest->line_count > 1)
        rest->end = rest->lines[--rest->line_count - 1].length;
    if (rest->end == 0)
        return false;
    list = rest->lines[rest->line_count - 1];
    stop = rest->end;
    for (from = stop; from > 0 && list.bytes[from - 1] != ',';)
        from--;
    rest->end = from > 0 ? from - 1 : 0;
    while (from < stop && (list.bytes[from] == ' ' || list.bytes[from] == '\t'))
        from++;
    while (stop > from && (list.bytes[stop - 1] == ' ' || list.bytes[stop - 1] == '\t'))
        stop--;
    *ret_entry = (struct span){list.bytes + from, stop - from};
    return true;
}

/* Each proxy adds who called it at the end; what stands before an address that is not
 * ours could be anybody's invention. */
struct address client_address(const struct request *request)
{
    const struct server *server = request->server;
    struct forwarded rest = forwarded_of(&request->headers);
    struct address client = {{0}}, named;
    struct span entry;

    if (!address_of_peer(request->connection->descriptor, &client))
        return client;
    for (int looked_at = 0;
         looked_at < FORWARDED_MOST && client_is_trusted(server, &client) &&
         take_entry(&rest, &entry);
         looked_at++) {
        if (!address_parse(entry, &named))
            break;
        client = named;
    }
    return address_of_client(&client);
}

struct digest client_digest(const struct request *request)
{
    struct address client = client_address(request);
    struct digest_state state;

    digest_begin(&state, &request->server->services->shared->client_key);
    digest_add_field(&state, client.bytes, sizeof(client.bytes));
    return digest_end(&state);
}
