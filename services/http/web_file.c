/*
 * The files of the page, and their names for clients that have them already.
 */
#include "web_file_internal.h"

#include <sodium.h>
#include <string.h>

#define HASH_BYTES crypto_generichash_BYTES_MIN

struct entity_tag entity_tag_of(struct span bytes)
{
    unsigned char hash[HASH_BYTES];
    struct entity_tag tag = {.text = "\""};

    crypto_generichash(hash, sizeof(hash), (const unsigned char *)bytes.bytes,
                       bytes.length, NULL, 0);
    sodium_bin2hex(tag.text + 1, sizeof(tag.text) - 1, hash, sizeof(hash));
    strcat(tag.text, "\"");
    return tag;
}

/* Ours has neither a quote nor a comma inside: where it stands as a whole it is named. */
bool entity_tag_is_in(const struct entity_tag *tag, struct span if_none_match)
{
    if (if_none_match.bytes == NULL)
        return false;
    return span_equals(if_none_match, "*") ||
           memmem(if_none_match.bytes, if_none_match.length, tag->text,
                  strlen(tag->text)) != NULL;
}

static const struct {
    const char *ending;
    const char *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".webmanifest", "application/manifest+json"},
};

const struct web_file *web_file_find(struct span name)
{
    for (const struct web_file *file = web_files; file->name != NULL; file++) {
        if (span_equals(name, file->name))
            return file;
    }
    return NULL;
}

const char *web_file_type(const struct web_file *file)
{
    const char *ending = strrchr(file->name, '.');

    for (size_t at = 0; ending != NULL && at < sizeof(types) / sizeof(types[0]); at++) {
        if (strcmp(ending, types[at].ending) == 0)
            return types[at].type;
    }
    return "application/octet-stream";
}

/* An image, too, may be opened by itself, and an SVG may hold scripts; what runs as a worker is bound by
 * its own headers only. */
bool web_file_is_on_its_own(const struct web_file *file)
{
    const char *ending = strrchr(file->name, '.');

    return ending != NULL && (strcmp(ending, ".html") == 0 ||
                              strcmp(ending, ".svg") == 0 || strcmp(ending, ".js") == 0);
}

bool web_file_is_named_by_its_bytes(const struct web_file *file)
{
    return strcmp(file->name, "index.html") != 0 && strcmp(file->name, "docs.html") != 0;
}

struct span web_file_body(const struct web_file *file, bool is_gzip)
{
    if (is_gzip)
        return (struct span){file->gzip, (size_t)(file->gzip_end - file->gzip)};
    return (struct span){file->bytes, (size_t)(file->end - file->bytes)};
}

struct entity_tag web_file_tag(const struct web_file *file, bool is_gzip)
{
    return entity_tag_of(web_file_body(file, is_gzip));
}
