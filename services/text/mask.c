/*
 * Masking.  The text is folded first, a class for each character that can be seen, so that
 * fullwidth digits, other dashes and spaces, and invisible characters in between hide nothing;
 * what is found there is cut out of the text as it was written.
 *
 *   e-mail   name@host, name @ host.com, name at host dot com, name (at) host (dot) com
 *   link     scheme://..., www...., host.com, host.xyz/path
 *   number   digits with up to three of " -.()/" between two of them
 *
 * Each is looked for only where a word begins, and looks no further than its end and a bounded
 * number of words: that is what makes it linear.
 */
#include "mask.h"

#include "mem.h"
#include "utf8.h"
#include "words.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <utf8proc.h>

enum {
    LETTER = 0x80, /* past ASCII; of ASCII: itself, as a small letter */
    SIGN = 1       /* anything else that no address has */
};

#define LABELS_MOST 8 /* of a host that is spelt out */
#define GAP_MOST    3 /* signs between two digits of one number */
#define LONG_NUMBER 7
#define PHONE_MOST  15 /* digits (ITU-T E.164) */
#define SCHEME_MOST 12
#define GROUPS_MOST 12
#define TOPLEVELS_OPEN \
    "com org edu gov info biz uk eu ca au nz ie de fr nl ch es pl dk se app dev"
#define TOPLEVELS                                                                          \
    TOPLEVELS_OPEN                                                                         \
    " net io co me ai tech in it no be us at fi za sg cz pt ro gr jp cn br mx ru tr il ae" \
    " hu bg hr si sk lt lv ee lu is my ph id th vn kr hk tw ar cl pe ng ke gh eg ma cloud" \
    " online site page link xyz jobs work store shop blog tv ly gl gg to cc"
/* What stands before the dot in names that only look like a host. */
#define NO_HOSTS "asp vb ado ml socket b m at" /* "B.Com" is a degree */

/* The text as it is looked at. */
struct folded {
    char *at;         /* owned, wiped: a class for each visible character */
    uint32_t *starts; /* owned: where it starts in the text; one more for the end */
    size_t count;
};

static char fold_symbol(uint32_t code_point)
{
    switch (code_point) {
    case 0x2024: /* one dot leader */
    case 0x3002:
    case 0xff61: return '.';
    case 0xfe6b: return '@';
    case 0x00b7: /* middle dot, bullet, bullet operator: "555·010·9999" */
    case 0x2022:
    case 0x2219:
    case 0x2212:
    case 0xfe58:
    case 0xfe63: return '-';
    default: return utf8_is_space(code_point) ? ' ' : SIGN;
    }
}

/* A digit that is neither ASCII's nor fullwidth is read as a nine: it is no year then. */
static char fold(uint32_t code_point)
{
    if (code_point >= 0xff01 && code_point <= 0xff5e)
        code_point -= 0xfee0;
    if (code_point >= 'A' && code_point <= 'Z')
        return (char)(code_point + ('a' - 'A'));
    if (code_point < 0x80)
        return code_point == '\t' ? ' ' : (char)code_point;
    switch (utf8proc_category((utf8proc_int32_t)code_point)) {
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO: return '9';
    case UTF8PROC_CATEGORY_PD: return '-';
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC: return (char)LETTER;
    default: return fold_symbol(code_point);
    }
}

static struct folded fold_text(struct span text)
{
    struct folded folded = {.at = mem_zalloc(text.length + 1)};
    size_t offset = 0;

    folded.starts = mem_zalloc((text.length + 1) * sizeof(*folded.starts));
    while (offset < text.length) {
        size_t start = offset;
        uint32_t code_point = utf8_next(text.bytes, text.length, &offset);

        if (utf8_is_invisible(code_point))
            continue;
        folded.starts[folded.count] = (uint32_t)start;
        folded.at[folded.count++] = fold(code_point);
    }
    folded.starts[folded.count] = (uint32_t)text.length;
    folded.at[folded.count] = '\0';
    return folded;
}

