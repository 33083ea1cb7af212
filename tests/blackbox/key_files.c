#include "key_files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void write_pem(const char *path, const struct bytes *text)
{
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    fwrite(text->data, 1, text->size, file);
    fclose(file);
}

void write_pair(const struct files *files, const char *name, int days)
{
    struct key_pair pair = key_pair_make(name, days);

    write_pem(files->certificate.data, &pair.certificate);
    write_pem(files->key.data, &pair.key);
    key_pair_free(&pair);
}

struct files make_files(const char *name, int days)
{
    struct files files = {.directory = directory_make()};

    bytes_addf(&files.certificate, "%s/cert.pem", files.directory);
    bytes_addf(&files.key, "%s/key.pem", files.directory);
    bytes_addf(&files.certificate_setting, "TLS_CERT_FILE=%s", files.certificate.data);
    bytes_addf(&files.key_setting, "TLS_KEY_FILE=%s", files.key.data);
    write_pair(&files, name, days);
    return files;
}

void remove_files(struct files *files)
{
    directory_remove(files->directory);
    bytes_free(&files->certificate);
    bytes_free(&files->key);
    bytes_free(&files->certificate_setting);
    bytes_free(&files->key_setting);
    free(files->directory);
}

void expect_peer(const struct connection *connection, const char *name)
{
    char *peer = secure_peer(connection_secure(connection));

    cr_expect_str_eq(peer, name);
    free(peer);
}

void expect_alive(struct world *world, struct connection *connection)
{
    connection_send_text(connection, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect_success(receive(world, connection, "GET"));
}
