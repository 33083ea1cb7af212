/*
 * Session tokens: session id and issue time, authenticated with HMAC-SHA-512-256
 * (libsodium's crypto_auth).  The same id and time give the same token, so none is ever
 * stored.
 */
#ifndef TOKEN_H
#define TOKEN_H

#include "digest.h"
#include "id.h"
#include "private_text.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

/* A key of which HMAC has hashed its two blocks already: that is half the work of checking
 * a token. */
struct token_key {
    crypto_auth_hmacsha512256_state keyed;
};

struct token_key token_key_of(const struct digest_key *key);

/* URL-safe text, shorter than 128 characters. */
struct private_text token_issue(const struct token_key *key, const struct id *session_id,
                                int64_t issued_ms);

/* In constant time for tokens of the right length.  false: malformed, forged, or issued
 * more than `max_age_ms` ago, or ahead: a clock that was wrong for a while and is set
 * right, or another machine's, ends nobody's interview, and the session's own expiry
 * holds in any case.
 */
bool token_check(const struct token_key *key, struct span token, int64_t now_ms,
                 int64_t max_age_ms, struct id *ret_session_id);

#endif
