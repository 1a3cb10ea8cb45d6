#include <stdlib.h>
#include <string.h>

#include "moment.h"
#include "token.h"

/* Returns the end of a license key as the service writes it: at most 4 characters, at most a quarter of the key. */
static char *hint_of(const char *license_key) {
  size_t characters = 0;
  for (const char *at = license_key; *at != '\0'; at++) characters += (*at & 0xc0) != 0x80;
  size_t shown = characters / 4 > 4 ? 4 : characters / 4;
  size_t skipped = characters - shown;
  const char *at = license_key;
  while (skipped > 0 && *at != '\0') {
    at++;
    while ((*at & 0xc0) == 0x80) at++;
    skipped--;
  }
  return text_format("\xe2\x80\xa6%s", at);
}

static bool is_claim(const json *claims, const char *name, const char *wanted) {
  return wanted == NULL || text_equal(json_member_text(claims, name), wanted);
}

static bool has_entitlements(const json *claims, const licensing_verification *question) {
  if (question->entitlements == NULL) return true;
  const json *list = json_member(claims, "entitlements");
  if (!json_is(list, JSON_LIST)) return false;
  const json *one = list->first;
  for (size_t i = 0; i < question->entitlement_count; i++) {
    if (one == NULL || !text_equal(json_text(one), question->entitlements[i])) return false;
    one = one->next;
  }
  return one == NULL;
}

/* Whether the question that was signed has every given condition. */
static bool answers(const json *claims, const licensing_verification *question) {
  if (question->license_key != NULL) {
    char *hint = hint_of(question->license_key);
    bool is_same = is_claim(claims, "key_hint", hint);
    free(hint);
    if (!is_same) return false;
  }
  if (!is_claim(claims, "sub", question->license_id) || !has_entitlements(claims, question)) return false;
  if (question->version_released_at == NULL) return true;
  int64_t asked_ms, signed_ms;
  return moment_parse(question->version_released_at, &asked_ms) &&
         moment_parse(json_member_text(claims, "version_released_at"), &signed_ms) && asked_ms == signed_ms;
}

/* Whether the fields of a verdict that decide are the signed ones. */
static bool agrees(const json *claims, const json *verdict) {
  const json *valid = json_member(verdict, "valid");
  const char *id = json_text(json_at(verdict, "license.id"));
  return valid != NULL && valid->kind == json_member(claims, "valid")->kind &&
         is_claim(verdict, "code", json_member_text(claims, "code")) &&
         is_claim(verdict, "nonce", json_member_text(claims, "nonce")) && text_equal(json_member_text(claims, "sub"), id);
}

static refusal check(const json *claims, const json *verdict, const licensing_verification *question) {
  const json *valid = json_member(claims, "valid");
  if (!json_is_flag(valid) || json_member_text(claims, "code") == NULL) {
    return (refusal){"MALFORMED", "It is no verdict. Ask again."};
  }
  if (!is_claim(claims, "nonce", question->nonce)) {
    return (refusal){"NONCE_MISMATCH", "The proof answers another request: it was recorded. Ask again."};
  }
  if (!is_claim(claims, "fingerprint", question->fingerprint)) {
    return (refusal){"FINGERPRINT_MISMATCH", "It is for another device. Ask again."};
  }
  /* A negative verdict names the product of the license, which may be the reason for the verdict. */
  if (json_is(valid, JSON_TRUE) && !is_claim(claims, "product", question->product)) {
    return (refusal){"PRODUCT_MISMATCH", "It is for another product. Check product and the license key."};
  }
  if (!answers(claims, question)) {
    return (refusal){"QUESTION_MISMATCH", "The proof answers another question. Ask again."};
  }
  if (!agrees(claims, verdict)) {
    return (refusal){"VERDICT_MISMATCH", "The verdict was changed: it differs from its proof. Ask again."};
  }
  return (refusal){NULL, NULL};
}

static licensing_answer *denied(refusal refused, int64_t now_ms) {
  char *code = text_format("PROOF.%s", refused.reason);
  json *verdict = token_verdict(false, code, refused.detail, now_ms);
  free(code);
  return answer_of(verdict);
}

licensing_answer *licensing_verify_verdict(const char *verdict, const licensing_verification *expected) {
  licensing_answer *mistake = token_check(expected);
  if (mistake != NULL) return mistake;
  if (text_is_empty(expected->nonce)) return answer_invalid("nonce must be the one of the question.");
  json *read = verdict == NULL ? NULL : json_parse(verdict, strlen(verdict));
  const char *proof = json_member_text(read, "proof");
  refusal refused = {"MISSING", "The verdict has no proof. Ask with proof."};
  json *claims = NULL;
  if (proof != NULL) {
    claims = token_read(proof, "verdict+jwt", expected, &refused);
    if (refused.reason == NULL) refused = check(claims, read, expected);
  }
  if (refused.reason != NULL) {
    json_free(claims);
    json_free(read);
    return denied(refused, token_now_ms(expected));
  }
  json_add(read, "claims", claims);
  return answer_of(read);
}
