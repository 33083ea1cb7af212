/*
 * The connections of one loop: which of them a call takes, and the curl handles that
 * calls use.
 *
 * A call goes to a shard that has a warm connection to its server free, the first of
 * them, so that few connections carry a small load; where there is none, to the shard
 * with the least to do, which spreads a large load evenly.  A connection to a server that
 * speaks HTTP/2 takes many calls, so there one shard after the other fills up.
 */
#include "call_internal.h"

#include "mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Streams that curl opens on one HTTP/2 connection (CURLMOPT_MAX_CONCURRENT_STREAMS's
 * default). */
#define CALLS_PER_HTTP2_CONNECTION 100

/* Connections that a shard keeps, busy and idle together.  curl's default, four times the
 * calls under way, closes the warm ones after each burst. */
#define CONNECTIONS_PER_SHARD 1024L

/* The replies of a model are 2 to 4 KB.  curl adds a byte, and has one for each call under way:
 * 4,097 would be 5 KB of memory. */
#define RECEIVE_BUFFER_BYTES 4095L
#define UPLOAD_BUFFER_BYTES  16384L /* the least that curl takes; allocated for TLS */

/* Only new connections look names up. */
#define DNS_CACHE_SECONDS 300L

/* An idle connection is good for so long; TCP's keep-alive finds out whether it still is.
 */
#define IDLE_MAX_SECONDS 300L

#define SET(easy, option, value)                                                \
    do {                                                                        \
        if (curl_easy_setopt(easy, option, value) != CURLE_OK)                  \
            abort(); /* out of memory, or a libcurl without what Poise needs */ \
    } while (0)

/* ---- curl's memory ----
 *
 * Wiped when it is given back: requests and replies pass through it, which hold people's
 * words. */

static void *take(size_t bytes)
{
    return mem_realloc(NULL, bytes > 0 ? bytes : 1);
}

static void *take_zeroed(size_t count, size_t bytes)
{
    if (bytes > 0 && count > SIZE_MAX / bytes)
        return NULL;
    return mem_zalloc(count * bytes);
}

static char *take_copy(const char *string)
{
    return mem_copy_string(string);
}

static void give_back(void *memory)
{
    if (memory != NULL)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

/* Not realloc(), which would leave the old bytes behind. */
static void *take_more(void *memory, size_t bytes)
{
    size_t held = memory != NULL ? malloc_usable_size(memory) : 0;
    void *more;

    if (memory != NULL && bytes <= held)
        return memory;
    more = take(bytes);
    if (held > 0)
        memcpy(more, memory, held);
    give_back(memory);
    return more;
}

/* Once in the program, before any other function of curl's. */
static void memory_init(void)
{
    if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, take, give_back, take_more, take_copy,
                             take_zeroed) != CURLE_OK)
        abort();
}

/* ---- the pool ---- */

static void shard_open(struct shard *shard, struct call_pool *pool)
{
    shard->pool = pool;
    shard->multi = curl_multi_init();
    if (shard->multi == NULL)
        abort();
    curl_multi_setopt(shard->multi, CURLMOPT_MAXCONNECTS, CONNECTIONS_PER_SHARD);
    curl_multi_setopt(shard->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    call_wires_attach(shard);
}

static void origin_free(struct origin *origin)
{
    for (size_t i = 0; i < CALL_SHARDS; i++)
        assert(origin->homes[i].connections == 0 && origin->homes[i].in_flight == 0);
    free(origin->name);
    free(origin);
}

/* curl would look at all of these for every call. */
static bool has_proxy(void)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY",
                                        "all_proxy", "ALL_PROXY"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (getenv(names[i]) != NULL)
            return true;
    return false;
}

struct call_pool *call_pool_new(struct loop *loop)
{
    static uv_once_t once = UV_ONCE_INIT;
    struct call_pool *pool = MEM_NEW(struct call_pool);

    uv_once(&once, memory_init);
    pool->loop = loop;
    pool->has_proxy = has_proxy();
    pool->share = curl_share_init();
    if (pool->share == NULL)
        abort();
    curl_share_setopt(pool->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(pool->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    for (size_t i = 0; i < CALL_SHARDS; i++)
        shard_open(&pool->shards[i], pool);
    return pool;
}

struct loop *call_pool_loop(const struct call_pool *pool)
{
    return pool->loop;
}

void call_pool_free(struct call_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->calls != NULL)
        call_cancel(pool->calls);
    while (pool->spare_count > 0)
        curl_easy_cleanup(pool->spares[--pool->spare_count]);
    for (size_t i = 0; i < CALL_SHARDS; i++) {
        call_wires_detach(&pool->shards[i]);
        curl_multi_cleanup(pool->shards[i].multi); /* closes the connections */
    }
    curl_share_cleanup(pool->share);
    for (size_t i = 0; i < pool->origin_count; i++)
        origin_free(pool->origins[i]);
    free(pool->wires);
    free(pool);
}

/* ---- where a call goes ---- */

/* "https://host:port", up to the path. */
static size_t origin_length(const char *url)
{
    const char *authority = strstr(url, "://");

    return authority != NULL
               ? (size_t)(authority - url) + 3 + strcspn(authority + 3, "/?#")
               : strlen(url);
}

static struct origin *origin_new(struct call_pool *pool, const char *url, size_t length)
{
    struct origin *origin = MEM_NEW(struct origin);

