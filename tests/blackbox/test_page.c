/*
 * The web client as it is served: the page, which a client asks for again each time, and the
 * files that it names by their bytes, which are kept for ever; plain or compressed, and allowed
 * nothing from elsewhere.  What it does in a browser is tests/browser's.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "play.h"

TestSuite(page, .timeout = 60);

static const struct reply *fetch(struct world *world, const char *method,
                                 const char *path, const char *headers)
{
    struct connection *connection = begin(
        world, (struct request){.method = method, .path = path, .headers = headers});
    const struct reply *reply = receive(world, connection, method);

    connection_close(connection);
    cr_assert_not_null(reply, "no reply");
    return reply;
}

/* The value of a header, kept by the world. */
static const char *header_of(struct world *world, const struct reply *reply,
                             const char *name)
{
    char value[512];

    cr_assert(reply_header(reply, name, value, sizeof value), "no %s", name);
    return words(world, "%s", value);
}

static bool is_same(const struct reply *one, const struct reply *other)
{
    return one->status == 200 && other->status == 200 &&
           one->body.size == other->body.size &&
           memcmp(one->body.data, other->body.data, one->body.size) == 0;
}

/* The next path of a file that the page names, kept by the world; NULL: no more. */
static const char *next_path(struct world *world, const char **text)
{
    const char *path = strstr(*text, "/web/");

    if (path == NULL)
        return NULL;
    *text = path + strcspn(path, "\"' `");
    return words(world, "%.*s", (int)(*text - path), path);
}

/* Of the first that ends so. */
static const char *path_of(struct world *world, const char *ending)
{
    const char *text = fetch(world, "GET", "/", NULL)->body.data;
    const char *path;

    while ((path = next_path(world, &text)) != NULL) {
        if (strlen(path) > strlen(ending) &&
            strcmp(path + strlen(path) - strlen(ending), ending) == 0)
            return path;
    }
    cr_assert_fail("the page names no file of %s", ending);
    return NULL;
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *ending, *type;
    } TYPES[] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".webmanifest", "application/manifest+json"},
    };
    const char *ending = strrchr(name, '.');

    for (size_t i = 0; ending && i < sizeof TYPES / sizeof *TYPES; i++) {
        if (strcmp(ending, TYPES[i].ending) == 0)
            return TYPES[i].type;
    }
    return NULL;
}

/* A worker runs with its own policy, so every script has one. */
static void expect_kept_for_ever(struct world *world, const char *path)
{
    const struct reply *reply = fetch(world, "GET", path, NULL);

    cr_assert(reply->status == 200 && reply->body.size > 0, "%s: %d", path,
              reply->status);
    expect_header(reply, "Content-Type", type_of(path));
    expect_header(reply, "Cache-Control", "public, max-age=31536000, immutable");
    cr_assert(reply_header_count(reply, "X-Request-ID") == 1);
    if (strstr(path, ".js") != NULL)
        cr_assert(strstr(header_of(world, reply, "Content-Security-Policy"),
                         "script-src 'self'"));
}

Test(page, every_file_that_it_names_is_there_and_kept_for_ever)
{
    struct world *world = world_with_builtin_coach();
    const char *text = fetch(world, "GET", "/", NULL)->body.data;
    const char *manifest = path_of(world, ".webmanifest");
    const char *path;
    int count = 0;

    for (; (path = next_path(world, &text)) != NULL; count++)
        expect_kept_for_ever(world, path);
    text = fetch(world, "GET", manifest, NULL)->body.data;
    for (; (path = next_path(world, &text)) != NULL; count++)
        expect_kept_for_ever(world, path);
    cr_assert(count >= 10, "%d files", count);
    world_end(world);
}

Test(page, docs_is_a_page_of_its_own_and_so_are_its_files)
{
    struct world *world = world_with_builtin_coach();
    const struct reply *docs = fetch(world, "GET", "/docs", NULL);
    const char *text = docs->body.data;
    const char *path;
    int count = 0;

    cr_assert_eq(docs->status, 200);
    expect_header(docs, "Content-Type", "text/html; charset=utf-8");
    expect_header(docs, "Cache-Control", "no-cache");
    cr_assert(
        strstr(header_of(world, docs, "Content-Security-Policy"), "default-src 'none'"));
    for (; (path = next_path(world, &text)) != NULL; count++)
        expect_kept_for_ever(world, path);
    cr_assert_eq(count, 3);
    world_end(world);
}

