#include "certificate.h"

#include "certificate_internal.h"
#include "clock.h"
#include "mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/x509.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1024 * 1024)
#define DAY_S          86400

struct certificate {
    _Atomic unsigned references;
    gnutls_certificate_credentials_t credentials; /* owned: chain and key */
    gnutls_x509_crt_t *chain;                     /* owned: its own first */
    unsigned chain_length;
};

static bool fail(struct certificate_problem *problem, const char *setting,
                 const char *path, const char *what, const char *reason)
{
    snprintf(problem->text, sizeof(problem->text), "%s=%.200s: %s", setting, path, what);
    problem->reason = reason;
    return false;
}

/* Whole and at once.  `bytes` is wiped by buffer_done() either way. */
static bool read_file(const char *path, struct buffer *bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;
    int reason;

    while (file >= 0) {
        char *room = buffer_reserve(bytes, 4096);

        if (room == NULL) {
            errno = EFBIG;
            break;
        }
        got = read(file, room, 4096);
        if (got <= 0)
            break;
        buffer_advance(bytes, (size_t)got);
    }
    reason = errno;
    if (file >= 0)
        close(file);
    errno = reason;
    return got == 0;
}

static gnutls_datum_t datum_of(const struct buffer *bytes)
{
    return (gnutls_datum_t){(unsigned char *)bytes->bytes, (unsigned)bytes->length};
}

static bool read_chain(struct certificate *certificate, const char *path,
                       struct certificate_problem *problem)
{
    struct buffer bytes;
    gnutls_datum_t pem;
    bool is_good = false;

    buffer_init(&bytes, FILE_MAX_BYTES);
    if (!read_file(path, &bytes)) {
        fail(problem, "TLS_CERT_FILE", path, strerror(errno), "certificate_unreadable");
    } else {
        pem = datum_of(&bytes);
        is_good = pem.size > 0 &&
                  gnutls_x509_crt_list_import2(
                      &certificate->chain, &certificate->chain_length, &pem,
                      GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT) >= 0 &&
                  certificate->chain_length > 0;
        if (!is_good)
            fail(problem, "TLS_CERT_FILE", path, "holds no chain of certificates in PEM",
                 "certificate_malformed");
    }
    buffer_done(&bytes);
    return is_good;
}

