/*
 * A broken index file: it is refused with a line that says so, or read, and then every question to
 * it ends, and what is not text or not there is not told.
 *
 * A whole index is made once.  The input is what happens to its file: lines of
 *
 *     <offset> =<hexadecimal>    these bytes stand there instead
 *     <text> =<hexadecimal>      the same where that text stands
 *     cut <length>               the file ends there
 *
 * libFuzzer does not see into SQLite, so half of the changes are lines that hit the head of a page or
 * a byte that is something (LLVMFuzzerCustomMutator).
 */
#include "fuzz.h"
#include "index.h"
#include "search_internal.h"
#include "utf8.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PATCHES_MOST = 64, PATCH_BYTES = 64, ROWS_MOST = 64 };

static struct {
    char path[64];
    int descriptor;
    char *whole; /* the file as it was made */
    size_t length;
} file;

/* ---- the whole one ---- */

static void write_document(const char *directory, const char *name, const char *text)
{
    char path[96];
    FILE *stream;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    stream = fopen(path, "w");
    must(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

static void remove_documents(const char *directory)
{
    static const char *const names[] = {"a.md", "b.txt", "corpus.json", "."};
    char path[96];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        if (i + 1 < sizeof(names) / sizeof(*names))
            unlink(path);
    }
    rmdir(directory);
}

static void remove_file(void)
{
    unlink(file.path);
}

static void make_whole(void)
{
    char directory[] = "/tmp/poise-fuzz-index-XXXXXX";
    struct index_report report;
    struct buffer problem;

    must(mkdtemp(directory) != NULL);
    write_document(directory, "a.md",
                   "# Brakes\n\n## Wear\n\nA worn pad squeals.\n\n## Care\n\n- Look.\n");
    write_document(directory, "b.txt", "A flat tyre is slow.\f\nThe second page.\n");
    write_document(directory, "corpus.json",
                   "{\"title\":\"Cars\",\"topics\":[\"brakes\"],\"out_of_scope\":[]}");
    snprintf(file.path, sizeof(file.path), "%s.index", directory);
    buffer_init(&problem, 4096);
    must(index_build(directory, file.path, NULL, NULL, &report, &problem));
    buffer_done(&problem);
    remove_documents(directory);
    atexit(remove_file);
    file.descriptor = open(file.path, O_RDWR | O_CLOEXEC);
    must(file.descriptor >= 0);
    file.length = (size_t)lseek(file.descriptor, 0, SEEK_END);
    file.whole = malloc(file.length);
    must(file.whole != NULL &&
         pread(file.descriptor, file.whole, file.length, 0) == (ssize_t)file.length);
}

/* ---- what happens to it ---- */

static int digit_of(char character)
{
    const char *digits = "0123456789abcdef";
    const char *at = character != '\0' ? strchr(digits, character) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

static size_t take_offset(struct span *line)
{
    size_t offset = 0;

    for (; line->length > 0 && *line->bytes >= '0' && *line->bytes <= '9' &&
           offset < file.length;
         line->length--)
        offset = offset * 10 + (size_t)(*line->bytes++ - '0');
    return offset;
}

static void patch(size_t offset, struct span hexadecimal)
{
    char bytes[PATCH_BYTES];
    size_t count = 0;

    for (size_t i = 0; i + 1 < hexadecimal.length && count < sizeof(bytes); i += 2) {
        int high = digit_of(hexadecimal.bytes[i]);
        int low = digit_of(hexadecimal.bytes[i + 1]);

        if (high < 0 || low < 0)
            break;
        bytes[count++] = (char)(high * 16 + low);
    }
    if (count > 0)
        must(pwrite(file.descriptor, bytes, count, (off_t)offset) == (ssize_t)count);
}

/* Where the bytes go that a line tells of: at an offset, or where its text stands in the file. */
static size_t place_of(struct span place)
{
    const char *at;

    if (place.length > 0 && *place.bytes >= '0' && *place.bytes <= '9')
        return take_offset(&place);
    at = place.length > 0 ? memmem(file.whole, file.length, place.bytes, place.length)
                          : NULL;
    return at != NULL ? (size_t)(at - file.whole) : file.length;
}

static void happen(struct span line)
{
    struct span place;
    size_t offset;

    if (line.length > 4 && memcmp(line.bytes, "cut ", 4) == 0) {
        place = (struct span){line.bytes + 4, line.length - 4};
        offset = take_offset(&place);
        if (offset < file.length)
            must(ftruncate(file.descriptor, (off_t)offset) == 0);
    } else if (fuzz_next(&line, " =", &place) && line.bytes != NULL) {
        offset = place_of(place);
        if (offset < file.length)
            patch(offset, line);
    }
}

static void mend(void)
{
    must(pwrite(file.descriptor, file.whole, file.length, 0) == (ssize_t)file.length);
    must(ftruncate(file.descriptor, (off_t)file.length) == 0);
}

/* ---- what it is asked ---- */

static void check_passage(const struct passage *passage)
{
    const char *texts[] = {passage->id, passage->chapter, passage->section,
                           passage->text};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        must(texts[i] != NULL && utf8_is_valid(texts[i], strlen(texts[i])));
}

static void read_everything(struct index_reader *reader)
{
    static const char *const stems[] = {"brake", "worn", "pad", "tyre"};
    int64_t rows[ROWS_MOST], row = -1, passages;
    char stem[64];

    must(index_corpus_json(reader).bytes != NULL);
    index_mean_words(reader);
    index_stem_passages(reader, "brake");
    index_stem_like(reader, "breake", stem, sizeof(stem), &passages);
    must(index_find(reader, stems, 4, ROWS_MOST, rows) <= ROWS_MOST);
    for (int i = 0; i < ROWS_MOST; i++) {
        struct passage passage = {0};
        int64_t next = index_next_row(reader, row);

        if (next == -1)
            break;
        must(next > row);
        row = next;
        if (index_load(reader, row, &passage)) {
            check_passage(&passage);
            index_row_of(reader, passage.id);
            passage_done(&passage);
        }
    }
}

static void check_search(void)
{
    struct search *search = search_new(file.path);
    struct passages found = {0};
    struct buffer problem;

    buffer_init(&problem, 4096);
    if (search_refresh(search, &problem)) {
        if (search_find(search, span_of("Why does a worn brake pad squeal?"), 3, &found))
            for (size_t i = 0; i < found.count; i++)
                must(found.all[i].score >= 0 && found.all[i].score <= 1);
        else
            must(found.count == 0);
    }
    passages_done(&found);
    buffer_done(&problem);
    search_free(search);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), line;
    struct index_reader *reader;
    struct buffer problem;

    if (file.whole == NULL)
        make_whole();
    for (int i = 0; i < PATCHES_MOST && fuzz_next(&input, "\n", &line); i++)
        happen(line);
    buffer_init(&problem, 4096);
    reader = index_reader_open(file.path, &problem);
    must((reader == NULL) == (problem.length > 0));
    if (reader != NULL)
        read_everything(reader);
    index_reader_free(reader);
    check_search();
    buffer_done(&problem);
    mend();
    return 0;
}

#ifdef POISE_FUZZ
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed)
{
    char line[32];
    size_t offset, added;

    if (seed % 2 == 0 || file.length == 0)
        return LLVMFuzzerMutate(bytes, length, most);
    do /* a page's head, or any byte that is something */
        offset = seed % 8 < 4
                     ? (seed >> 3) % file.length / 4096 * 4096 + seed % 128
                     : (seed = seed * 1103515245 + 12345, seed >> 2) % file.length;
    while (file.whole[offset] == '\0' && seed % 8 >= 4);
    added = (size_t)snprintf(line, sizeof(line), "%s%zu =%02x", length > 0 ? "\n" : "",
                             offset, seed >> 24);
    if (length + added > most)
        return LLVMFuzzerMutate(bytes, length, most);
    memcpy(bytes + length, line, added);
    return length + added;
}
#endif
