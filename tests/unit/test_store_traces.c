/*
 * What was deleted is gone from the files: from the database, its write-ahead log and
 * whatever else lies beside them.
 */
#include "store_world.h"

#include <dirent.h>

static struct world world;

static void set_up(void)
{
    world = world_new();
}

static void tear_down(void)
{
    world_free(&world);
}

TestSuite(traces, .init = set_up, .fini = tear_down);

/* The store may empty its log meanwhile: what there is to read is read. */
static bool file_holds(const char *path, const char *needle)
{
    FILE *file = fopen(path, "rb");
    char *bytes;
    size_t length;
    bool is_there;

    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    length = (size_t)ftell(file);
    rewind(file);
    bytes = mem_zalloc(length);
    length = fread(bytes, 1, length, file);
    fclose(file);
    is_there = memmem(bytes, length, needle, strlen(needle)) != NULL;
    free(bytes);
    return is_there;
}

/* In any file of the store's directory. */
static bool is_on_disk(const char *needle)
{
    DIR *directory = opendir(world.place.directory);
    struct dirent *entry;
    bool is_there = false;

    while ((entry = readdir(directory)) != NULL) {
        char path[512];

        snprintf(path, sizeof(path), "%s/%s", world.place.directory, entry->d_name);
        if (entry->d_name[0] != '.')
            is_there |= file_holds(path, needle);
    }
    closedir(directory);
    return is_there;
}

/* A text of its session alone: `mark` in every line of it. */
static struct private_text marked(const char *mark, size_t lines)
{
    struct buffer buffer;

    buffer_init(&buffer, 1 << 20);
    for (size_t line = 0; line < lines; line++) {
        buffer_append_string(&buffer, mark);
        buffer_append_string(&buffer, " and then we went on to the next thing. ");
    }
    return private_text_take(&buffer);
}

static struct id start_marked(const char *mark)
{
    struct session *session = session_of(10, world.now_ms);
    struct answer answer;
    struct id id;

    private_text_free(&session->role);
    private_text_free(&session->asked[0]);
    session->role = text_of(mark);
    session->asked[0] = text_of(mark);
    session->papers = (struct session_papers){.job_advert = marked(mark, 99),
                                              .resume = marked(mark, 99),
                                              .demands = text_of(mark)};
    answer = create(&world, session, (struct store_key){0});
    id = answer.session->id;
    answer_free(&answer);
    return id;
}

static void turn_marked(const struct id *id, unsigned turn_number, const char *mark,
                        size_t lines)
{
    struct answer answer = {.loop = world.loop};
    struct store_input input = input_of(mark, NULL, mark, mark);
    struct store_commit request;
    char key[64];

    snprintf(key, sizeof(key), "%s %u", mark, turn_number);
    input = input_of(key, NULL, key, key);
    claim(&world, id, input);
    request = commit_of(&world, id, turn_number, input, "");
    private_text_free(&request.transcript);
    private_text_free(&request.next_question);
    private_text_free(&request.outcome);
    request.transcript = marked(mark, lines);
    request.next_question = marked(mark, 1 + lines / 8);
    request.outcome = marked(mark, lines);
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
    report(&world, id, turn_number, true);
}

Test(traces, a_stored_answer_can_be_found_in_the_files)
{
    struct id id = start_marked("CANARY-alpha");

    turn_marked(&id, 1, "CANARY-alpha", 20);

    cr_expect(is_on_disk("CANARY-alpha"));
}

Test(traces, a_deleted_session_leaves_nothing)
{
    struct id id = start_marked("CANARY-alpha");

    turn_marked(&id, 1, "CANARY-alpha", 20);
    cr_assert_eq(remove_session(&world, &id), OK);

    cr_expect_not(is_on_disk("CANARY"));
}

/* A sweep comes when it comes, in one transaction or several; nobody is told. */
static void await_off_disk(const char *text)
{
    for (int looks = 0; is_on_disk(text); looks++)
        cr_assert_lt(looks, 10000, "%s is still there", text);
    check(&world);
    cr_expect_not(is_on_disk(text)); /* also where that look met a file half copied */
}

