#include "web_file.h"

#include <string.h>

static const struct {
    const char *ending;
    const char *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
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

/* An image, too, may be opened by itself, and an SVG may hold scripts. */
bool web_file_is_document(const struct web_file *file)
{
    const char *ending = strrchr(file->name, '.');

    return ending != NULL &&
           (strcmp(ending, ".html") == 0 || strcmp(ending, ".svg") == 0);
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
