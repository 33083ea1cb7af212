/*
 * Opening the database file: what cannot be used is refused with one clear line.
 */
#include "store_world.h"

#include "sqlite_file_internal.h"
#include "store_sqlite_internal.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char directory[64];
static char path[96];
static char url[128];

static void set_up(void)
{
    snprintf(directory, sizeof(directory), "/tmp/poise-file-XXXXXX");
    cr_assert_not_null(mkdtemp(directory));
    chmod(directory, 0755);
    snprintf(path, sizeof(path), "%s/poise.db", directory);
    snprintf(url, sizeof(url), "sqlite:///%s", path);
}

static void tear_down(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(file, .init = set_up, .fini = tear_down);

static void assert_refused(const char *url_tried, const char *reason)
{
    struct buffer problem;
    struct store_backend *backend;

    buffer_init(&problem, 4096);
    backend = store_sqlite_open(url_tried, &problem);
    cr_assert_null(backend);
    cr_expect_not_null(strstr(problem.bytes, reason), "%s", problem.bytes);
    cr_expect_eq(strchr(problem.bytes, '\n'), problem.bytes + problem.length - 1);
    buffer_done(&problem);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");

    fputs(text, file);
    fclose(file);
}

static void run_sql(const char *sql)
{
    sqlite3 *db;

    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Takes a file of now back to version 5, and to version 4; its turns have no second attempts, and
 * `turn_rows` had nothing in its first bytes then. */
#define TO_VERSION_5                                                                     \
    "DROP TABLE papers; DROP TABLE finish; ALTER TABLE remembered DROP COLUMN is_reply;" \
    "ALTER TABLE session DROP COLUMN has_papers;"                                        \
    "ALTER TABLE session DROP COLUMN is_finished;"                                       \
    "ALTER TABLE turn DROP COLUMN at_ms; ALTER TABLE turn DROP COLUMN is_skipped;"       \
    "UPDATE session SET turn_rows = CAST(x'00' || substr(turn_rows, 2, 7) ||"            \
    " CASE length(turn_rows) WHEN 16 THEN x'00' || substr(turn_rows, 10) ELSE x'' END"   \
    " AS BLOB); PRAGMA user_version = 5;"
#define TO_VERSION_4                                                                      \
    TO_VERSION_5                                                                          \
    "PRAGMA journal_mode=DELETE; PRAGMA page_size=4096; VACUUM; PRAGMA journal_mode=WAL;" \
    "CREATE TABLE heard (session INTEGER PRIMARY KEY REFERENCES session ON DELETE"        \
    " CASCADE, audio BLOB NOT NULL, text TEXT NOT NULL) STRICT;"                          \
    "INSERT INTO heard SELECT row, heard_audio, heard FROM session"                       \
    " WHERE heard_audio IS NOT NULL;"                                                     \
    "ALTER TABLE session DROP COLUMN heard_audio; ALTER TABLE session DROP COLUMN heard;" \
    "ALTER TABLE turn DROP COLUMN transcript_at; PRAGMA user_version = 4;"

static int page_bytes(void)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *db;
    int bytes;

    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &statement, NULL),
                 SQLITE_OK);
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    bytes = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return bytes;
}

static unsigned mode_of(const char *name)
{
    struct stat status;

    cr_assert_eq(stat(name, &status), 0);
    return status.st_mode & 0777;
}

Test(file, a_new_file_is_for_its_owner_alone)
{
    struct store_backend *backend = world_open(url);
    char log[128];

    snprintf(log, sizeof(log), "%s-wal", path);
    cr_expect_eq(mode_of(path), 0600);
    cr_expect_eq(mode_of(log), 0600);
    store_close(backend);
}

Test(file, the_default_place_is_made_with_its_directories)
{
    char made[128];

    setenv("XDG_DATA_HOME", directory, 1);
    unsetenv("STATE_DIRECTORY");
    store_close(world_open(""));

    snprintf(made, sizeof(made), "%s/poise", directory);
    cr_expect_eq(mode_of(made), 0700);
    snprintf(made, sizeof(made), "%s/poise/poise.db", directory);
    cr_expect_eq(mode_of(made), 0600);
}

Test(file, the_first_state_directory_is_the_default_place)
{
    setenv("STATE_DIRECTORY", directory, 1);
    store_close(world_open(NULL));

    cr_expect_eq(mode_of(path), 0600);
}

Test(file, without_any_place_the_settings_are_named)
{
    unsetenv("STATE_DIRECTORY");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");

    assert_refused("", "STORE_URL");
}

Test(file, another_kind_of_url_is_refused)
{
    assert_refused("postgres://localhost/poise", "sqlite:///path");
    assert_refused("sqlite:///", "sqlite:///path");
    assert_refused("sqlite://relative", "sqlite:///path");
    assert_refused("sqlite:///:memory:", "sqlite:///path");
}

