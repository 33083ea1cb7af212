/*
 * Tokens: what was issued verifies, and nothing else does.
 */
#include "session_made.h"
#include "token.h"

#define MAX_AGE_MS (INT64_C(24) * 60 * 60 * 1000)

static const char SESSION[] = "0f8fad5b-d9cb-469f-a165-70867728950e";

static struct token_key key_of(const char *secret)
{
    struct digest_key key = digest_key_derive(secret, strlen(secret), "token");

    return token_key_of(&key);
}

static struct id id_of(const char *text)
{
    struct id id;

    cr_assert(id_parse(text, strlen(text), &id));
    return id;
}

/* A copy that can be spoiled. */
static struct private_text issue(char *text, size_t size)
{
    struct token_key key = key_of("secret");
    struct id id = id_of(SESSION);
    struct private_text token = token_issue(&key, &id, NOW_MS);

    snprintf(text, size, "%s", shown(&token));
    return token;
}

static bool accepts_at(const char *secret, const char *text, size_t length,
                       int64_t now_ms)
{
    struct token_key key = key_of(secret);
    struct id id;
    bool is_good =
        token_check(&key, (struct span){text, length}, now_ms, MAX_AGE_MS, &id);

    return is_good && strcmp(id.text, SESSION) == 0;
}

static bool accepts(const char *text, size_t length)
{
    return accepts_at("secret", text, length, NOW_MS);
}

Test(token, gives_the_session_back)
{
    char text[128];
    struct private_text token = issue(text, sizeof(text));

    cr_expect(accepts(text, strlen(text)));
    cr_expect_lt(strlen(text), 128);
    cr_expect_eq(
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        strlen(text));
    private_text_free(&token);
}

Test(token, is_the_same_for_the_same_session_and_time)
{
    char one[128];
    char other[128];
    struct private_text first = issue(one, sizeof(one));
    struct private_text second = issue(other, sizeof(other));

    cr_expect_str_eq(one, other);
    private_text_free(&first);
    private_text_free(&second);
}

Test(token, of_an_upper_case_session_is_that_of_the_session)
{
    struct token_key key = key_of("secret");
    struct id id = id_of("0F8FAD5B-D9CB-469F-A165-70867728950E");
    struct private_text token = token_issue(&key, &id, NOW_MS);

    cr_expect(accepts(shown(&token), private_reveal(&token).length));
    private_text_free(&token);
}

Test(token, of_another_secret_is_forged)
{
    char text[128];
    struct private_text token = issue(text, sizeof(text));

    cr_expect_not(accepts_at("another", text, strlen(text), NOW_MS));
    private_text_free(&token);
}

Test(token, with_any_character_changed_is_forged)
{
    char text[128];
    struct private_text token = issue(text, sizeof(text));

    for (size_t at = 0; at < strlen(text); at++) {
        char kept = text[at];

        for (const char *other = "AQgw_"; *other != '\0'; other++) {
            text[at] = *other;
            cr_expect(*other == kept || !accepts(text, strlen(text)), "%zu is %c", at,
                      *other);
        }
        text[at] = kept;
    }
    private_text_free(&token);
}

Test(token, of_another_length_is_malformed)
{
    char text[128];
    struct private_text token = issue(text, sizeof(text));

    for (size_t length = 0; length < strlen(text); length++)
        cr_expect_not(accepts(text, length));
    strcat(text, "=");
    cr_expect_not(accepts(text, strlen(text)));
    cr_expect_not(accepts(NULL, 0));
    private_text_free(&token);
}

Test(token, lives_as_long_as_it_may)
{
    char text[128];
    struct private_text token = issue(text, sizeof(text));

    cr_expect(accepts_at("secret", text, strlen(text), NOW_MS + MAX_AGE_MS));
    cr_expect_not(accepts_at("secret", text, strlen(text), NOW_MS + MAX_AGE_MS + 1));
    private_text_free(&token);
}

Test(token, outlives_a_clock_that_was_ahead_and_is_set_right)
{
    char text[128];
    struct private_text token = issue(text, sizeof(text));

    cr_expect(accepts_at("secret", text, strlen(text), NOW_MS - MAX_AGE_MS));
    cr_expect_not(accepts_at("secret", text, strlen(text), NOW_MS - MAX_AGE_MS - 1));
    private_text_free(&token);
}
