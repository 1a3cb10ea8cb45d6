#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "guard.h"
#include "moment.h"

/* One check. */
typedef struct consultation {
  const guard_settings *settings;
  guard_memory *memory;
  atomic_bool *is_aborted;
  guard_answer answer;
  /* Whether this check has not asked for a seat yet. */
  bool may_take_seat;
} consultation;

bool guard_is_seatless(const char *code) {
  return text_equal(code, "ACTIVATION.NOT_FOUND") || text_equal(code, "ACTIVATION.LEASE_EXPIRED");
}

void guard_answer_free(guard_answer *answer) {
  licensing_answer_free(answer->failure);
  licensing_answer_free(answer->verdict);
  reason_free(&answer->denial);
  reason_free(&answer->seat_denial);
  free(answer->license_id);
}

/* Whether the service refused because of the license or the seat, and not because of the caller or a failure. */
static bool is_refusal(const licensing_answer *answer) {
  return answer->error != NULL && answer->status != 0 &&
         (text_starts(answer->error, "LICENSE.") || text_starts(answer->error, "ACTIVATION.") ||
          text_starts(answer->error, "PLAN."));
}

/* Takes an error over as the failure of the check. */
static bool fail(consultation *check, licensing_answer *failure) {
  licensing_answer_free(check->answer.failure);
  check->answer.failure = failure;
  return false;
}

static bool renew_lease(consultation *check) {
  guard_memory *memory = check->memory;
  licensing_answer *answer =
      client_heartbeat(check->settings->client, memory->license_key, memory->seat_id, check->is_aborted);
  if (answer->error != NULL && !is_refusal(answer)) return fail(check, answer);
  guard_memory_set_seat(memory, answer->error == NULL ? answer->data : NULL, memory->seat_fingerprint);
  licensing_answer_free(answer);
  return true;
}

/* Takes a seat, or notes why the service refuses one. An abort does not end the call: the seat would be lost. */
static bool take_seat(consultation *check) {
  const guard_settings *settings = check->settings;
  licensing_device device = {.size = sizeof device,
                             .fingerprint = settings->fingerprint,
                             .name = settings->device_name,
                             .app_version = settings->app_version,
                             .components = settings->components};
  check->may_take_seat = false;
  licensing_answer *answer = licensing_activate(settings->client, check->memory->license_key, &device);
  if (is_refusal(answer)) {
    reason_set(&check->answer.seat_denial, answer->error, answer->message);
    licensing_answer_free(answer);
    return true;
  }
  if (answer->error != NULL) return fail(check, answer);
  guard_memory_set_seat(check->memory, answer->data, settings->fingerprint);
  /* The seat existed already, and its lease may be about to end. */
  bool is_old = !text_equal(json_member_text(answer->data, "last_heartbeat_at"), json_member_text(answer->data, "created_at"));
  licensing_answer_free(answer);
  return is_old && check->memory->lease_ms > 0 ? renew_lease(check) : true;
}

static void keep_verdict(consultation *check, licensing_answer *verdict, const char *license_id, int64_t server_ms) {
  char *id = text_copy(license_id);
  licensing_answer_free(check->answer.verdict);
  free(check->answer.license_id);
  check->answer.verdict = verdict;
  check->answer.license_id = id;
  check->answer.server_ms = server_ms;
}

/*
 * Verifies the proof of a verdict and that it answers the question. Without one there is no answer. The clock of this machine
 * may be wrong, because the nonce shows that the proof is new.
 */
static bool keep_proven(consultation *check, licensing_answer *verdict, const licensing_question *question) {
  const guard_settings *settings = check->settings;
  int64_t answered_ms;
  if (!moment_parse(licensing_answer_text(verdict, "checked_at"), &answered_ms) || answered_ms == 0) answered_ms = 1;
  licensing_verification expected = {.size = sizeof expected,
                                     .jwks = settings->jwks,
                                     .issuer = settings->issuer,
                                     .audience = settings->audience,
                                     .fingerprint = question->fingerprint,
                                     .version_released_at = question->version_released_at,
                                     .now_ms = answered_ms,
                                     .nonce = question->nonce,
                                     .license_key = check->memory->license_key,
                                     .entitlements = question->entitlements,
                                     .entitlement_count = question->entitlement_count};
  /* A key of another product and a deleted license are correct answers too. */
  if (licensing_answer_flag(verdict, "valid")) expected.product = settings->product;
  if (!json_is_none(json_member(verdict->data, "license"))) expected.license_id = check->memory->license_id;
  licensing_answer *proven = licensing_verify_verdict(licensing_answer_json(verdict), &expected);
  const json *claims = json_member(proven->data, "claims");
  bool is_proven = proven->error == NULL && json_is(claims, JSON_OBJECT);
  if (is_proven) {
    double issued;
    json_number(json_member(claims, "iat"), &issued);
    /* The signed time has whole seconds. Within the same second, the other one is more exact. */
    int64_t signed_ms = (int64_t)issued * 1000;
    bool is_same_second = answered_ms >= signed_ms && answered_ms < signed_ms + 1000;
    keep_verdict(check, verdict, json_member_text(claims, "sub"), is_same_second ? answered_ms : signed_ms);
  } else {
    const char *code = proven->error != NULL ? proven->error : licensing_answer_text(proven, "code");
    fail(check, answer_error(code, licensing_answer_text(proven, "detail")));
    licensing_answer_free(verdict);
  }
  licensing_answer_free(proven);
  return is_proven;
}

