/*
 * GET /openapi.json: the description of the service (openapi.json beside this file),
 * compiled in.
 */
#include "endpoints.h"
#include "openapi.h"

static void finish(struct request *request);

const struct endpoint ENDPOINT_OPENAPI = {.finish = finish};

static void finish(struct request *request)
{
    struct buffer text;

    openapi_write(&text);
    request_answer_raw(request, "application/json", &text);
}
