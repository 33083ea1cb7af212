/*
 * Parameters of statements and columns of rows, in PostgreSQL's binary forms.
 */
#include "postgres_values_internal.h"

#include "clock.h"
#include "private_reveal.h"

#include <assert.h>
#include <endian.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#define TYPES_MOST POSTGRES_VALUES_MOST
#define NAME_BYTES 16
#define ASK_US     INT64_C(10000000)

/* Lengths of the parts of an array as it is sent: array_send() in PostgreSQL's arrayfuncs.c. */
#define ARRAY_HEAD_BYTES 12 /* dimensions, flags, element type */
#define ARRAY_SIZE_BYTES 8  /* length and lower bound, for each dimension */

static const struct {
    const char *types;
    const char *sql;
} statements[POSTGRES_STATEMENT_COUNT] = {
#define STATEMENT(symbol, types_, sql_) [POSTGRES_##symbol] = {types_, sql_},
#include "postgres_statements.def"
};

/* Those of PostgreSQL's pg_type.dat, which never change. */
static Oid oid_of(char type)
{
    switch (type) {
    case 'u': return 2950; /* uuid */
    case 'i': return 20;   /* int8 */
    case 'b': return 17;   /* bytea */
    case 'f': return 701;  /* float8 */
    default: return 25;    /* text */
    }
}

static void add(struct postgres_values *values, const void *bytes, size_t length)
{
    int at = values->count++;

    assert(at < POSTGRES_VALUES_MOST && length <= INT_MAX);
    values->bytes[at] = bytes;
    values->lengths[at] = (int)length;
    values->formats[at] = 1; /* binary */
}

static void add_own(struct postgres_values *values, const void *bytes, size_t length)
{
    char *place = values->numbers[values->count];

    memcpy(place, bytes, length);
    add(values, place, length);
}

void postgres_value_null(struct postgres_values *values)
{
    add(values, NULL, 0);
}

void postgres_value_number(struct postgres_values *values, int64_t number)
{
    uint64_t bits = htobe64((uint64_t)number);

    add_own(values, &bits, sizeof(bits));
}

void postgres_value_double(struct postgres_values *values, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    bits = htobe64(bits);
    add_own(values, &bits, sizeof(bits));
}

void postgres_value_id(struct postgres_values *values, const struct store_id *id)
{
    add_own(values, id->bytes, sizeof(id->bytes));
}

void postgres_value_string(struct postgres_values *values, const char *string)
{
    add(values, string, strlen(string));
}

void postgres_value_bytes(struct postgres_values *values, const void *bytes,
                          size_t length)
{
    add(values, bytes, length);
}

void postgres_value_digest(struct postgres_values *values, bool is_there,
                           const struct digest *digest)
{
    if (is_there)
        add(values, digest->bytes, sizeof(digest->bytes));
    else
        postgres_value_null(values);
}

void postgres_value_text(struct postgres_values *values, const struct private_text *text,
                         bool is_optional)
{
    struct span span = private_reveal(text);

    if (is_optional && span.length == 0)
        postgres_value_null(values);
    else
        add(values, span.bytes, span.length);
}

static void write_name(enum postgres_statement which, char name[NAME_BYTES])
{
    unsigned number = (unsigned)which;

    memcpy(name, "poise_00", 9);
    name[6] = (char)('0' + number / 10);
    name[7] = (char)('0' + number % 10);
}

bool postgres_send(PGconn *conn, enum postgres_statement which,
                   const struct postgres_values *values)
{
    char name[NAME_BYTES];

    assert((size_t)values->count == strlen(statements[which].types));
    write_name(which, name);
    return PQsendQueryPrepared(conn, name, values->count, values->bytes, values->lengths,
                               values->formats, 1) == 1;
}

bool postgres_send_prepare(PGconn *conn)
{
    _Static_assert((int)POSTGRES_STATEMENT_COUNT < 100, "write_name() has two digits");

    for (int which = 0; which < (int)POSTGRES_STATEMENT_COUNT; which++) {
        const char *types = statements[which].types;
        Oid oids[TYPES_MOST];
        char name[NAME_BYTES];

        for (size_t at = 0; at < strlen(types); at++)
            oids[at] = oid_of(types[at]);
        write_name((enum postgres_statement)which, name);
        if (PQsendPrepare(conn, name, statements[which].sql, (int)strlen(types), oids) !=
            1)
            return false;
    }
    return true;
}

/* Is the whole answer there before the deadline? */
static bool await_answer(PGconn *conn, int64_t deadline_us)
{
    struct pollfd socket = {.fd = PQsocket(conn), .events = POLLIN};

    while (PQisBusy(conn) == 1) {
        int64_t left_us = deadline_us - clock_monotonic_us();

        if (left_us <= 0 || socket.fd < 0)
            return false;
        if (poll(&socket, 1, (int)(left_us / 1000) + 1) > 0 && PQconsumeInput(conn) != 1)
            return false;
    }
    return true;
}

