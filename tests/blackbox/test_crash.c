/*
 * kill -9 at random moments of 200 turns: every acknowledged turn is there once, and no
 * other.
 *
 * Twenty people answer ten questions each, eight turns at a time.  A generator with a
 * fixed seed chooses when the program dies: after so many replies, right after answers
 * were sent, while the model thinks, or as soon as one of several replies is there.
 * Everyone then sends again what was not answered, as the app does.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(crash, .timeout = 200);

enum { PEOPLE = 20, QUESTIONS = 10, AT_ONCE = 8 };

struct person {
    struct session session;
    int acknowledged; /* turns answered with success */
    const char
        *questions[QUESTIONS + 1]; /* as they were told; the first by the opening */
    struct connection *turn;       /* under way, or NULL */
};

struct crowd {
    struct world *world;
    struct person people[PEOPLE];
    unsigned random; /* state of the generator */
    int lives;
};

static unsigned next_random(struct crowd *crowd, unsigned below)
{
    crowd->random = crowd->random * 1103515245u + 12345u;
    return (crowd->random >> 16) % below;
}

static void send_next_answer(struct crowd *crowd, struct person *person)
{
    int number = person->acknowledged + 1;

    person->turn = begin_answer(
        crowd->world, &person->session,
        words(crowd->world, "Answer %d of %s " CANARY, number, person->session.id));
}

/* Takes in a reply; none when the program died first, or died with a turn of this person's
 * and is still held to be at it, as in PostgreSQL for five seconds. */
static bool take_reply(struct crowd *crowd, struct person *person)
{
    const struct reply *reply = receive(crowd->world, person->turn, "POST");

    connection_close(person->turn);
    person->turn = NULL;
    if (!reply)
        return false;
    if (store_is_postgres() && reply->status == 409) {
        expect_error(reply, ERROR_TURN_IN_PROGRESS);
        poll(NULL, 0, 20); /* not all of them all the time */
        return false;
    }
    expect_success(reply);
    expect_number(reply, "data.question_number", ++person->acknowledged);
    person->questions[person->acknowledged] = text_at(reply, "data.assistant_text");
    return true;
}

static bool is_done(const struct crowd *crowd)
{
    for (int i = 0; i < PEOPLE; i++) {
        if (crowd->people[i].acknowledged < QUESTIONS)
            return false;
    }
    return true;
}

/* Up to AT_ONCE people who have not finished send their next answer. */
static int send_answers(struct crowd *crowd)
{
    int under_way = 0;

    for (int i = 0; i < PEOPLE; i++)
        under_way += crowd->people[i].turn != NULL;
    for (int i = 0; i < PEOPLE && under_way < AT_ONCE; i++) {
        struct person *person = &crowd->people[(unsigned)(i + crowd->lives) % PEOPLE];
        if (!person->turn && person->acknowledged < QUESTIONS) {
            send_next_answer(crowd, person);
            under_way++;
        }
    }
    return under_way;
}

/* Waits for whichever reply comes first and takes it in. */
static void take_one_reply(struct crowd *crowd)
{
    struct pollfd wanted[PEOPLE];

    for (int i = 0; i < PEOPLE; i++)
        wanted[i] = (struct pollfd){
            .fd =
                crowd->people[i].turn ? connection_descriptor(crowd->people[i].turn) : -1,
            .events = POLLIN};
    cr_assert(poll(wanted, PEOPLE, LONGEST_WAIT_S * 1000) > 0);
    for (int i = 0; i < PEOPLE; i++) {
        if (wanted[i].revents != 0) {
            take_reply(crowd, &crowd->people[i]);
            return;
        }
    }
}

/* One life of the program, up to its death or the end of all interviews. */
static void live_and_die(struct crowd *crowd)
{
    unsigned replies = 1 + next_random(crowd, 24);
    unsigned manner = next_random(crowd, 3);

    while (replies-- > 0 && send_answers(crowd) > 0)
        take_one_reply(crowd);
    if (is_done(crowd))
        return;
    if (manner == 0)
        upstream_hold(crowd->world->upstream);
    if (send_answers(crowd) > 0 && manner == 1)
        take_one_reply(crowd);
    world_kill(crowd->world);
    upstream_release(crowd->world->upstream);
    for (int i = 0; i < PEOPLE; i++) {
        if (crowd->people[i].turn)
            take_reply(crowd, &crowd->people[i]);
    }
    world_restart(crowd->world);
    crowd->lives++;
}

/* The session has the acknowledged turns; after a crash perhaps the one that nobody heard
 * of. */
