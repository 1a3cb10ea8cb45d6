#include "token.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "moment.h"
#include "platform.h"

#define TOKEN_LENGTH_MAX ((size_t)1024 * 1024)
#define TOLERANCE_MS 60000

bool token_decode(const char *encoded, size_t length, unsigned char **bytes, size_t *count) {
  /* The decoder of libsodium takes some bytes beyond ASCII for letters. */
  for (size_t i = 0; i < length; i++) {
    char c = encoded[i];
    bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!is_letter) return false;
  }
  if (length == 0) return false;
  size_t capacity = length / 4 * 3 + 3;
  unsigned char *decoded = text_allocate(capacity, 1);
  const char *end = NULL;
  /* The decoder refuses padding and spare bits. */
  int status = sodium_base642bin(decoded, capacity, encoded, length, NULL, count, &end,
                                 sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  if (status == 0 && end == encoded + length) {
    *bytes = decoded;
    return true;
  }
  free(decoded);
  return false;
}

static json *object_in(const char *part, size_t length) {
  unsigned char *bytes;
  size_t count;
  if (!token_decode(part, length, &bytes, &count)) return NULL;
  json *value = json_parse((const char *)bytes, count);
  free(bytes);
  if (json_is(value, JSON_OBJECT)) return value;
  json_free(value);
  return NULL;
}

licensing_answer *token_check(const licensing_verification *expected) {
  if (expected == NULL) return answer_invalid("Pass what the statement is verified against.");
  if (!HAS_SIZE(expected)) return answer_invalid(SIZE_PROBLEM);
  json *jwks = expected->jwks == NULL ? NULL : json_parse(expected->jwks, strlen(expected->jwks));
  bool has_keys = json_is(json_member(jwks, "keys"), JSON_LIST);
  json_free(jwks);
  if (!has_keys) return answer_invalid("jwks must be the JWK Set of the vendor.");
  /* An empty text would be equal to the empty claim of a token for nobody. */
  if (text_is_empty(expected->issuer)) {
    return answer_invalid("issuer is missing. Set it to the PUBLIC_URL of your service.");
  }
  if (text_is_empty(expected->audience)) return answer_invalid("audience is missing. Set it to the id of your tenant.");
  if (expected->clock_tolerance_ms < LICENSING_NO_TOLERANCE) {
    return answer_invalid("clock_tolerance_ms must not be negative.");
  }
  return NULL;
}

int64_t token_now_ms(const licensing_verification *expected) {
  return expected->now_ms != 0 ? expected->now_ms : clock_now_ms(NULL);
}

json *token_verdict(bool is_valid, const char *code, const char *detail, int64_t now_ms) {
  json *verdict = json_new(JSON_OBJECT);
  char *checked_at = moment_format(now_ms);
  json_add_flag(verdict, "valid", is_valid);
  json_add_text(verdict, "code", code);
  json_add_text(verdict, "detail", detail);
  json_add_text(verdict, "checked_at", checked_at);
  json_add_text(verdict, "nonce", NULL);
  json_add_text(verdict, "license", NULL);
  json_add_text(verdict, "activation", NULL);
  json_add(verdict, "entitlements", json_new(JSON_LIST));
  json_add_text(verdict, "claims", NULL);
  free(checked_at);
  return verdict;
}

static bool is_absent_or(const json *value, const char *wanted) {
  return value == NULL || text_equal(json_text(value), wanted);
}

/* Finds the bytes of exactly one usable key with an id. */
static bool find_key(const json *jwks, const char *kid, unsigned char key[crypto_sign_PUBLICKEYBYTES]) {
  const json *found = NULL;
  const json *keys = json_member(jwks, "keys");
  for (const json *one = keys == NULL ? NULL : keys->first; one != NULL && kid != NULL; one = one->next) {
    if (!text_equal(json_member_text(one, "kid"), kid)) continue;
    if (found != NULL) return false;
    found = one;
  }
  if (!text_equal(json_member_text(found, "kty"), "OKP") || !text_equal(json_member_text(found, "crv"), "Ed25519")) {
    return false;
  }
  if (!is_absent_or(json_member(found, "alg"), "EdDSA") || !is_absent_or(json_member(found, "use"), "sig")) return false;
  const char *x = json_member_text(found, "x");
  unsigned char *bytes;
  size_t count;
  if (x == NULL || !token_decode(x, strlen(x), &bytes, &count)) return false;
  bool is_key = count == crypto_sign_PUBLICKEYBYTES;
  if (is_key) memcpy(key, bytes, count);
  free(bytes);
  return is_key;
}

