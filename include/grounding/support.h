/*
 * Does what is said stand in the passages?  Gate 4: sentence by sentence, by numbers, names, polarity and
 * weighted words.  A sentence is unsupported when
 *
 *   - a number of it (digits, or words from three up) is in no passage, or a name in none, or a word is in none that
 *     the answer is not just phrased with;
 *   - it is negated and its best-matching passage sentence is not, or the other way round;
 *   - the best 3 consecutive passage sentences cover less than half of its weight;
 *   - one passage sentence covers 0.7 of it, and its numbers with their units, names or polarity are not that
 *     sentence's own, it says the opposite ("rose", "fell"), or two of its words are in each other's place;
 *   - it ends in three words or more of weight that no passage has.
 *
 * A sentence that sums up several passes where each of its clauses repeats one, and none says otherwise than the one that
 * has most of it.
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "span.h"
#include "terms.h"

#include <stdbool.h>
#include <stddef.h>

struct support;

/* What a check keeps between two of them; for one thread. */
struct support *support_new(void);
void support_free(struct support *support); /* NULL is fine */

/* Reads the passages that sentences are then held to; the texts are borrowed until the next. */
void support_read(struct support *support, const struct span *passages, size_t count);

/* Says which question the claims answer, after support_read().  An answer may be phrased in the words of one that asks
 * "who" or "how", but for names and numbers; a claim that restates it in them is held to the passages all the more
 * strictly in the rest.  A question whether something is so takes nothing for given. */
void support_asked(struct support *support, struct span question);

/* One sentence (or a claim of several, each of which must hold) against the passages whose bits are set in
 * `cited` (bit i: passage i; at most 64 passages).  What has no word that could be held to anything
 * ("Yes.") is supported. */
bool support_holds(struct support *support, struct span claim, uint64_t cited);

/* The first sentence at or after `*offset` in `answer`, which moves past it.  false: no more. */
bool support_next_sentence(struct support *support, struct span answer, size_t *offset,
                           struct span *ret_sentence);

#endif
