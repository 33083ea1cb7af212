/*
 * A growing run of bytes, always followed by a NUL that is not counted.  What the harness
 * reads and writes: requests, replies, the program's output.
 */
#ifndef BLACKBOX_BYTES_H
#define BLACKBOX_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised is empty. */
struct bytes {
    char *data; /* owned; NULL while empty */
    size_t size;
    size_t room;
};

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_add_text(struct bytes *bytes, const char *text);
__attribute__((format(printf, 2, 3))) void bytes_addf(struct bytes *bytes,
                                                      const char *format, ...);

/* The first size bytes go away. */
void bytes_drop(struct bytes *bytes, size_t size);

bool bytes_has(const struct bytes *bytes, const char *needle);
void bytes_free(struct bytes *bytes);

/* Reads a whole file onto the end; false when it cannot be opened. */
bool bytes_add_file(struct bytes *bytes, const char *path);

#endif