static bool is_digit(char class)
{
    return class >= '0' && class <= '9';
}

static bool is_alphanumeric(char class)
{
    return is_digit(class) || (class >= 'a' && class <= 'z') || class == (char)LETTER;
}

static bool is_one_of(char class, const char *list)
{
    return class != '\0' && strchr(list, class) != NULL;
}

/* ---- names and hosts ---- */

static bool is_of_name(char class)
{
    return is_alphanumeric(class) || is_one_of(class, "._%+'-");
}

static size_t skip_name(const struct folded *text, size_t at)
{
    while (at < text->count && is_of_name(text->at[at]))
        at++;
    return at;
}

static size_t skip_label(const struct folded *text, size_t at)
{
    while (at < text->count && (is_alphanumeric(text->at[at]) || text->at[at] == '-'))
        at++;
    return at;
}

static bool is_on(const char *list, const struct folded *text, size_t start, size_t end)
{
    return words_is_on(list, (struct span){text->at + start, end - start});
}

/* Behind `word`, which may stand in brackets and between blanks; `at` where it is not there.  Without
 * brackets it needs the blanks. */
static size_t skip_spelt(const struct folded *text, size_t at, const char *word)
{
    size_t length = strlen(word), next = at;
    bool is_bracketed;

    while (next < at + 2 && text->at[next] == ' ')
        next++;
    is_bracketed = is_one_of(text->at[next], "([{<");
    if (!is_bracketed && next == at)
        return at;
    next += is_bracketed;
    if (strncmp(text->at + next, word, length) != 0)
        return at;
    next += length;
    if (!is_one_of(text->at[next], is_bracketed ? ")]}>" : " "))
        return at;
    next++;
    return is_bracketed && text->at[next] == ' ' ? next + 1 : next;
}

/* Behind a dot, as a sign or spelt out (`*is_spelt` then); `at`: there is none. */
static size_t skip_dot(const struct folded *text, size_t at, bool *is_spelt)
{
    size_t next = skip_spelt(text, at, "dot");

    if (next > at)
        *is_spelt = true;
    else if (text->at[at] == '.' && is_alphanumeric(text->at[at + 1]))
        next = at + 1;
    return next;
}

struct host {
    size_t end; /* behind it */
    size_t labels;
    size_t top; /* where its last label starts */
    bool is_spelt;
};

/* A host's labels from `at` on. */
static struct host read_host(const struct folded *text, size_t at)
{
    struct host host = {.end = skip_label(text, at), .labels = 1, .top = at};

    while (host.end > host.top && host.labels < LABELS_MOST) {
        bool is_spelt = host.is_spelt;
        size_t next = skip_dot(text, host.end, &is_spelt);
        size_t end = next > host.end ? skip_label(text, next) : next;

        if (end == next)
            break;
        host.top = next;
        host.end = end;
        host.is_spelt = is_spelt;
        host.labels++;
    }
    return host;
}

/* The end of what goes on up to a space: a path, a query; without the sentence's own marks. */
static size_t skip_path(const struct folded *text, size_t at)
{
    size_t start = at;

    while (at < text->count && !is_one_of(text->at[at], " \n\r<>\"|"))
        at++;
    while (at > start && is_one_of(text->at[at - 1], ".,;:!?)]}'"))
        at--;
    return at;
}

/* Each of these gives the end of what it finds at `at`, or `at`. */

