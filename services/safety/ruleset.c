/*
 * Loading a rule set: read the file, compile every entry, count references.
 */
#include "ruleset_internal.h"

#include "alternatives_internal.h"
#include "backtracking_internal.h"
#include "fold_internal.h"
#include "mem.h"
#include "pattern_syntax_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 4 << 20 };

extern const char embedded_safety_patterns[], embedded_safety_patterns_end[];

static bool fill_wordbook(struct ruleset *ruleset, const char *name,
                          struct ruleset_problem *problem)
{
    const struct pattern_texts *lists[] = {&ruleset->file.strong_words,
                                           &ruleset->file.words};

    ruleset->words = wordbook_new();
    for (size_t list = 0; list < 2; list++) {
        for (size_t i = 0; i < lists[list]->count; i++) {
            if (!wordbook_add(ruleset->words, lists[list]->texts[i], list == 0)) {
                snprintf(problem->text, sizeof problem->text,
                         "%s: word %zu of the %s is not one word", name, i,
                         list == 0 ? "strong words" : "words");
                return false;
            }
        }
    }
    return true;
}

static pcre2_code *compile_text(const char *text, uint32_t options, int *ret_error,
                                size_t *ret_offset)
{
    return pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, ret_error,
                         ret_offset, NULL);
}

static bool has_foreign(const char *text)
{
    while (*text != '\0' && (unsigned char)*text < 0x80)
        text++;
    return *text != '\0';
}

/*
 * The raw surface knows all of Unicode's letters and classes, and so does a pattern that has letters past
 * ASCII; the normalised one is folded already, and word boundaries by Unicode's properties would cost it 1.7
 * times as much.
 */
static pcre2_code *compile(const struct ruleset *ruleset, const char *file_name,
                           const struct pattern_entry *entry, const char *key,
                           const struct pattern_regex *regex, const char *spread,
                           int surface, struct ruleset_problem *problem)
{
    uint32_t options =
        PCRE2_CASELESS | PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    size_t offset;
    int error;
    PCRE2_UCHAR reason[160];
    pcre2_code *code;
    char *by_letter;

    if (surface == RAW || has_foreign(regex->text))
        options |= PCRE2_UCP;
    if (!ruleset->is_trusted && backtracking_is_costly(backtracking_of(spread)))
        options |= PCRE2_AUTO_CALLOUT; /* how filter.c counts its steps */
    /* Spread out it runs faster, called it is smaller: PCRE2 takes 64 KiB of compiled
     * code. */
    by_letter = alternatives_by_letter(spread);
    code = compile_text(by_letter, options, &error, &offset);
    free(by_letter);
    if (code == NULL && error == PCRE2_ERROR_PATTERN_TOO_LARGE)
        code = compile_text(regex->text, options, &error, &offset);
    if (code == NULL && error == PCRE2_ERROR_PATTERN_TOO_LARGE)
        code = compile_text(regex->text, options & ~PCRE2_AUTO_CALLOUT, &error, &offset);
    if (code == NULL) /* where in the pattern as it is written */
        (void)compile_text(regex->text, options, &error, &offset);
    if (code == NULL) {
        pcre2_get_error_message(error, reason, sizeof reason);
        snprintf(problem->text, sizeof problem->text,
                 "%s: entry %zu (%s): bad %s at offset %zu: %s", file_name,
                 entry->position, entry->name, key,
                 offset > regex->prefix ? offset - regex->prefix : offset,
                 (const char *)reason);
        return NULL;
    }
    error = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    if (error != 0 && error != PCRE2_ERROR_JIT_BADOPTION) {
        pcre2_get_error_message(error, reason, sizeof reason);
        snprintf(problem->text, sizeof problem->text,
                 "%s: entry %zu (%s): %s cannot be compiled: %s", file_name,
                 entry->position, entry->name, key, (const char *)reason);
        pcre2_code_free(code);
        return NULL;
    }
    return code;
}

static size_t counter_for(struct ruleset *ruleset, const struct pattern_entry *entry)
{
    struct rule_counter *counter;

    for (size_t i = 0; i < ruleset->counter_count; i++) {
        if (strcmp(ruleset->counters[i].name, entry->name) == 0)
            return i;
    }
    counter = &ruleset->counters[ruleset->counter_count];
    counter->name = entry->name;
    counter->category = entry->category;
    counter->is_shadow = entry->is_shadow;
    return ruleset->counter_count++;
}

