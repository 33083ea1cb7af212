/*
 * `poise index`: a directory becomes an index, again and again, whatever lies in it and whenever it is killed.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "play.h"
#include "program.h"

TestSuite(index, .timeout = 120);

/* A directory with study material in `docs`, in which the program runs. */
struct shelf {
    char *directory; /* owned */
};

static struct bytes path_in(const struct shelf *shelf, const char *name)
{
    struct bytes path = {0};

    bytes_addf(&path, "%s/%s", shelf->directory, name);
    return path;
}

static void put(const struct shelf *shelf, const char *name, const void *data,
                size_t size)
{
    struct bytes path = path_in(shelf, name);
    FILE *file = fopen(path.data, "wb");

    cr_assert_not_null(file, "%s", path.data);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
    bytes_free(&path);
}

static void put_text(const struct shelf *shelf, const char *name, const char *text)
{
    put(shelf, name, text, strlen(text));
}

static void make_folder(const struct shelf *shelf, const char *name)
{
    struct bytes path = path_in(shelf, name);

    cr_assert_eq(mkdir(path.data, 0700), 0);
    bytes_free(&path);
}

static void link_to(const struct shelf *shelf, const char *target, const char *name)
{
    struct bytes path = path_in(shelf, name);

    cr_assert_eq(symlink(target, path.data), 0);
    bytes_free(&path);
}

static void remove_file(const struct shelf *shelf, const char *name)
{
    struct bytes path = path_in(shelf, name);

    cr_assert_eq(remove(path.data), 0);
    bytes_free(&path);
}

static struct shelf make_shelf(void)
{
    struct shelf shelf = {.directory = directory_make()};

    make_folder(&shelf, "docs");
    return shelf;
}

static void remove_shelf(struct shelf *shelf)
{
    directory_remove(shelf->directory);
    free(shelf->directory);
}

static void expect_run(const struct shelf *shelf, const char *const *arguments,
                       int status, const char *said)
{
    struct run run = run_program(shelf->directory, arguments, SETTINGS("PORT=0"));

    cr_assert_eq(run.status, status, "status %d, not %d:\n%s", run.status, status,
                 run.output.data);
    cr_assert(bytes_has(&run.output, said), "no \"%s\" in:\n%s", said, run.output.data);
    bytes_free(&run.output);
}

#define INDEX ARGUMENTS("index", "docs", "--into", "docs.index")

