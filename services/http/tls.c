#include "tls.h"

#include "certificate_internal.h"
#include "mem.h"
#include "tls_session.h"

#include <pthread.h>
#include <stdlib.h>

static const char PRIORITIES[] =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
    ":-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"
    ":-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305"
    ":-MAC-ALL:+AEAD";

struct tls {
    const char *certificate_file; /* borrowed */
    const char *key_file;         /* borrowed */
    pthread_mutex_t lock;         /* guards what follows */
    struct certificate *certificate;
    /* Never changed. */
    gnutls_priority_t priorities; /* owned */
    gnutls_datum_t ticket_key;    /* owned; GnuTLS derives others from it in turn */
};

struct tls *tls_new(const char *certificate_file, const char *key_file,
                    struct certificate_problem *ret_problem)
{
    struct certificate *certificate;
    struct tls *tls;

    if (!certificate_load(certificate_file, key_file, &certificate, ret_problem))
        return NULL;
    tls = MEM_NEW(struct tls);
    tls->certificate_file = certificate_file;
    tls->key_file = key_file;
    tls->certificate = certificate;
    pthread_mutex_init(&tls->lock, NULL);
    if (gnutls_priority_init(&tls->priorities, PRIORITIES, NULL) != 0 ||
        gnutls_session_ticket_key_generate(&tls->ticket_key) != 0)
        abort(); /* out of memory, or a GnuTLS without what Poise needs */
    return tls;
}

bool tls_reload(struct tls *tls, struct certificate_problem *ret_problem)
{
    struct certificate *fresh, *old;
    bool is_worse;

    if (!certificate_load(tls->certificate_file, tls->key_file, &fresh, ret_problem))
        return false;
    pthread_mutex_lock(&tls->lock);
    old = tls->certificate;
    /* A renewal that went back in time: what clients take now is better. */
    is_worse = certificate_days_left(fresh) < 0 && certificate_days_left(old) >= 0;
    if (!is_worse)
        tls->certificate = fresh;
    pthread_mutex_unlock(&tls->lock);
    certificate_unref(is_worse ? fresh : old);
    if (is_worse)
        *ret_problem = (struct certificate_problem){
            .text = "the new certificate has expired", .reason = "expired"};
    return !is_worse;
}

struct certificate *tls_certificate(struct tls *tls)
{
    struct certificate *certificate;

    pthread_mutex_lock(&tls->lock);
    certificate = certificate_ref(tls->certificate);
    pthread_mutex_unlock(&tls->lock);
    return certificate;
}

void tls_free(struct tls *tls)
{
    if (tls == NULL)
        return;
    certificate_unref(tls->certificate);
    gnutls_priority_deinit(tls->priorities);
    gnutls_memset(tls->ticket_key.data, 0, tls->ticket_key.size);
    gnutls_free(tls->ticket_key.data);
    pthread_mutex_destroy(&tls->lock);
    free(tls);
}

gnutls_session_t tls_session_new(struct tls *tls, int descriptor, void *mark,
                                 struct certificate **ret_certificate)
{
    static unsigned char http[] = "http/1.1";
    const gnutls_datum_t protocols[] = {{http, sizeof(http) - 1}};
    struct certificate *certificate = tls_certificate(tls);
    gnutls_session_t session = NULL;

    if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) != 0 ||
        gnutls_priority_set(session, tls->priorities) != 0 ||
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE,
                               certificate_credentials(certificate)) != 0 ||
        gnutls_alpn_set_protocols(session, protocols, 1, 0) != 0 ||
        gnutls_session_ticket_enable_server(session, &tls->ticket_key) != 0)
        goto fail;
    gnutls_transport_set_int(session, descriptor);
    gnutls_db_set_ptr(session, mark);
    *ret_certificate = certificate;
    return session;

fail:
    if (session != NULL)
        gnutls_deinit(session);
    certificate_unref(certificate);
    return NULL;
}