Test(page, the_root_is_the_page)
{
    struct world *world = world_with_builtin_coach();
    const struct reply *page = fetch(world, "GET", "/", NULL);

    expect_header(page, "Content-Type", "text/html; charset=utf-8");
    expect_header(page, "Cache-Control", "no-cache");
    cr_assert(is_same(page, fetch(world, "GET", "/?from=app", NULL)));
    world_end(world);
}

Test(page, who_takes_gzip_gets_the_same_file_in_fewer_bytes)
{
    struct world *world = world_with_builtin_coach();
    const char *path = words(world, "%s/page.gz", world->directory);
    const char *command = words(world, "gzip -dc '%s'", path);
    char text[65536];

    const struct reply *plain = fetch(world, "GET", "/", NULL);
    const struct reply *packed =
        fetch(world, "GET", "/", "Accept-Encoding: deflate, gzip;q=0.5\r\n");

    expect_no_header(plain, "Content-Encoding");
    expect_header(packed, "Content-Encoding", "gzip");
    cr_assert(packed->body.size * 2 < plain->body.size);
    FILE *file = fopen(path, "wb");
    cr_assert(file &&
              fwrite(packed->body.data, 1, packed->body.size, file) == packed->body.size);
    fclose(file);
    file = popen(command, "r");
    cr_assert(file && fread(text, 1, sizeof text, file) == plain->body.size);
    cr_assert(memcmp(text, plain->body.data, plain->body.size) == 0);
    pclose(file);
    expect_no_header(fetch(world, "GET", "/", "Accept-Encoding: gzip;q=0, br\r\n"),
                     "Content-Encoding");
    world_end(world);
}

Test(page, a_client_that_has_it_is_told_so)
{
    static const char *const SHAPES[] = {"%s", "W/%s", "\"other\", %s", "%s , \"other\""};
    struct world *world = world_with_builtin_coach();
    const char *tag = header_of(world, fetch(world, "GET", "/", NULL), "ETag");
    const char *packed_tag =
        header_of(world, fetch(world, "GET", "/", "Accept-Encoding: gzip\r\n"), "ETag");

    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        char list[160];

        snprintf(list, sizeof list, SHAPES[i], tag);
        const struct reply *reply =
            fetch(world, "GET", "/", words(world, "If-None-Match: %s\r\n", list));
        cr_assert(reply->status == 304 && reply->body.size == 0, "%s", list);
        expect_header(reply, "ETag", tag);
        expect_header(reply, "Cache-Control", "no-cache");
    }
    cr_assert(strcmp(tag, packed_tag) != 0, "one tag for two kinds of bytes");
    const struct reply *page = fetch(world, "GET", "/", NULL);

    cr_assert(is_same(page, fetch(world, "GET", "/", "If-None-Match: \"other\"\r\n")));
    cr_assert(is_same(page, fetch(world, "GET", "/",
                                  words(world, "If-None-Match: %s\r\n", packed_tag))));
    world_end(world);
}

Test(page, it_may_load_nothing_from_elsewhere_and_run_nothing_inline)
{
    struct world *world = world_with_builtin_coach();
    const struct reply *page = fetch(world, "GET", "/", NULL);
    const char *policy = header_of(world, page, "Content-Security-Policy");

    cr_assert(strstr(policy, "default-src 'none'"));
    cr_assert(strstr(policy, "script-src 'self'"));
    cr_assert(strstr(policy, "frame-ancestors 'none'"));
    cr_assert(!strstr(policy, "unsafe") && !strstr(policy, "http"), "%s", policy);
    cr_assert(!bytes_has(&page->body, "//") && !bytes_has(&page->body, " style=") &&
              !bytes_has(&page->body, "<script>"));
    expect_header(page, "X-Content-Type-Options", "nosniff");
    expect_header(page, "Referrer-Policy", "no-referrer");
    world_end(world);
}

Test(page, replies_vary_by_encoding_and_by_origin)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *page = fetch(world, "GET", "/", NULL);

    cr_assert(bytes_has(&page->head, "Vary: Accept-Encoding"));
    cr_assert(bytes_has(&page->head, "Vary: Origin"));
    world_end(world);
}

