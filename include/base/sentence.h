/*
 * What a server or a library said about itself, for whoever runs the service: the one free text that
 * a line of the log can have.
 *
 * Nobody's words may be in it.  Only the files of tests/checks/may_quote.txt quote, each with its
 * reason why what it quotes speaks of connections, files and disks, and repeats nothing that was
 * sent or stored.
 */
#ifndef SENTENCE_H
#define SENTENCE_H

#define SENTENCE_BYTES 256

struct sentence {
    char text[SENTENCE_BYTES]; /* printable ASCII without quotes and backslashes */
};

/* Line breaks become blanks, what JSON would escape becomes something like it; what is too long is
 * cut.  NULL is an empty sentence. */
struct sentence sentence_quote(const char *said);

#endif