/* Takes over the pattern. */
static bool compile_probe(struct ruleset *ruleset, size_t index, const char *name,
                          char *pattern, struct ruleset_problem *problem)
{
    const struct pattern_entry *entry = &ruleset->file.entries[index];
    struct probe *probe = &ruleset->probes[ruleset->probe_count++];
    bool is_compiled = true;

    *probe = (struct probe){.pattern = pattern, .rule = index};
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
        if ((entry->surfaces & (1U << surface)) == 0)
            continue;
        probe->code[surface] = compile(ruleset, name, entry, "pattern", &entry->pattern,
                                       pattern, surface, problem);
        is_compiled = is_compiled && probe->code[surface] != NULL;
    }
    return is_compiled;
}

static bool compile_probes(struct ruleset *ruleset, size_t index, const char *name,
                           struct ruleset_problem *problem)
{
    struct pattern_texts parts =
        alternatives_of(ruleset->file.entries[index].pattern.spread);
    bool is_compiled = true;

    ruleset->rules[index].first_probe = ruleset->probe_count;
    ruleset->rules[index].probe_count = parts.count;
    ruleset->probes = mem_realloc(ruleset->probes, (ruleset->probe_count + parts.count) *
                                                       sizeof *ruleset->probes);
    for (size_t i = 0; i < parts.count; i++)
        is_compiled =
            compile_probe(ruleset, index, name, parts.texts[i], problem) && is_compiled;
    free(parts.texts);
    return is_compiled;
}

/* What the nearest earlier rule has in that place, where it is the same; it belongs to the first of them. */
static pcre2_code *compiled_before(const struct ruleset *ruleset, size_t index,
                                   int surface, int side)
{
    const struct pattern_entry *entries = ruleset->file.entries;

    for (size_t i = index; i-- > 0;) {
        if (ruleset->rules[i].around[surface][side] != NULL &&
            strcmp(entries[i].around[side].spread, entries[index].around[side].spread) ==
                0)
            return ruleset->rules[i].around[surface][side];
    }
    return NULL;
}

static bool compile_rule(struct ruleset *ruleset, size_t index, const char *name,
                         struct ruleset_problem *problem)
{
    const struct pattern_entry *entry = &ruleset->file.entries[index];
    struct rule *rule = &ruleset->rules[index];

    rule->is_shadow = entry->is_shadow;
    rule->counter = counter_for(ruleset, entry);
    if (!compile_probes(ruleset, index, name, problem))
        return false;
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
        if ((entry->surfaces & (1U << surface)) == 0)
            continue;
        for (int side = 0; side < SIDE_COUNT; side++) {
            static const char *const keys[SIDE_COUNT] = {
                "only_after", "unless", "unless_before", "unless_after", "unless_story"};
            if (entry->around[side].text == NULL)
                continue;
            rule->around[surface][side] = compiled_before(ruleset, index, surface, side);
            if (rule->around[surface][side] == NULL)
                rule->around[surface][side] =
                    compile(ruleset, name, entry, keys[side], &entry->around[side],
                            entry->around[side].spread, surface, problem);
            if (rule->around[surface][side] == NULL)
                return false;
        }
    }
    return true;
}

static bool compile_rules(struct ruleset *ruleset, const char *name,
                          struct ruleset_problem *problem)
{
    size_t count = ruleset->file.count;

    if (ruleset_enforced_count(ruleset) == 0) {
        snprintf(problem->text, sizeof problem->text,
                 "%s: nothing in it refuses a text (SAFETY_ENABLED=false switches the "
                 "filter off)",
                 name);
        return false;
    }
    ruleset->rules = mem_zalloc(count * sizeof *ruleset->rules);
    ruleset->counters = mem_zalloc(count * sizeof *ruleset->counters);
    for (size_t i = 0; i < count; i++) {
        if (!compile_rule(ruleset, i, name, problem))
            return false;
    }
    return true;
}

