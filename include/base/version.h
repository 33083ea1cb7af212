/*
 * The version of the program.
 */
#ifndef VERSION_H
#define VERSION_H

const char *version(void);

#endif
