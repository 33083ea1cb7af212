/*
 * The life of one espeak-ng process.
 *
 *   espeak_child_start > on_output ... > on_output (end), on_child_exit > end > done
 *
 * The end of its output and its exit come in any order; when both are there it is over.
 * The memory goes when libuv has let go of both handles.
 */
#include "espeak_child_internal.h"

#include "buffer.h"
#include "mem.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A quarter of an hour of espeak-ng's WAV. */
#define OUTPUT_MAX_BYTES (32 * 1024 * 1024)
#define READ_BYTES       65536
#define HANDLES          2

struct espeak_child {
    uv_process_t process;
    uv_pipe_t output_pipe;
    struct buffer output;
    espeak_child_done_fn *done;
    void *context; /* borrowed from the caller */
    bool has_exited;
    bool is_output_over;
    bool is_good; /* it exited by itself and with 0 */
    unsigned closed_handles;
};

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *ret_room);
static void on_output(uv_stream_t *pipe, ssize_t count, const uv_buf_t *room);
static void on_child_exit(uv_process_t *process, int64_t status, int signal);
static void on_closed(uv_handle_t *handle);

/* The text as a file in memory, which unlike a pipe always takes all of it; -1: none. */
static int open_text(struct span text)
{
    int descriptor = memfd_create("text", MFD_CLOEXEC);

    if (descriptor < 0)
        return -1;
    if (write(descriptor, text.bytes, text.length) != (ssize_t)text.length ||
        lseek(descriptor, 0, SEEK_SET) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* The child gets none of our environment: there are keys in it. */
static int spawn(struct espeak_child *child, struct loop *loop, const char *program,
                 const char *voice, int text_descriptor)
{
    char *arguments[] = {(char *)program, "--stdin", "--stdout", "-b", "1", "-v",
                         (char *)voice,   NULL};
    char *environment[] = {"LANG=C.UTF-8", NULL};
    uv_stdio_container_t streams[3] = {
        {.flags = UV_INHERIT_FD, .data.fd = text_descriptor},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
         .data.stream = (uv_stream_t *)&child->output_pipe},
        {.flags = UV_IGNORE},
    };
    uv_process_options_t options = {
        .exit_cb = on_child_exit,
        .file = program,
        .args = arguments,
        .env = environment,
        .cwd = "/",
        .stdio = streams,
        .stdio_count = 3,
    };
    int status;

    uv_pipe_init(loop_uv(loop), &child->output_pipe, 0);
    child->output_pipe.data = child;
    status = uv_spawn(loop_uv(loop), &child->process, &options);
    child->process.data = child;
    if (status == 0 &&
        uv_read_start((uv_stream_t *)&child->output_pipe, give_room, on_output) != 0)
        abort(); /* which only a stream that is not open makes it */
    return status;
}

struct espeak_child *espeak_child_start(struct loop *loop, const char *program,
                                        const char *voice, struct span text,
                                        espeak_child_done_fn *done, void *context)
{
    struct espeak_child *child;
    int text_descriptor = open_text(text);

    if (text_descriptor < 0)
        return NULL;
    child = MEM_NEW(struct espeak_child);
    child->done = done;
    child->context = context;
    buffer_init(&child->output, OUTPUT_MAX_BYTES);
    if (spawn(child, loop, program, voice, text_descriptor) != 0) {
        uv_close((uv_handle_t *)&child->output_pipe, on_closed);
        uv_close((uv_handle_t *)&child->process, on_closed);
        child = NULL;
    }
    close(text_descriptor);
    return child;
}

/* No room is an error that on_output() hears of. */
static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *ret_room)
{
    struct espeak_child *child = handle->data;
    char *room = buffer_reserve(&child->output, READ_BYTES);

    (void)wanted;
    *ret_room = uv_buf_init(room, room != NULL ? READ_BYTES : 0);
}

static void end_if_over(struct espeak_child *child)
{
    espeak_child_done_fn *done = child->done;
    void *context = child->context;
    struct private_text output = {NULL, 0};

    if (!child->has_exited || !child->is_output_over)
        return;
    if (child->is_good && child->output.length > 0)
        output = private_text_take(&child->output);
    done(context, output);
}

static void on_output(uv_stream_t *pipe, ssize_t count, const uv_buf_t *room)
{
    struct espeak_child *child = pipe->data;

    (void)room;
    if (count >= 0) {
        buffer_advance(&child->output, (size_t)count);
        return;
    }
    if (count != UV_EOF) { /* or it wrote too much */
        espeak_child_kill(child);
        return;
    }
    child->is_output_over = true;
    uv_close((uv_handle_t *)pipe, on_closed);
    end_if_over(child);
}

static void on_child_exit(uv_process_t *process, int64_t status, int signal)
{
    struct espeak_child *child = process->data;

    child->has_exited = true;
    child->is_good = status == 0 && signal == 0;
    uv_close((uv_handle_t *)process, on_closed);
    end_if_over(child);
}

/* Its output is closed too: it might have given that to another process. */
void espeak_child_kill(struct espeak_child *child)
{
    if (!child->has_exited)
        uv_process_kill(&child->process, SIGKILL);
    buffer_clear(&child->output);
    if (child->is_output_over)
        return;
    child->is_output_over = true;
    uv_close((uv_handle_t *)&child->output_pipe, on_closed);
    if (child->has_exited)
        end_if_over(child);
}

void espeak_child_free(struct espeak_child *child)
{
    if (child == NULL)
        return;
    if (!child->has_exited) {
        child->has_exited = true;
        kill(child->process.pid, SIGKILL);
        while (waitpid(child->process.pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        uv_close((uv_handle_t *)&child->process, on_closed);
    }
    if (!child->is_output_over)
        uv_close((uv_handle_t *)&child->output_pipe, on_closed);
}

static void on_closed(uv_handle_t *handle)
{
    struct espeak_child *child = handle->data;

    if (++child->closed_handles < HANDLES)
        return;
    buffer_done(&child->output);
    free(child);
}

/* ---- where it is ---- */

char *espeak_child_find(const char *program)
{
    const char *at = getenv("PATH");
    char path[4096];

    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0 ? mem_copy_string(program) : NULL;
    for (; at != NULL && *at != '\0'; at += strspn(at, ":")) {
        int length = (int)strcspn(at, ":");

        snprintf(path, sizeof(path), "%.*s/%s", length, at, program);
        if (access(path, X_OK) == 0)
            return mem_copy_string(path);
        at += length;
    }
    return NULL;
}
