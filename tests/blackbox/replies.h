/*
 * Every reply of every story, written down for the check that openapi.json tells the truth
 * (tests/checks/openapi_replies.py): a line of JSON each, in a file of this process in the
 * directory that POISE_REPLIES names.
 */
#ifndef BLACKBOX_REPLIES_H
#define BLACKBOX_REPLIES_H

#include "http.h"

/* The first bytes of a request, of which its first line is kept.  Room for REQUEST_LINE
 * bytes. */
#define REQUEST_LINE 256
void request_line_copy(const void *data, size_t size, char *ret_line);

/* Nothing is written without POISE_REPLIES, or of a request whose first line was not
 * seen. */
void replies_note(const char *request_line, const struct reply *reply);

#endif