Test(file, a_missing_directory_is_named)
{
    char missing[160];

    snprintf(missing, sizeof(missing), "sqlite:///%s/none/poise.db", directory);
    assert_refused(missing, "No such file or directory");
}

Test(file, a_directory_is_no_database)
{
    char folder[160];

    snprintf(folder, sizeof(folder), "sqlite:///%s", directory);
    assert_refused(folder, "is not a regular file");
}

Test(file, a_text_file_is_no_database)
{
    write_file("Dear diary, this is certainly not a database, however long it may go on. "
               "It has more than one hundred bytes, and says nothing.");

    assert_refused(url, "is not an SQLite database");
}

Test(file, a_database_of_another_program_is_left_alone)
{
    run_sql("CREATE TABLE bookmarks (url TEXT)");

    assert_refused(url, "is a database of another program");
    cr_expect_neq(access(path, F_OK), -1);
    run_sql("SELECT url FROM bookmarks");
}

Test(file, a_newer_version_is_refused)
{
    store_close(world_open(url));
    run_sql("PRAGMA user_version = 99");

    assert_refused(url, "newer version");
}

Test(file, an_empty_file_of_ours_is_brought_up_to_date)
{
    run_sql("PRAGMA application_id = 1349478771; PRAGMA user_version = 0");

    store_close(world_open(url));
    run_sql("SELECT id FROM session");
}

/* As files of version 1 were: without what came later. */
Test(file, a_file_of_the_first_version_is_brought_up_to_date)
{
    struct world world = world_new();
    struct id id = start(&world, 3);
    struct id request;
    struct answer answer;

    turn(&world, &id, 1, said("one"));
    report(&world, &id, 1, true);
    world_stop(&world);
    snprintf(path, sizeof(path), "%s/poise.db", world.place.directory);
    run_sql(TO_VERSION_4
            "DROP TABLE heard; DROP TABLE speech; DROP TABLE speech_total;"
            "DROP TABLE refusal; DROP TABLE usage; DROP INDEX session_client;"
            "ALTER TABLE session DROP COLUMN client;"
            "PRAGMA user_version = 1");
    world_begin(&world);

    request = spoken_turn(&world, &id, 2, speech_of(&world, "sound ", 1000));
    answer = load_speech(&world, &id, &request);
    cr_expect_eq(answer.error, OK);
    answer_free(&answer);
    answer = load(&world, &id);
    cr_expect_eq(answer.session->turn_count, 2);
    answer_free(&answer);
    world_free(&world);
}

/* As files of version 5 were: what was said then is found, and an attempt comes behind it. */
Test(file, a_file_of_the_fifth_version_is_brought_up_to_date)
{
    struct world world = world_new();
    struct id id = start(&world, 3);
    struct answer answer = {.loop = world.loop};

    turn(&world, &id, 1, said("one"));
    turn(&world, &id, 2, said("two"));
    report(&world, &id, 2, true);
    world_stop(&world);
    snprintf(path, sizeof(path), "%s/poise.db", world.place.directory);
    run_sql(TO_VERSION_5);
    world_begin(&world);

    answer.loop = world.loop;
    store_load_session(world.store, &id, world.now_ms, true, take_session, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
    cr_expect_eq(answer.session->commit_count, 2);
    cr_expect_eq(answer.session->attempt_count, 1);
    cr_expect_eq(answer.session->turns[1].number, 2);
    cr_expect_str_eq(shown(&answer.session->turns[1].outcome), "{\"turn\":2}");
    cr_expect_eq(answer.session->turns[1].at_ms, 0);
    answer_free(&answer);
    turn(&world, &id, 3, said("two"));
    world_free(&world);
}

/* As files of version 4 were, with larger pages and a table of its own for what was heard. */
Test(file, a_file_of_the_fourth_version_is_brought_up_to_date)
{
    struct world world = world_new();
    struct id id = start(&world, 3);
    struct answer answer;

    turn(&world, &id, 1, said("one"));
    report(&world, &id, 1, true);
    remember(&world, &id, "two", "I led");
    world_stop(&world);
    snprintf(path, sizeof(path), "%s/poise.db", world.place.directory);
    run_sql(TO_VERSION_4);
    cr_assert_eq(page_bytes(), 4096);
    world_begin(&world);

    answer = begin(&world, &id, recorded("two"));
    cr_assert_eq(answer.error, OK);
    cr_expect_eq(answer.begun.session->turn_count, 1);
    cr_expect_str_eq(shown(&answer.begun.heard), "I led");
    answer_free(&answer);
    cr_expect_eq(page_bytes(), 2048);
    world_free(&world);
}

static bool count_refusal(void *context, const struct refusal *refusal)
{
    (void)refusal;
    ++*(int *)context;
    return true;
}

/* As files of version 3 were: what it keeps of before is there, and can be counted. */
Test(file, a_file_of_the_third_version_is_brought_up_to_date)
{
    struct world world = world_new();
    struct id id = start(&world, 3);
    struct store_claim claim;
    struct answer answer = {0};
    struct buffer problem;
    int refusals = 0;

    turn(&world, &id, 1, said("one"));
    report(&world, &id, 1, true);
    world_stop(&world);
    snprintf(path, sizeof(path), "%s/poise.db", world.place.directory);
    run_sql(TO_VERSION_4
            "DROP TABLE usage; DROP INDEX session_client;"
            "ALTER TABLE session DROP COLUMN client;"
            "INSERT INTO refusal (at_ms, reason, chunks) VALUES (1, 'gate', 0);"
            "PRAGMA user_version = 3");
    buffer_init(&problem, 4096);
    cr_expect(store_refusals(world.place.url, 0, count_refusal, &refusals, &problem));
    cr_expect_eq(refusals, 1, "`poise refusals` reads it as it is");
    buffer_done(&problem);
    world_begin(&world);

    claim = (struct store_claim){.session_id = id,
                                 .request_id = id_random(),
                                 .input = said("two"),
                                 .caps = {.turns = 1},
                                 .now_ms = world.now_ms};
    answer.loop = world.loop;
    store_begin_turn(world.store, &claim, take_begun, &answer);
    loop_run(world.loop);
    cr_expect_eq(answer.error, OK);
    cr_expect_eq(answer.begun.session->turn_count, 1);
    cr_expect_eq(store_stats(world.backend).usage.turns, 1);
    answer_free(&answer);
    world_free(&world);
}

static void must_run(sqlite3 *db, const char *sql)
{
    char *message = NULL;

    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, &message), SQLITE_OK, "%s: %s", sql,
                 message);
}