/* A number out of the index. */
static int64_t count(const struct shelf *shelf, const char *sql)
{
    struct bytes path = path_in(shelf, "docs.index");
    sqlite3 *database;
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;

    if (sqlite3_open_v2(path.data, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    bytes_free(&path);
    return number;
}

static int64_t count_passages_with(const struct shelf *shelf, const char *words)
{
    char sql[200];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM passage WHERE instr(text, '%s') > 0",
             words);
    return count(shelf, sql);
}

Test(index, says_how_to_be_used)
{
    const struct {
        const char *const *arguments;
        const char *said;
    } cases[] = {
        {(const char *const[]){"index", NULL}, "usage: poise index"},
        {(const char *const[]){"index", "docs", "--into", NULL}, "usage: poise index"},
        {(const char *const[]){"index", "docs", "docs", NULL}, "usage: poise index"},
        {(const char *const[]){"index", "--quick", "docs", NULL}, "usage: poise index"},
        {(const char *const[]){"index", "docs", NULL}, "CORPUS_INDEX"},
        {(const char *const[]){"index", "nowhere", "--into", "x", NULL},
         "poise index: nowhere: No such file"},
        {(const char *const[]){"index", "a.md", "--into", "x", NULL},
         "poise index: a.md: not a directory"},
    };
    struct shelf shelf = make_shelf();

    put_text(&shelf, "a.md", "text");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_run(&shelf, cases[i].arguments, 2, cases[i].said);
    remove_shelf(&shelf);
}

Test(index, reads_what_is_new_and_takes_out_what_is_gone)
{
    struct shelf shelf = make_shelf();

    make_folder(&shelf, "docs/deep");
    put_text(&shelf, "docs/a.md", "# A\n\nAlpha.\n\n## Two\n\nAleph.\n");
    put_text(&shelf, "docs/deep/b.txt", "Beta.");
    put_text(&shelf, "docs/c.MARKDOWN", "Gamma.");
    put_text(&shelf, "docs/picture.png", "no text");
    expect_run(&shelf, INDEX, 0,
               "docs.index: 4 passages of 3 files (0 unchanged, 0 removed)");
    expect_run(&shelf, INDEX, 0,
               "docs.index: 4 passages of 3 files (3 unchanged, 0 removed)");

    put_text(&shelf, "docs/a.md", "# A\n\nOmega.\n");
    put_text(&shelf, "docs/d.md", "Delta.");
    remove_file(&shelf, "docs/c.MARKDOWN");
    expect_run(&shelf, INDEX, 0,
               "docs.index: 3 passages of 3 files (1 unchanged, 1 removed)");
    cr_expect_eq(count_passages_with(&shelf, "Alpha"), 0);
    cr_expect_eq(count_passages_with(&shelf, "Gamma"), 0);
    cr_expect_eq(count_passages_with(&shelf, "Omega"), 1);
    cr_expect_eq(count(&shelf, "SELECT count(*) FROM stem WHERE stem = 'alpha'"), 0);
    cr_expect_eq(count(&shelf, "SELECT passages FROM stem WHERE stem = 'omega'"), 1);
    remove_shelf(&shelf);
}

Test(index, goes_where_corpus_index_says)
{
    struct shelf shelf = make_shelf();
    struct run run;

    put_text(&shelf, "docs/a.md", "Alpha.");
    run = run_program(shelf.directory, ARGUMENTS("index", "docs"),
                      SETTINGS("CORPUS_INDEX=docs.index"));
    cr_assert_eq(run.status, 0);
    cr_expect_eq(count_passages_with(&shelf, "Alpha"), 1);
    cr_expect_eq(strchr(run.output.data, '\r'), NULL, "a bar, and no terminal");
    bytes_free(&run.output);
    remove_shelf(&shelf);
}

Test(index, takes_what_lies_there_as_it_is)
{
    struct shelf shelf = make_shelf();
    static const char bytes[] = "caf\xe9 \xff\xfe\0 bytes\xc3";
    size_t size = 3 << 20;
    char *line = malloc(size);
    struct bytes pipe_path = path_in(&shelf, "docs/pipe.md");

    cr_assert_not_null(line);
    memset(line, 'x', size);
    memcpy(line, "start", 5);
    memcpy(line + size - 7, " finish", 7);
    put(&shelf, "docs/line.txt", line, size);
    put(&shelf, "docs/bytes.md", bytes, sizeof bytes - 1);
    put_text(&shelf, "docs/empty.md", "");
    put_text(&shelf, "docs/.hidden.md", "hidden");
    make_folder(&shelf, "docs/.git");
    put_text(&shelf, "docs/.git/x.md", "hidden");
    make_folder(&shelf, "docs/folder.md");
    link_to(&shelf, "..", "docs/loop");
    link_to(&shelf, "loop.md", "docs/loop.md");
    link_to(&shelf, "nowhere.md", "docs/broken.md");
    make_folder(&shelf, "docs/more");
    put_text(&shelf, "docs/linked", "Linked.");
    link_to(&shelf, "../linked", "docs/more/link.md");
    cr_assert_eq(mkfifo(pipe_path.data, 0600), 0);

    expect_run(&shelf, INDEX, 0, " of 4 files (0 unchanged, 0 removed)");
    cr_expect_eq(count_passages_with(&shelf, "hidden"), 0);
    cr_expect_eq(count_passages_with(&shelf, "Linked"), 1);
    cr_expect_eq(count_passages_with(&shelf, "start"), 1);
    cr_expect_eq(count_passages_with(&shelf, "finish"), 1);
    cr_expect_eq(count_passages_with(&shelf, "caf\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd"
                                             "\xef\xbf\xbd bytes\xef\xbf\xbd"),
                 1);
    cr_expect_leq(count(&shelf, "SELECT max(length(text)) FROM passage"), 40000);
    bytes_free(&pipe_path);
    free(line);
    remove_shelf(&shelf);
}

/* Whoever may put a link beside the text does not get the files of whoever indexes it into the answers. */
Test(index, does_not_follow_links_out_of_the_directory)
{
    struct shelf shelf = make_shelf();

    make_folder(&shelf, "private");
    put_text(&shelf, "private/diary.md", "Secret.");
    put_text(&shelf, "docs/open.md", "Open.");
    link_to(&shelf, "../private/diary.md", "docs/relative.md");
    link_to(&shelf, shelf.directory, "docs/absolute.md");
    link_to(&shelf, "../private", "docs/folder");
    link_to(&shelf, "/proc/self/environ", "docs/environment.md");
    link_to(&shelf, "/proc/self/cwd/private/diary.md", "docs/magic.md");
    link_to(&shelf, "relative.md", "docs/twice.md");

    expect_run(&shelf, INDEX, 0, "docs: 5 links lead out of it and were left out");
    cr_expect_eq(count(&shelf, "SELECT count(*) FROM passage"), 1);
    cr_expect_eq(count_passages_with(&shelf, "Secret"), 0);

    put_text(&shelf, "private/corpus.json", "{\"title\":\"Secret\"}");
    link_to(&shelf, "../private/corpus.json", "docs/corpus.json");
    expect_run(&shelf, INDEX, 1, "corpus.json: leads out of the directory");
    remove_shelf(&shelf);
}

Test(index, of_a_directory_without_text_is_none_and_the_old_one_stays)
{
    struct shelf shelf = make_shelf();

    put_text(&shelf, "docs/picture.png", "no text");
    expect_run(&shelf, INDEX, 1, "docs: there is no text in it");
    put_text(&shelf, "docs/one.md", "Something to find.");
    expect_run(&shelf, INDEX, 0, "docs.index: 1 passages of 1 files");
    remove_file(&shelf, "docs/one.md");
    expect_run(&shelf, INDEX, 1, "docs: there is no text in it");

    cr_expect_eq(count_passages_with(&shelf, "Something"), 1);
    remove_shelf(&shelf);
}

Test(index, that_cannot_be_made_leaves_the_old_one)
{
    static const struct {
        const char *json, *said;
    } cases[] = {
        {"", "corpus.json: not JSON, at offset 0"},
        {"{\"title\":\"T\",}", "corpus.json: not JSON, at offset 13"},
        {"[]", "corpus.json: not a JSON object"},
        {"{}", "corpus.json: \"title\" must be"},
        {"{\"title\":\"T\",\"topics\":[\"a\",7]}",
         "corpus.json: topics[1]: must be a text"},
        {"{\"title\":\"T\",\"out_of_scope\":[{\"topic\":\"t\",\"pattern\":\"a(b\"}]}",
         "corpus.json: out_of_scope[0]: the pattern does not compile: missing closing "
         "parenthesis, at offset 3"},
        {"{\"title\":\"T\",\"out_of_scope\":[\"x\"]}",
         "corpus.json: out_of_scope[0]: must be"},
    };
    struct shelf shelf = make_shelf();

    put_text(&shelf, "docs/a.md", "Alpha.");
    expect_run(&shelf, INDEX, 0, "1 passages");
    put_text(&shelf, "docs/a.md", "Omega.");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_text(&shelf, "docs/corpus.json", cases[i].json);
        expect_run(&shelf, INDEX, 1, cases[i].said);
        cr_expect_eq(count_passages_with(&shelf, "Alpha"), 1);
    }
    remove_file(&shelf, "docs/corpus.json");

    make_folder(&shelf, "docs/corpus.json");
    expect_run(&shelf, INDEX, 1, "poise index: corpus.json: Is a directory");
    cr_expect_eq(count_passages_with(&shelf, "Alpha"), 1);
    remove_file(&shelf, "docs/corpus.json");
    expect_run(&shelf, INDEX, 0, "1 passages");
    cr_expect_eq(count_passages_with(&shelf, "Omega"), 1);
    remove_shelf(&shelf);
}

