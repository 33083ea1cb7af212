/*
 * `poise health`: asks the service that runs with these settings on this machine whether it
 * lives; exit status 0 when it does.  For a container's health check, which has no other
 * program to ask with.
 */
#include "command.h"

#include "health_internal.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#define LIMIT_S 3L

/* Where it listens to everybody it listens to us. */
static const char *own_host(const char *host)
{
    if (strcmp(host, "0.0.0.0") == 0 || *host == '\0')
        return "127.0.0.1";
    return strcmp(host, "::") == 0 ? "::1" : host;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    (void)context;
    return size * count;
}

bool health_asks(const struct settings *settings)
{
    const char *host = own_host(settings->host);
    bool is_numeric_6 = strchr(host, ':') != NULL;
    CURL *curl = curl_easy_init();
    char url[512];
    long status = 0;

    if (curl == NULL)
        return false;
    snprintf(url, sizeof(url), "http://%s%s%s:%d/healthz", is_numeric_6 ? "[" : "", host,
             is_numeric_6 ? "]" : "", (int)settings->port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, LIMIT_S);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    if (curl_easy_perform(curl) == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(curl);
    return status == 200;
}

int command_health(int argc, char **argv)
{
    struct settings settings;
    int status = 2;

    (void)argv;
    if (argc > 0) {
        fputs("poise: health takes no arguments\n", stderr);
        return 2;
    }
    if (settings_open(&settings)) {
        status = health_asks(&settings) ? 0 : 1;
        if (status != 0)
            fputs("poise: the service does not answer\n", stderr);
    }
    settings_free(&settings);
    return status;
}
