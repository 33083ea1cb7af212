/*
 * A file of the page, compiled in: as it is, and compressed by gzip.  The table of all
 * of them is made when Poise is built (services/web/page.cmake).
 */
#ifndef WEB_FILE_INTERNAL_H
#define WEB_FILE_INTERNAL_H

#include "span.h"

#include <stdbool.h>

/*
 * A name for some bytes, so that a client need not fetch again what it has (RFC 9110 8.8.3).
 */
#define ENTITY_TAG_BYTES 40

struct entity_tag {
    char text[ENTITY_TAG_BYTES]; /* with its quotes */
};

/* A strong tag: other bytes have another one. */
struct entity_tag entity_tag_of(struct span bytes);

/* Does If-None-Match name it?  A list of tags, weak ones too, or "*" (RFC 9110 13.1.2);
 * {NULL, 0} names none. */
bool entity_tag_is_in(const struct entity_tag *tag, struct span if_none_match);

struct web_file {
    const char *name; /* "index.html", "app-0123456789ab.js" */
    const char *bytes, *end;
    const char *gzip, *gzip_end;
};

/* The last one has no name. */
extern const struct web_file web_files[];

/* NULL: there is none of that name. */
const struct web_file *web_file_find(struct span name);

/* What it is, by the end of its name; static. */
const char *web_file_type(const struct web_file *file);

/* Does a browser open it as a page, or run it as a worker, of its own? */
bool web_file_is_on_its_own(const struct web_file *file);

/* Has it another name when it has other bytes?  All but the page itself. */
bool web_file_is_named_by_its_bytes(const struct web_file *file);

/* Its bytes. */
struct span web_file_body(const struct web_file *file, bool is_gzip);

/* Names those bytes. */
struct entity_tag web_file_tag(const struct web_file *file, bool is_gzip);

#endif
