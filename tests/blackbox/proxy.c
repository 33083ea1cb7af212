#include "proxy.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http.h"
#include "play.h"
#include "program.h"

static const struct {
    const char *name, *path;
} PROXIES[] = {
    [PROXY_HAPROXY] = {"haproxy", "/usr/sbin/haproxy"},
    [PROXY_NGINX] = {"nginx", "/usr/sbin/nginx"},
    [PROXY_CADDY] = {"caddy", "/usr/bin/caddy"},
};

/* What each is started with. */
struct site {
    struct world *front;
    struct world *one, *two; /* two: the first again where there is none */
    int port;
    const char *certificate, *key, *both; /* paths */
};

const char *proxy_name(enum proxy proxy)
{
    return PROXIES[proxy].name;
}

bool proxy_is_here(enum proxy proxy)
{
    return access(PROXIES[proxy].path, X_OK) == 0;
}

/* A SIGTERM first: nginx has a child, which keeps the pipe of what it writes open. */
static void end_program(void *program)
{
    program_signal(program, SIGTERM);
    program_await_exit(program);
    program_free(program);
}

static void start(const struct site *site, enum proxy proxy, const char *const *arguments,
                  const char *const *environment, int listening)
{
    world_keep(site->front,
               program_start(&(struct launch){.path = PROXIES[proxy].path,
                                              .directory = "/",
                                              .arguments = arguments,
                                              .environment = environment,
                                              .when_orphaned = SIGTERM,
                                              .lent = listening},
                             NULL),
               end_program);
}

static void write_certificate(struct site *site)
{
    struct key_pair pair = key_pair_make("poise.test", 30);
    struct bytes both = {0};

    bytes_add(&both, pair.certificate.data, pair.certificate.size);
    bytes_add(&both, pair.key.data, pair.key.size);
    site->certificate =
        world_write_file(site->front, "proxy-chain.pem", pair.certificate.data);
    site->key = world_write_file(site->front, "proxy-key.pem", pair.key.data);
    site->both = world_write_file(site->front, "proxy.pem", both.data);
    bytes_free(&both);
    key_pair_free(&pair);
}

static void start_haproxy(const struct site *site, int listening)
{
    const char *const environment[] = {
        "POISE_BIND=fd@3",
        words(site->front, "POISE_PEM=%s", site->both),
        words(site->front, "POISE_ONE=127.0.0.1:%d", site->one->port),
        words(site->front, "POISE_TWO=127.0.0.1:%d", site->two->port),
        NULL,
    };

    start(site, PROXY_HAPROXY, ARGUMENTS("-f", DEPLOY "/haproxy.cfg"), environment,
          listening);
}

/* The text with `old`, which must be in it, replaced once. */
static void replace(struct bytes *text, const char *old, const char *new)
{
    char *at = strstr(text->data, old);
    struct bytes all = {0};

    cr_assert_not_null(at, "the configuration has no \"%s\"", old);
    bytes_add(&all, text->data, (size_t)(at - text->data));
    bytes_add_text(&all, new);
    bytes_add_text(&all, at + strlen(old));
    bytes_free(text);
    *text = all;
}

/* Its configuration has no variables; what it includes, and where it writes, is the test's. */
static void start_nginx(const struct site *site, int listening)
{
    struct world *front = site->front;
    const char *folder = world_path(front, "nginx");
    struct bytes text = {0};

    cr_assert(bytes_add_file(&text, DEPLOY "/nginx.conf"));
    replace(&text, "server 127.0.0.1:8000 max_fails",
            words(front, "server 127.0.0.1:%d max_fails=0; server 127.0.0.1:%d max_fails",
                  site->one->port, site->two->port));
    replace(&text, "listen 443", words(front, "listen 127.0.0.1:%d", site->port));
    replace(&text, "/etc/ssl/poise/chain.pem", site->certificate);
    replace(&text, "/etc/ssl/poise/key.pem", site->key);
    world_write_file(front, "nginx-poise.conf", text.data);
    bytes_free(&text);
    cr_assert(mkdir(folder, 0700) == 0 || access(folder, W_OK) == 0);
    bytes_addf(
        &text,
        "daemon off; worker_processes 1; pid %s/pid; error_log stderr error;\n"
        "events {}\n"
        "http { client_body_temp_path %s/b; proxy_temp_path %s/p; fastcgi_temp_path %s/f;\n"
        "uwsgi_temp_path %s/u; scgi_temp_path %s/s; include %s; }\n",
        folder, folder, folder, folder, folder, folder,
        world_path(front, "nginx-poise.conf"));
    const char *path = world_write_file(front, "nginx.conf", text.data);
    bytes_free(&text);

    /* As it is given its own sockets over an upgrade of its binary. */
    start(site, PROXY_NGINX, ARGUMENTS("-c", path, "-p", folder, "-e", "stderr"),
          (const char *const[]){"NGINX=3;", NULL}, listening);
}

/* It shares the port with the listening socket, which is closed first: nobody else can have it. */
static void start_caddy(const struct site *site)
{
    struct world *front = site->front;
    const char *home = words(front, "HOME=%s", front->directory);
    const char *const environment[] = {
        home,
        words(front, "XDG_DATA_HOME=%s", front->directory),
        words(front, "XDG_CONFIG_HOME=%s", front->directory),
        words(front, "POISE_SITE=https://:%d", site->port),
        words(front, "POISE_TLS=tls %s %s", site->certificate, site->key),
        words(front, "POISE_SERVERS=127.0.0.1:%d 127.0.0.1:%d", site->one->port,
              site->two->port),
        NULL,
    };

    start(site, PROXY_CADDY,
          ARGUMENTS("run", "--adapter", "caddyfile", "--config", DEPLOY "/Caddyfile"),
          environment, 0);
}

static bool takes_connections(int port)
{
    struct connection *connection = connection_open_plain(port);

    connection_close(connection);
    return connection != NULL;
}

struct world *proxy_start(enum proxy proxy, struct world *one, struct world *two)
{
    struct site site = {.one = one, .two = two ? two : one};
    int listening = listen_on_free_port(&site.port);

    site.front = world_in_front(one, site.port);
    write_certificate(&site);
    secure_port(site.port, true);
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to whoever has left, too */
    switch (proxy) {
    case PROXY_HAPROXY: start_haproxy(&site, listening); break;
    case PROXY_NGINX: start_nginx(&site, listening); break;
    case PROXY_CADDY:
        close(listening);
        start_caddy(&site);
        while (!takes_connections(site.port))
            poll(NULL, 0, 10);
        return site.front;
    case PROXY_COUNT: abort();
    }
    close(listening);
    return site.front;
}
