/*
 * Documents cut into passages: what heads them, what is never cut, what neighbours share; and the same for
 * documents that are made at random.
 */
#include "chunk_internal.h"

#include "buffer.h"
#include "mem.h"
#include "utf8.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MOST = 4096 };

struct cut {
    char *title, *section, *text;
    int64_t page;
};

static struct cut cuts[CHUNKS_MOST];
static size_t cut_count;

static bool keep(void *context, const struct chunk *chunk)
{
    (void)context;
    cr_assert(cut_count < CHUNKS_MOST);
    cr_assert(utf8_is_valid(chunk->text.bytes, chunk->text.length));
    cr_assert(chunk->text.length > 0);
    cuts[cut_count++] =
        (struct cut){.title = mem_copy(chunk->title.bytes, chunk->title.length),
                     .section = mem_copy(chunk->section.bytes, chunk->section.length),
                     .text = mem_copy(chunk->text.bytes, chunk->text.length),
                     .page = chunk->page};
    return true;
}

static void forget(void)
{
    for (size_t i = 0; i < cut_count; i++) {
        free(cuts[i].title);
        free(cuts[i].section);
        free(cuts[i].text);
    }
    cut_count = 0;
}

static bool cut_whole(const char *name, enum chunk_format format, struct span text,
                      chunk_fn *tell, void *context)
{
    struct chunker *chunker = chunker_new(name, format, tell, context);
    bool is_told = chunker_add(chunker, text) && chunker_end(chunker);

    chunker_free(chunker);
    return is_told;
}

static void cut(const char *name, enum chunk_format format, const char *text)
{
    forget();
    cr_assert(cut_whole(name, format, span_of(text), keep, NULL));
}

/* "title / section: text" of every chunk, one after the other, line ends as "~". */
static void expect_cut(const char *name, enum chunk_format format, const char *text,
                       const char *expected)
{
    struct buffer got;

    buffer_init(&got, 1 << 20);
    cut(name, format, text);
    for (size_t i = 0; i < cut_count; i++) {
        if (i > 0)
            buffer_append_string(&got, "|");
        buffer_append_string(&got, cuts[i].title);
        buffer_append_string(&got, " / ");
        buffer_append_string(&got, cuts[i].section);
        buffer_append_string(&got, ": ");
        buffer_append_string(&got, cuts[i].text);
    }
    buffer_append_char(&got, '\0');
    for (char *at = got.bytes; *at != '\0'; at++)
        *at = *at == '\n' ? '~' : *at;
    cr_expect_str_eq(got.bytes, expected, "%s\n  gives %s\n  not   %s", text, got.bytes,
                     expected);
    buffer_done(&got);
    forget();
}

TestSuite(chunk, .fini = forget);

Test(chunk, stands_under_its_headings)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", ""},
        {"\n \n", ""},
        {"plain", "guide / : plain"},
        {"# T\na\n\n## S\nb\n\n### U ###\nc\n## V\nd",
         "T / : a|T / S: b|T / S > U: c|T / V: d"},
        {"Title\n=====\na\n\nPart\n---\nb", "Title / : a|Title / Part: b"},
        {"before\n# One\na\n# Two\nb", "guide / : before|One / : a|Two / : b"},
        {"# Only a heading", "Only a heading / : Only a heading"},
        {"# A\n## B\n### C\nx\n## D\n", "A / B > C: x|A / D: D"},
        {"# **Bold** `code` [link](http://x) {#id}\na", "Bold code link / : a"},
        {"---\ntitle: \"Front\"\ntags: [x]\n---\na", "Front / : a"},
        {"---\n\nnot front matter", "guide / : not front matter"},
        {"a\n\n---\n\nb", "guide / : a~~b"},
        {"\xef\xbb\xbf# T\r\na\r\nb\r\n", "T / : a~b"},
        {"a \xff b \xe2\x82 c", "guide / : a \xef\xbf\xbd b \xef\xbf\xbd\xef\xbf\xbd c"},
        {"> # quoted\n> a\n\nb", "quoted / : a~~b"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_cut("dir/guide.md", CHUNK_MARKDOWN, cases[i].text, cases[i].expected);
}

