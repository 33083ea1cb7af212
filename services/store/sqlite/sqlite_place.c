/*
 * From STORE_URL, or from the environment, to a path.
 */
#include "sqlite_place_internal.h"

#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define URL_START "sqlite:///"
#define FILE_NAME "poise.db"
#define PATH_MAX_ 4096

void sqlite_place_explain(struct buffer *problem, const char *path, const char *what,
                          int number)
{
    buffer_append_string(problem, "store: ");
    buffer_append_string(problem, path);
    buffer_append_string(problem, ": ");
    buffer_append_string(problem, what);
    if (number != 0) {
        buffer_append_string(problem, ": ");
        buffer_append_string(problem, strerror(number));
    }
    buffer_append_char(problem, '\n');
}

static char *join(const char *directory, size_t length, const char *rest)
{
    struct buffer path;

    buffer_init(&path, PATH_MAX_);
    if (buffer_append(&path, directory, length) && buffer_append_string(&path, rest))
        return buffer_take(&path, &length);
    buffer_done(&path);
    return NULL;
}

/* systemd lists several directories with colons between them: the first is ours
 * (systemd.exec(5), RuntimeDirectory=). */
static char *default_path(void)
{
    const char *state = getenv("STATE_DIRECTORY");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    if (state != NULL && state[0] == '/')
        return join(state, strcspn(state, ":"), "/" FILE_NAME);
    if (data != NULL && data[0] == '/')
        return join(data, strlen(data), "/poise/" FILE_NAME);
    if (home != NULL && home[0] == '/')
        return join(home, strlen(home), "/.local/share/poise/" FILE_NAME);
    return NULL;
}

/* Makes every directory on the way to the file. */
static bool make_directories(char *path, struct buffer *problem)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        int status;

        *slash = '\0';
        status = mkdir(path, 0700);
        if (status != 0 && errno != EEXIST) {
            sqlite_place_explain(problem, path, "the directory cannot be made", errno);
            *slash = '/';
            return false;
        }
        *slash = '/';
    }
    return true;
}

static bool is_our_kind_of_file(const char *path, struct buffer *problem)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        sqlite_place_explain(problem, path, "cannot be looked at", errno);
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        sqlite_place_explain(problem, path, "is not a regular file", 0);
        return false;
    }
    return true;
}

/* An existing file is not opened here: closing a second descriptor of it would drop the
 * locks that SQLite holds on the first (fcntl(2), POSIX record locks). */
static bool make_file(const char *path, struct buffer *problem)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (descriptor >= 0) {
        close(descriptor);
        return true;
    }
    if (errno == EEXIST)
        return is_our_kind_of_file(path, problem);
    sqlite_place_explain(problem, path, "cannot be made", errno);
    return false;
}

static bool is_default(const char *url)
{
    return url == NULL || url[0] == '\0';
}

char *sqlite_place_path(const char *url, struct buffer *problem)
{
    char *path = NULL;

    if (is_default(url)) {
        path = default_path();
        if (path == NULL)
            buffer_append_string(problem,
                                 "store: no place for it: set STORE_URL, or one of "
                                 "STATE_DIRECTORY, XDG_DATA_HOME, HOME\n");
    } else if (strncmp(url, URL_START, strlen(URL_START)) == 0 &&
               url[strlen(URL_START)] != '\0' && strpbrk(url, "?#") == NULL &&
               url[strlen(url) - 1] != '/' &&
               strchr(url + strlen(URL_START), ':') == NULL) {
        path = mem_copy_string(url + strlen(URL_START));
    } else {
        sqlite_place_explain(problem, "STORE_URL",
                             "must be sqlite:///path, with four slashes for an "
                             "absolute path",
                             0);
    }
    return path;
}

char *sqlite_place(const char *url, struct buffer *problem)
{
    char *path = sqlite_place_path(url, problem);

    if (path == NULL)
        return NULL;
    if ((is_default(url) && !make_directories(path, problem)) ||
        !make_file(path, problem)) {
        free(path);
        return NULL;
    }
    return path;
}
