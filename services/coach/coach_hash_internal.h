/*
 * A hash that is the same on every machine (FNV-1a with 64 bits, RFC 9923), for tables of
 * words and for choices that must look free and come out the same again.
 */
#ifndef COACH_HASH_INTERNAL_H
#define COACH_HASH_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#define COACH_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t coach_hash_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t coach_hash(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length; at++)
        hash = coach_hash_byte(hash, bytes[at]);
    return hash;
}

/* A number below `limit` (not 0).  Another `purpose` makes another choice of the same
 * seed.  The bits are mixed first, since FNV's low bits hardly depend on a text's last
 * letters. */
static inline size_t coach_choose(uint64_t seed, uint64_t purpose, size_t limit)
{
    uint64_t mixed = seed + purpose * UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((mixed ^ (mixed >> 31)) % limit);
}

#endif
