#include "store_open.h"

struct store *store_open(const char *url, struct buffer *problem)
{
    return store_postgres_is_url(url) ? store_postgres_open(url, problem)
                                      : store_sqlite_open(url, problem);
}

bool store_refusals(const char *url, int64_t since_ms, refusal_fn *tell, void *context,
                    struct buffer *problem)
{
    return store_postgres_is_url(url)
               ? store_postgres_refusals(url, since_ms, tell, context, problem)
               : store_sqlite_refusals(url, since_ms, tell, context, problem);
}

void store_close(struct store *store)
{
    if (store != NULL)
        store->close(store);
}
