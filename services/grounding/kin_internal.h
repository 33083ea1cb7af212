/*
 * Ordinary words by their stems: those that anything may be phrased with, and those that say the same
 * ("begin", "start").  Read from patterns/support.txt, which is compiled in.
 */
#ifndef KIN_INTERNAL_H
#define KIN_INTERNAL_H

#include "span.h"
#include "terms.h"

#include <stdbool.h>
#include <stddef.h>

/* More than any stem of the list has. */
enum { KIN_MOST = 128 };

struct kin;

struct kin *kin_new(struct terms_reader *reader); /* which is borrowed meanwhile */
void kin_free(struct kin *kin);                   /* NULL is fine */

/* A text may say the same without it. */
bool kin_is_plain(const struct kin *kin, struct span stem);

/* Stems of words for the same; how many.  Borrowed from `kin`; one may come twice. */
size_t kin_of(const struct kin *kin, struct span stem, struct span ret_stems[KIN_MOST]);

#endif
