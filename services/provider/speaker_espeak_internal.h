/*
 * A speaker that runs espeak-ng on this machine, one child process for each text.
 *
 * The text goes in on standard input and the WAV comes out on standard output: never
 * through a shell, a command line that others could read, or a file.  At most
 * SPEAKER_ESPEAK_CHILDREN run at once for each loop, and SPEAKER_ESPEAK_WAITING texts
 * wait; what is more is ERROR_TTS_RATE_LIMIT.  A child that is not done in time is
 * killed.
 */
#ifndef SPEAKER_ESPEAK_INTERNAL_H
#define SPEAKER_ESPEAK_INTERNAL_H

#include "speaker.h"

#include <stdbool.h>

#define SPEAKER_ESPEAK_CHILDREN 2
#define SPEAKER_ESPEAK_WAITING  64

/* `program` is a name that is looked for in PATH, or a path; "espeak-ng" but for tests.
 * Works where the program is not there: every ask is then ERROR_TTS_PROVIDER_ERROR. */
struct speaker *speaker_espeak_new(const struct provider_tools *tools,
                                   const char *program);

/* Is espeak-ng in PATH?  Runs nothing. */
bool speaker_espeak_is_installed(void);

#endif