static size_t find_email(const struct folded *text, size_t at)
{
    size_t name = skip_name(text, at), sign = name, host_start;
    bool is_spelt = false;
    struct host host;

    if (name == at)
        return at;
    for (size_t dots = 0; dots < LABELS_MOST; dots++) { /* "john dot smith at ..." */
        size_t next = skip_spelt(text, name, "dot");

        if (next == name || skip_name(text, next) == next)
            break;
        name = skip_name(text, next);
    }
    sign = name + (text->at[name] == ' ' && text->at[name + 1] == '@');
    if (text->at[sign] == '@') {
        host_start = sign + 1;
        host_start += text->at[host_start] == ' ';
    } else {
        host_start = skip_spelt(text, name, "at");
        is_spelt = host_start > name;
        if (!is_spelt)
            return at;
    }
    host = read_host(text, host_start);
    if (host.end == host_start)
        return at;
    if (is_spelt && text->at[name] == ' ' && !is_one_of(text->at[name + 1], "([{<") &&
        !host.is_spelt) /* "working at example.com" */
        return at;
    if ((is_spelt || sign > name || host_start > sign + 1) &&
        (host.labels < 2 || !is_on(TOPLEVELS, text, host.top, host.end)))
        return at;
    return host.end;
}

static size_t find_scheme(const struct folded *text, size_t at)
{
    size_t end = at;

    while (end < at + SCHEME_MOST && text->at[end] >= 'a' && text->at[end] <= 'z')
        end++;
    if (end > at && strncmp(text->at + end, "://", 3) == 0)
        return skip_path(text, end + 3);
    if (strncmp(text->at + at, "www.", 4) == 0)
        return skip_path(text, at + 4);
    return at;
}

static size_t find_host(const struct folded *text, size_t at)
{
    struct host host = read_host(text, at);
    size_t label = skip_label(text, at), end = host.end;
    bool has_path = text->at[end] == '/', is_open;

    if (text->at[end] == ':' && is_digit(text->at[end + 1]))
        has_path = true;
    if (host.labels < 2 || !is_on(TOPLEVELS, text, host.top, host.end) ||
        is_on(NO_HOSTS, text, at, label))
        return at;
    is_open = has_path || host.is_spelt || host.labels > 2 ||
              is_on(TOPLEVELS_OPEN " net io", text, host.top, host.end);
    if (!is_open)
        return at;
    return has_path ? skip_path(text, end) : end;
}

/* ---- numbers ---- */

struct number {
    size_t end;
    size_t digits;
    size_t groups;
    struct {
        size_t start, length;
        unsigned value; /* of the first four digits */
    } group[GROUPS_MOST];
    bool has_plus; /* or a zero, or a bracket: that is how phone numbers begin */
    size_t longest;
};

static void read_group(const struct folded *text, struct number *number, size_t *at)
{
    size_t start = *at;
    unsigned value = 0;

    for (; is_digit(text->at[*at]); (*at)++)
        if (*at < start + 4)
            value = value * 10 + (unsigned)(text->at[*at] - '0');
    if (number->groups < GROUPS_MOST) {
        number->group[number->groups].start = start;
        number->group[number->groups].length = *at - start;
        number->group[number->groups].value = value;
    }
    number->groups++;
    number->digits += *at - start;
    if (*at - start > number->longest)
        number->longest = *at - start;
    number->end = *at;
}

/* The signs that may stand between two groups; a comma only before three digits, as in "1,250,000". */
static size_t skip_gap(const struct folded *text, size_t at)
{
    size_t next = at;

    if (text->at[at] == ',' && is_digit(text->at[at + 1]) && is_digit(text->at[at + 2]) &&
        is_digit(text->at[at + 3]) && !is_digit(text->at[at + 4]))
        return at + 1;
    while (next < at + GAP_MOST && is_one_of(text->at[next], " -.()/"))
        next++;
    return is_digit(text->at[next]) ? next : at;
}

static bool is_year(const struct number *number, size_t at)
{
    return number->group[at].length == 4 && number->group[at].value >= 1900 &&
           number->group[at].value <= 2099;
}

static bool is_clock(const struct number *number, size_t at)
{
    unsigned value = number->group[at].value;

    return number->group[at].length == 4 && value <= 2400 && value % 100 < 60 &&
           value % 5 == 0;
}