Test(chunk, takes_no_heading_from_code_or_lists)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"```sh\n# comment\n\n\ny\n```\nafter", "g / : ```sh~# comment~~~y~```~~after"},
        {"~~~\n# a\n```\n# b\n~~~\n# T\nc", "g / : ~~~~# a~```~# b~~~~|T / : c"},
        {"p\n\n    # indented\n\n    code\nafter",
         "g / : p~~    # indented~~    code~~after"},
        {"- a\n\n  ```\n  # in item\n  ```\n- b",
         "g / : - a~~  ```~  # in item~  ```~- b"},
        {"- a\n- b\n\npara", "g / : - a~- b~~para"},
        {"| a | b |\n|---|---|\n| c | d |\npara",
         "g / : | a | b |~|---|---|~| c | d |~~para"},
        {"> ```\n> # q\n> ```\n# T\nx", "g / : ```~# q~```|T / : x"},
        {"```\n# never closed", "g / : ```~# never closed"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_cut("g.md", CHUNK_MARKDOWN, cases[i].text, cases[i].expected);
}

Test(chunk, of_plain_text_has_pages_and_chapters)
{
    expect_cut("book.txt", CHUNK_PLAIN_TEXT,
               "intro\n\nChapter 1\n\n# a sign, no heading\n\nCHAPTER II. END\n\nb",
               "book / : intro|Chapter 1 / : # a sign, no heading|CHAPTER II. END / : b");
    expect_cut("book.txt", CHUNK_PLAIN_TEXT, "Start\n=====\na", "Start / : a");
    expect_cut("book.txt", CHUNK_PLAIN_TEXT,
               "Chapter I.\n\nPart 2 of it was signed in 1920.",
               "Chapter I. / : Part 2 of it was signed in 1920.");

    cut("book.txt", CHUNK_PLAIN_TEXT,
        "Chapter 1\n\na\n\fChapter 2\n\nb\n\f\fChapter 3\n\nc");
    cr_assert_eq(cut_count, 3);
    cr_expect_eq(cuts[0].page, 1);
    cr_expect_eq(cuts[1].page, 2);
    cr_expect_eq(cuts[2].page, 4);
    cut("book.txt", CHUNK_PLAIN_TEXT, "no pages");
    cr_expect_eq(cuts[0].page, -1);
}

Test(chunk, of_long_prose_begins_with_the_last_sentences_of_the_one_before)
{
    struct buffer text;

    buffer_init(&text, 1 << 20);
    for (int i = 0; i < 400; i++) {
        buffer_append_string(&text, "This is the sentence of number ");
        buffer_append_number(&text, 1000 + i);
        buffer_append_string(&text, i % 7 == 6 ? ".\n\n" : ". ");
    }
    buffer_append_char(&text, '\0');
    cut("long.md", CHUNK_MARKDOWN, text.bytes);
    cr_assert_geq(cut_count, 4);
    for (size_t i = 1; i < cut_count; i++) {
        const char *before = cuts[i - 1].text;
        size_t length = strlen(before);
        char *start = mem_copy(cuts[i].text, 36);
        const char *again = strstr(before, start);

        cr_assert(length <= 3200 && length >= 3000, "%zu", length);
        cr_assert_not_null(again);
        cr_expect(strlen(again) <= 400 && strlen(again) >= 330, "%zu", strlen(again));
        cr_expect_eq(strncmp(again, cuts[i].text, strlen(again)), 0);
        cr_expect_eq(strncmp(start, "This is", 7), 0);
        free(start);
    }
    buffer_done(&text);
}

static bool stop_at_once(void *context, const struct chunk *chunk)
{
    (void)chunk;
    ++*(int *)context;
    return false;
}

Test(chunk, ends_when_it_is_told_to)
{
    int told = 0;

    cr_expect_not(cut_whole("a.md", CHUNK_MARKDOWN, span_of("a\n# b\nc\n# d\ne"),
                            stop_at_once, &told));
    cr_expect_eq(told, 1);
}

