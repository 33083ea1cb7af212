/*
 * URLs: which of them lead away from this machine, readable for whoever is on the way.
 */
#include "url.h"

#include <criterion/criterion.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Test(url, plain_http_to_this_machine_is_told_from_all_else)
{
    static const char *const here[] = {
        "http://localhost",      "http://localhost:8000/v1",
        "http://LocalHost/v1",   "http://127.0.0.1",
        "http://127.0.0.1:1/?q", "http://127.255.3.4/x",
        "http://[::1]:8000/v1",  "http://[::1]",
        "http://localhost?x=1",  "http://127.0.0.1#there",
    };
    static const char *const elsewhere[] = {
        "http://example.org",
        "http://10.0.0.1:8000",
        "http://localhost.example.org/",
        "http://127.0.0.1.example.org/",
        "http://localhost@example.org/",
        "http://127.0.0.1:80@example.org/",
        "http://example.org/@localhost",
        "http://example.org#@localhost",
        "http://localhost\\@example.org/",
        "http://localhost.:80/",
        "http://127.1/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://2130706433/",
        "http://0.0.0.0/",
        "http://128.0.0.1/",
        "http://[::]:80/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost:80x/",
        "http://%6cocalhost/",
        "http://127.0.0.1.127.0.0.1.127.0.0.1.127.0.0.1.127.0.0.1.127.0.0.1.127.0.0.1/",
    };

    for (size_t at = 0; at < COUNT(here); at++) {
        cr_expect(url_is_plain_loopback(here[at]), "%s", here[at]);
        cr_expect_not(url_is_exposed(here[at]), "%s", here[at]);
    }
    for (size_t at = 0; at < COUNT(elsewhere); at++) {
        cr_expect_not(url_is_plain_loopback(elsewhere[at]), "%s", elsewhere[at]);
        cr_expect(url_is_exposed(elsewhere[at]), "%s", elsewhere[at]);
    }
}

Test(url, https_is_exposed_nowhere)
{
    cr_expect_not(url_is_exposed("https://example.org/v1"));
    cr_expect_not(url_is_plain_loopback("https://localhost/v1"));
}

Test(url, of_postgresql_depends_on_host_and_sslmode)
{
    static const char *const guarded[] = {
        "postgresql://",
        "postgresql:///poise",
        "postgresql://localhost/poise",
        "postgresql://u:p@127.0.0.1:5432,[::1]:5433/poise",
        "postgresql://%2Frun%2Fpostgresql/poise",
        "postgresql:///poise?host=/run/postgresql",
        "postgresql://db.example/poise?sslmode=require",
        "postgresql://db.example/poise?target_session_attrs=any&sslmode=verify-full",
        "postgresql://db.example/poise?hostaddr=127.0.0.1",
    };
    static const char *const exposed[] = {
        "postgresql://db.example/poise",
        "postgresql://u:p%40@db.example:5432/poise",
        "postgresql://u@localhost@db.example/poise",
        "postgresql://localhost,db.example/poise",
        "postgresql://db.example/poise?sslmode=prefer",
        "postgresql://db.example/poise?sslmode=require&sslmode=disable",
        "postgresql:///poise?host=db.example",
        "postgresql://localhost/poise?hostaddr=10.0.0.1",
    };

    for (size_t at = 0; at < COUNT(guarded); at++)
        cr_expect_not(url_postgres_is_exposed(guarded[at]), "%s", guarded[at]);
    for (size_t at = 0; at < COUNT(exposed); at++)
        cr_expect(url_postgres_is_exposed(exposed[at]), "%s", exposed[at]);
}