/* Years, with at most a day and a month for each; or a time of day and another. */
static bool is_time(const struct number *number)
{
    size_t years = 0, parts = 0;

    if (number->groups > GROUPS_MOST || number->has_plus)
        return false;
    if (number->groups == 2 && is_clock(number, 0) && is_clock(number, 1))
        return true;
    for (size_t i = 0; i < number->groups; i++) {
        if (is_year(number, i))
            years++;
        else if (number->group[i].length <= 2 && number->group[i].value <= 31)
            parts++;
        else
            return false;
    }
    return parts <= 2 * years;
}

/* "1 250 000" */
static bool is_amount(const struct number *number)
{
    for (size_t i = 1; i < number->groups; i++)
        if (i >= GROUPS_MOST || number->group[i].length != 3)
            return false;
    return number->group[0].length <= 3;
}

/* "2019-2023 07700 900123": the years stand before the number. */
static size_t leading_years(const struct number *number)
{
    size_t years = 0;

    while (years < number->groups && years < GROUPS_MOST && is_year(number, years))
        years++;
    return years < number->groups && years < GROUPS_MOST && years >= 2 ? years : 0;
}

/* A number that begins at `at`; `*ret_start` is where what is to be masked begins. */
static size_t find_number(const struct folded *text, size_t at, size_t *ret_start,
                          const char **ret_mask)
{
    struct number number = {.end = at};
    size_t next = at, skipped = 0, years;

    while (next < at + 2 && is_one_of(text->at[next], "+("))
        next++;
    number.has_plus = next > at;
    *ret_start = at;
    if (!is_digit(text->at[next]))
        return at;
    for (;;) {
        size_t gap;

        read_group(text, &number, &next);
        gap = skip_gap(text, next);
        if (gap == next)
            break;
        next = gap;
    }
    years = number.has_plus ? 0 : leading_years(&number);
    if (years > 0) {
        skipped = 4 * years;
        *ret_start = number.group[years].start;
    }
    if (number.digits - skipped < LONG_NUMBER || is_time(&number))
        return at;
    number.has_plus |= text->at[*ret_start] == '0';
    if (!number.has_plus && is_amount(&number))
        number.longest = LONG_NUMBER;
    *ret_mask = number.digits - skipped <= PHONE_MOST &&
                        (number.has_plus || number.longest < LONG_NUMBER)
                    ? "[phone]"
                    : "[number]";
    return number.end;
}

/* ---- the walk ---- */

static size_t find(const struct folded *text, size_t at, size_t *ret_start,
                   const char **ret_mask)
{
    char before = at > 0 ? text->at[at - 1] : ' ', here = text->at[at];
    bool begins_word = is_alphanumeric(here) && !is_alphanumeric(before);
    size_t end = at;

    *ret_start = at;
    *ret_mask = "[link]";
    if (begins_word)
        end = find_scheme(text, at);
    if (end == at && is_of_name(here) && !is_of_name(before)) {
        *ret_mask = "[email]";
        end = find_email(text, at);
    }
    if (end == at && (is_one_of(here, "+(") || (is_digit(here) && !is_digit(before))))
        end = find_number(text, at, ret_start, ret_mask);
    if (end == at && begins_word && !is_one_of(before, ".-")) {
        *ret_start = at;
        *ret_mask = "[link]";
        end = find_host(text, at);
    }
    return end;
}

void mask_contacts(struct span text, struct buffer *out)
{
    struct folded folded = fold_text(text);
    size_t kept = 0, at = 0;

    while (at < folded.count) {
        const char *mask = NULL;
        size_t start, end = find(&folded, at, &start, &mask);

        if (end == at) {
            at++;
            continue;
        }
        buffer_append(out, text.bytes + kept, folded.starts[start] - kept);
        buffer_append_string(out, mask);
        kept = folded.starts[end];
        at = end;
    }
    buffer_append(out, text.bytes + kept, text.length - kept);
    sodium_memzero(folded.at, folded.count);
    free(folded.at);
    free(folded.starts);
}
