/*
 * The operator's subcommands.  Each takes the arguments behind its name and returns
 * the exit status: 0 good, 1 a finding, 2 bad usage or settings.
 */
#ifndef COMMAND_H
#define COMMAND_H

int command_check(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_health(int argc, char **argv);
int command_ask(int argc, char **argv);
int command_refusals(int argc, char **argv);
int command_support(int argc, char **argv);
int command_index(int argc, char **argv);
int command_calibrate(int argc, char **argv);
int command_coach(int argc, char **argv);
int command_backup(int argc, char **argv);
int command_restore(int argc, char **argv);
int command_forget(int argc, char **argv);

/* How each is used: printed for `poise COMMAND --help`, and to standard error where the arguments are
 * wrong. */
extern const char check_usage[], ask_usage[], refusals_usage[], support_usage[],
    index_usage[], calibrate_usage[], coach_usage[], backup_usage[], restore_usage[],
    forget_usage[];

#endif
