#include "sqlite_reports.h"

#define WRITE_US 50000 /* a report is on disk this long after it came, if not before */

struct sqlite_reports sqlite_reports_new(struct store_claims *claims)
{
    return (struct sqlite_reports){.claims = claims, .due_us = INT64_MAX};
}

static void note(struct sqlite_reports *reports, const struct sqlite_operation *operation,
                 int64_t now_us)
{
    const struct store_report *report = &operation->base.request.report;
    struct claim *claim = store_claims_find(reports->claims, &operation->base.session_id);

    if (claim == NULL)
        return;
    claim_reply_ends(claim, report->turn_number, report->was_delivered);
    if (claim_was_delivered(claim, report->turn_number) && !claim->is_listed) {
        claim->is_listed = true;
        claim->next_listed = reports->first;
        reports->first = claim;
        if (reports->due_us == INT64_MAX)
            reports->due_us = now_us + WRITE_US;
    }
    store_claims_settle(reports->claims, &operation->base.session_id);
}

void sqlite_reports_note(struct sqlite_reports *reports, struct store_list *come,
                         int64_t now_us)
{
    struct store_list rest = {0};
    struct sqlite_operation *operation;

    while ((operation = sqlite_pop(come)) != NULL) {
        if (operation->base.kind != STORE_REPORT) {
            store_list_push(&rest, &operation->base);
            continue;
        }
        note(reports, operation, now_us);
        store_operation_free(&operation->base);
    }
    *come = rest;
}

bool sqlite_reports_write(const struct sqlite_reports *reports, struct sqlite_rows *rows)
{
    for (const struct claim *claim = reports->first; claim != NULL;
         claim = claim->next_listed)
        if (claim->replies.was_delivered &&
            !rows_mark_delivered(rows, &claim->session_id, claim->replies.turn_number))
            return false;
    return true;
}

void sqlite_reports_forget(struct sqlite_reports *reports)
{
    for (struct claim *claim = reports->first, *next; claim != NULL; claim = next) {
        struct store_id session_id = claim->session_id;

        next = claim->next_listed;
        claim->is_listed = false;
        store_claims_settle(reports->claims, &session_id);
    }
    reports->first = NULL;
    reports->due_us = INT64_MAX;
}
