/*
 * What a body of study material says of itself, in corpus.json beside it: title, topics, and the
 * patterns of what it leaves out.
 *
 *   { "title": "...", "topics": ["..."], "out_of_scope": [ { "topic": "...", "pattern": "regex" } ] }
 */
#ifndef CORPUS_H
#define CORPUS_H

#include "buffer.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>

struct corpus;

/* NULL, with one line appended to `problem` that names `name`, the entry and the offset, where it is no
 * such JSON or a pattern does not compile.  Patterns are caseless PCRE2 with bounded matching. */
struct corpus *corpus_new(const char *name, struct span json, struct buffer *problem);
void corpus_free(struct corpus *corpus); /* NULL is fine */

const char *corpus_title(const struct corpus *corpus);  /* borrowed, like the next */
const char *corpus_topics(const struct corpus *corpus); /* joined: "a, b and c" */

enum corpus_scope { CORPUS_IN_SCOPE, CORPUS_OUT_OF_SCOPE, CORPUS_UNDECIDED };

/* Out of scope: the words of the question that matched, and the topic that the entry names, which is borrowed
 * and NULL where it names none.  Undecided: a limit of matching was hit.  From one thread at a time. */
enum corpus_scope corpus_judge(struct corpus *corpus, struct span question,
                               struct span *ret_match, const char **ret_topic);

#endif
