#include "library_sessions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef int init_fn(gnutls_session_t *session, unsigned flags);
typedef int handshake_fn(gnutls_session_t session);
typedef void deinit_fn(gnutls_session_t session);

/* GnuTLS's own; found once, then never changed. */
static struct {
    init_fn *init;
    handshake_fn *handshake;
    deinit_fn *deinit;
} gnutls;

/* gnutls_init() has no argument that could bring it. */
static _Thread_local gnutls_session_t lent;

static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL)
        abort();                               /* a program that is linked wrongly */
    memcpy(function, &symbol, sizeof(symbol)); /* as in library_replies.c */
}

static void find_all(void)
{
    find(&gnutls.init, "gnutls_init");
    find(&gnutls.handshake, "gnutls_handshake");
    find(&gnutls.deinit, "gnutls_deinit");
}

static void be_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_all);
}

void library_sessions_lend(gnutls_session_t session)
{
    lent = session;
}

int library_sessions_handshake(gnutls_session_t session)
{
    be_ready();
    return gnutls.handshake(session);
}

void library_sessions_free(gnutls_session_t session)
{
    be_ready();
    gnutls.deinit(session);
}

int gnutls_init(gnutls_session_t *session, unsigned flags)
{
    be_ready();
    if (lent == NULL)
        return gnutls.init(session, flags);
    *session = lent;
    lent = NULL;
    return GNUTLS_E_SUCCESS;
}

static bool is_ours(gnutls_session_t session)
{
    return gnutls_db_get_ptr(session) != NULL;
}

int gnutls_handshake(gnutls_session_t session)
{
    return is_ours(session) ? GNUTLS_E_SUCCESS : library_sessions_handshake(session);
}

void gnutls_deinit(gnutls_session_t session)
{
    if (session != NULL && !is_ours(session))
        library_sessions_free(session);
}