static bool ask(consultation *check) {
  const guard_settings *settings = check->settings;
  char *nonce = settings->jwks == NULL ? NULL : text_random_key();
  licensing_question question = {.size = sizeof question,
                                 .product = settings->product,
                                 .fingerprint = settings->fingerprint,
                                 .version_released_at = settings->version_released_at,
                                 .app_version = settings->app_version,
                                 .nonce = nonce,
                                 .proof = nonce != NULL,
                                 .components = settings->components};
  if (settings->entitlement_count > 0) {
    question.entitlements = (const char *const *)(void *)settings->entitlements;
    question.entitlement_count = settings->entitlement_count;
  }
  licensing_answer *verdict = client_validate(settings->client, check->memory->license_key, &question, check->is_aborted);
  bool is_answered = true;
  if (verdict->error != NULL) {
    is_answered = fail(check, verdict);
  } else if (nonce != NULL) {
    is_answered = keep_proven(check, verdict, &question);
  } else {
    int64_t server_ms;
    if (!moment_parse(licensing_answer_text(verdict, "checked_at"), &server_ms)) server_ms = -1;
    keep_verdict(check, verdict, licensing_answer_text(verdict, "license.id"), server_ms);
  }
  free(nonce);
  return is_answered;
}

static bool lacks_seat(const licensing_answer *verdict) {
  if (licensing_answer_flag(verdict, "valid")) return json_is_none(json_member(verdict->data, "activation"));
  return guard_is_seatless(licensing_answer_text(verdict, "code"));
}

/* Takes a seat and asks again. If that fails, the answer from before counts until the service answers again. */
static void ask_with_seat(consultation *check) {
  guard_memory_set_seat(check->memory, NULL, NULL);
  bool is_done = take_seat(check) && (check->answer.seat_denial.code != NULL || ask(check));
  if (is_done) return;
  check->answer.is_incomplete = true;
  licensing_answer_free(check->answer.failure);
  check->answer.failure = NULL;
}

/* Without a seat, the reason that the service gave for that says more than the verdict. */
static void set_denial(guard_answer *answer) {
  const char *code = licensing_answer_text(answer->verdict, "code");
  if (licensing_answer_flag(answer->verdict, "valid")) return;
  if (answer->seat_denial.code != NULL && guard_is_seatless(code)) {
    reason_set(&answer->denial, answer->seat_denial.code, answer->seat_denial.detail);
  } else {
    reason_set(&answer->denial, code, licensing_answer_text(answer->verdict, "detail"));
  }
}

guard_answer guard_consult(const guard_settings *settings, guard_memory *memory, atomic_bool *is_aborted) {
  consultation check = {.settings = settings, .memory = memory, .is_aborted = is_aborted};
  check.may_take_seat = settings->fingerprint != NULL;
  check.answer.server_ms = -1;
  /* The store may be a copy from another machine, and the seat belongs to that machine. */
  if (memory->seat_id != NULL && !text_equal(memory->seat_fingerprint, settings->fingerprint)) {
    guard_memory_set_seat(memory, NULL, NULL);
  }
  bool is_ready = memory->seat_id == NULL || memory->lease_ms == 0 || renew_lease(&check);
  is_ready = is_ready && (memory->seat_id != NULL || !check.may_take_seat || take_seat(&check));
  if (!is_ready || !ask(&check)) return check.answer;
  if (check.may_take_seat && lacks_seat(check.answer.verdict)) ask_with_seat(&check);
  const json *activation = json_member(check.answer.verdict->data, "activation");
  if (json_is(activation, JSON_OBJECT) && settings->fingerprint != NULL) {
    guard_memory_set_seat(memory, activation, settings->fingerprint);
  }
  set_denial(&check.answer);
  return check.answer;
}
