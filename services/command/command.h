/*
 * The subcommands of the program.  Each takes the arguments behind its name and returns
 * the exit status: 0 good, 1 a finding, 2 bad usage or settings.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "settings.h"

int command_serve(int argc, char **argv);
int command_check(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_health(int argc, char **argv);
int command_ask(int argc, char **argv);
int command_refusals(int argc, char **argv);
int command_support(int argc, char **argv);
int command_index(int argc, char **argv);
int command_calibrate(int argc, char **argv);

/* Reads the settings from the environment and ./.env, and says on standard error what is
 * wrong with them.  settings_free() either way. */
bool command_settings(struct settings *settings);

#endif