static bool is_signed(const char *part, size_t part_length, const char *signed_text, size_t signed_length,
                      const unsigned char *key) {
  unsigned char *signature;
  size_t count;
  if (!token_decode(part, part_length, &signature, &count)) return false;
  bool is_right = count == crypto_sign_BYTES && crypto_sign_verify_detached(signature, (const unsigned char *)signed_text,
                                                                             signed_length, key) == 0;
  free(signature);
  return is_right;
}

static bool is_statement(const json *claims) {
  const json *subject = json_member(claims, "sub");
  double number;
  bool are_texts = json_is(json_member(claims, "iss"), JSON_TEXT) && json_is(json_member(claims, "aud"), JSON_TEXT) &&
                   (json_is(subject, JSON_TEXT) || json_is(subject, JSON_NULL));
  const json *not_before = json_member(claims, "nbf");
  return are_texts && json_number(json_member(claims, "iat"), &number) && json_number(json_member(claims, "exp"), &number) &&
         (not_before == NULL || json_number(not_before, &number));
}

static refusal refusal_of(const json *claims, const licensing_verification *expected) {
  if (!text_equal(json_member_text(claims, "iss"), expected->issuer)) {
    return (refusal){"ISSUER_MISMATCH", "It is of another issuer. Set issuer to the PUBLIC_URL of your service."};
  }
  if (!text_equal(json_member_text(claims, "aud"), expected->audience)) {
    return (refusal){"AUDIENCE_MISMATCH", "It is for another audience. Set audience to the id of your tenant."};
  }
  double tolerance = TOLERANCE_MS / 1000.0, begin, end;
  if (expected->clock_tolerance_ms == LICENSING_NO_TOLERANCE) tolerance = 0;
  if (expected->clock_tolerance_ms > 0) tolerance = (double)expected->clock_tolerance_ms / 1000;
  double now = (double)token_now_ms(expected) / 1000;
  if (!json_number(json_member(claims, "nbf"), &begin)) json_number(json_member(claims, "iat"), &begin);
  json_number(json_member(claims, "exp"), &end);
  if (now + tolerance < begin) {
    return (refusal){"NOT_YET_VALID", "It is not valid yet. Correct the clock of this device."};
  }
  if (now - tolerance >= end) {
    return (refusal){"EXPIRED", "It has expired. Connect to the service to get a new one."};
  }
  return (refusal){NULL, NULL};
}

static const refusal malformed = {"MALFORMED", "It is no statement of the service. Fetch it again."};

/* Why a header is refused; in order if it names a key, whose bytes are then in `key`. */
static refusal check_header(const json *header, const char *type, const licensing_verification *expected, unsigned char *key) {
  if (json_member(header, "crit") != NULL) return malformed;
  if (!text_equal(json_member_text(header, "alg"), "EdDSA")) {
    return (refusal){"ALGORITHM_REFUSED", "It is not signed with EdDSA. Fetch it again."};
  }
  if (!text_equal(json_member_text(header, "typ"), type)) {
    return (refusal){"TYPE_REFUSED", "It is of another type. Pass the other kind of statement."};
  }
  json *jwks = json_parse(expected->jwks, strlen(expected->jwks));
  bool is_known = find_key(jwks, json_member_text(header, "kid"), key);
  json_free(jwks);
  if (is_known) return (refusal){NULL, NULL};
  return (refusal){"KEY_UNKNOWN", "jwks has not exactly one key with its id. Embed the current key set of the vendor."};
}

json *token_read(const char *token, const char *type, const licensing_verification *expected, refusal *refused) {
  *refused = malformed;
  size_t length = token == NULL ? 0 : strlen(token);
  const char *first = length > TOKEN_LENGTH_MAX || token == NULL ? NULL : strchr(token, '.');
  const char *second = first == NULL ? NULL : strchr(first + 1, '.');
  if (second == NULL || sodium_init() < 0) return NULL;
  size_t signature_length = length - (size_t)(second + 1 - token);
  json *header = object_in(token, (size_t)(first - token));
  json *claims = object_in(first + 1, (size_t)(second - first - 1));
  unsigned char *signature = NULL;
  size_t count;
  unsigned char key[crypto_sign_PUBLICKEYBYTES];
  bool is_form = header != NULL && claims != NULL && token_decode(second + 1, signature_length, &signature, &count);
  free(signature);
  if (is_form) {
    *refused = check_header(header, type, expected, key);
    if (refused->reason == NULL && !is_signed(second + 1, signature_length, token, (size_t)(second - token), key)) {
      *refused = (refusal){"SIGNATURE_INVALID", "Its signature is wrong: it was changed. Fetch it again."};
    } else if (refused->reason == NULL && !is_statement(claims)) {
      *refused = malformed;
    } else if (refused->reason == NULL) {
      *refused = refusal_of(claims, expected);
      json_free(header);
      return claims;
    }
  }
  json_free(header);
  json_free(claims);
  return NULL;
}