static void expect_turns(struct crowd *crowd, const struct person *person, int unheard)
{
    const struct reply *got = get_session(crowd->world, &person->session);
    int count = (int)number_at(got, "data.turn_count");

    cr_assert(count >= person->acknowledged && count <= person->acknowledged + unheard,
              "%d turns, %d acknowledged", count, person->acknowledged);
    for (int i = 0; i <= person->acknowledged && i < QUESTIONS; i++)
        expect_text(got, words(crowd->world, "data.asked_questions.%d", i),
                    person->questions[i]);
}

static struct crowd *gather(struct world *world)
{
    struct crowd *crowd = calloc(1, sizeof *crowd);

    cr_assert_not_null(crowd);
    world_keep(world, crowd, free);
    crowd->world = world;
    crowd->random = 20261120;
    for (int i = 0; i < PEOPLE; i++) {
        struct person *person = &crowd->people[i];
        person->session = start_session(world, QUESTIONS);
        const struct reply *got = get_session(world, &person->session);
        person->questions[0] = text_at(got, "data.asked_questions.0");
    }
    return crowd;
}

Test(crash, after_kill_9_at_random_moments_every_acknowledged_turn_is_there_once)
{
    struct world *world = world_with_groq();
    struct crowd *crowd = gather(world);
    upstream_keeps_asking(world->upstream);

    while (!is_done(crowd)) {
        live_and_die(crowd);
        for (int i = 0; i < PEOPLE; i++)
            expect_turns(crowd, &crowd->people[i], 1);
    }

    cr_assert(crowd->lives >= 8, "the program died only %d times", crowd->lives);
    for (int i = 0; i < PEOPLE; i++) {
        expect_turns(crowd, &crowd->people[i], 0);
        expect_text(get_session(world, &crowd->people[i].session), "data.status",
                    "completed");
    }
    world_end(world);
}

/* What one person does whose program dies all the time: another attempt, or the end. */
struct deed {
    struct connection *(*begin)(struct world *world, const struct session *session,
                                const char *words);
    const char *words;
};

static struct connection *begin_the_end(struct world *world,
                                        const struct session *session, const char *unused)
{
    (void)unused;
    return begin_to_finish(world, session);
}

/* Sends it, and the program dies: while the model thinks, right after it was sent, or when the reply
 * is there.  What was not answered is sent until it is. */
static const struct reply *do_and_die(struct crowd *crowd, const struct session *session,
                                      struct deed deed)
{
    struct world *world = crowd->world;
    size_t calls = upstream_call_count(world->upstream);
    unsigned manner = next_random(crowd, 3);
    struct connection *first;
    const struct reply *reply = NULL;

    if (manner == 0)
        upstream_hold(world->upstream);
    first = deed.begin(world, session, deed.words);
    if (manner == 0)
        upstream_await_calls(world->upstream, calls + 1);
    if (manner == 2)
        reply = receive(world, first, "POST");
    world_kill(world);
    upstream_release(world->upstream);
    connection_close(first);
    world_restart(world);
    while (reply == NULL || reply->status == 409) {
        reply = finish(world, deed.begin(world, session, deed.words));
        if (reply->status == 409) {
            expect_error(reply, ERROR_TURN_IN_PROGRESS);
            poll(NULL, 0,
                 50); /* PostgreSQL holds the claim of who died for five seconds */
        }
    }
    expect_success(reply);
    return reply;
}

Test(crash, after_kill_9_attempts_and_the_end_are_there_once)
{
    enum { ROUNDS = 6 };
    struct world *world =
        world_with_groq("MAX_ATTEMPTS_PER_QUESTION=3", "TURN_DEADLINE_SECONDS=60");
    struct crowd crowd = {.world = world, .random = 20261122};
    upstream_keeps_asking(world->upstream);

    for (int round = 0; round < ROUNDS; round++) {
        struct session session = start_session(world, 3);
        expect_success(answer(world, &session, words(world, "One %d " CANARY, round)));
        for (int attempt = 2; attempt <= 3; attempt++) {
            const char *said = words(world, "Attempt %d of %d " CANARY, attempt, round);

            expect_number(
                do_and_die(&crowd, &session, (struct deed){begin_answer_again, said}),
                "data.attempt", attempt);
            expect_text(
                report_of(world, &session, NULL),
                words(world, "data.questions.0.attempts.%d.transcript", attempt - 1),
                said);
        }
        expect_number(do_and_die(&crowd, &session, (struct deed){begin_the_end, NULL}),
                      "data.questions_answered", 1);
        const struct reply *report = report_of(world, &session, NULL);
        cr_assert_eq(length_at(report, "data.questions"), 1);
        cr_assert_eq(length_at(report, "data.questions.0.attempts"), 3);
        cr_assert(json_has(report->json, "data.session_summary.strengths.0"));
    }
    world_end(world);
}
