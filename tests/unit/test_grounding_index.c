/*
 * An index: what is found in it, that updating it gives what building it anew gives, that a reader of the old
 * one goes on while it is replaced, and that a damaged file is told from a good one.
 */
#include "index.h"

#include "buffer.h"
#include "mem.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[] = "/tmp/poise-index-XXXXXX";
static char documents[64], path[64];

static int remove_entry(const char *name, const struct stat *status, int flag,
                        struct FTW *walk)
{
    (void)status;
    (void)flag;
    (void)walk;
    return remove(name);
}

static void make_place(void)
{
    cr_assert_not_null(mkdtemp(place));
    snprintf(documents, sizeof(documents), "%s/documents", place);
    snprintf(path, sizeof(path), "%s/index", place);
    cr_assert_eq(mkdir(documents, 0700), 0);
}

static void remove_place(void)
{
    nftw(place, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

TestSuite(index, .init = make_place, .fini = remove_place, .timeout = 60);

static void write_document(const char *name, const char *text)
{
    char file[160];
    FILE *out;

    snprintf(file, sizeof(file), "%s/%s", documents, name);
    out = fopen(file, "wb");
    cr_assert_not_null(out);
    fputs(text, out);
    fclose(out);
}

static struct index_report build_into(const char *into)
{
    struct index_report report;
    struct buffer problem;

    buffer_init(&problem, 4096);
    cr_assert(index_build(documents, into, NULL, NULL, &report, &problem), "%s",
              problem.bytes);
    buffer_done(&problem);
    return report;
}

static struct index_reader *open_index(const char *which)
{
    struct buffer problem;
    struct index_reader *reader;

    buffer_init(&problem, 4096);
    reader = index_reader_open(which, &problem);
    cr_assert_not_null(reader, "%s", problem.bytes);
    buffer_done(&problem);
    return reader;
}

static bool has_text(struct index_reader *reader, int64_t row, const char *text)
{
    struct passages one = {.all = mem_zalloc(sizeof(struct passage)), .count = 1};
    bool has = index_load(reader, row, &one.all[0]) && strstr(one.all[0].text, text);

    passages_done(&one);
    return has;
}

Test(index, finds_passages_by_their_stems)
{
    static const char *const stems[] = {"gripper", "finger"}, *const none[] = {
                                                                  "submarin"};
    int64_t rows[10], row;
    struct passages one = {.all = mem_zalloc(sizeof(struct passage)), .count = 1};
    struct index_reader *reader;

    write_document("b.md", "# Arms\n\nAn arm holds a gripper.\n\n## Fingers\n\n"
                           "Grippers have three fingers. A gripper grips.\n");
    write_document("a.txt", "Wheels turn.\fWheels roll on page 2.");
    cr_assert_eq(build_into(path).passages, 3);
    reader = open_index(path);

    cr_expect_eq(index_passage_count(reader), 3);
    cr_expect_float_eq(index_mean_words(reader), (5 + 7 + 6 + 1) / 3.0, 0.01);
    cr_expect_eq(index_stem_passages(reader, "gripper"), 2);
    cr_expect_eq(index_stem_passages(reader, "the"), 0);
    cr_expect_eq(index_find(reader, none, 1, 10, rows), 0);
    cr_assert_eq(index_find(reader, stems, 2, 10, rows), 2);
    cr_expect(has_text(reader, rows[0], "three fingers"));
    cr_expect_eq(index_find(reader, stems, 2, 1, rows), 1);
    cr_assert(index_load(reader, rows[0], &one.all[0]));
    cr_expect_str_eq(one.all[0].id, "b#2");
    cr_expect_str_eq(one.all[0].chapter, "Arms");
    cr_expect_str_eq(one.all[0].section, "Fingers");
    cr_expect_eq(one.all[0].page, -1);
    cr_expect_eq(one.all[0].order, 2);
    cr_expect_eq(index_row_of(reader, "b#2"), rows[0]);
    cr_expect_eq(index_row_of(reader, "b#3"), -1);
    cr_expect_eq(index_row_of(reader, "c#1"), -1);
    cr_expect_eq(index_row_of(reader, "b"), -1);
    cr_expect_not(index_load(reader, 999, &one.all[0]));
    for (row = index_next_row(reader, -1); index_next_row(reader, row) != -1;)
        row = index_next_row(reader, row);
    cr_expect(row > 0);
    cr_expect_not(index_is_broken(reader));
    passages_done(&one);
    index_reader_free(reader);
}

Test(index, finds_the_commonest_stem_at_one_letters_distance)
{
    char like[64];
    int64_t passages;
    struct index_reader *reader;

    write_document("a.md", "# A\nkalman\n# B\nkalman\n# C\nkalmen\n# D\nrobots");
    build_into(path);
    reader = open_index(path);

    static const struct {
        const char *stem, *like;
    } cases[] = {{"kalmnan", "kalman"},
                 {"kalmn", "kalman"},
                 {"kalmxn", "kalman"},
                 {"kalman", "kalmen"},
                 {"xalman", NULL}, /* few misspell how a word begins */
                 {"klaman", "kalman"},
                 {"kalmanx", "kalman"},
                 {"xxlman", NULL},
                 {"robo", "robot"},
                 {"rob", NULL},
                 {"roboty", "robot"},
                 {"kal\"man", NULL},
                 {"", NULL},
                 /* of one family, where nothing is nearer */
                 {"robotics", "robot"},
                 {"robol", "robot"},
                 {"roboxical", NULL}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is_found =
            index_stem_like(reader, cases[i].stem, like, sizeof(like), &passages);

        cr_expect_eq(is_found, cases[i].like != NULL, "%s", cases[i].stem);
        if (is_found && cases[i].like != NULL)
            cr_expect_str_eq(like, cases[i].like, "%s", cases[i].stem);
    }
    index_reader_free(reader);
}

Test(index, names_files_that_differ_in_their_endings_apart)
{
    struct index_reader *reader;

    write_document("a.md", "one");
    write_document("a.txt", "two");
    write_document("a b#c.md", "three");
    build_into(path);
    reader = open_index(path);
    cr_expect(has_text(reader, index_row_of(reader, "a#1"), "one"));
    cr_expect(has_text(reader, index_row_of(reader, "a:txt#1"), "two"));
    cr_expect(has_text(reader, index_row_of(reader, "a%20b%23c#1"), "three"));
    index_reader_free(reader);
}

Test(index, reads_only_what_has_changed)
{
    struct index_report report;

    write_document("a.md", "one");
    write_document("b.md", "two");
    build_into(path);
    report = build_into(path);
    cr_expect_eq(report.unchanged_files, 2);
    cr_expect_eq(report.passages, 2);

    write_document("b.md", "# Two\nnew\n# Three\nnewer");
    write_document("c.md", "four");
    report = build_into(path);
    cr_expect_eq(report.unchanged_files, 1);
    cr_expect_eq(report.removed_files, 0);
    cr_expect_eq(report.passages, 4);

    write_document("corpus.json", "{\"title\":\"T\"}");
    report = build_into(path);
    cr_expect_eq(report.unchanged_files, 3);
    struct index_reader *reader = open_index(path);
    cr_expect(memmem(index_corpus_json(reader).bytes, index_corpus_json(reader).length,
                     "\"T\"", 3) != NULL);
    index_reader_free(reader);
}

/* What a query gives, in one text. */
static char *dump(const char *which, const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement = NULL;
    struct buffer text;
    size_t length;

    buffer_init(&text, 1 << 24);
    cr_assert_eq(sqlite3_open(which, &database), SQLITE_OK);
    sqlite3_exec(database,
                 "CREATE VIRTUAL TABLE temp.seen USING fts5vocab (main, words, col)",
                 NULL, NULL, NULL);
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(database));
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            buffer_append_string(&text, (const char *)sqlite3_column_text(statement, i));
            buffer_append_char(&text, '\n');
        }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return buffer_take(&text, &length);
}

