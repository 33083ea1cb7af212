/*
 * A token is the URL-safe base64 of 56 bytes:
 *
 *     session id (16) | issue time, milliseconds, big endian (8) | HMAC of these 24 (32)
 *
 * It has one spelling only: 75 characters without padding, and the two bits that 56 bytes
 * leave over are zero, so that nothing which was not issued verifies.
 */
#include "token.h"

#include <assert.h>
#include <string.h>
#include <uuid/uuid.h>

#define SIGNED_BYTES 24
#define MAC_BYTES    crypto_auth_hmacsha512256_BYTES
#define TOKEN_BYTES  (SIGNED_BYTES + MAC_BYTES)
#define TOKEN_LENGTH 75
#define TOKEN_BASE64 sodium_base64_VARIANT_URLSAFE_NO_PADDING

static_assert(sodium_base64_ENCODED_LEN(TOKEN_BYTES, TOKEN_BASE64) == TOKEN_LENGTH + 1,
              "the length of a token");

static void write_time(unsigned char *bytes, int64_t time_ms)
{
    for (int at = 7; at >= 0; at--, time_ms >>= 8)
        bytes[at] = (unsigned char)(time_ms & 0xff);
}

static int64_t read_time(const unsigned char *bytes)
{
    uint64_t time_ms = 0;

    for (int at = 0; at < 8; at++)
        time_ms = time_ms << 8 | bytes[at];
    return (int64_t)time_ms;
}

struct token_key token_key_of(const struct digest_key *key)
{
    struct token_key token_key;

    crypto_auth_hmacsha512256_init(&token_key.keyed, key->bytes, sizeof(key->bytes));
    return token_key;
}

static void sign(const struct token_key *key, const unsigned char *bytes,
                 unsigned char ret_mac[MAC_BYTES])
{
    crypto_auth_hmacsha512256_state state = key->keyed;

    crypto_auth_hmacsha512256_update(&state, bytes, SIGNED_BYTES);
    crypto_auth_hmacsha512256_final(&state, ret_mac);
    sodium_memzero(&state, sizeof(state));
}

struct private_text token_issue(const struct token_key *key, const struct id *session_id,
                                int64_t issued_ms)
{
    unsigned char bytes[TOKEN_BYTES];
    char text[TOKEN_LENGTH + 1];
    struct private_text token;
    int status = uuid_parse(session_id->text, bytes);

    assert(status == 0 && issued_ms >= 0);
    (void)status;
    write_time(bytes + sizeof(uuid_t), issued_ms);
    sign(key, bytes, bytes + SIGNED_BYTES);
    sodium_bin2base64(text, sizeof(text), bytes, sizeof(bytes), TOKEN_BASE64);
    token = private_text_copy(text, TOKEN_LENGTH);
    sodium_memzero(text, sizeof(text));
    sodium_memzero(bytes, sizeof(bytes));
    return token;
}

/* libsodium 1.0.18 takes any byte past ASCII for a '_'. */
static bool is_ascii(struct span token)
{
    for (size_t at = 0; at < token.length; at++)
        if ((unsigned char)token.bytes[at] >= 0x80)
            return false;
    return true;
}

bool token_check(const struct token_key *key, struct span token, int64_t now_ms,
                 int64_t max_age_ms, struct id *ret_session_id)
{
    unsigned char bytes[TOKEN_BYTES];
    unsigned char mac[MAC_BYTES];
    size_t length;
    int64_t issued_ms;

    /* Without a place for the end, anything left over behind the base64 is an error
     * (libsodium's documentation of sodium_base642bin()); left-over bits are one as well.
     */
    if (token.length != TOKEN_LENGTH || !is_ascii(token) ||
        sodium_base642bin(bytes, sizeof(bytes), token.bytes, token.length, NULL, &length,
                          NULL, TOKEN_BASE64) != 0 ||
        length != sizeof(bytes))
        return false;
    sign(key, bytes, mac);
    if (sodium_memcmp(mac, bytes + SIGNED_BYTES, sizeof(mac)) != 0)
        return false;

    issued_ms = read_time(bytes + sizeof(uuid_t));
    if (now_ms - issued_ms > max_age_ms || issued_ms - now_ms > max_age_ms)
        return false;
    uuid_unparse_lower(bytes, ret_session_id->text);
    return true;
}
