/*
 * JSON that arrives in pieces: a table of texts, each scanned whole and byte by byte.
 */
#include "json.h"
#include "json_scan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    const char
        *tokens; /* a letter each: { } k s w, and the end: . whole, m more, ! wrong */
} texts[] = {
    {"{}", "{}."},
    {" [ ] ", "{}."},
    {"{\"a\":1,\"b\":[true,\"x\",{\"c\":null}]}", "{kwk{ws{kw}}}."},
    {"[-1.5e+3,0,-0.1,10,NaN,-Infinity]", "{wwwwww}."},
    {"[01]", "{!"},
    {"[-00.5]", "{!"},
    {"[\"\\e\"] ", "{!"},
    {"{\"a\\\"}\":\"\\u00e9\\n\\\\\"}", "{ks}."},
    {"[\"\n\t\"]", "{s}."},
    {"{} {}", "{}!"},
    {"", "m"},
    {"  ", "m"},
    {"{\"a", "{m"},
    {"{\"a\"", "{km"},
    {"{\"a\":", "{km"},
    {"{\"a\":12", "{km"},
    {"{\"a\":\"\\u00", "{km"},
    {"[1,", "{wm"},
    {"{a:1}", "{!"},
    {"{'a':1}", "{!"},
    {"{\"a\" 1}", "{k!"},
    {"{\"a\":1 \"b\":2}", "{kw!"},
    {"{\"a\":1,}", "{kw!"},
    {"[1,]", "{w!"},
    {"[,1]", "{!"},
    {"[1}", "{w!"},
    {"]", "!"},
    {"[1.]", "{!"},
    {"[.5]", "{!"},
    {"[+1]", "{!"},
    {"[1e]", "{!"},
    {"[1-2]", "{!"},
    {"[True]", "{!"},
    {"[nul]", "{!"},
    {"[\"\\x\"]", "{!"},
    {"[\"\\u12g4\"]", "{!"},
    {"[11111111111111111111111111111111111111111111111111111111111111111]", "{!"},
};

/* `step` bytes at a time. */
static void scan(const char *text, size_t step, char *ret_tokens)
{
    static const char letters[] = {[JSON_OPEN] = '{',
                                   [JSON_CLOSE] = '}',
                                   [JSON_KEY] = 'k',
                                   [JSON_STRING] = 's',
                                   [JSON_WORD] = 'w'};
    size_t length = strlen(text), come = 0, count = 0;
    struct json_scan scan = {.at = 0};
    enum json_token token;

    do {
        come = step < length - come ? come + step : length;
        for (;;) {
            token = json_scan_next(&scan, (struct span){text, come});
            if (token == JSON_MORE || token == JSON_WRONG)
                break;
            ret_tokens[count++] = letters[token];
        }
    } while (token == JSON_MORE && come < length);
    if (token == JSON_WRONG)
        ret_tokens[count] = '!';
    else
        ret_tokens[count] = count > 0 && scan.depth == 0 ? '.' : 'm';
    count++;
    ret_tokens[count] = '\0';
}

Test(json_scan, every_text_has_its_tokens_however_it_is_cut)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        for (size_t step = 1; step < 100; step += step < 4 ? 1 : 95) {
            char tokens[128];

            scan(texts[i].text, step, tokens);
            cr_expect_str_eq(tokens, texts[i].tokens, "%s by %zu: %s", texts[i].text,
                             step, tokens);
        }
}

Test(json_scan, what_is_wrong_stays_wrong)
{
    static const char text[] = "{\"a\":\"\\e\"} ";
    struct json_scan scan = {.at = 0};
    unsigned wrong = 0;

    for (unsigned i = 0; i < 16; i++)
        wrong += json_scan_next(&scan, span_of(text)) == JSON_WRONG;
    cr_expect_eq(wrong, 14, "all but the brace and the key: %u", wrong);
}

