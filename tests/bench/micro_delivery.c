/* Measuring how one answer was delivered: words and fillers of the load's answer. */
#include "delivery_internal.h"
#include "load_request.h"
#include "micro.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct state {
    struct filler_counter *counter;
    struct private_text answer;
};

/* The transcript is the form's last field: the end of the request, up to its boundary. */
void *micro_prepare(void)
{
    static char request[LOAD_REQUEST_MAX_BYTES];
    struct load_session session = load_session_fixed();
    struct state *state = malloc(sizeof *state);
    size_t length = load_request_write_turn(&session, 1, request);
    const char *at = memmem(request, length, "name=\"transcript\"", 17);

    assert(state != NULL && at != NULL);
    at = strstr(at, "\r\n\r\n") + 4;
    state->counter = filler_counter_new();
    state->answer = private_text_copy(at, (size_t)(strstr(at, "\r\n") - at));
    return state;
}

void micro_operation(void *context)
{
    struct state *state = context;
    struct answer_delivery delivery;

    delivery_measure(state->counter, &state->answer, SPOKEN_UNKNOWN, &delivery);
    assert(delivery.word_count > 100);
}

void micro_finish(void *context)
{
    struct state *state = context;

    filler_counter_free(state->counter);
    private_text_free(&state->answer);
    free(state);
}
