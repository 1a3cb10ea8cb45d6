/* Signed statements: compact JWS (RFC 7515) with Ed25519 (RFC 8037), and nothing else. */
#ifndef LICENSING_TOKEN_H
#define LICENSING_TOKEN_H

#include "answer.h"

typedef struct refusal {
  /* The last segment of the code; NULL: the statement is in order. */
  const char *reason;
  /* A sentence that lives as long as the program. */
  const char *detail;
} refusal;

/* Returns CONFIGURATION.INVALID for an expectation that cannot work, or NULL. */
licensing_answer *token_check(const licensing_verification *expected);
/* The current time of an expectation. */
int64_t token_now_ms(const licensing_verification *expected);
/*
 * Returns the claims if the signature is right, and in `*refused` why the statement must not be used. It never fails because
 * of the token.
 */
json *token_read(const char *token, const char *type, const licensing_verification *expected, refusal *refused);
/* Returns a verdict that says nothing of a license; a member that is added again replaces the one here. */
json *token_verdict(bool is_valid, const char *code, const char *detail, int64_t now_ms);
/* Decodes base64url without padding. Each sequence of bytes has one accepted form (RFC 4648, section 3.5). */
bool token_decode(const char *encoded, size_t length, unsigned char **bytes, size_t *count);

#endif
