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

/* The array with room for `more` elements behind `count`: as it is, or a larger one, zeroed
 * behind `count`, and the old one wiped and freed.  `*capacity` counts elements, like the
 * others. */
void *mem_grow(void *array, size_t count, size_t more, size_t *capacity, size_t size);

/* MEM_ROOM(list->all, list->count, list->capacity, 1); list->all[list->count++] = ...; */
#define MEM_ROOM(array, count, capacity, more) \
    ((array) = mem_grow((array), (count), (more), &(capacity), sizeof(*(array))))

/* Wipes and frees what may have held somebody's words.  NULL is fine. */
void mem_wipe_and_free(void *memory, size_t bytes);

/* A new zeroed object of a type. */
#define MEM_NEW(type) ((type *)mem_zalloc(sizeof(type)))

#endif
