/*
 * The certificate that the port shows, with its private key, as two PEM files had them.  It never
 * changes: a renewed one is another.
 */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include "buffer.h"

#include <stdbool.h>
#include <stdint.h>

struct certificate;

/* Why a pair of files is of no use: a line for a terminal, with no newline and nothing of the
 * key, and a word for the log. */
struct certificate_problem {
    char text[512];
    const char *reason; /* static */
};

/* The first certificate in `certificate_file` is shown, with those that vouch for it, in any
 * order.  One that has expired is taken: the operator is told, and clients decide.  false, with
 * the problem, where a file cannot be read or holds nothing of the kind, where the key has a
 * passphrase, or where it is not the certificate's. */
bool certificate_load(const char *certificate_file, const char *key_file,
                      struct certificate **ret_certificate,
                      struct certificate_problem *ret_problem);

/* Counted, from any thread.  A load returns the first reference. */
struct certificate *certificate_ref(struct certificate *certificate);
void certificate_unref(struct certificate *certificate); /* NULL is fine */

/* When it begins and ceases to be good, in seconds since 1970 UTC. */
int64_t certificate_not_before_s(const struct certificate *certificate);
int64_t certificate_not_after_s(const struct certificate *certificate);

/* Whole days until it expires, rounded down: -1 is one that expired today. */
int64_t certificate_days_left(const struct certificate *certificate);

/* "poise.example, *.poise.example, 192.0.2.1": the names it is for (RFC 6125), or its subject
 * where it has none of them, which browsers take for none at all. */
void certificate_write_names(const struct certificate *certificate, struct buffer *out);

/* "ECDSA, 256 bits", into the program's memory for good. */
const char *certificate_algorithm(const struct certificate *certificate,
                                  unsigned *ret_bits);

/* Do this machine's certificate authorities vouch for it?  Not where it is self-signed, or where
 * one between it and them is missing in the file. */
bool certificate_is_vouched_for(const struct certificate *certificate);

#endif