/* A document made at random, with what must be found in it again. */
struct made {
    struct buffer text;
    char *wholes[512]; /* what must stand in one chunk: blocks and sentences */
    bool is_block[512];
    size_t whole_count;
    unsigned seed;
};

static unsigned draw(struct made *made, unsigned below)
{
    made->seed = made->seed * 1103515245u + 12345u;
    return (made->seed >> 16) % below;
}

static void end_whole(struct made *made, size_t start, bool is_block)
{
    cr_assert(made->whole_count < 512);
    made->is_block[made->whole_count] = is_block;
    made->wholes[made->whole_count++] =
        mem_copy(made->text.bytes + start, made->text.length - start);
}

static void add_words(struct made *made, unsigned count)
{
    static const char *const words[] = {"answer",  "listen", "example", "naïve",
                                        "result",  "team",   "3.5",     "e.g.",
                                        "project", "why"};

    for (unsigned i = 0; i < count; i++) {
        buffer_append_string(&made->text, words[draw(made, 10)]);
        buffer_append_char(&made->text, i % 12 == 11 ? '\n' : ' ');
    }
    buffer_append_number(&made->text, (int64_t)made->text.length);
}

static void add_paragraph(struct made *made)
{
    for (unsigned sentences = 1 + draw(made, 12); sentences > 0; sentences--) {
        size_t start = made->text.length;

        buffer_append_string(&made->text, "The ");
        add_words(made, 2 + draw(made, 40));
        buffer_append_char(&made->text, '.');
        end_whole(made, start, false);
        buffer_append_char(&made->text, ' ');
    }
}

static void add_block(struct made *made, const char *before, const char *between,
                      const char *after)
{
    size_t start = made->text.length;

    buffer_append_string(&made->text, before);
    for (unsigned lines = 2 + draw(made, 60); lines > 0; lines--) {
        buffer_append_string(&made->text, between);
        add_words(made, 1 + draw(made, 9));
        if (lines > 1)
            buffer_append_char(&made->text, '\n');
    }
    buffer_append_string(&made->text, after);
    end_whole(made, start, true);
}

static void make(struct made *made, unsigned seed)
{
    *made = (struct made){.seed = seed};
    buffer_init(&made->text, 1 << 22);
    for (unsigned blocks = 3 + draw(made, 20); blocks > 0; blocks--) {
        switch (draw(made, 7)) {
        case 0:
            buffer_append_string(&made->text, draw(made, 2) ? "## Head " : "# Top ");
            buffer_append_number(&made->text, blocks);
            break;
        case 1: add_block(made, "```\n", "# code ", "\n```"); break;
        case 2: add_block(made, "| a |\n|---|\n", "| ", " |"); break;
        case 3:
            add_block(made, "- first item\n", draw(made, 2) ? "- " : "  - ", "");
            break;
        default: add_paragraph(made); break;
        }
        buffer_append_string(&made->text, "\n\n");
    }
}

static void free_made(struct made *made)
{
    for (size_t i = 0; i < made->whole_count; i++)
        free(made->wholes[i]);
    buffer_done(&made->text);
}

static bool stands_in_one(const char *whole)
{
    for (size_t i = 0; i < cut_count; i++)
        if (strstr(cuts[i].text, whole) != NULL)
            return true;
    return false;
}

static bool holds_block(const struct made *made, const char *text)
{
    for (size_t i = 0; i < made->whole_count; i++)
        if (made->is_block[i] && strstr(text, made->wholes[i]) != NULL)
            return true;
    return false;
}

/* How much of the end of one text is the beginning of the other. */
static size_t shared(const char *one, const char *next)
{
    size_t length = strlen(one), most = strlen(next);

    for (size_t at = length > most ? length - most : 0; at < length; at++)
        if (strncmp(one + at, next, length - at) == 0)
            return length - at;
    return 0;
}

