/*
 * A reading of PCRE2's syntax that keeps of each item only which characters it can begin with,
 * whether it can be empty, and how often it repeats.
 */
#ifndef PATTERN_SYNTAX_INTERNAL_H
#define PATTERN_SYNTAX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MANY = 64, /* a repeat this often is as good as one without a limit */
    MAX_NESTING = 200,
    MOST_CHOICES = 8,
    PAST_ASCII = 128, /* stands for every character past ASCII */
};

/* Characters, case folded: bits 0 to 127 are ASCII, bit 128 is everything else. */
struct char_set {
    uint64_t bits[3];
};

/* An item of a sequence.  Items of one sequence, and the alternatives of one group, are
 * lists. */
struct pattern_item {
    struct pattern_item *next; /* owned: the next of the sequence */
    /* Owned: of a group, each an item that only heads a sequence. */
    struct pattern_item *alternatives;
    struct pattern_item *inner; /* owned: of a head, its sequence */
    struct char_set set;        /* of a single character */
    uint32_t code_point;        /* of one that is written as itself; 0: another */
    size_t end;                 /* offset behind it and its repeat */
    bool is_group;
    bool is_look;     /* zero wide, whatever is in it */
    bool is_boundary; /* \b */
    bool is_end;      /* $ */
    bool is_vague;    /* may match more than one character of its set */
    bool may_end;  /* zero wide, and whether it holds depends on what comes: $, lookaheads
                    */
    unsigned most; /* how often it is repeated, up to MANY */
    bool is_repeated; /* MANY times */
    bool is_optional;
    bool gives_nothing_back; /* possessive or atomic */
};

struct pattern_parser {
    const char *pattern; /* borrowed */
    size_t at;
    size_t nesting;
    bool is_unreadable;
    bool is_odd; /* has verbs or white space that is none: (*ACCEPT), (?x), (?m) */
};

void char_set_add(struct char_set *set, unsigned c);
void char_set_add_all(struct char_set *set);

/* The alternatives up to the bracket that closes the group, or the end of the pattern. */
struct pattern_item *pattern_syntax_parse(struct pattern_parser *parser);

/* NULL is fine. */
void pattern_syntax_free(struct pattern_item *item);

#endif
