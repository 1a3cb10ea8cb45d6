#include <stdlib.h>
#include <string.h>

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
  licensing_answer *issued = client_issue_certificate(guard->settings.client, memory->license_key,
                                                      guard->settings.fingerprint, 0, &guard->is_aborted);
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

/* A lost seat ends the right to use the application with the certificate, and at once without one. */
static void decide(licensing_guard *guard, guard_answer *answer) {
  reason_free(&guard->warning);
  bool is_lost = answer->denial.code == NULL && licensing_answer_flag(answer->verdict, "valid") &&
                 text_equal(answer->seat_denial.code, "ACTIVATION.LIMIT_REACHED");
  if (!is_lost) return;
  licensing_answer *certified = guard_verify_kept(guard);
  guard_reason *to = licensing_answer_flag(certified, "valid") ? &guard->warning : &answer->denial;
  reason_set(to, answer->seat_denial.code, answer->seat_denial.detail);
  licensing_answer_free(certified);
}

/* Keeps what an answer means for later starts. */
static void remember(licensing_guard *guard, const guard_answer *answer) {
  guard_memory *memory = &guard->memory;
  bool is_set_back;
  int64_t now_ms = guard_clock_read(&guard->service_clock, &is_set_back);
  /* A release that is too new for the license says nothing about older ones, which the certificate still allows. */
  bool is_of_release = text_equal(answer->denial.code, "LICENSE.MAINTENANCE_EXPIRED");
  bool is_denied = answer->denial.code != NULL;
  char *certificate = !is_denied || is_of_release ? text_copy(memory->certificate) : NULL;
  char *license_id = text_copy(answer->license_id != NULL ? answer->license_id : memory->license_id);
  guard_memory_clear_answer(memory);
  memory->certificate = certificate;
  memory->license_id = license_id;
  if (is_denied) {
    reason_set(&memory->denial, answer->denial.code, answer->denial.detail);
    memory->denied_at_ms = now_ms;
    if (is_of_release) memory->release_ms = guard->settings.release_ms;
  }
  guard->received_at_ms = now_ms;
}

/* Takes an answer of the service over. */
static void take_over(licensing_guard *guard, guard_answer *answer) {
  if (answer->server_ms >= 0) guard_clock_synchronize(&guard->service_clock, answer->server_ms);
  decide(guard, answer);
  remember(guard, answer);
  licensing_answer_free(guard->verdict);
  guard->verdict = answer->verdict;
  answer->verdict = NULL;
  reason_free(&guard->failure);
  const char *waiting = answer->denial.code != NULL ? answer->denial.code : guard->warning.code;
  /* A user who waits for a seat gets it sooner, but a copied key does not ask for ever more. */
  bool is_soon = text_equal(waiting, "ACTIVATION.LIMIT_REACHED") || answer->is_incomplete;
  guard->failed_checks = is_soon ? guard->failed_checks + 1 : 0;
  if (answer->denial.code == NULL && guard->warning.code == NULL) guard_renew_certificate(guard);
  if (!guard->is_aborted) guard_evaluate(guard);
}

/* Asks the service, and sets the timer of the next check. */
static void check(licensing_guard *guard) {
  int64_t retry_after_ms = 0;
  guard_memory_load(&guard->memory);
  guard_answer answer = {.server_ms = -1};
  if (*guard->memory.license_key == '\0') {
    answer.failure = answer_error("LICENSE.KEY_MISSING", "There is no license key. Enter one.");
  } else {
    answer = guard_consult(&guard->settings, &guard->memory, &guard->is_aborted);
  }
  if (answer.failure == NULL) {
    take_over(guard, &answer);
  } else if (!guard->is_aborted) {
    if (answer.failure->retry_after_ms > 0) retry_after_ms = answer.failure->retry_after_ms;
    guard_memory_load(&guard->memory);
    guard->failed_checks++;
    guard_fail(guard, answer.failure->error, answer.failure->message);
  }
  guard_answer_free(&answer);
  guard_memory_save(&guard->memory);
  if (!guard->is_aborted) guard_schedule_check(guard, retry_after_ms);
}

