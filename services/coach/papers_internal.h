/*
 * Questions about what a candidate brought for the interview: the demands of the advert and the
 * lines of the CV.
 */
#ifndef PAPERS_INTERNAL_H
#define PAPERS_INTERNAL_H

#include "buffer.h"
#include "coach.h"

/* Must the next question be about a demand, so that half of them are asked for in the end? */
bool papers_are_due(const struct coach_facts *facts);

/* Writes a question about a demand or a line that was not asked for yet; the same for the same facts and
 * seed.  false: there is none, or it is the turn of the bank. */
bool papers_ask(const struct coach_facts *facts, uint64_t seed, struct buffer *out);

/* What somebody may be asked about of a CV: "led a team of five". */
enum { RESUME_LINES_MOST = 24, RESUME_LINE_WORDS = 18, RESUME_LINE_BYTES = 240 };

struct resume_lines {
    char all[RESUME_LINES_MOST][RESUME_LINE_BYTES];
    size_t count;
};

/* The caller wipes them. */
void resume_lines_read(struct span resume, struct resume_lines *ret_lines);

#endif
