/*
 * GET / and GET /web/{file}: the page, from the program itself; and GET /docs, the description of the
 * service for people.
 *
 * A client asks each time whether the page has changed (no-cache), and is told 304 where it
 * has not; it names its files by their bytes, so those are kept for ever: a new program never
 * meets parts of an old page.
 */
#include "request_internal.h"
#include "web_file_internal.h"

/* Nothing from elsewhere, nothing inline, no text that becomes markup (CSP level 3, and
 * Trusted Types: the one policy is for the workers' addresses).  What the coach says is played
 * from a blob: its request needs a header. */
#define PAGE_POLICY                                                                 \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "     \
    "media-src blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "                 \
    "require-trusted-types-for 'script'; trusted-types poise"

static void finish_page(struct request *request);
static void finish_docs(struct request *request);
static void finish_file(struct request *request);

const struct endpoint ENDPOINT_PAGE = {.finish = finish_page};
const struct endpoint ENDPOINT_DOCS = {.finish = finish_docs};
const struct endpoint ENDPOINT_PAGE_FILE = {.finish = finish_file};

/* For what a browser opens by itself; the files that it loads for it are bound by these. */
static void add_policies(struct response *response)
{
    response_header(response, "Content-Security-Policy", PAGE_POLICY);
    response_header(response, "Permissions-Policy",
                    "microphone=(self), camera=(), geolocation=()");
    response_header(response, "Referrer-Policy", "no-referrer");
    response_header(response, "Service-Worker-Allowed", "/");
}

static void add_headers(struct request *request, const struct web_file *file,
                        bool is_gzip, const struct entity_tag *tag)
{
    struct response *response = &request->response;
    struct envelope_reader reader = request_reader(request);

    response_header(response, "Content-Type", web_file_type(file));
    if (is_gzip)
        response_header(response, "Content-Encoding", "gzip");
    response_header(response, "Cache-Control",
                    web_file_is_named_by_its_bytes(file)
                        ? "public, max-age=31536000, immutable"
                        : "no-cache");
    response_header_copy(response, "ETag", span_of(tag->text));
    response_header(response, "Vary", "Accept-Encoding");
    envelope_cacheable_headers(response, &reader);
    if (web_file_is_on_its_own(file))
        add_policies(response);
}

static void send_file(struct request *request, const struct web_file *file)
{
    bool is_gzip = accept_takes_gzip(&request->headers.accept);
    struct entity_tag tag = web_file_tag(file, is_gzip);

    if (entity_tag_is_in(&tag, request->headers.if_none_match)) {
        response_init(&request->response, 304, 0);
    } else {
        response_init(&request->response, 200, 0);
        request->response.borrowed = web_file_body(file, is_gzip);
    }
    add_headers(request, file, is_gzip, &tag);
    request_answer_made(request);
}

static void finish_page(struct request *request)
{
    send_file(request, web_file_find(span_of("index.html")));
}

static void finish_docs(struct request *request)
{
    send_file(request, web_file_find(span_of("docs.html")));
}

static void finish_file(struct request *request)
{
    const struct web_file *file = web_file_find(request->match.parameter);

    if (file == NULL)
        request_fail(request, ERROR_NOT_FOUND);
    else
        send_file(request, file);
}