Test(chunk, of_any_document_cuts_between_sentences_and_blocks_and_loses_nothing,
     .timeout = 60)
{
    size_t overlapping = 0;

    for (unsigned seed = 1; seed <= 150; seed++) {
        struct made made;

        make(&made, seed);
        buffer_append_char(&made.text, '\0');
        cut("made.md", CHUNK_MARKDOWN, made.text.bytes);
        for (size_t i = 0; i < made.whole_count; i++)
            cr_assert(stands_in_one(made.wholes[i]), "seed %u: %s", seed, made.wholes[i]);
        for (size_t i = 0; i < cut_count; i++) {
            size_t length = utf8_count(cuts[i].text, strlen(cuts[i].text));

            cr_assert(length <= (CHUNK_TOKENS + CHUNK_TOKENS_OVER) * CHARACTERS_A_TOKEN ||
                          holds_block(&made, cuts[i].text),
                      "seed %u: %zu characters", seed, length);
            if (i > 0 && strcmp(cuts[i].section, cuts[i - 1].section) == 0) {
                size_t over = shared(cuts[i - 1].text, cuts[i].text);

                overlapping += over > 20; /* not just a fence */
                cr_assert(over <= CHUNK_TOKENS_OVER * CHARACTERS_A_TOKEN * 2, "seed %u",
                          seed);
            }
        }
        free_made(&made);
    }
    cr_expect(overlapping > 20, "%zu", overlapping);
}

Test(chunk, does_not_depend_on_how_the_bytes_arrive, .timeout = 60)
{
    for (unsigned seed = 200; seed < 230; seed++) {
        struct made made;
        struct buffer whole, parts;
        struct chunker *chunker;

        make(&made, seed);
        buffer_init(&whole, 1 << 22);
        buffer_init(&parts, 1 << 22);
        forget();
        cut_whole("made.md", CHUNK_MARKDOWN,
                  (struct span){made.text.bytes, made.text.length}, keep, NULL);
        for (size_t i = 0; i < cut_count; i++)
            buffer_append(&whole, cuts[i].text, strlen(cuts[i].text) + 1);
        forget();
        chunker = chunker_new("made.md", CHUNK_MARKDOWN, keep, NULL);
        for (size_t at = 0; at < made.text.length;) {
            size_t step = 1 + draw(&made, 200);

            step = step > made.text.length - at ? made.text.length - at : step;
            cr_assert(chunker_add(chunker, (struct span){made.text.bytes + at, step}));
            at += step;
        }
        chunker_end(chunker);
        chunker_free(chunker);
        for (size_t i = 0; i < cut_count; i++)
            buffer_append(&parts, cuts[i].text, strlen(cuts[i].text) + 1);
        cr_expect_eq(whole.length, parts.length);
        cr_expect(memcmp(whole.bytes, parts.bytes, whole.length) == 0);
        buffer_done(&whole);
        buffer_done(&parts);
        free_made(&made);
    }
}

/* Text without an end of any kind: one line, one sentence, one block. */
Test(chunk, of_endless_text_is_bounded_and_loses_no_word, .timeout = 60)
{
    static const char *const starts[] = {"", "- ", "```\n", "| ", "# "};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        for (int has_blanks = 0; has_blanks < 2; has_blanks++) {
            size_t words = 40000, found = 0;
            struct buffer text;

            buffer_init(&text, 1 << 22);
            buffer_append_string(&text, starts[i]);
            for (size_t word = 0; word < words; word++)
                buffer_append_string(&text, has_blanks ? "wörds " : "wörds");
            buffer_append_char(&text, '\0');
            cut("long.md", CHUNK_MARKDOWN, text.bytes);
            for (size_t at = 0; at < cut_count; at++) {
                cr_assert(strlen(cuts[at].text) < 32768);
                for (const char *word = cuts[at].text; (word = strstr(word, "w")) != NULL;
                     word++)
                    found++;
            }
            cr_expect(found >= words - words / 100 || i == 4, "%s: %zu", starts[i],
                      found);
            buffer_done(&text);
        }
    }
}
