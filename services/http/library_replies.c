#include "library_replies.h"

#include "connection.h"
#include "request.h"

#include <dlfcn.h>
#include <string.h>

static struct id request_id_of(const struct connection *connection,
                               struct MHD_Connection *mhd);

queue_response_fn *library_replies_find_queue(void)
{
    void *symbol = dlsym(RTLD_NEXT, "MHD_queue_response");
    queue_response_fn *function = NULL;

    /* ISO C knows no cast from an object pointer to a function pointer; POSIX makes them
     * alike. */
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

/* Called by libmicrohttpd, never by us: see library_replies.h. */
enum MHD_Result MHD_queue_response(struct MHD_Connection *mhd, unsigned status,
                                   struct MHD_Response *response)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct connection *connection = info != NULL ? info->socket_context : NULL;
    bool is_too_large = status == MHD_HTTP_URI_TOO_LONG ||
                        status == MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;

    (void)response;
    if (connection != NULL && !connection->is_answered)
        request_refuse_unread(connection, request_id_of(connection, mhd),
                              is_too_large ? ERROR_HEADERS_TOO_LARGE : ERROR_BAD_REQUEST);
    return MHD_NO;
}

/* The id of the request under way; of one that never got as far, what its headers say. */
static struct id request_id_of(const struct connection *connection,
                               struct MHD_Connection *mhd)
{
    const char *value;
    struct id id;

    if (connection->request != NULL)
        return connection->request->request_id;
    value = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "X-Request-ID");
    if (value != NULL && id_parse(value, strlen(value), &id))
        return id;
    return id_random();
}