static void build_prefilter(struct ruleset *ruleset, int surface)
{
    size_t count = ruleset->probe_count;
    struct prefilter_needs *needs = mem_zalloc((count + 1) * sizeof *needs);
    struct phrases others = {.count = 0};

    for (size_t i = 0; i < count; i++) {
        const struct probe *probe = &ruleset->probes[i];
        const struct pattern_entry *entry = &ruleset->file.entries[probe->rule];
        if ((entry->surfaces & (1U << surface)) != 0)
            needs[i] = (struct prefilter_needs){
                probe->pattern,     (const char *const *)entry->needs.texts,
                entry->needs.count, ruleset->rules[probe->rule].probe_count == 1,
                entry->lead,        entry->reach,
            };
    }
    if (surface == NORMALISED)
        others = readings_phrases(ruleset->readings);
    ruleset->prefilters[surface] = prefilter_new(needs, count, &others);
    phrases_done(&others);
    free(needs);
}

/* Does every match need a character that normalised texts do not have, such as one with its accent? */
static bool never_matches(const struct pattern_item *head)
{
    for (; head != NULL; head = head->next) {
        const struct pattern_item *item = head->inner;
        while (item != NULL && (item->is_optional || item->is_look ||
                                (item->is_group ? item->alternatives == NULL ||
                                                      !never_matches(item->alternatives)
                                                : fold_keeps(item->code_point))))
            item = item->next;
        if (item == NULL)
            return false;
    }
    return true;
}

bool ruleset_never_matches(const struct ruleset *ruleset, size_t index)
{
    const struct pattern_entry *entry = &ruleset->file.entries[index];
    struct pattern_parser parser = {.pattern = entry->pattern.spread};
    struct pattern_item *alternatives = pattern_syntax_parse(&parser);
    bool never = (entry->surfaces & SURFACE_RAW) == 0 && !parser.is_unreadable &&
                 !parser.is_odd && never_matches(alternatives);

    pattern_syntax_free(alternatives);
    return never;
}

static void hash_text(const char *json, size_t length, char *hash)
{
    unsigned char digest[crypto_generichash_BYTES_MIN];

    crypto_generichash(digest, sizeof digest, (const unsigned char *)json, length, NULL,
                       0);
    sodium_bin2hex(hash, 9, digest, 4);
}

static void ruleset_free(struct ruleset *ruleset)
{
    for (size_t i = 0; i < ruleset->probe_count; i++) {
        for (int surface = 0; surface < SURFACE_COUNT; surface++)
            pcre2_code_free(ruleset->probes[i].code[surface]);
        free(ruleset->probes[i].pattern);
    }
    free(ruleset->probes);
    for (size_t i = 0; ruleset->rules != NULL && i < ruleset->file.count; i++) {
        for (int surface = 0; surface < SURFACE_COUNT; surface++) {
            for (int side = 0; side < SIDE_COUNT; side++) {
                pcre2_code *code = ruleset->rules[i].around[surface][side];
                if (code != NULL && compiled_before(ruleset, i, surface, side) == NULL)
                    pcre2_code_free(code);
            }
        }
    }
    free(ruleset->rules);
    free(ruleset->counters);
    wordbook_free(ruleset->words);
    readings_free(ruleset->readings);
    for (int surface = 0; surface < SURFACE_COUNT; surface++)
        prefilter_free(ruleset->prefilters[surface]);
    pattern_file_done(&ruleset->file);
    free(ruleset->name);
    free(ruleset);
}

static bool load(const char *name, const char *json, size_t length, bool is_trusted,
                 struct ruleset **ret_ruleset, struct ruleset_problem *ret_problem)
{
    struct ruleset *ruleset = MEM_NEW(struct ruleset);

    ruleset->references = 1;
    ruleset->is_trusted = is_trusted;
    ruleset->name = mem_copy_string(name);
    if (!pattern_file_parse(name, json, length, &ruleset->file, ret_problem))
        goto fail;
    if (!fill_wordbook(ruleset, name, ret_problem))
        goto fail;
    if (!compile_rules(ruleset, name, ret_problem))
        goto fail;
    ruleset->readings = readings_new(&ruleset->file.misspelt_words,
                                     &ruleset->file.other_words, &ruleset->file.words);
    for (int surface = 0; surface < SURFACE_COUNT; surface++)
        build_prefilter(ruleset, surface);
    hash_text(json, length, ruleset->hash);
    *ret_ruleset = ruleset;
    return true;

fail:
    ruleset_free(ruleset);
    return false;
}

