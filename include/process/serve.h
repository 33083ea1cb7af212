/*
 * `poise serve`: the service itself.  Takes the arguments behind its name and returns the
 * exit status: 0 after a clean end, 1 where it could not start, 2 for bad usage or settings.
 */
#ifndef SERVE_H
#define SERVE_H

int serve(int argc, char **argv);

#endif
