/*
 * Turns the built-in coach's data (patterns/) into C: run by the build, not part of the
 * program.
 *
 *   coach_tables <folder with the JSON files> <C file to write>
 *
 * Tags become enumerators as they are spelt ("easy" LEVEL_EASY), so the compiler judges
 * them.
 */
#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static FILE *out;

static void fail(const char *file, const char *what)
{
    fprintf(stderr, "%s/%s: %s\n", folder, file, what);
    exit(1);
}

static struct json_object *load(const char *file)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    struct json_object *root = json_object_from_file(path);
    if (!root)
        fail(file, json_util_get_last_err());
    return root;
}

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(object, key, &value)) {
        fprintf(stderr, "no \"%s\" in %s\n", key, json_object_to_json_string(object));
        exit(1);
    }
    return value;
}

static const char *text(struct json_object *object, const char *key)
{
    return json_object_get_string(member(object, key));
}

static void write_literal(const char *string)
{
    fputc('"', out);
    for (; *string; string++) {
        if (*string == '"' || *string == '\\')
            fputc('\\', out);
        fputc(*string, out);
    }
    fputc('"', out);
}

static void write_enumerator(const char *prefix, const char *tag)
{
    fputs(prefix, out);
    for (; *tag; tag++)
        fputc(toupper((unsigned char)*tag), out);
}

static void write_bits(const char *prefix, struct json_object *tags)
{
    fputs("0", out);
    for (size_t i = 0; i < json_object_array_length(tags); i++) {
        fputs(" | BIT(", out);
        write_enumerator(prefix,
                         json_object_get_string(json_object_array_get_idx(tags, i)));
        fputs(")", out);
    }
}

static void write_questions(void)
{
    struct json_object *all = load("questions.json");
    size_t count = json_object_array_length(all);
    fprintf(out, "const size_t bank_question_count = %zu;\n", count);
    fputs("const struct bank_question bank_questions[] = {\n", out);
    for (size_t i = 0; i < count; i++) {
        struct json_object *question = json_object_array_get_idx(all, i);
        fputs("    {.id = ", out);
        write_literal(text(question, "id"));
        fputs(", .text = ", out);
        write_literal(text(question, "text"));
        fputs(", .topic = ", out);
        write_literal(text(question, "topic"));
        fputs(", .types = ", out);
        write_bits("TYPE_", member(question, "types"));
        fputs(", .levels = ", out);
        write_bits("LEVEL_", member(question, "levels"));
        write_enumerator(", .role = ROLE_", text(question, "role"));
        write_enumerator(", .asks = ASKS_", text(question, "asks"));
        fputs("},\n", out);
    }
    fputs("};\n", out);
    json_object_put(all);
}

/* A string_list as a compound literal, which has static storage here: it is at file
 * scope. */
static void write_list(struct json_object *strings)
{
    size_t count = strings ? json_object_array_length(strings) : 0;
    if (count == 0) {
        fputs("{NULL, 0}", out);
        return;
    }
    fputs("{(const char *const[]){", out);
    for (size_t i = 0; i < count; i++) {
        write_literal(json_object_get_string(json_object_array_get_idx(strings, i)));
        fputs(", ", out);
    }
    fprintf(out, "}, %zu}", count);
}

static void write_types(void)
{
    struct json_object *root = load("interviews.json");
    struct json_object *types = member(root, "types");
    fputs("const struct bank_type bank_types[TYPE_COUNT] = {\n", out);
    for (size_t i = 0; i < json_object_array_length(types); i++) {
        struct json_object *type = json_object_array_get_idx(types, i);
        struct json_object *draws = member(type, "draws");
        write_enumerator("    [TYPE_", text(type, "name"));
        fputs("] = {.aliases = ", out);
        write_list(member(type, "aliases"));
        fputs(", .draws = ", out);
        write_bits("TYPE_", draws);
        write_enumerator(", .first = TYPE_",
                         json_object_get_string(json_object_array_get_idx(draws, 0)));
        fputs("},\n", out);
    }
    fputs("};\n", out);
    json_object_put(root);
}

static void write_roles(void)
{
    struct json_object *root = load("interviews.json");
    struct json_object *roles = member(root, "roles");
    fputs("const struct bank_role bank_roles[ROLE_COUNT] = {\n", out);
    for (size_t i = 0; i < json_object_array_length(roles); i++) {
        struct json_object *role = json_object_array_get_idx(roles, i);
        write_enumerator("    [ROLE_", text(role, "name"));
        fputs("] = {.keywords = ", out);
        write_list(member(role, "keywords"));
        fputs(", .weak = ", out);
        write_list(member(role, "weak"));
        fputs(", .vocabulary = ", out);
        write_list(member(role, "vocabulary"));
        fputs("},\n", out);
    }
    fputs("};\n", out);
    json_object_put(root);
}

