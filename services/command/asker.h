/*
 * Questions about the study material from the shell: the engine of POST /ask and POST /v1/chat without a
 * server, one question after the other.
 */
#ifndef ASKER_H
#define ASKER_H

#include "ask.h"

#include <stdbool.h>

struct asker;

/* With these settings, which are borrowed; REFUSAL_LOG is emptied in them: what is refused is not noted, for who
 * asks here keeps the material.  NULL, and it is said on standard error why. */
struct asker *asker_new(struct settings *settings);
void asker_free(struct asker *asker); /* NULL is fine */

/* Blocks until there is a result; ask_result_free().  Both texts are taken; no selection: an empty one. */
struct ask_result asker_put(struct asker *asker, enum ask_surface surface,
                            struct private_text *question,
                            struct private_text *selection);

#endif