static int count_rows(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    int count;

    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

/* So many pages that some are written to the log before the end. */
#define FILL(rows)                                                             \
    "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number" \
    " WHERE n < " rows ") INSERT INTO turn (transcript, outcome)"              \
    " SELECT n, hex(zeroblob(2000)) FROM number;"

Test(file, what_was_rolled_back_does_not_overwrite_what_another_process_wrote)
{
    struct buffer problem;
    sqlite3 *one, *other;

    store_close(world_open(url));
    buffer_init(&problem, 4096);
    one = sqlite_file_open(path, &problem);
    other = sqlite_file_open_again(path, &problem);
    cr_assert(one != NULL && other != NULL, "%s", problem.bytes);

    must_run(one, "PRAGMA cache_size = 10; BEGIN;" FILL("100") "ROLLBACK");
    must_run(other, "BEGIN;" FILL("80") "COMMIT");
    must_run(one, FILL("3"));

    cr_expect_eq(count_rows(one, "SELECT count(*) FROM turn"), 83);
    cr_expect_eq(
        count_rows(other, "SELECT count(*) FROM turn WHERE length(outcome) = 4000"), 83);
    cr_expect_eq(count_rows(other, "SELECT count(*) FROM pragma_integrity_check"
                                   " WHERE integrity_check <> 'ok'"),
                 0);
    sqlite3_close(one);
    sqlite3_close(other);
    buffer_done(&problem);
}

Test(file, a_damaged_file_is_refused)
{
    struct world world = world_new();
    char bytes[4096];
    char copy[160];
    int descriptor;

    for (int i = 0; i < 20; i++) {
        struct id id = start(&world, 3);

        turn(&world, &id, 1, said("one"));
    }
    world_end(&world);
    snprintf(copy, sizeof(copy), "%s/poise.db", world.place.directory);
    descriptor = open(copy, O_RDWR);
    memset(bytes, 0x5a, sizeof(bytes));
    for (int page = 2; page < 8; page++)
        cr_assert_eq(pwrite(descriptor, bytes, sizeof(bytes), page * 4096), 4096);
    close(descriptor);

    assert_refused(world.place.url, "is damaged");
    remove_files(&world.place);
}

Test(file, a_locked_file_is_refused)
{
    sqlite3 *db;

    store_close(world_open(url));
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db,
                              "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE;"
                              "BEGIN EXCLUSIVE",
                              NULL, NULL, NULL),
                 SQLITE_OK);

    assert_refused(url, "is locked by another program");
    sqlite3_close(db);
}

/* In a child: root may write anywhere, and an ordinary user cannot become root again. */
Test(file, a_file_that_cannot_be_written_is_refused)
{
    pid_t child;
    int status;

    store_close(world_open(url));
    chmod(path, 0444);
    chmod(directory, 0555);
    child = fork();
    if (child == 0) {
        struct buffer problem;

        buffer_init(&problem, 4096);
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        if (store_open(url, &problem) != NULL)
            _exit(1);
        _exit(strstr(problem.bytes, "cannot be ") == NULL);
    }
    waitpid(child, &status, 0);
    chmod(directory, 0755);

    cr_expect_eq(status, 0);
}
