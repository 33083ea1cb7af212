/*
 * The two files that a world with TLS needs, in a directory of their own.
 *
 *     struct files files = make_files("poise.test", 30);
 *     struct world *world = world_with_builtin_coach(WITH_TLS(files));
 *     ...
 *     world_end(world);
 *     remove_files(&files);
 */
#ifndef BLACKBOX_KEY_FILES_H
#define BLACKBOX_KEY_FILES_H

#include "play.h"

struct files {
    char *directory;                               /* owned */
    struct bytes certificate, key;                 /* owned: their paths */
    struct bytes certificate_setting, key_setting; /* owned */
};
#define WITH_TLS(files) (files).certificate_setting.data, (files).key_setting.data

/* A certificate of this name that is good for so many days. */
struct files make_files(const char *name, int days);
void remove_files(struct files *files);

/* Another one in the same files. */
void write_pair(const struct files *files, const char *name, int days);
void write_pem(const char *path, const struct bytes *text);

/* The name in the certificate that the connection was shown. */
void expect_peer(const struct connection *connection, const char *name);

/* One more request on it is answered. */
void expect_alive(struct world *world, struct connection *connection);

#endif
