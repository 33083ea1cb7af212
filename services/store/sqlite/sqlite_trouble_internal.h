/*
 * SQLite's result codes for whoever runs the service: by name, by SQLite's sentence, and with what
 * the system said.
 */
#ifndef SQLITE_TROUBLE_INTERNAL_H
#define SQLITE_TROUBLE_INTERNAL_H

#include "store.h"

#include <sqlite3.h>

/* Of an extended result code; `number` is the errno of the last thing that the system refused. */
struct store_trouble sqlite_trouble_of(int code, int number);

#endif
