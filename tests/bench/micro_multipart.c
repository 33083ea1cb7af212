/* Parsing the body of one turn, as the app sends it, in one piece. */
#include "load_request.h"
#include "micro.h"
#include "multipart_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct form {
    char bytes[LOAD_REQUEST_MAX_BYTES]; /* the whole request; zeros behind it */
    struct span content_type;           /* borrowed from the bytes */
    struct span body;                   /* likewise */
    size_t seen_bytes;
};

static void on_begin(void *context, const struct multipart_part *part)
{
    (void)context;
    (void)part;
}

static void on_bytes(void *context, struct span bytes)
{
    struct form *form = context;
    form->seen_bytes += bytes.length;
}

static void on_end(void *context)
{
    (void)context;
}

void *micro_prepare(void)
{
    static const char name[] = "content-type: ";
    struct load_session session = load_session_fixed();
    struct form *form = calloc(1, sizeof *form);
    assert(form != NULL);

    size_t length = load_request_write_turn(&session, 1, form->bytes);
    const char *type = strstr(form->bytes, name) + sizeof name - 1;
    const char *body = strstr(form->bytes, "\r\n\r\n") + 4;
    form->content_type = (struct span){type, strcspn(type, "\r")};
    form->body = (struct span){body, length - (size_t)(body - form->bytes)};
    return form;
}

void micro_operation(void *state)
{
    static const struct multipart_events events = {on_begin, on_bytes, on_end};
    struct form *form = state;
    struct multipart multipart;
    struct span boundary = {0};
    bool is_form = multipart_boundary(form->content_type, &boundary);

    assert(is_form);
    multipart_init(&multipart, boundary, &events, form);
    enum multipart_problem problem = multipart_take(&multipart, form->body);
    assert(problem == MULTIPART_GOOD && multipart_finish(&multipart) == MULTIPART_GOOD);
}

void micro_finish(void *state)
{
    const struct form *form = state;
    assert(form->seen_bytes > 0);
    free(state);
}