static bool use_key(struct certificate *certificate, gnutls_x509_privkey_t key,
                    const char *path, struct certificate_problem *problem)
{
    int result =
        gnutls_certificate_set_x509_key(certificate->credentials, certificate->chain,
                                        (int)certificate->chain_length, key);

    if (result == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
        return fail(problem, "TLS_KEY_FILE", path,
                    "is not the key of the certificate in TLS_CERT_FILE", "key_mismatch");
    if (result < 0)
        return fail(problem, "TLS_KEY_FILE", path, gnutls_strerror(result),
                    "key_unusable");
    return true;
}

static bool read_key(struct certificate *certificate, const char *path,
                     struct certificate_problem *problem)
{
    gnutls_x509_privkey_t key = NULL;
    struct buffer bytes;
    gnutls_datum_t pem;
    bool is_good = false;

    buffer_init(&bytes, FILE_MAX_BYTES);
    if (!read_file(path, &bytes)) {
        fail(problem, "TLS_KEY_FILE", path, strerror(errno), "key_unreadable");
    } else {
        pem = datum_of(&bytes);
        if (pem.size > 0 && gnutls_x509_privkey_init(&key) == 0 &&
            gnutls_x509_privkey_import2(key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0) == 0)
            is_good = use_key(certificate, key, path, problem);
        else
            fail(problem, "TLS_KEY_FILE", path,
                 "holds no private key in PEM without a passphrase", "key_malformed");
    }
    if (key != NULL)
        gnutls_x509_privkey_deinit(key);
    buffer_done(&bytes);
    return is_good;
}

bool certificate_load(const char *certificate_file, const char *key_file,
                      struct certificate **ret_certificate,
                      struct certificate_problem *ret_problem)
{
    struct certificate *certificate = MEM_NEW(struct certificate);

    certificate->references = 1;
    if (gnutls_certificate_allocate_credentials(&certificate->credentials) != 0)
        abort(); /* out of memory */
    if (!read_chain(certificate, certificate_file, ret_problem) ||
        !read_key(certificate, key_file, ret_problem)) {
        certificate_unref(certificate);
        return false;
    }
    *ret_certificate = certificate;
    return true;
}

struct certificate *certificate_ref(struct certificate *certificate)
{
    atomic_fetch_add_explicit(&certificate->references, 1, memory_order_relaxed);
    return certificate;
}

void certificate_unref(struct certificate *certificate)
{
    if (certificate == NULL ||
        atomic_fetch_sub_explicit(&certificate->references, 1, memory_order_acq_rel) > 1)
        return;
    gnutls_certificate_free_credentials(certificate->credentials);
    for (unsigned at = 0; at < certificate->chain_length; at++)
        gnutls_x509_crt_deinit(certificate->chain[at]);
    gnutls_free(certificate->chain);
    free(certificate);
}

gnutls_certificate_credentials_t certificate_credentials(
    const struct certificate *certificate)
{
    return certificate->credentials;
}

int64_t certificate_not_before_s(const struct certificate *certificate)
{
    return gnutls_x509_crt_get_activation_time(certificate->chain[0]);
}

int64_t certificate_not_after_s(const struct certificate *certificate)
{
    return gnutls_x509_crt_get_expiration_time(certificate->chain[0]);
}

int64_t certificate_days_left(const struct certificate *certificate)
{
    int64_t left_s = certificate_not_after_s(certificate) - clock_wall_ms() / 1000;

    return left_s >= 0 ? left_s / DAY_S : -((DAY_S - 1 - left_s) / DAY_S);
}

/* An address is four or sixteen bytes; what is none of ours is not written. */
static void write_name(struct buffer *out, int type, const char *name, size_t length)
{
    char text[INET6_ADDRSTRLEN];

    if (type == GNUTLS_SAN_IPADDRESS &&
        inet_ntop(length == 4 ? AF_INET : AF_INET6, name, text, sizeof(text)) != NULL) {
        name = text;
        length = strlen(text);
    } else if (type != GNUTLS_SAN_DNSNAME) {
        return;
    }
    if (out->length > 0)
        buffer_append_string(out, ", ");
    buffer_append(out, name, length);
}

void certificate_write_names(const struct certificate *certificate, struct buffer *out)
{
    gnutls_x509_crt_t own = certificate->chain[0];
    char name[256];

    for (unsigned at = 0;; at++) {
        size_t length = sizeof(name);
        int type = gnutls_x509_crt_get_subject_alt_name(own, at, name, &length, NULL);

        if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            break;
        if (type >= 0)
            write_name(out, type, name, length);
    }
    if (out->length == 0) {
        size_t length = sizeof(name);

        if (gnutls_x509_crt_get_dn(own, name, &length) == 0)
            buffer_append(out, name, strlen(name));
    }
}

const char *certificate_algorithm(const struct certificate *certificate,
                                  unsigned *ret_bits)
{
    int algorithm = gnutls_x509_crt_get_pk_algorithm(certificate->chain[0], ret_bits);
    const char *name = gnutls_pk_get_name((gnutls_pk_algorithm_t)algorithm);

    return name != NULL ? name : "unknown";
}

bool certificate_is_vouched_for(const struct certificate *certificate)
{
    gnutls_x509_trust_list_t trusted;
    unsigned faults = ~0u;
    int result;

    if (gnutls_x509_trust_list_init(&trusted, 0) != 0)
        return false;
    gnutls_x509_trust_list_add_system_trust(trusted, 0, 0);
    result = gnutls_x509_trust_list_verify_crt(
        trusted, certificate->chain, certificate->chain_length, 0, &faults, NULL);
    gnutls_x509_trust_list_deinit(trusted, 1);
    return result == 0 &&
           (faults & ~(unsigned)(GNUTLS_CERT_INVALID | GNUTLS_CERT_EXPIRED |
                                 GNUTLS_CERT_NOT_ACTIVATED)) == 0;
}
