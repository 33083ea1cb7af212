/*
 * The files of a corpus: which there are, and their bytes.
 */
#include "index_internal.h"

#include "corpus.h"
#include "json.h"
#include "mem.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_BYTES        (256 * 1024)
#define CORPUS_JSON_BYTES (1 << 20)

void index_complain(struct buffer *problem, const char *name, const char *what)
{
    index_append_visible(problem, span_of(name));
    buffer_append_string(problem, ": ");
    buffer_append_string(problem, what);
    buffer_append_char(problem, '\n');
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);

    return length > tail && strcasecmp(name + length - tail, ending) == 0;
}

static bool is_text_file(const char *name)
{
    return has_ending(name, ".md") || has_ending(name, ".markdown") ||
           has_ending(name, ".txt");
}

static void add_file(struct index_files *files, const char *name, int64_t bytes)
{
    MEM_ROOM(files->all, files->count, files->capacity, 1);
    files->all[files->count++] =
        (struct index_file){.name = mem_copy_string(name), .bytes = bytes, .old_row = -1};
    files->bytes += bytes;
}

static int compare_files(const void *one, const void *other)
{
    return strcmp(((const struct index_file *)one)->name,
                  ((const struct index_file *)other)->name);
}

/* The name without its ending.  Where a name in front of it has the same, the ending stays, behind a colon,
 * which no other label has. */
static void label_files(struct index_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct index_file *file = &files->all[i];
        size_t stem = (size_t)(strrchr(file->name, '.') - file->name);
        struct buffer label;

        buffer_init(&label, 3 * strlen(file->name) + 8);
        index_append_visible(&label, (struct span){file->name, stem});
        /* Names that differ in their endings only are neighbours, or nearly. */
        for (size_t before = i; before-- > 0;) {
            const char *name = files->all[before].name;

            if (strncmp(name, file->name, stem) != 0)
                break;
            if (name[stem] == '.' && strrchr(name, '.') == name + stem) {
                buffer_append_char(&label, ':');
                buffer_append_string(&label, file->name + stem + 1);
                break;
            }
        }
        file->label = buffer_take(&label, &stem);
    }
}

/* Opens a file below a directory.  Links on the way may lead on, but not out of it: EXDEV.  The kernel sees to
 * that while it walks (openat2(2)), so that nothing can be put in place of a file that was looked at. */
static int open_below(const char *directory, const char *name, uint64_t flags)
{
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file =
        folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
    int error = errno;

    if (folder >= 0)
        close(folder);
    errno = error;
    return file;
}

static void complain_unopened(struct buffer *problem, const char *name)
{
    index_complain(problem, name,
                   errno == EXDEV ? "leads out of the directory" : strerror(errno));
}

/* Adds what a link leads to, where that is a file below the directory. */
static void add_link(struct index_files *files, const char *directory, const char *name)
{
    struct stat target;
    int file = open_below(directory, name, O_PATH);

    if (file < 0)
        files->links_out += errno == EXDEV;
    else if (fstat(file, &target) == 0 && S_ISREG(target.st_mode))
        add_file(files, name, target.st_size);
    if (file >= 0)
        close(file);
}

/* Adds what the walk has come to.  false, with a line, where it cannot be read. */
static bool add_entry(struct index_files *files, FTS *walk, FTSENT *entry,
                      const char *directory, struct buffer *problem)
{
    size_t prefix = strlen(directory);
    const char *name = entry->fts_pathlen > prefix ? entry->fts_path + prefix : "";

    while (*name == '/')
        name++;
    switch (entry->fts_info) {
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        index_complain(problem, entry->fts_path, strerror(entry->fts_errno));
        return false;
    case FTS_D:
        if (entry->fts_level > 0 && entry->fts_name[0] == '.')
            fts_set(walk, entry, FTS_SKIP);
        return true;
    case FTS_F:
        if (entry->fts_name[0] != '.' && is_text_file(name))
            add_file(files, name, entry->fts_statp->st_size);
        return true;
    case FTS_SL:
        if (entry->fts_name[0] != '.' && is_text_file(name))
            add_link(files, directory, name);
        return true;
    default: return true; /* a directory that is left; a socket; a link to nothing */
    }
}

