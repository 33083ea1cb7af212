/*
 * Sentences of servers and libraries, as they may stand in JSON and on a terminal.
 */
#include "sentence.h"

#include <stddef.h>

static char plain(char character)
{
    unsigned char byte = (unsigned char)character;

    if (byte == '"')
        return '\'';
    if (byte == '\\')
        return '/';
    return byte < 0x20 ? ' ' : byte < 0x7f ? character : '?';
}

struct sentence sentence_quote(const char *said)
{
    struct sentence sentence;
    size_t length = 0;

    for (; said != NULL && *said != '\0' && length < SENTENCE_BYTES - 1; said++) {
        char character = plain(*said);

        if (character != ' ' || (length > 0 && sentence.text[length - 1] != ' '))
            sentence.text[length++] = character;
    }
    while (length > 0 && sentence.text[length - 1] == ' ')
        length--;
    sentence.text[length] = '\0';
    return sentence;
}