static void write_topics(void)
{
    struct json_object *topics = load("topics.json");
    size_t count = json_object_array_length(topics);
    fprintf(out, "const size_t bank_topic_count = %zu;\n", count);
    fputs("const struct bank_topic bank_topics[] = {\n", out);
    for (size_t i = 0; i < count; i++) {
        struct json_object *topic = json_object_array_get_idx(topics, i);
        fputs("    {.topic = ", out);
        write_literal(text(topic, "topic"));
        fputs(", .about = ", out);
        write_literal(text(topic, "about"));
        fputs(", .words = ", out);
        write_list(member(topic, "words"));
        fputs("},\n", out);
    }
    fputs("};\n", out);
    json_object_put(topics);
}

static void write_cues(void)
{
    struct json_object *root = load("answer_cues.json");
    size_t count = 0;
    fputs("const struct cue_phrase cue_phrases[] = {\n", out);
    json_object_object_foreach(root, cue, phrases)
    {
        for (size_t i = 0; i < json_object_array_length(phrases); i++, count++) {
            fputs("    {", out);
            write_literal(json_object_get_string(json_object_array_get_idx(phrases, i)));
            write_enumerator(", CUE_", cue);
            fputs("},\n", out);
        }
    }
    fprintf(out, "};\nconst size_t cue_phrase_count = %zu;\n", count);
    json_object_put(root);
}

static void write_fillers(void)
{
    static const char *const lists[] = {"ordinary_after", "ordinary_before",
                                        "filler_before", "seldom_after"};
    static const char *const flags[] = {"set_off", "opening", "otherwise"};
    struct json_object *root = load("fillers.json");
    struct json_object *rules = member(root, "in_context");
    size_t count = json_object_array_length(rules);
    fputs("const struct string_list hesitations = ", out);
    write_list(member(root, "hesitations"));
    fprintf(out, ";\nconst size_t filler_rule_count = %zu;\n", count);
    fputs("const struct filler_rule filler_rules[] = {\n", out);
    for (size_t i = 0; i < count; i++) {
        struct json_object *rule = json_object_array_get_idx(rules, i);
        fputs("    {.phrase = ", out);
        write_literal(text(rule, "phrase"));
        for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
            fprintf(out, ", .%s = ", lists[k]);
            write_list(json_object_object_get(rule, lists[k]));
        }
        for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++) {
            struct json_object *flag = json_object_object_get(rule, flags[k]);
            fprintf(out, ", .%s = %s", flags[k],
                    json_object_get_boolean(flag) ? "true" : "false");
        }
        fprintf(out, ", .free = %d},\n", json_object_get_int(member(rule, "free")));
    }
    fputs("};\n", out);
    json_object_put(root);
}

static int compare(const void *one, const void *other)
{
    struct json_object *const *first = one, *const *second = other;

    return strcmp(json_object_get_string(*first), json_object_get_string(*second));
}

/* An object of lists, as a struct with a member for each; where it is said so, in the order of their
 * bytes. */
static void write_members(const char *file, const char *declaration, int is_sorted)
{
    struct json_object *root = load(file);
    fprintf(out, "const struct %s = {\n", declaration);
    json_object_object_foreach(root, name, list)
    {
        fprintf(out, "    .%s = ", name);
        if (is_sorted)
            json_object_array_sort(list, compare);
        write_list(list);
        fputs(",\n", out);
    }
    fputs("};\n", out);
    json_object_put(root);
}

/* An object of lists, as an array with a list for each enumerator. */
static void write_lists(const char *file, const char *declaration, const char *prefix)
{
    struct json_object *root = load(file);
    fprintf(out, "const struct string_list %s = {\n", declaration);
    json_object_object_foreach(root, kind, strings)
    {
        fputs("    [", out);
        write_enumerator(prefix, kind);
        fputs("] = ", out);
        write_list(strings);
        fputs(",\n", out);
    }
    fputs("};\n", out);
    json_object_put(root);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: coach_tables FOLDER OUTPUT\n");
        return 2;
    }
    folder = argv[1];
    out = fopen(argv[2], "w");
    if (!out) {
        perror(argv[2]);
        return 1;
    }
    fprintf(out, "/* Made from patterns/ by services/coach/generate/coach_tables.c. */\n"
                 "#include \"coach_tables_internal.h\"\n");
    write_questions();
    write_types();
    write_roles();
    write_topics();
    write_cues();
    write_fillers();
    write_members("redirects.json", "redirect_rules redirect_rules", 0);
    write_members("papers.json", "paper_words paper_words", 1);
    write_lists("question_signs.json", "question_signs[ASKS_SELF + 1]", "ASKS_");
    write_lists("coach_advice.json", "coach_advice[ADVICE_COUNT]", "ADVICE_");
    write_lists("themes.json", "theme_signs[THEME_COUNT]", "THEME_");
    write_lists("coach_lines.json", "coach_lines[LINE_KIND_COUNT]", "LINE_");
    if (fclose(out) != 0) {
        perror(argv[2]);
        return 1;
    }
    return 0;
}