bool index_files_list(const char *directory, struct index_files *ret_files,
                      struct buffer *problem)
{
    struct index_files files = {0};
    struct stat status;
    char *path = mem_copy_string(directory);
    char *paths[2] = {path, NULL};
    bool is_good = true;
    FTS *walk;
    FTSENT *entry;

    errno = 0;
    if (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode)) {
        index_complain(problem, directory,
                       errno == 0 ? "not a directory" : strerror(errno));
        free(path);
        return false;
    }
    /* FTS_COMFOLLOW: the directory itself may be a link. */
    walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    while (walk != NULL && is_good && (entry = fts_read(walk)) != NULL)
        is_good = add_entry(&files, walk, entry, directory, problem);
    if (walk == NULL || (is_good && errno != 0)) {
        index_complain(problem, directory, strerror(errno));
        is_good = false;
    }
    if (walk != NULL)
        fts_close(walk);
    free(path);
    if (!is_good) {
        index_files_done(&files);
        return false;
    }
    if (files.count > 0)
        qsort(files.all, files.count, sizeof(*files.all), compare_files);
    label_files(&files);
    *ret_files = files;
    return true;
}

void index_files_done(struct index_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->all[i].name);
        free(files->all[i].label);
    }
    free(files->all);
    *files = (struct index_files){0};
}

bool index_file_read(const char *directory, const char *name, index_bytes_fn *tell,
                     void *context, struct digest *ret_digest, struct buffer *problem)
{
    /* No secret: the digest only says whether a file has changed. */
    static const struct digest_key key = {{0}};
    struct digest_state state;
    int file = open_below(directory, name, O_RDONLY | O_NONBLOCK);
    char *bytes;
    ssize_t got;

    if (file < 0) {
        complain_unopened(problem, name);
        return false;
    }
    bytes = mem_zalloc(READ_BYTES);
    digest_begin(&state, &key);
    while ((got = read(file, bytes, READ_BYTES)) > 0) {
        digest_add(&state, bytes, (size_t)got);
        if (tell != NULL && !tell(context, (struct span){bytes, (size_t)got}))
            break;
    }
    if (got < 0)
        index_complain(problem, name, strerror(errno));
    close(file);
    free(bytes);
    *ret_digest = digest_end(&state);
    return got == 0;
}

static bool collect(void *context, struct span bytes)
{
    return buffer_append(context, bytes.bytes, bytes.length);
}

/* A corpus that says nothing of itself has the title of its directory. */
static void name_after(const char *directory, struct buffer *ret_json)
{
    char *real = realpath(directory, NULL);
    const char *slash = real != NULL ? strrchr(real, '/') : NULL;
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : "corpus";
    struct json_writer writer;
    struct buffer visible;

    buffer_init(&visible, 4096);
    if (strlen(name) > 255 || !utf8_is_valid(name, strlen(name)))
        index_append_visible(&visible, (struct span){name, strnlen(name, 80)});
    else
        buffer_append_string(&visible, name);
    for (char *at = visible.bytes; *at != '\0'; at++)
        *at = *at == '\n' ? ' ' : *at;
    json_writer_init(&writer, ret_json);
    json_begin_object(&writer);
    json_put_string(&writer, "title", visible.bytes);
    json_end_object(&writer);
    buffer_done(&visible);
    free(real);
}

bool index_corpus_read(const char *directory, struct buffer *ret_json,
                       struct buffer *problem)
{
    struct corpus *corpus;
    struct digest digest;
    int file = open_below(directory, "corpus.json", O_PATH);
    bool is_there = file >= 0 || errno != ENOENT;

    if (file >= 0)
        close(file);
    buffer_init(ret_json, CORPUS_JSON_BYTES);
    if (!is_there) {
        name_after(directory, ret_json);
    } else if (!index_file_read(directory, "corpus.json", collect, ret_json, &digest,
                                problem)) {
        if (ret_json->is_over)
            index_complain(problem, "corpus.json", "larger than 1 MB");
        return false;
    }
    corpus =
        corpus_new("corpus.json",
                   ret_json->length > 0 ? (struct span){ret_json->bytes, ret_json->length}
                                        : (struct span){"", 0},
                   problem);
    corpus_free(corpus);
    return corpus != NULL;
}
