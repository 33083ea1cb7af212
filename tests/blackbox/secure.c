#include "secure.h"

#include <fcntl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

#define MOST_PORTS 16
#define TICKETS    1 /* at least */

struct secure {
    SSL *ssl;       /* owned */
    int descriptor; /* borrowed */
    int tickets;    /* that came so far */
};

static int secure_ports[MOST_PORTS];

static int *place_of(int port)
{
    size_t at = 0;

    while (at < MOST_PORTS && secure_ports[at] != port)
        at++;
    return at < MOST_PORTS ? &secure_ports[at] : NULL;
}

bool secure_is_port(int port)
{
    return port != 0 && place_of(port) != NULL;
}

void secure_port(int port, bool speaks_tls)
{
    int *place = place_of(port);

    if (!place && speaks_tls)
        place = place_of(0);
    if (place)
        *place = speaks_tls ? port : 0;
    else if (speaks_tls)
        abort();
}

static int on_ticket(SSL *ssl, SSL_SESSION *session)
{
    struct secure *secure = SSL_get_app_data(ssl);

    (void)session;
    secure->tickets++;
    return 0; /* not kept */
}

struct secure *secure_new(int descriptor, const struct secure_wishes *wishes)
{
    struct secure *secure = calloc(1, sizeof *secure);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    unsigned char protocol[64];

    if (!secure || !context)
        abort();
    SSL_CTX_set_security_level(context, 0); /* the server is to refuse what is weak */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT |
                                                SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(context, on_ticket);
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    secure->ssl = SSL_new(context);
    secure->descriptor = descriptor;
    SSL_CTX_free(context);
    SSL_set_app_data(secure->ssl, secure);
    SSL_set_fd(secure->ssl, descriptor);
    SSL_set_tlsext_host_name(secure->ssl, "poise.test");
    SSL_set_min_proto_version(secure->ssl, wishes->lowest);
    SSL_set_max_proto_version(secure->ssl, wishes->highest);
    if (wishes->ciphers && SSL_set_cipher_list(secure->ssl, wishes->ciphers) != 1)
        abort();
    if (wishes->protocol) {
        size_t length = strlen(wishes->protocol);
        protocol[0] = (unsigned char)length;
        memcpy(protocol + 1, wishes->protocol, length);
        SSL_set_alpn_protos(secure->ssl, protocol, (unsigned)length + 1);
    }
    if (wishes->session)
        SSL_set_session(secure->ssl, wishes->session);
    SSL_set_connect_state(secure->ssl);
    return secure;
}

static void set_waiting(const struct secure *secure, bool waits)
{
    int flags = fcntl(secure->descriptor, F_GETFL);

    fcntl(secure->descriptor, F_SETFL, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

void secure_say_hello(struct secure *secure)
{
    set_waiting(secure, false);
    SSL_do_handshake(secure->ssl);
    set_waiting(secure, true);
}

/* In TLS 1.3 they come behind the handshake.  Whoever closes with one unread resets, and the
 * program may lose what it has not read yet. */
static void take_tickets(struct secure *secure)
{
    struct pollfd wanted = {.fd = secure->descriptor, .events = POLLIN};

    while (!secure_has_news(secure) && secure->tickets < TICKETS)
        if (poll(&wanted, 1, LONGEST_WAIT_S * 1000) <= 0)
            return;
}

bool secure_shake_hands(struct secure *secure)
{
    if (SSL_do_handshake(secure->ssl) != 1)
        return false;
    if (SSL_version(secure->ssl) == TLS1_3_VERSION)
        take_tickets(secure);
    return true;
}

ssize_t secure_send(struct secure *secure, const void *data, size_t size)
{
    return SSL_write(secure->ssl, data, (int)size);
}

ssize_t secure_receive(struct secure *secure, void *data, size_t room)
{
    return SSL_read(secure->ssl, data, (int)room);
}

bool secure_has_news(struct secure *secure)
{
    char byte;
    int got;

    set_waiting(secure, false);
    got = SSL_peek(secure->ssl, &byte, 1);
    set_waiting(secure, true);
    return got > 0 || SSL_get_error(secure->ssl, got) != SSL_ERROR_WANT_READ;
}

void secure_say_goodbye(struct secure *secure)
{
    SSL_shutdown(secure->ssl);
}

bool secure_was_told_goodbye(const struct secure *secure)
{
    return (SSL_get_shutdown(secure->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
}

void secure_free(struct secure *secure)
{
    if (!secure)
        return;
    SSL_free(secure->ssl);
    free(secure);
}

SSL *secure_ssl(const struct secure *secure)
{
    return secure->ssl;
}

char *secure_peer(const struct secure *secure)
{
    X509 *certificate = SSL_get1_peer_certificate(secure->ssl);
    char name[256] = "";

    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof name);
    X509_free(certificate);
    return strdup(name);
}

static struct bytes bytes_of(BIO *memory)
{
    struct bytes bytes = {0};
    char *data;
    long size = BIO_get_mem_data(memory, &data);

    bytes_add(&bytes, data, (size_t)size);
    return bytes;
}

struct bytes secure_hello(void)
{
    struct secure *secure = secure_new(-1, &(struct secure_wishes){0});
    BIO *out = BIO_new(BIO_s_mem());

    SSL_set_bio(secure->ssl, BIO_new(BIO_s_mem()), out);
    SSL_do_handshake(secure->ssl);
    struct bytes hello = bytes_of(out);
    secure_free(secure);
    return hello;
}

/* ---- certificates ---- */

static struct bytes pem_of(X509 *certificate, EVP_PKEY *key)
{
    BIO *memory = BIO_new(BIO_s_mem());

    if (certificate)
        PEM_write_bio_X509(memory, certificate);
    else
        PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL);
    struct bytes pem = bytes_of(memory);
    BIO_free(memory);
    return pem;
}

static void add_name(X509 *certificate, const char *name)
{
    struct bytes value = {0};

    bytes_addf(&value, "DNS:%s", name);
    X509_EXTENSION *extension =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, value.data);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    bytes_free(&value);
}

struct key_pair key_pair_make(const char *name, int days)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_NAME *subject = X509_get_subject_name(certificate);
    struct key_pair pair;

    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1 + rand());
    X509_time_adj_ex(X509_getm_notBefore(certificate), days < 0 ? days - 1 : -1, 0, NULL);
    X509_time_adj_ex(X509_getm_notAfter(certificate), days, 60, NULL);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name,
                               -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_set_pubkey(certificate, key);
    add_name(certificate, name);
    if (X509_sign(certificate, key, EVP_sha256()) == 0)
        abort();
    pair = (struct key_pair){pem_of(certificate, NULL), pem_of(NULL, key)};
    X509_free(certificate);
    EVP_PKEY_free(key);
    return pair;
}

void key_pair_free(struct key_pair *pair)
{
    bytes_free(&pair->certificate);
    bytes_free(&pair->key);
}