bool ruleset_load_default(struct ruleset **ret_ruleset,
                          struct ruleset_problem *ret_problem)
{
    size_t length = (size_t)(embedded_safety_patterns_end - embedded_safety_patterns);

    return load("built-in patterns", embedded_safety_patterns, length, true, ret_ruleset,
                ret_problem);
}

static char *read_file(const char *path, size_t *ret_length,
                       struct ruleset_problem *problem)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    char *bytes = NULL;
    size_t length = 0;
    ssize_t got = -1;

    if (file < 0 || fstat(file, &status) != 0) {
        snprintf(problem->text, sizeof problem->text, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        snprintf(problem->text, sizeof problem->text, "%s: not a file", path);
    } else if (status.st_size > MAX_FILE_BYTES) {
        snprintf(problem->text, sizeof problem->text, "%s: larger than %d bytes", path,
                 MAX_FILE_BYTES);
    } else {
        bytes = mem_zalloc((size_t)status.st_size + 1);
        while ((got = read(file, bytes + length, (size_t)status.st_size - length)) > 0)
            length += (size_t)got;
        if (got < 0)
            snprintf(problem->text, sizeof problem->text, "%s: %s", path,
                     strerror(errno));
    }
    if (file >= 0)
        close(file);
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    *ret_length = length;
    return bytes;
}

bool ruleset_load_file(const char *path, struct ruleset **ret_ruleset,
                       struct ruleset_problem *ret_problem)
{
    size_t length;
    char *json = read_file(path, &length, ret_problem);
    bool is_loaded =
        json != NULL && ruleset_load_text(path, json, length, ret_ruleset, ret_problem);

    free(json);
    return is_loaded;
}

bool ruleset_load_text(const char *name, const char *json, size_t length,
                       struct ruleset **ret_ruleset, struct ruleset_problem *ret_problem)
{
    return load(name, json, length, false, ret_ruleset, ret_problem);
}

struct ruleset *ruleset_ref(struct ruleset *ruleset)
{
    atomic_fetch_add_explicit(&ruleset->references, 1, memory_order_relaxed);
    return ruleset;
}

void ruleset_unref(struct ruleset *ruleset)
{
    if (ruleset != NULL &&
        atomic_fetch_sub_explicit(&ruleset->references, 1, memory_order_acq_rel) == 1)
        ruleset_free(ruleset);
}

size_t ruleset_enforced_count(const struct ruleset *ruleset)
{
    size_t count = 0;

    for (size_t i = 0; i < ruleset->file.count; i++)
        count += !ruleset->file.entries[i].is_shadow;
    return count;
}

const char *ruleset_hash(const struct ruleset *ruleset)
{
    return ruleset->hash;
}

bool ruleset_next_warning(const struct ruleset *ruleset, size_t *at,
                          struct ruleset_problem *ret_warning)
{
    while (*at < ruleset->file.count) {
        const struct pattern_entry *entry = &ruleset->file.entries[(*at)++];
        struct backtracking backtracking = backtracking_of(entry->pattern.spread);

        if (!backtracking.is_unbounded)
            continue;
        snprintf(
            ret_warning->text, sizeof(ret_warning->text),
            "%s: entry %zu (%s): can backtrack without bound: the repeat that ends at "
            "offset %zu can also match what follows it",
            ruleset->name, entry->position, entry->name, backtracking.offset);
        return true;
    }
    return false;
}

size_t ruleset_counter_count(const struct ruleset *ruleset)
{
    return ruleset->counter_count;
}

struct ruleset_counter ruleset_counter(const struct ruleset *ruleset, size_t index)
{
    const struct rule_counter *counter = &ruleset->counters[index];

    return (struct ruleset_counter){
        .name = counter->name,
        .category = counter->category,
        .is_shadow = counter->is_shadow,
        .hits = atomic_load_explicit(&counter->hits, memory_order_relaxed),
    };
}
