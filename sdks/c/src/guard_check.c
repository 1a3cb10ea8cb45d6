#include <stdlib.h>

#include "guard_core.h"

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
  if (guard == NULL) return LICENSING_UNLICENSED;
  platform_lock(&guard->mutex);
  if (guard->is_checking) {
    uint64_t ended = guard->checks_ended;
    guard->sharing++;
    while (guard->is_checking && guard->checks_ended == ended) platform_wait(&guard->changed, &guard->mutex, -1);
    guard->sharing--;
    licensing_status status = guard->state.status;
    platform_unlock(&guard->mutex);
    return status;
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
