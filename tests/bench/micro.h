/*
 * A micro-benchmark is a program of one file that defines these three and links
 * micro_main.c. micro.sh runs it under callgrind, which counts the instructions of
 * micro_operation() and of nothing else: the figure is the same on every machine with the
 * same libraries, so that commits can be compared by it.
 */
#ifndef MICRO_H
#define MICRO_H

/* Makes what the operation needs; given to the other two. */
void *micro_prepare(void);

/* One operation: reads or builds one thing and frees what it made. */
void micro_operation(void *state);

void micro_finish(void *state);

#endif
