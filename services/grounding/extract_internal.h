/*
 * What a question asks for, and whether a sentence has it; and what a reader is shown of that sentence.
 */
#ifndef EXTRACT_INTERNAL_H
#define EXTRACT_INTERNAL_H

#include "buffer.h"
#include "span.h"
#include "terms.h"

enum question_kind {
    QUESTION_OTHER,
    QUESTION_NUMBER, /* how many, how long, how much */
    QUESTION_TIME,   /* when, in what year */
    QUESTION_PERSON, /* who */
    QUESTION_PLACE,  /* where */
    QUESTION_REASON  /* why */
};

enum question_kind question_kind(struct span question, const struct terms *terms);

/* A word of the question that says only what is asked for: "many", "year". */
bool question_word_asks(const struct terms *question, const struct term *term);

/* 1: the sentence has what is asked for; 0: it has not; less: it hardly says anything. */
double sentence_fit(enum question_kind kind, const struct terms *question,
                    const struct terms *terms, const struct term_sentence *sentence,
                    struct span text);

/* Does it begin with a word that means what was said before: "It", "However"? */
bool extract_hangs(struct span sentence);

/* "Figure 3. The gripper" */
bool extract_is_caption(struct span sentence);

/* In plain text a heading may stand right above its text, and be taken for the sentence's beginning. */
struct span extract_without_heading(struct span sentence);

/* Appends the text in one line, without the signs of Markdown and of citation. */
void extract_clean(struct span text, struct buffer *out);

/* The same of a row of a table: "first cell: second, third". */
void extract_clean_row(struct span row, struct buffer *out);

#endif
