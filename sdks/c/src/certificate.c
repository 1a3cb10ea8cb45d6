#include <stdlib.h>

#include "moment.h"
#include "token.h"

static bool is_text_or_none(const json *value) { return json_is_none(value) || json_is(value, JSON_TEXT); }

static bool is_time_or_none(const json *value) {
  int64_t ms;
  return json_is_none(value) || moment_parse(json_text(value), &ms);
}

static bool are_grants(const json *list) {
  if (!json_is(list, JSON_LIST)) return false;
  for (const json *one = list->first; one != NULL; one = one->next) {
    if (json_member_text(one, "code") == NULL) return false;
  }
  return true;
}

/* Whether the claims are those of a certificate. Adds null for those that a service before version 1.1 does not make. */
static bool complete_claims(json *claims) {
  static const char *const texts[] = {"sub", "product", "policy", "key_hint"};
  static const char *const added[] = {"license_expires_at", "maintenance_expires_at", "holder_name", "seats"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (json_member_text(claims, texts[i]) == NULL) return false;
  }
  for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
    if (json_member(claims, added[i]) == NULL) json_add(claims, added[i], json_new(JSON_NULL));
  }
  const json *seats = json_member(claims, "seats");
  return is_text_or_none(json_member(claims, "fingerprint")) && is_text_or_none(json_member(claims, "holder_name")) &&
         is_time_or_none(json_member(claims, "license_expires_at")) &&
         is_time_or_none(json_member(claims, "maintenance_expires_at")) &&
         (json_is_none(seats) || json_is(seats, JSON_NUMBER)) && are_grants(json_member(claims, "entitlements"));
}

static void add_license(json *verdict, const json *claims) {
  json *license = json_add(verdict, "license", json_new(JSON_OBJECT));
  json_add_copy(license, "id", json_member(claims, "sub"));
  json_add_copy(license, "key_hint", json_member(claims, "key_hint"));
  json_add_copy(license, "product", json_member(claims, "product"));
  json_add_copy(license, "policy", json_member(claims, "policy"));
  json_add_copy(license, "expires_at", json_member(claims, "license_expires_at"));
  json_add_copy(license, "maintenance_expires_at", json_member(claims, "maintenance_expires_at"));
  json *holder = json_add(license, "holder", json_new(JSON_OBJECT));
  json_add_copy(holder, "name", json_member(claims, "holder_name"));
  json_add_copy(license, "max_activations", json_member(claims, "seats"));
}

/* Whether an entitlement has ended. An invalid end counts as past. */
static bool has_ended(const json *grant, int64_t now_ms) {
  const json *end = json_member(grant, "expires_at");
  int64_t end_ms;
  return !json_is_none(end) && (!moment_parse(json_text(end), &end_ms) || end_ms <= now_ms);
}

/* Adds an entitlement of a certificate in the form of an online check. `denial` is the code of a refused certificate. */
static void add_grant(json *list, const json *grant, int64_t now_ms, const char *denial) {
  static const char *const counters[] = {"usage", "remaining", "overage", "resets_at", "source"};
  json *check = json_copy(grant);
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    if (json_member(check, counters[i]) == NULL) json_add(check, counters[i], json_new(JSON_NULL));
  }
  const char *reason = denial != NULL ? denial : has_ended(grant, now_ms) ? "ENTITLEMENT.EXPIRED" : NULL;
  json_add_flag(check, "has_access", reason == NULL);
  json_add_text(check, "reason", reason);
  json_append(list, check);
}

/* Takes the claims over, which may be NULL. */
static licensing_answer *verdict_of(json *claims, int64_t now_ms, const char *code, const char *detail) {
  bool is_valid = text_equal(code, "LICENSE.VALID");
  json *verdict = token_verdict(is_valid, code, detail, now_ms);
  if (claims == NULL) return answer_of(verdict);
  add_license(verdict, claims);
  const char *fingerprint = json_member_text(claims, "fingerprint");
  json *activation = json_add(verdict, "activation", json_new(text_is_empty(fingerprint) ? JSON_NULL : JSON_OBJECT));
  if (!text_is_empty(fingerprint)) json_add_text(activation, "fingerprint", fingerprint);
  json *list = json_add(verdict, "entitlements", json_new(JSON_LIST));
  for (const json *one = json_member(claims, "entitlements")->first; one != NULL; one = one->next) {
    add_grant(list, one, now_ms, is_valid ? NULL : code);
  }
  json_add(verdict, "claims", claims);
  return answer_of(verdict);
}

static bool is_released_after(const json *claims, const licensing_verification *expected) {
  int64_t end_ms, released_ms;
  return moment_parse(json_member_text(claims, "maintenance_expires_at"), &end_ms) &&
         moment_parse(expected->version_released_at, &released_ms) && released_ms > end_ms;
}

licensing_answer *licensing_verify_certificate(const char *token, const licensing_verification *expected) {
  licensing_answer *mistake = token_check(expected);
  int64_t released_ms;
  if (mistake != NULL) return mistake;
  if (expected->version_released_at != NULL && !moment_parse(expected->version_released_at, &released_ms)) {
    return answer_invalid("version_released_at must be a moment: 2026-05-01T00:00:00Z.");
  }
  int64_t now_ms = token_now_ms(expected);
  refusal refused;
  json *claims = token_read(token, "license+jwt", expected, &refused);
  if (claims != NULL && !complete_claims(claims)) {
    json_free(claims);
    claims = NULL;
    if (refused.reason == NULL) refused = (refusal){"MALFORMED", "It is no certificate. Fetch it again."};
  }
  if (refused.reason == NULL && expected->product != NULL &&
      !text_equal(json_member_text(claims, "product"), expected->product)) {
    refused = (refusal){"PRODUCT_MISMATCH", "It is for another product. Check product and the license key."};
  } else if (refused.reason == NULL && expected->fingerprint != NULL &&
             !text_equal(json_member_text(claims, "fingerprint"), expected->fingerprint)) {
    refused = (refusal){"FINGERPRINT_MISMATCH", "It is for another device. Activate this one."};
  }
  if (refused.reason != NULL) {
    char *code = text_format("CERTIFICATE.%s", refused.reason);
    licensing_answer *answer = verdict_of(claims, now_ms, code, refused.detail);
    free(code);
    return answer;
  }
  if (is_released_after(claims, expected)) {
    const char *detail = "The maintenance of the license ended before this version. Renew it, or use an older version.";
    return verdict_of(claims, now_ms, "LICENSE.MAINTENANCE_EXPIRED", detail);
  }
  return verdict_of(claims, now_ms, "LICENSE.VALID", "The certificate is valid.");
}