licensing_status licensing_guard_refresh(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  if (guard->is_checking) {
    uint64_t ended = guard->checks_ended;
    while (guard->is_checking && guard->checks_ended == ended) platform_wait(&guard->changed, &guard->mutex, -1);
    platform_unlock(&guard->mutex);
    return licensing_guard_status(guard);
  }
  guard->is_checking = true;
  platform_unlock(&guard->mutex);
  platform_lock(&guard->work);
  platform_lock(&guard->mutex);
  guard_clear_timer(guard);
  platform_unlock(&guard->mutex);
  check(guard);
  platform_lock(&guard->mutex);
  guard->is_checking = false;
  guard->checks_ended++;
  platform_wake(&guard->changed);
  platform_unlock(&guard->mutex);
  guard_end_work(guard);
  return licensing_guard_status(guard);
}

/* Makes the stored certificate the state, until the service answers. */
static void show(licensing_guard *guard) {
  platform_lock(&guard->work);
  guard_memory_load(&guard->memory);
  /* A check that the application asked for may have an answer already. */
  if (guard->verdict == NULL) guard_fail(guard, "GUARD.CHECKING", "The service has not answered yet. Wait for it.");
  guard_end_work(guard);
}

licensing_status licensing_guard_start(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  bool is_first = !guard->is_running;
  guard->is_running = true;
  platform_unlock(&guard->mutex);
  if (is_first) show(guard);
  licensing_status status = licensing_guard_refresh(guard);
  platform_lock(&guard->mutex);
  if (guard->has_thread && guard->has_thread_ended) {
    platform_thread_join(guard->thread);
    guard->has_thread = false;
  }
  if (!guard->is_pumped && !guard->has_thread && guard->is_running) {
    guard->has_thread_ended = false;
    /* Without a thread the guard checks when it is asked. */
    guard->has_thread = platform_thread_start(&guard->thread, guard_run, guard);
  }
  platform_unlock(&guard->mutex);
  return status;
}

static void release_seat(licensing_guard *guard) {
  guard_memory *memory = &guard->memory;
  bool is_ours = memory->seat_id != NULL && memory->lease_ms > 0 &&
                 text_equal(memory->seat_fingerprint, guard->settings.fingerprint);
  if (!is_ours) return;
  licensing_answer *answer = licensing_deactivate(guard->settings.client, memory->license_key, memory->seat_id);
  bool is_released = answer->error == NULL;
  licensing_answer_free(answer);
  /* Otherwise the seat is free at the end of its lease. Until then, this machine may use it. */
  if (!is_released) return;
  guard_memory_set_seat(memory, NULL, NULL);
  free(memory->certificate);
  memory->certificate = NULL;
  memory->is_answer_new = true;
  guard_memory_save(memory);
  licensing_answer_free(guard->verdict);
  guard->verdict = NULL;
  guard_fail(guard, "GUARD.STOPPED", "The seat was released. Start the guard to take one.");
}

void licensing_guard_stop(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  guard->is_running = false;
  guard->is_aborted = true;
  guard_clear_timer(guard);
  bool must_join = guard->has_thread && !platform_thread_is_current(guard->thread);
  if (must_join) guard->has_thread = false;
  platform_thread thread = guard->thread;
  platform_unlock(&guard->mutex);
  if (must_join) platform_thread_join(thread);
  platform_lock(&guard->work);
  guard->is_aborted = false;
  release_seat(guard);
  guard_end_work(guard);
}

licensing_status licensing_guard_status(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  licensing_status status = guard->state.status;
  platform_unlock(&guard->mutex);
  return status;
}

bool licensing_guard_has(licensing_guard *guard, const char *entitlement) {
  bool is_set_back;
  platform_lock(&guard->mutex);
  int64_t now_ms = guard_clock_read(&guard->read_clock, &is_set_back);
  bool is_granted = guard_state_grants(&guard->state, entitlement, now_ms);
  platform_unlock(&guard->mutex);
  return is_granted;
}

licensing_answer *licensing_guard_state(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  licensing_answer *answer = guard_state_answer(&guard->state);
  platform_unlock(&guard->mutex);
  return answer;
}
