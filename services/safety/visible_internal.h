/*
 * What a reader sees of a text, and in which order.
 */
#ifndef VISIBLE_INTERNAL_H
#define VISIBLE_INTERNAL_H

#include "private_text.h"

/* Takes out the invisible characters that carry no meaning where they stand: tags, bidi controls, soft
 * hyphens, joiners between Latin letters ...  Joiners and variation selectors stay in emoji and in
 * scripts whose letters they shape.  Only of a valid text; others stay as they are. */
void visible_keep(struct private_text *text);

/* The text in the order in which a screen shows it where an override (U+202E) turns parts of it round;
 * empty where none does. */
struct private_text visible_order(const struct private_text *text);

#endif
