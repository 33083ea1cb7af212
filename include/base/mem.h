/*
 * Memory from the heap that is always there: running out aborts the program, which is
 * acceptable because everything that a client can make grow has a ceiling.  What these
 * return is freed with free().
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>

/* `bytes` zeroed bytes; never NULL, also for 0. */
void *mem_zalloc(size_t bytes);

/* Like realloc(3); never NULL. */
void *mem_realloc(void *memory, size_t bytes);

/* A copy of `length` bytes with a NUL behind them. */
char *mem_copy(const char *bytes, size_t length);

/* A copy of a C string. */
char *mem_copy_string(const char *string);

/* A new zeroed object of a type. */
#define MEM_NEW(type) ((type *)mem_zalloc(sizeof(type)))

#endif