    origin->name = mem_copy(url, length);
    origin->name_length = length;
    for (size_t i = 0; i < CALL_SHARDS; i++) {
        origin->homes[i].origin = origin;
        origin->homes[i].shard = &pool->shards[i];
    }
    return origin;
}

/* Servers come from the settings, so they are few; what is beyond the table shares its
 * last place, which makes the choice of connections worse and nothing else. */
static struct origin *origin_of(struct call_pool *pool, const char *url)
{
    size_t length = origin_length(url);

    for (size_t i = 0; i < pool->origin_count; i++)
        if (pool->origins[i]->name_length == length &&
            memcmp(pool->origins[i]->name, url, length) == 0)
            return pool->origins[i];
    if (pool->origin_count == CALL_ORIGINS_MAX)
        return pool->origins[CALL_ORIGINS_MAX - 1];
    return pool->origins[pool->origin_count++] = origin_new(pool, url, length);
}

struct home *call_home_pick(struct call_pool *pool, const char *url)
{
    struct origin *origin = origin_of(pool, url);
    size_t room = origin->is_multiplexed ? CALLS_PER_HTTP2_CONNECTION : 1;
    struct home *idlest = &origin->homes[0];

    for (size_t i = 0; i < CALL_SHARDS; i++) {
        struct home *home = &origin->homes[i];

        if (home->connections * room > home->in_flight)
            return home;
        if (home->shard->in_flight < idlest->shard->in_flight)
            idlest = home;
    }
    return idlest;
}

/* ---- curl's handles ---- */

/* Debian's libcurl reads the whole bundle of certificates for every new connection,
 * unless it is given only the directory, where OpenSSL looks up the one that it needs. */
static void set_trust(CURL *easy)
{
    const char *file = getenv("SSL_CERT_FILE");
    const char *directory = getenv("SSL_CERT_DIR");

    if (directory == NULL)
        directory = curl_version_info(CURLVERSION_NOW)->capath;
    if (file != NULL) {
        SET(easy, CURLOPT_CAINFO, file);
        SET(easy, CURLOPT_CAPATH, NULL);
    } else if (directory != NULL) {
        SET(easy, CURLOPT_CAINFO, NULL);
        SET(easy, CURLOPT_CAPATH, directory);
    }
}

static CURL *handle_new(struct call_pool *pool)
{
    CURL *easy = curl_easy_init();

    if (easy == NULL)
        abort();
    SET(easy, CURLOPT_SHARE, pool->share);
    SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    SET(easy, CURLOPT_USERAGENT, "poise");
    SET(easy, CURLOPT_BUFFERSIZE, RECEIVE_BUFFER_BYTES);
    SET(easy, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_BUFFER_BYTES);
    SET(easy, CURLOPT_DNS_CACHE_TIMEOUT, DNS_CACHE_SECONDS);
    SET(easy, CURLOPT_MAXAGE_CONN, IDLE_MAX_SECONDS);
    SET(easy, CURLOPT_NOSIGNAL, 1L); /* else two sigaction(2) for each step of curl's */
    SET(easy, CURLOPT_QUICK_EXIT,
        1L); /* else a cancelled call waits for getaddrinfo(3) */
    SET(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    SET(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(easy, CURLOPT_OPENSOCKETFUNCTION, call_wire_open);
    SET(easy, CURLOPT_CLOSESOCKETFUNCTION, call_wire_close);
    if (!pool->has_proxy)
        SET(easy, CURLOPT_PROXY, "");
    set_trust(easy);
    return easy;
}

CURL *call_handle_take(struct call_pool *pool)
{
    return pool->spare_count > 0 ? pool->spares[--pool->spare_count] : handle_new(pool);
}

/* A handle is good for again after an answer on a warm connection.  One that had to
 * connect may have sent its request twice; curl counts that over the handle's life, and
 * at five it gives up. */
void call_handle_give_back(struct call_pool *pool, CURL *easy, bool is_spent)
{
    if (!is_spent && pool->spare_count < CALL_SPARES_MAX)
        pool->spares[pool->spare_count++] = easy;
    else
        curl_easy_cleanup(easy);
}