/* What is finished again stands in another place than what was there before. */
static void finish_marked(const struct id *id, unsigned commit_count, const char *mark,
                          size_t lines)
{
    struct answer answer = {.loop = world.loop};
    struct store_finish request = {.session_id = *id,
                                   .request_id = world.request_id,
                                   .commit_count = commit_count,
                                   .outcome = marked(mark, lines),
                                   .now_ms = world.now_ms,
                                   .expires_ms = world.now_ms + TTL_MS};

    store_finish_session(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
}

Test(traces, a_deleted_session_leaves_nothing_of_its_attempts_and_its_end)
{
    struct id id = start_marked("CANARY-alpha");
    struct answer answer = {.loop = world.loop};
    struct store_commit request;

    turn_marked(&id, 1, "CANARY-alpha", 20);
    request = commit_of(&world, &id, 1, said("again"), "CANARY-alpha, once more");
    private_text_free(&request.next_question);
    request.commit_number = 2;
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
    finish_marked(&id, 2, "CANARY-alpha", 99);
    finish_marked(&id, 2, "CANARY-alpha", 9);
    cr_expect_eq(remove_session(&world, &id), OK);
    world_restart(&world);

    cr_expect_not(is_on_disk("CANARY-alpha"));
}

Test(traces, a_swept_session_leaves_nothing)
{
    struct id id = start_marked("CANARY-alpha");

    turn_marked(&id, 1, "CANARY-alpha", 20);
    world.now_ms += TTL_MS;
    store_sweep(world.backend, world.now_ms, 0);

    await_off_disk("CANARY");
    cr_expect_eq(remove_session(&world, &id), ERROR_SESSION_NOT_FOUND);
}

/* Rows of many sizes that grow, split pages and move between them while others are
 * deleted: without sqlite_scrub.c this one leaves text behind. */
Test(traces, a_session_deleted_from_a_crowd_leaves_nothing)
{
    enum { CROWD = 100, STEPS = 300 };
    struct id ids[CROWD];
    unsigned turns[CROWD] = {0};
    char marks[CROWD][32];

    srand(1);
    for (int i = 0; i < CROWD; i++) {
        snprintf(marks[i], sizeof(marks[i]), "CANARY-%04d", i);
        ids[i] = start_marked(marks[i]);
    }
    for (int step = 0; step < STEPS; step++) {
        int i = rand() % CROWD;

        if (turns[i] < 9 && rand() % 6 != 0) {
            turn_marked(&ids[i], ++turns[i], marks[i], (size_t)(rand() % 100));
            continue;
        }
        cr_assert_eq(remove_session(&world, &ids[i]), OK);
        cr_expect_not(is_on_disk(marks[i]), "%s is still there", marks[i]);
        ids[i] = start_marked(marks[i]);
        turns[i] = 0;
    }
}

Test(traces, what_a_later_turn_replaced_is_gone_with_the_session)
{
    struct id id = start_marked("CANARY-alpha");
    struct id other = start_marked("CANARY-beta");

    for (unsigned number = 1; number <= 9; number++) {
        turn_marked(&id, number, "CANARY-alpha", number * 7);
        turn_marked(&other, number, "CANARY-beta", 40 - number * 3);
    }
    cr_assert_eq(remove_session(&world, &id), OK);

    cr_expect_not(is_on_disk("CANARY-alpha"));
    cr_expect(is_on_disk("CANARY-beta"));
}

Test(traces, a_deleted_session_leaves_nothing_of_what_was_heard_and_spoken)
{
    struct id id = start(&world, 10);

    spoken_turn(&world, &id, 1, speech_of(&world, "CANARY-sound ", 300000));
    spoken_turn(&world, &id, 2, speech_of(&world, "CANARY-sound ", 100));
    remember(&world, &id, "audio", "CANARY-replaced");
    remember(&world, &id, "audio", "CANARY-heard");
    check(&world);
    cr_assert(is_on_disk("CANARY-heard"));
    cr_assert_eq(remove_session(&world, &id), OK);

    cr_expect_not(is_on_disk("CANARY"));
}

/* More than one transaction of the sweep removes. */
Test(traces, swept_speech_leaves_nothing)
{
    struct id id = start(&world, 10);

    for (unsigned number = 1; number <= 6; number++)
        spoken_turn(&world, &id, number, speech_of(&world, "CANARY-sound ", 700000));
    cr_assert(is_on_disk("CANARY"));
    world.now_ms += SPEECH_MS;
    store_sweep(world.backend, world.now_ms, 0);

    await_off_disk("CANARY");
    cr_expect_eq(remove_session(&world, &id), OK);
}

Test(traces, speech_that_made_room_leaves_the_database)
{
    struct id id = start(&world, 10);

    spoken_turn(&world, &id, 1, speech_of(&world, "CANARY-old ", 700000));
    for (unsigned number = 2; number <= 3; number++) {
        struct store_speech speech = speech_of(&world, "CANARY-new ", 700000);

        speech.max_total_bytes = 1500000;
        spoken_turn(&world, &id, number, speech);
    }
    world_restart(&world);

    cr_expect_not(is_on_disk("CANARY-old"));
    cr_expect(is_on_disk("CANARY-new"));
}

Test(traces, a_check_leaves_nothing)
{
    struct store_stats before;

    check(&world);
    before = store_stats(world.backend);

    cr_expect_eq(check(&world), OK);
    cr_expect_eq(store_stats(world.backend).commits, before.commits + 1);
}
