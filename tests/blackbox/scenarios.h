/*
 * How each row of the error table is reached from outside: one function for each,
 * declared from the table, defined in scenario_*.c.
 */
#ifndef BLACKBOX_SCENARIOS_H
#define BLACKBOX_SCENARIOS_H

#define ERROR(symbol, ...) void reach_##symbol(void);
#include "errors.def"

#endif
