#include <stdlib.h>

#include "client.h"
#include "guard_core.h"

/* Adds an event for the listeners. */
static void add_event(licensing_guard *guard, bool is_change, const char *code, const char *message) {
  guard_event *event = text_allocate(1, sizeof(guard_event));
  event->is_change = is_change;
  event->status = guard->state.status;
  event->code = text_copy(code);
  event->message = text_copy(message);
  guard_event **at = &guard->events;
  while (*at != NULL) at = &(*at)->next;
  *at = event;
}

static void collect_failures(licensing_guard *guard) {
  for (const json *one = guard->memory.failures == NULL ? NULL : guard->memory.failures->first; one != NULL; one = one->next) {
    add_event(guard, false, json_member_text(one, "code"), json_member_text(one, "message"));
  }
  json_free(guard->memory.failures);
  guard->memory.failures = NULL;
}

static void tell(licensing_guard *guard, const guard_event *event) {
  if (event->is_change && guard->on_change != NULL) guard->on_change(guard->context, event->status, event->code);
  if (!event->is_change && guard->on_error != NULL) guard->on_error(guard->context, event->code, event->message);
}

void guard_end_work(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  collect_failures(guard);
  guard->read_clock = guard->service_clock;
  platform_unlock(&guard->mutex);
  platform_unlock(&guard->work);
  platform_lock(&guard->mutex);
  bool is_first = !guard->is_delivering;
  guard->is_delivering = true;
  while (is_first && guard->events != NULL) {
    guard_event *event = guard->events;
    guard->events = event->next;
    platform_unlock(&guard->mutex);
    tell(guard, event);
    free(event->code);
    free(event->message);
    free(event);
    platform_lock(&guard->mutex);
  }
  if (is_first) guard->is_delivering = false;
  platform_unlock(&guard->mutex);
}

static licensing_answer *verify(licensing_guard *guard, const char *certificate) {
  const guard_settings *settings = &guard->settings;
  bool is_set_back;
  licensing_verification expected = {.size = sizeof expected,
                                     .jwks = settings->jwks,
                                     .issuer = settings->issuer,
                                     .audience = settings->audience,
                                     .product = settings->product,
                                     .fingerprint = settings->fingerprint,
                                     .version_released_at = settings->version_released_at,
                                     .now_ms = guard_clock_read(&guard->service_clock, &is_set_back),
                                     .clock_tolerance_ms = LICENSING_NO_TOLERANCE};
  return licensing_verify_certificate(certificate, &expected);
}

licensing_answer *guard_verify_kept(licensing_guard *guard) {
  if (guard->memory.certificate == NULL || guard->settings.jwks == NULL) return NULL;
  return verify(guard, guard->memory.certificate);
}

/* The time of an answer is old by its way here, so a certificate may be of the next second: it is a newer time. */
licensing_answer *guard_verify_new(licensing_guard *guard, const char *certificate) {
  licensing_answer *verdict = verify(guard, certificate);
  double begin = licensing_answer_number(verdict, "claims.nbf", -1);
  if (begin < 0 || !text_equal(licensing_answer_text(verdict, "code"), "CERTIFICATE.NOT_YET_VALID")) return verdict;
  licensing_answer_free(verdict);
  guard_clock_synchronize(&guard->service_clock, (int64_t)begin * 1000);
  return verify(guard, certificate);
}

void guard_renew_certificate(licensing_guard *guard) {
  guard_memory *memory = &guard->memory;
  if (guard->settings.jwks == NULL) return;
  /* The service said yes a moment ago; if this fails, the next check shows what changed. */
  licensing_device device = {
      .size = sizeof device, .fingerprint = guard->settings.fingerprint, .components = guard->settings.components};
  licensing_answer *issued =
      client_issue_certificate(guard->settings.client, memory->license_key, &device, 0, &guard->is_aborted);
  const char *certificate = licensing_answer_text(issued, "certificate");
  licensing_answer *verdict = certificate == NULL ? NULL : guard_verify_new(guard, certificate);
  bool is_ours = licensing_answer_flag(verdict, "valid") && memory->license_id != NULL &&
                 text_equal(licensing_answer_text(verdict, "claims.sub"), memory->license_id);
  if (is_ours) {
    free(memory->certificate);
    memory->certificate = text_copy(certificate);
    memory->is_answer_new = true;
  } else {
    guard->failed_checks++;
  }
  licensing_answer_free(verdict);
  licensing_answer_free(issued);
}

static guard_state judge(licensing_guard *guard) {
  guard_findings found = {.verdict = guard->verdict,
                          .received_at_ms = guard->received_at_ms,
                          .warning = &guard->warning,
                          .failure = guard->failure.code == NULL ? NULL : &guard->failure,
                          .denial = &guard->memory.denial,
                          .certified = guard->certified,
                          .answer_life_ms = 2 * guard->settings.check_interval_ms,
                          .settings = &guard->settings};
  found.now_ms = guard_clock_read(&guard->service_clock, &found.is_set_back);
  /* A refusal may be about another release of the application. */
  int64_t release_ms = guard->memory.release_ms;
  if (release_ms >= 0 && release_ms != guard->settings.release_ms) found.denial = NULL;
  return guard_judge(&found);
}

void guard_evaluate(licensing_guard *guard) {
  licensing_answer_free(guard->certified);
  guard->certified = guard_verify_kept(guard);
  guard_state state = judge(guard);
  platform_lock(&guard->mutex);
  guard_state_free(&guard->state);
  guard->state = state;
  guard->read_clock = guard->service_clock;
  /* An application may quit when it hears that it is unlicensed, so it hears that only after a check. */
  bool is_early = text_equal(guard->failure.code, "GUARD.CHECKING") && state.status == LICENSING_UNLICENSED;
  bool is_first = guard->published == NULL;
  if (!is_early && !text_equal(guard->published, state.essence)) {
    free(guard->published);
    guard->published = text_copy(state.essence);
    if (!is_first) add_event(guard, true, state.reason.code, NULL);
  }
  platform_unlock(&guard->mutex);
}

void guard_fail(licensing_guard *guard, const char *code, const char *detail) {
  reason_set(&guard->failure, code, detail);
  guard_evaluate(guard);
}

licensing_status licensing_guard_status(licensing_guard *guard) {
  if (guard == NULL) return LICENSING_UNLICENSED;
  platform_lock(&guard->mutex);
  licensing_status status = guard->state.status;
  platform_unlock(&guard->mutex);
  return status;
}

bool licensing_guard_has(licensing_guard *guard, const char *entitlement) {
  if (guard == NULL) return false;
  bool is_set_back;
  platform_lock(&guard->mutex);
  int64_t now_ms = guard_clock_read(&guard->read_clock, &is_set_back);
  bool is_granted = guard_state_grants(&guard->state, entitlement, now_ms);
  platform_unlock(&guard->mutex);
  return is_granted;
}

licensing_answer *licensing_guard_state(licensing_guard *guard) {
  if (guard == NULL) return guard_missing();
  platform_lock(&guard->mutex);
  licensing_answer *answer = guard_state_answer(&guard->state, guard->settings.language);
  platform_unlock(&guard->mutex);
  return answer;
}