static void expect_same(const char *one, const char *other, const char *sql)
{
    char *first = dump(one, sql), *second = dump(other, sql);

    cr_expect(strlen(first) > 0);
    cr_expect_str_eq(first, second, "%s", sql);
    free(first);
    free(second);
}

Test(index, that_was_updated_is_what_a_new_one_would_be)
{
    static const char *const words[] = {"arm",    "wheel",  "motor",
                                        "sensor", "camera", "joint"};
    unsigned seed = 7;
    char name[32], text[4096], fresh[80];

    for (int round = 0; round < 12; round++) {
        for (int file = 0; file < 8; file++) {
            int fate = rand_r(&seed) % 4;

            snprintf(name, sizeof(name), "%d.md", file);
            text[0] = '\0';
            for (int i = 0; fate == 1 && i < 20 + rand_r(&seed) % 300; i++)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%d ",
                         i % 30 == 0 ? "\n# New " : "", words[rand_r(&seed) % 6],
                         rand_r(&seed) % 9);
            if (fate == 1) {
                write_document(name, text);
            } else if (fate == 2) {
                snprintf(text, sizeof(text), "%s/%s", documents, name);
                remove(text);
            }
        }
        build_into(path);
    }
    snprintf(fresh, sizeof(fresh), "%s.fresh", path);
    build_into(fresh);

    expect_same(
        path, fresh,
        "SELECT label, number, first_order + number, title, section, text"
        " FROM passage JOIN file ON file.row = file ORDER BY first_order, number");
    expect_same(path, fresh, "SELECT * FROM stem ORDER BY stem");
    expect_same(path, fresh, "SELECT * FROM corpus");
    expect_same(path, fresh, "SELECT * FROM temp.seen ORDER BY term, col");
}