Test(json_scan, containers_have_a_depth)
{
    char deep[JSON_SCAN_DEPTH + 2];
    struct json_scan scan = {.at = 0};

    memset(deep, '[', sizeof(deep));
    for (size_t i = 0; i < JSON_SCAN_DEPTH; i++)
        cr_assert_eq(json_scan_next(&scan, (struct span){deep, sizeof(deep)}), JSON_OPEN);
    cr_expect_eq(json_scan_next(&scan, (struct span){deep, sizeof(deep)}), JSON_WRONG);
}

/* ---- chosen places ---- */

enum place { WHOLE, LIST, NAME, FIRST, ITEM_NAME };

static const struct json_place places[] = {
    [WHOLE] = {WHOLE, ""}, [LIST] = {WHOLE, "list"},      [NAME] = {WHOLE, "name"},
    [FIRST] = {LIST, "0"}, [ITEM_NAME] = {FIRST, "name"},
};

static void note(void *context, size_t place, enum json_token kind, struct span value)
{
    char *told = context;

    sprintf(told + strlen(told), "%zu%s%.*s ", place, kind == JSON_OPEN ? "{" : "=",
            (int)value.length, value.length > 0 ? value.bytes : "");
}

static const struct {
    const char *text, *told;
    enum json_token end;
} picks[] = {
    {"{\"name\":\"a\",\"list\":[{\"name\":1},{\"name\":2}],\"x\":{\"name\":3}} rest",
     "0{ 2=a 1{ 3{ 4=1 ", JSON_CLOSE},
    {"{\"list\":{\"0\":{\"name\":1}},\"name\":null,\"name\":[]}",
     "0{ 1{ 3{ 4=1 2=null 2{ ", JSON_CLOSE},
    {"{\"list\":[[{\"name\":1}],7],\"name\":true", "0{ 1{ 3{ ", JSON_MORE},
    {"{\"nam\":1,\"names\":2,\"\":3}", "0{ ", JSON_CLOSE},
    {"{\"list\":[{\"name\":1}", "0{ 1{ 3{ 4=1 ", JSON_MORE},
    {"[{\"name\":1}]", "0{ ", JSON_CLOSE},
    {"\"name\"", "", JSON_WRONG},
};

Test(json_scan, what_stands_at_chosen_places_is_told_and_nothing_else)
{
    for (size_t i = 0; i < sizeof(picks) / sizeof(*picks); i++) {
        struct json_pick pick;
        char told[256] = "";

        json_pick_init(&pick, places, sizeof(places) / sizeof(*places), 0, note, told);
        cr_expect_eq(json_pick_more(&pick, span_of(picks[i].text)), picks[i].end, "%s",
                     picks[i].text);
        cr_expect_str_eq(told, picks[i].told, "%s: %s", picks[i].text, told);
    }
}

Test(json_scan, a_nul_in_a_key_ends_no_name)
{
    static const char text[] = "{\"name\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\":1}";
    struct json_pick pick;
    char told[256] = "";

    json_pick_init(&pick, places, sizeof(places) / sizeof(*places), 0, note, told);
    json_pick_more(&pick, (struct span){text, sizeof(text) - 1});
    cr_expect_str_eq(told, "0{ ");
}

/* ---- strings ---- */

static const struct {
    const char *written, *meant; /* NULL: none */
} strings[] = {
    {"", ""},
    {"plain", "plain"},
    {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
    {"\\u00e9 \\ud83d\\ude00", "\xC3\xA9 \xF0\x9F\x98\x80"},
    {"\xC3\xA9", "\xC3\xA9"},
    {"\xC3", NULL},
    {"a\\", NULL},
};

Test(json_scan, a_string_means_what_json_says)
{
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
        struct buffer out;
        bool is_meant;

        buffer_init(&out, 64);
        buffer_append_string(&out, ">");
        is_meant = json_unescape(span_of(strings[i].written), &out);
        cr_expect_eq(is_meant, strings[i].meant != NULL, "%s", strings[i].written);
        if (strings[i].meant != NULL)
            cr_expect_str_eq(out.bytes + 1, strings[i].meant);
        buffer_done(&out);
    }
}