PGresult *postgres_ask(PGconn *conn, enum postgres_statement which,
                       const struct postgres_values *values)
{
    const char *types = statements[which].types;
    Oid oids[TYPES_MOST];

    int64_t deadline_us = clock_monotonic_us() + ASK_US;
    PGresult *result = NULL;

    for (size_t at = 0; at < strlen(types); at++)
        oids[at] = oid_of(types[at]);
    if (PQsendQueryParams(conn, statements[which].sql, values->count, oids, values->bytes,
                          values->lengths, values->formats, 1) != 1 ||
        !await_answer(conn, deadline_us))
        return NULL;
    result = PQgetResult(conn);
    if (!await_answer(conn, deadline_us)) { /* a NULL ends what a query gives */
        PQclear(result);
        return NULL;
    }
    PQclear(PQgetResult(conn));
    return result;
}

struct postgres_row postgres_row_of(const PGresult *result, int row)
{
    return (struct postgres_row){.result = result, .row = row};
}

/* The value of the next column; NULL for NULL. */
static const char *next(struct postgres_row *row, size_t *ret_length)
{
    int column = row->column++;

    *ret_length = 0;
    if (column >= PQnfields(row->result)) {
        row->is_damaged = true;
        return NULL;
    }
    if (PQgetisnull(row->result, row->row, column))
        return NULL;
    *ret_length = (size_t)PQgetlength(row->result, row->row, column);
    return PQgetvalue(row->result, row->row, column);
}

/* Of that length; NULL makes the row damaged. */
static const char *next_of(struct postgres_row *row, size_t length)
{
    size_t found;
    const char *bytes = next(row, &found);

    if (bytes != NULL && found == length)
        return bytes;
    row->is_damaged = true;
    return NULL;
}

bool postgres_row_is_null(struct postgres_row *row)
{
    bool is_null = row->column < PQnfields(row->result) &&
                   PQgetisnull(row->result, row->row, row->column);

    row->column += is_null;
    return is_null;
}

static uint64_t next_bits(struct postgres_row *row)
{
    const char *bytes = next_of(row, sizeof(uint64_t));
    uint64_t bits = 0;

    if (bytes != NULL)
        memcpy(&bits, bytes, sizeof(bits));
    return be64toh(bits);
}

int64_t postgres_row_number(struct postgres_row *row)
{
    return (int64_t)next_bits(row);
}

double postgres_row_double(struct postgres_row *row)
{
    uint64_t bits = next_bits(row);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

bool postgres_row_flag(struct postgres_row *row)
{
    size_t length;
    const char *bytes = next(row, &length);

    return bytes != NULL && length == 1 && bytes[0] != 0; /* NULL is no */
}

struct store_id postgres_row_id(struct postgres_row *row)
{
    struct store_id id = {{0}};
    const char *bytes = next_of(row, sizeof(id.bytes));

    if (bytes != NULL)
        memcpy(id.bytes, bytes, sizeof(id.bytes));
    return id;
}

bool postgres_row_bytes(struct postgres_row *row, void *bytes, size_t length)
{
    const char *found;

    if (postgres_row_is_null(row))
        return false;
    found = next_of(row, length);
    if (found != NULL)
        memcpy(bytes, found, length);
    return found != NULL;
}

bool postgres_row_digest(struct postgres_row *row, struct digest *ret_digest)
{
    return postgres_row_bytes(row, ret_digest->bytes, sizeof(ret_digest->bytes));
}

struct private_text postgres_row_text(struct postgres_row *row)
{
    size_t length;
    const char *bytes = next(row, &length);

    return bytes == NULL ? (struct private_text){0} : private_text_copy(bytes, length);
}

static uint32_t read_32(const char *bytes)
{
    uint32_t bits;

    memcpy(&bits, bytes, sizeof(bits));
    return be32toh(bits);
}

size_t postgres_row_texts(struct postgres_row *row, struct private_text *texts,
                          size_t most)
{
    size_t length;
    const char *bytes = next(row, &length);
    size_t at = ARRAY_HEAD_BYTES + ARRAY_SIZE_BYTES;
    size_t count;

    if (bytes == NULL || length < ARRAY_HEAD_BYTES || read_32(bytes) > 1) {
        row->is_damaged = true;
        return 0;
    }
    if (read_32(bytes) == 0 || length < at) /* no dimension: no element */
        return 0;
    count = read_32(bytes + ARRAY_HEAD_BYTES);
    for (size_t i = 0; i < count; i++) {
        size_t left = length - at;
        size_t element = left < sizeof(uint32_t) ? 0 : read_32(bytes + at);

        if (i == most || left < sizeof(uint32_t) || element > left - sizeof(uint32_t)) {
            row->is_damaged = true;
            return i;
        }
        at += sizeof(uint32_t);
        texts[i] = private_text_copy(bytes + at, element);
        at += element;
    }
    return count;
}

void postgres_row_word(struct postgres_row *row, char *word, size_t size)
{
    size_t length;
    const char *bytes = next(row, &length);

    if (bytes == NULL || length >= size)
        length = bytes == NULL ? 0 : size - 1;
    if (length > 0)
        memcpy(word, bytes, length);
    word[length] = '\0';
}

/* PQgetvalue() points into the result's own memory. */
void postgres_rows_wipe(PGresult *result)
{
    for (int row = 0; row < PQntuples(result); row++)
        for (int column = 0; column < PQnfields(result); column++)
            if (!PQgetisnull(result, row, column))
                explicit_bzero(PQgetvalue(result, row, column),
                               (size_t)PQgetlength(result, row, column));
}
