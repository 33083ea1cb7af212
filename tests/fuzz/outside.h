/*
 * The world outside of a fuzz target: a loop on which every call is answered by the next part of the
 * input, and nothing is sent.
 *
 * The linker puts it in the place of call_start() and upstream_call() (--wrap), so that what is
 * held to the input is a provider's whole reading of a reply, ten thousand times a second.  How
 * calls fare on real sockets is for the unit and black-box tests, which script real servers.
 *
 * A part is a line with the HTTP status, and the size of the pieces for who wants them ("200 7"),
 * and then the body.  A status below 100 stands for a call_outcome.  Where no part is left the
 * server cannot be reached.
 */
#ifndef FUZZ_OUTSIDE_H
#define FUZZ_OUTSIDE_H

#include "call.h"
#include "fuzz.h"
#include "log.h"
#include "loop.h"
#include "metrics.h"
#include "settings.h"

/* Made once for all inputs of a target. */
struct outside {
    struct loop *loop;
    struct call_pool *pool; /* of which no call is made */
    struct log *log;        /* into nothing */
    struct metrics metrics; /* counted and never read */
    struct settings
        settings; /* the table's defaults, and these variables of the environment */
};

struct outside *outside_open(char *const *environment);

/* What the next calls are answered; borrowed until outside_run() has returned. */
void outside_answer(struct outside *outside, struct span input);

/* Runs until nothing is under way.  How many calls were made. */
unsigned outside_run(struct outside *outside);

#endif