Test(page, head_has_the_headers_of_get_and_no_body)
{
    struct world *world = world_with_builtin_coach();
    const char *path = path_of(world, ".css");
    const struct reply *get = fetch(world, "GET", path, NULL);

    const struct reply *head = fetch(world, "HEAD", path, NULL);

    cr_assert(head->status == 200 && head->body.size == 0);
    expect_header(head, "ETag", header_of(world, get, "ETag"));
    expect_header(head, "Content-Length", header_of(world, get, "Content-Length"));
    world_end(world);
}

Test(page, what_is_no_file_of_it_is_not_found)
{
    static const char *const PATHS[] = {
        "/web/none.js",
        "/web/",
        "/web",
        "/web/jsconfig.json",
        "/web/main.js",
        "/web/app.js",
        "/web/..%2findex.html",
        "/web/../index.html",
        "/web/index.html/",
        "/index.html",
        "/web/%00",
    };
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        expect_error(ask(world, (struct request){.method = "GET", .path = PATHS[i]}),
                     ERROR_NOT_FOUND);
    world_end(world);
}

Test(page, another_method_is_not_allowed)
{
    struct world *world = world_with_builtin_coach();

    for (int i = 0; i < 2; i++) {
        const struct reply *reply =
            ask(world,
                (struct request){.method = "POST", .path = i == 0 ? "/" : "/web/app.js"});

        expect_error(reply, ERROR_METHOD_NOT_ALLOWED);
        expect_header(reply, "Allow", "GET, HEAD, OPTIONS");
    }
    world_end(world);
}

static const struct reply *config_of(struct world *world)
{
    const struct reply *reply =
        ask(world, (struct request){.method = "GET", .path = "/client-config"});

    expect_success(reply);
    return reply;
}

Test(page, without_keys_it_says_that_no_words_leave_the_service)
{
    struct world *world = world_with_builtin_coach("TTS_PROVIDER=none");

    const struct reply *config = config_of(world);

    expect_text(config, "data.coach.name", "builtin");
    expect_null(config, "data.coach.host");
    expect_flag(config, "data.can_hear", false);
    expect_null(config, "data.stt");
    expect_null(config, "data.tts");
    expect_flag(config, "data.screens_answers", true);
    expect_null(config, "data.study.search_host");
    expect_number(config, "data.study.refused_questions_days", 90);
    expect_number(config, "data.limits.audio_seconds", 120);
    expect_number(config, "data.limits.transcript_chars", 8000);
    expect_number(config, "data.limits.session_idle_minutes", 60);
    world_end(world);
}

/* Of a base URL only the host is told: users, ports and paths are the operator's. */
Test(page, it_names_everybody_who_may_get_the_words)
{
    struct world *world = world_with_builtin_coach(
        "GROQ_API_KEY=" GROQ_KEY, "GROQ_BASE_URL=http://api.groq.example:8080/openai/v1",
        "ALLOW_INSECURE_PROVIDERS=true", "LLM_PROVIDER=groq",
        "LLM_FALLBACKS=small@https://[2001:db8::7]/v1,builtin",
        "DEEPGRAM_API_KEY=" DEEPGRAM_KEY, "DEEPGRAM_BASE_URL=https://eu.deepgram.example",
        "STT_PROVIDER=deepgram", "STT_FALLBACKS=groq", "TTS_PROVIDER=deepgram",
        "SAFETY_ENABLED=false", "MAX_AUDIO_SECONDS=90", "REFUSAL_LOG_QUESTIONS=false");

    const struct reply *config = config_of(world);

    expect_text(config, "data.coach.name", "groq");
    expect_text(config, "data.coach.host", "api.groq.example");
    expect_text(config, "data.coach_fallbacks.0.host", "2001:db8::7");
    expect_null(config, "data.coach_fallbacks.1.host");
    expect_flag(config, "data.can_hear", true);
    expect_text(config, "data.stt.host", "eu.deepgram.example");
    expect_text(config, "data.stt_fallbacks.0.host", "api.groq.example");
    expect_text(config, "data.tts.name", "deepgram");
    expect_flag(config, "data.screens_answers", false);
    expect_number(config, "data.study.refused_questions_days", 0);
    expect_number(config, "data.limits.audio_seconds", 90);
    world_end(world);
}
