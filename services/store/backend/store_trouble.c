/*
 * What is wrong with a store: kept for every loop, and told in words.
 */
#include "store_trouble_internal.h"

#include <string.h>

void store_trouble_note(struct store_health *health, const struct store_trouble *trouble)
{
    pthread_mutex_lock(&health->lock);
    health->trouble = *trouble;
    pthread_mutex_unlock(&health->lock);
}

struct store_trouble store_trouble_latest(struct store_health *health)
{
    struct store_trouble trouble;

    pthread_mutex_lock(&health->lock);
    trouble = health->trouble;
    pthread_mutex_unlock(&health->lock);
    return trouble;
}

/* "57P01 admin_shutdown, db1:5432: terminating connection due to administrator command" */
void store_write_trouble(const struct store_trouble *trouble, struct buffer *out)
{
    buffer_append_string(out, trouble->code);
    if (trouble->condition != NULL) {
        buffer_append_char(out, ' ');
        buffer_append_string(out, trouble->condition);
    }
    if (*trouble->host != '\0') {
        buffer_append_string(out, ", ");
        buffer_append_string(out, trouble->host);
    }
    if (*trouble->said.text != '\0') {
        buffer_append_string(out, ": ");
        buffer_append_string(out, trouble->said.text);
    }
    if (trouble->number != 0) {
        buffer_append_string(out, " (");
        buffer_append_string(out, strerror(trouble->number));
        buffer_append_char(out, ')');
    }
}
