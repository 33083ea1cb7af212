/*
 * The duration of a Matroska or WebM (RFC 9559): elements in elements, each with an
 * identifier and a length of variable width (RFC 8794).
 *
 * The segment's information may have it.  A browser that records does not know it when it
 * writes that: then the time of the last block counts.  Clusters and the segment may be
 * of unknown length, so both are walked into as if their children stood by themselves.
 */
#include "audio_internal.h"

#include <string.h>

enum element_id {
    ID_SEGMENT = 0x18538067,
    ID_INFO = 0x1549a966,
    ID_TIMESTAMP_SCALE = 0x2ad7b1,
    ID_DURATION = 0x4489,
    ID_CLUSTER = 0x1f43b675,
    ID_TIMESTAMP = 0xe7,
    ID_SIMPLE_BLOCK = 0xa3,
    ID_BLOCK_GROUP = 0xa0,
    ID_BLOCK = 0xa1
};

#define STANDARD_SCALE_NS 1000000 /* RFC 9559, 5.1.2.9 */

struct element {
    uint64_t id;
    uint64_t length; /* UINT64_MAX: unknown */
    struct span content;
};

struct walk {
    uint64_t scale_ns; /* of the units of all times */
    double duration;   /* in units; 0: not said */
    uint64_t cluster;  /* time of the present cluster, in units */
    uint64_t last;     /* the latest block, in units */
};

/* The first bit that is set tells the width (RFC 8794, 4). */
static size_t number_width(struct span bytes)
{
    unsigned first = (unsigned)audio_big(bytes, 0, 1);
    size_t width = 1;

    for (unsigned bit = 0x80; bit > 0 && !(first & bit); bit >>= 1)
        width++;
    return width <= 8 && width <= bytes.length ? width : 0;
}

/* Reads the head of the element at the beginning.  false: there is none. */
static bool read_element(struct span bytes, struct element *ret_element)
{
    size_t id_width = number_width(bytes), width;
    struct span behind;
    uint64_t ones;

    if (id_width == 0 || id_width > 4)
        return false;
    ret_element->id = audio_big(bytes, 0, id_width);
    behind = audio_from(bytes, id_width);
    width = number_width(behind);
    if (width == 0)
        return false;
    ones = (1ULL << 7 * width) - 1;
    ret_element->length = audio_big(behind, 0, width) & ones;
    if (ret_element->length == ones)
        ret_element->length = UINT64_MAX;
    ret_element->content = audio_from(behind, width);
    return true;
}

static uint64_t read_unsigned(const struct element *element)
{
    return element->length <= 8 ? audio_big(element->content, 0, (size_t)element->length)
                                : 0;
}

static double read_float(const struct element *element)
{
    uint32_t bits = (uint32_t)audio_big(element->content, 0, 4);
    uint64_t long_bits = audio_big(element->content, 0, 8);
    float number;
    double long_number;

    if (element->length == 4) {
        memcpy(&number, &bits, sizeof(number));
        return (double)number;
    }
    memcpy(&long_number, &long_bits, sizeof(long_number));
    return element->length == 8 ? long_number : 0;
}

/* A block: the track's number, then 16 bits of time after the cluster's, with a sign
 * (RFC 9559, 10.1). */
static void take_block(struct walk *walk, struct span block)
{
    int64_t behind = (int16_t)audio_big(block, number_width(block), 2);

    if (behind >= 0 && walk->cluster <= INT64_MAX &&
        walk->cluster + (uint64_t)behind > walk->last)
        walk->last = walk->cluster + (uint64_t)behind;
}

/* true: what is in it comes next, not what is behind it. */
static bool take_element(struct walk *walk, const struct element *element)
{
    switch (element->id) {
    case ID_SEGMENT:
    case ID_INFO:
    case ID_CLUSTER:
    case ID_BLOCK_GROUP: return true;
    case ID_TIMESTAMP_SCALE: walk->scale_ns = read_unsigned(element); break;
    case ID_DURATION: walk->duration = read_float(element); break;
    case ID_TIMESTAMP: walk->cluster = read_unsigned(element); break;
    case ID_SIMPLE_BLOCK:
    case ID_BLOCK: take_block(walk, element->content); break;
    }
    return false;
}

int64_t audio_matroska_ms(struct span recording)
{
    struct walk walk = {.scale_ns = STANDARD_SCALE_NS};
    struct element element;

    while (read_element(recording, &element)) {
        bool is_inside = take_element(&walk, &element);

        if (!is_inside && element.length == UINT64_MAX)
            break; /* where it ends cannot be known */
        recording = audio_from(element.content, is_inside ? 0 : element.length);
    }
    if (walk.scale_ns == 0)
        return -1;
    if (walk.duration >= 1 && walk.duration < 1e15)
        return audio_ms((uint64_t)walk.duration, 1000000000 / walk.scale_ns);
    return audio_ms(walk.last, 1000000000 / walk.scale_ns);
}