Test(index, does_not_write_over_what_it_has_not_made)
{
    struct shelf shelf = make_shelf();
    struct bytes path = path_in(&shelf, "docs.index"), text = {0};

    put_text(&shelf, "docs.index", "my notes");
    expect_run(&shelf, INDEX, 1, "is there, and is no index of Poise");
    cr_assert(bytes_add_file(&text, path.data));
    cr_expect_str_eq(text.data, "my notes");
    expect_run(&shelf, ARGUMENTS("index", "docs", "--into", "no/such/place"), 1,
               "poise index: no/such/place.building: No such file");
    bytes_free(&path);
    bytes_free(&text);
    remove_shelf(&shelf);
}

Test(index, lets_nobody_else_write_meanwhile)
{
    struct shelf shelf = make_shelf();
    struct bytes path = path_in(&shelf, "docs.index.building");
    int file = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    cr_assert_eq(flock(file, LOCK_EX), 0);
    expect_run(&shelf, INDEX, 1, "another poise index is at work");
    close(file);
    put_text(&shelf, "docs/one.md", "Something to find.");
    expect_run(&shelf, INDEX, 0, "1 passages");
    cr_expect_neq(access(path.data, F_OK), 0);
    bytes_free(&path);
    remove_shelf(&shelf);
}

/* Words enough to keep the program busy for a while. */
static void put_much(const struct shelf *shelf, const char *marker, int files)
{
    for (int file = 0; file < files; file++) {
        struct bytes text = {0};
        char name[40];

        for (int i = 0; i < 600; i++)
            bytes_addf(&text, "%sSentence %d of %d speaks of word%d and %s.\n",
                       i % 40 == 0 ? "\n## Part\n\n" : "", i, file, i * 31 % 997, marker);
        snprintf(name, sizeof name, "docs/%03d.md", file);
        put(shelf, name, text.data, text.size);
        bytes_free(&text);
    }
}

