#include "doctor_tls.h"

#include "doctor_internal.h"

#include "certificate.h"
#include "clock.h"
#include "store.h"
#include "url.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SOON_DAYS 14

static void note_key_file(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && (status.st_mode & S_IROTH) != 0)
        printf("note  tls: anybody on this machine can read TLS_KEY_FILE (mode %o)\n",
               (unsigned)status.st_mode & 07777);
}

static bool say_age(const struct certificate *certificate)
{
    int64_t days = certificate_days_left(certificate);

    if (days < 0)
        return doctor_say(false, "tls", "it has expired: clients will not connect");
    if (certificate_not_before_s(certificate) > clock_wall_ms() / 1000)
        return doctor_say(false, "tls",
                          "it is not good yet: is this machine's clock right?");
    if (days < SOON_DAYS)
        printf("note  tls: it expires in %" PRId64 " days\n", days);
    return true;
}

bool doctor_check_certificate(const struct settings *settings)
{
    struct certificate_problem problem;
    struct certificate *certificate;
    struct buffer names;
    const char *algorithm;
    char detail[400];
    unsigned bits = 0;
    bool is_good;

    if (*settings->tls_cert_file == '\0')
        return doctor_say(true, "tls",
                          "none: the port speaks plain HTTP, for a proxy in front");
    if (!certificate_load(settings->tls_cert_file, settings->tls_key_file, &certificate,
                          &problem))
        return doctor_say(false, "tls", problem.text);
    buffer_init(&names, 4096);
    certificate_write_names(certificate, &names);
    algorithm = certificate_algorithm(certificate, &bits);
    snprintf(detail, sizeof(detail),
             "%.200s, %s of %u bits, key matches, %" PRId64 " days left",
             names.length > 0 ? names.bytes : "no name", algorithm, bits,
             certificate_days_left(certificate));
    doctor_say(true, "tls", detail);
    is_good = say_age(certificate);
    if (!certificate_is_vouched_for(certificate))
        printf(
            "note  tls: this machine's authorities do not vouch for it: it is self-signed, or "
            "the certificates between are missing in TLS_CERT_FILE\n");
    note_key_file(settings->tls_key_file);
    buffer_done(&names);
    certificate_unref(certificate);
    return is_good;
}

static void note_exposed(const char *name, const char *url)
{
    if (url_is_exposed(url))
        printf("note  providers: %s is http:// to another machine, which "
               "ALLOW_INSECURE_PROVIDERS allows: keys and answers travel unencrypted\n",
               name);
}

void doctor_note_exposed(const struct settings *settings)
{
    const char *rest = settings->llm_fallbacks;
    struct span entry;

    if (store_is_postgres(settings->store_url) &&
        url_postgres_is_exposed(settings->store_url))
        printf(
            "note  store: STORE_URL names another machine without sslmode=verify-full: what "
            "candidates say may travel unencrypted\n");
    note_exposed("GROQ_BASE_URL", settings->groq_base_url);
    note_exposed("ANTHROPIC_BASE_URL", settings->anthropic_base_url);
    note_exposed("DEEPGRAM_BASE_URL", settings->deepgram_base_url);
    note_exposed("STT_BASE_URL", settings->stt_base_url);
    note_exposed("TTS_BASE_URL", settings->tts_base_url);
    note_exposed("EMBEDDINGS_BASE_URL", settings->embeddings_base_url);
    note_exposed("QDRANT_URL", settings->qdrant_url);
    while (settings_next_entry(&rest, &entry)) {
        const char *at = memchr(entry.bytes, '@', entry.length);

        if (at != NULL && url_is_exposed(at + 1)) {
            note_exposed("LLM_FALLBACKS", at + 1);
            break;
        }
    }
}
