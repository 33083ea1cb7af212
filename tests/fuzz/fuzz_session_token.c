/*
 * Session tokens: nothing but what was signed passes, and only while it is young enough.
 *
 * The input is a token.  Blind changes to one never pass its signature, so libFuzzer is helped: it
 * changes the signed bytes and signs them (LLVMFuzzerCustomMutator), half of the time, and leaves
 * the others to be found out.
 */
#include "digest.h"
#include "fuzz.h"
#include "private_reveal.h"
#include "token.h"

#include <uuid/uuid.h>

#define SIGNED_BYTES 24
#define TOKEN_BYTES  56
#define NOW_MS       1800000000000
#define MAX_AGE_MS   86400000
#define SLACK_MS     60000
#define BASE64       sodium_base64_VARIANT_URLSAFE_NO_PADDING

static struct token_key key(unsigned char which)
{
    struct digest_key bytes = {{which}};

    return token_key_of(&bytes);
}

/* The bytes of something that may be a token; false: it is no base64 of that length. */
static bool decode(struct span token, unsigned char bytes[TOKEN_BYTES])
{
    const char *end;
    size_t length;

    return sodium_base642bin(bytes, TOKEN_BYTES, token.bytes, token.length, NULL, &length,
                             &end, BASE64) == 0 &&
           length == TOKEN_BYTES;
}

static int64_t time_in(const unsigned char *bytes)
{
    uint64_t time_ms = 0;

    for (int at = 0; at < 8; at++)
        time_ms = time_ms << 8 | bytes[16 + at];
    return (int64_t)time_ms;
}

/* The token of the same session and time as we issue it. */
static struct private_text issue_again(const unsigned char bytes[TOKEN_BYTES])
{
    struct token_key ours = key(1);
    struct id id;

    uuid_unparse_lower(bytes, id.text);
    return token_issue(&ours, &id, time_in(bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length)
{
    struct span token = fuzz_input(input, length);
    struct token_key ours = key(1), theirs = key(2);
    unsigned char bytes[TOKEN_BYTES];
    struct private_text issued = {NULL, 0};
    struct id id = {""}, expected;
    bool passes = token_check(&ours, token, NOW_MS, MAX_AGE_MS, &id);
    bool is_ours, is_due = false;

    if (decode(token, bytes) && time_in(bytes) >= 0) {
        issued = issue_again(bytes);
        is_due =
            time_in(bytes) <= NOW_MS + SLACK_MS && NOW_MS - time_in(bytes) <= MAX_AGE_MS;
        uuid_unparse_lower(bytes, expected.text);
    }
    is_ours = issued.length > 0 && fuzz_same(private_reveal(&issued), token);
    must(passes == (is_ours && is_due));
    must(!passes || id_equals(&id, &expected));
    must(passes || id.text[0] == '\0');
    must(!token_check(&theirs, token, NOW_MS, MAX_AGE_MS, &id));
    private_text_free(&issued);
    return 0;
}

#ifdef POISE_FUZZ
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *input, size_t length, size_t most, unsigned seed)
{
    unsigned char bytes[TOKEN_BYTES] = {0};
    struct private_text token;
    struct span text;

    if (seed % 2 == 0 || most < 128)
        return LLVMFuzzerMutate(input, length, most);
    decode(fuzz_input(input, length), bytes);
    LLVMFuzzerMutate(bytes, SIGNED_BYTES, SIGNED_BYTES);
    if (seed % 16 < 8) /* near now, where it matters */
        for (int at = 0; at < 8; at++)
            bytes[16 + at] = (unsigned char)((uint64_t)(NOW_MS - MAX_AGE_MS / 2 +
                                                        (int)(seed >> 4) % MAX_AGE_MS) >>
                                             (56 - 8 * at));
    bytes[16] &= 0x7f; /* a token says no time before 1970 */
    token = issue_again(bytes);
    text = private_reveal(&token);
    memcpy(input, text.bytes, text.length);
    length = text.length;
    private_text_free(&token);
    return length;
}
#endif