/* Starts to index, and kills it after so many changes of files in the directory.  Did it end before? */
static bool kill_after(const struct shelf *shelf, int changes)
{
    int watch = inotify_init1(IN_CLOEXEC), seen = 0;
    struct program *program;
    char events[4096];
    bool is_ended = false;

    cr_assert_geq(inotify_add_watch(watch, shelf->directory,
                                    IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE),
                  0);
    program = program_start(
        &(struct launch){.directory = shelf->directory,
                         .arguments = INDEX,
                         .environment = (const char *const[]){"PORT=0", NULL}},
        NULL);
    while (seen < changes && !is_ended) {
        struct pollfd ready = {.fd = watch, .events = POLLIN};
        ssize_t got;

        cr_assert_eq(poll(&ready, 1, 60000), 1);
        got = read(watch, events, sizeof events);
        for (ssize_t at = 0; at < got; seen++) {
            struct inotify_event event;

            memcpy(&event, events + at, sizeof event);
            is_ended |= (event.mask & (IN_MOVED_TO | IN_DELETE)) != 0;
            at += (ssize_t)sizeof event + (ssize_t)event.len;
        }
    }
    program_signal(program, SIGKILL);
    program_free(program);
    close(watch);
    return is_ended;
}

/* Old or new, it is whole. */
static void expect_whole(const struct shelf *shelf)
{
    cr_expect_eq(
        count(shelf, "SELECT passages = (SELECT count(*) FROM passage) FROM corpus"), 1);
    cr_expect_eq(
        count(shelf, "SELECT sum(passages) = (SELECT count(*) FROM passage) FROM file"),
        1);
}

Test(index, that_is_killed_on_the_way_is_the_old_one)
{
    static const int moments[] = {1, 2, 3, 20};
    struct shelf shelf = make_shelf();
    struct bytes path = path_in(&shelf, "docs.index"), before = {0};
    struct bytes endless = path_in(&shelf, "docs/zeros.md");

    put_much(&shelf, "old", 8);
    expect_run(&shelf, INDEX, 0, " of 8 files");
    cr_assert(bytes_add_file(&before, path.data));
    put_much(&shelf, "new", 4);
    /* A gigabyte of holes: it is still at work whenever the kill comes. */
    put_text(&shelf, "docs/zeros.md", "");
    cr_assert_eq(truncate(endless.data, 1 << 30), 0);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        struct bytes after = {0};

        cr_assert_not(kill_after(&shelf, moments[i]));
        cr_assert(bytes_add_file(&after, path.data));
        cr_assert_eq(before.size, after.size);
        cr_assert_eq(memcmp(before.data, after.data, after.size), 0);
        bytes_free(&after);
    }
    remove_file(&shelf, "docs/zeros.md");
    expect_run(&shelf, INDEX, 0, " of 8 files (4 unchanged, 0 removed)");
    cr_expect_eq(
        count(&shelf, "SELECT count(*) FROM passage WHERE instr(text, 'and new.')"), 60);
    expect_whole(&shelf);
    bytes_free(&before);
    bytes_free(&endless);
    bytes_free(&path);
    remove_shelf(&shelf);
}

Test(index, that_is_killed_near_the_end_is_the_old_one_or_the_new)
{
    static const int moments[] = {10, 30, 60, 120, 250, 500};
    struct shelf shelf = make_shelf();

    put_much(&shelf, "old", 8);
    expect_run(&shelf, INDEX, 0, " of 8 files");
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        put_much(&shelf, i % 2 == 0 ? "new" : "newer", 10);
        kill_after(&shelf, moments[i]);
        expect_whole(&shelf);
    }
    expect_run(&shelf, INDEX, 0, " of 10 files");
    cr_expect_eq(
        count(&shelf, "SELECT count(*) FROM passage WHERE instr(text, 'and old.')"), 0);
    expect_whole(&shelf);
    remove_shelf(&shelf);
}
