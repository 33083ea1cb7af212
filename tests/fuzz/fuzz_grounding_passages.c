/*
 * Documents as they are cut and read: no input may crash it, every chunk is valid UTF-8 of a bounded length, what
 * is told does not depend on how the bytes arrive, and every term lies where it says.
 */
#include "chunk_internal.h"
#include "fuzz.h"
#include "terms.h"
#include "utf8.h"

struct told {
    struct terms_reader *reader;
    struct terms terms;
    size_t chunks, bytes;
    uint64_t hash;
};

static void check_terms(const struct terms *terms, struct span text)
{
    uint32_t before = 0;

    for (size_t i = 0; i < terms->count; i++) {
        const struct term *term = &terms->all[i];

        must(term->start >= before && term->end > term->start &&
             term->end <= text.length);
        must(term->stem_length > 0 && term->stem_length <= 64);
        must(strlen(term_stem(terms, term)) == term->stem_length);
        must(term->sentence < terms->sentence_count);
        must(term->start >= terms->sentences[term->sentence].start);
        must(term->end <= terms->sentences[term->sentence].end);
        before = term->end;
    }
    for (size_t i = 0; i < terms->sentence_count; i++)
        must(terms->sentences[i].term_count > 0 &&
             terms->sentences[i].end <= text.length);
}

static bool check_chunk(void *context, const struct chunk *chunk)
{
    struct told *told = context;

    must(chunk->text.length > 0 && chunk->text.length < 100000);
    must(utf8_is_valid(chunk->text.bytes, chunk->text.length));
    must(utf8_is_valid(chunk->title.bytes, chunk->title.length));
    must(utf8_is_valid(chunk->section.bytes, chunk->section.length));
    told->chunks++;
    told->bytes += chunk->text.length;
    for (size_t i = 0; i < chunk->text.length; i++)
        told->hash = (told->hash ^ (unsigned char)chunk->text.bytes[i]) * 1099511628211u;
    if (told->reader != NULL) {
        terms_read(told->reader, chunk->text, &told->terms);
        check_terms(&told->terms, chunk->text);
    }
    return true;
}

/* The first byte says which format, and in which steps the bytes arrive the second time. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct told told = {.reader = terms_reader_new()}, again = {0};
    enum chunk_format format = CHUNK_MARKDOWN;
    size_t step = 1;
    struct chunker *chunker;

    if (length > 0) {
        format = bytes[0] & 1 ? CHUNK_PLAIN_TEXT : CHUNK_MARKDOWN;
        step = 1 + bytes[0] / 2;
        bytes++;
        length--;
    }
    chunker = chunker_new("fuzz.md", format, check_chunk, &told);
    chunker_add(chunker, (struct span){(const char *)bytes, length});
    chunker_end(chunker);
    chunker_free(chunker);
    /* Whether there are pages is seen in the first piece. */
    if (length > 0 && memchr(bytes, '\f', length) == NULL) {
        chunker = chunker_new("fuzz.md", format, check_chunk, &again);
        for (size_t at = 0; at < length; at += step)
            chunker_add(chunker, (struct span){(const char *)bytes + at,
                                               step < length - at ? step : length - at});
        chunker_end(chunker);
        chunker_free(chunker);
        must(again.chunks == told.chunks && again.hash == told.hash);
    }
    terms_done(&told.terms);
    terms_reader_free(told.reader);
    return 0;
}