Test(index, that_is_replaced_goes_on_for_who_reads_it)
{
    static const char *const stems[] = {"wheel"};
    int64_t rows[4];
    struct index_reader *reader;

    write_document("a.md", "Wheels turn.");
    build_into(path);
    reader = open_index(path);

    write_document("a.md", "Legs walk.");
    build_into(path);
    cr_assert_eq(index_find(reader, stems, 1, 4, rows), 1);
    cr_expect(has_text(reader, rows[0], "Wheels turn."));
    cr_expect_not(index_is_broken(reader));
    index_reader_free(reader);

    reader = open_index(path);
    cr_expect_eq(index_find(reader, stems, 1, 4, rows), 0);
    index_reader_free(reader);
}

static void expect_no_index(const char *problem_has)
{
    struct buffer problem;

    buffer_init(&problem, 4096);
    cr_expect_null(index_reader_open(path, &problem));
    cr_assert(problem.length > 0);
    cr_expect_not_null(strstr(problem.bytes, problem_has), "%s", problem.bytes);
    cr_expect_eq(strchr(problem.bytes, '\n'), problem.bytes + problem.length - 1);
    buffer_done(&problem);
}

Test(index, that_is_none_is_refused_with_a_line)
{
    sqlite3 *database;

    expect_no_index("No such file");
    mkdir(path, 0700);
    expect_no_index("not a file");
    rmdir(path);
    FILE *file = fopen(path, "wb");
    fputs("This is a text, and no database at all, and not even much of a text.", file);
    fclose(file);
    expect_no_index("not an index");
    remove(path);
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_exec(database, "CREATE TABLE corpus (json)", NULL, NULL, NULL);
    sqlite3_close(database);
    expect_no_index("not an index");
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_exec(database, "PRAGMA application_id = 1349470584; PRAGMA user_version = 99",
                 NULL, NULL, NULL);
    sqlite3_close(database);
    expect_no_index("version");
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_exec(database,
                 "PRAGMA user_version = 2; DROP TABLE corpus;"
                 "CREATE TABLE corpus (json, reading, passages, words);"
                 "INSERT INTO corpus VALUES ('{}', 1, 1, 1);",
                 NULL, NULL, NULL);
    sqlite3_close(database);
    expect_no_index("malformed");
}

/* Reads all that can be read. */
static void read_all(struct index_reader *reader)
{
    static const char *const stems[] = {"arm", "wheel", "gripper"};
    struct passages one = {.all = mem_zalloc(sizeof(struct passage)), .count = 1};
    int64_t rows[50];
    size_t found = index_find(reader, stems, 3, 50, rows);

    for (size_t i = 0; i < found; i++)
        if (index_load(reader, rows[i], &one.all[0])) {
            passages_done(&one);
            one =
                (struct passages){.all = mem_zalloc(sizeof(struct passage)), .count = 1};
        }
    index_stem_passages(reader, "arm");
    index_row_of(reader, "a#1");
    passages_done(&one);
}

Test(index, that_is_damaged_does_no_harm)
{
    char text[20000] = "# Start\n";
    struct buffer whole;
    unsigned seed = 3;
    int file, opened = 0, refused = 0;

    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "\n## Part %d\n\nAn arm, a wheel %d and a gripper for %x.\n", i, i * 7,
                 i * 9999);
    write_document("a.md", text);
    build_into(path);
    buffer_init(&whole, 1 << 20);
    file = open(path, O_RDONLY);
    buffer_advance(&whole, (size_t)read(file, buffer_reserve(&whole, 1 << 19), 1 << 19));
    close(file);
    for (int round = 0; round < 300; round++) {
        size_t length = whole.length;
        char *bytes = mem_copy(whole.bytes, whole.length);
        struct buffer problem;
        struct index_reader *reader;

        if (round % 3 == 0)
            length = (size_t)rand_r(&seed) % length;
        for (int i = 0; round % 3 != 0 && i < 1 + round / 3; i++)
            bytes[(size_t)rand_r(&seed) % length] = (char)rand_r(&seed);
        file = open(path, O_WRONLY | O_TRUNC);
        cr_assert_eq(write(file, bytes, length), (ssize_t)length);
        close(file);
        buffer_init(&problem, 4096);
        reader = index_reader_open(path, &problem);
        cr_expect(reader != NULL || problem.length > 0);
        opened += reader != NULL;
        refused += reader == NULL;
        if (reader != NULL)
            read_all(reader);
        index_reader_free(reader);
        buffer_done(&problem);
        free(bytes);
    }
    cr_expect(opened > 10 && refused > 10, "%d opened, %d refused", opened, refused);
    buffer_done(&whole);
}

Test(index, of_the_handbook_is_there_without_a_file)
{
    static const char *const stems[] = {"situat", "task", "action", "result"};
    int64_t rows[1];
    struct index_reader *reader = open_index(NULL);

    cr_expect(index_passage_count(reader) > 50);
    cr_assert_eq(index_find(reader, stems, 4, 1, rows), 1);
    cr_expect(has_text(reader, rows[0], "STAR stands for"));
    index_reader_free(reader);
}
