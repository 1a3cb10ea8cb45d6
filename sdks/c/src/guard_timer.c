#include "client.h"
#include "guard_core.h"

static int64_t left_of(licensing_guard *guard, int64_t until_ms) {
  bool is_set_back;
  int64_t left_ms = until_ms - guard_clock_read(&guard->service_clock, &is_set_back);
  return left_ms > 0 ? left_ms : 0;
}

void guard_clear_timer(licensing_guard *guard) {
  guard->due_at_ms = -1;
  platform_wake(&guard->changed);
}

void guard_schedule_check(licensing_guard *guard, int64_t retry_after_ms) {
  int64_t until_ms = guard->state.until_ms;
  int64_t left_ms = until_ms < 0 ? -1 : left_of(guard, until_ms);
  double delay = guard_check_delay_ms(&guard->settings, guard->failed_checks, guard->memory.lease_ms, left_ms);
  guard->until_check_ms = delay * (0.9 + 0.2 * clock_random(guard->clock));
  if ((double)retry_after_ms > guard->until_check_ms) guard->until_check_ms = (double)retry_after_ms;
  guard_schedule_tick(guard);
}

void guard_schedule_tick(licensing_guard *guard) {
  const guard_state *state = &guard->state;
  int64_t lease_ms = state->status == LICENSING_UNLICENSED ? 0 : guard->memory.lease_ms;
  bool ends = state->status == LICENSING_OFFLINE && state->until_ms >= 0;
  int64_t end_ms = ends ? left_of(guard, state->until_ms) : -1;
  double delay_ms;
  guard_due due = guard_next_tick(guard->until_check_ms, lease_ms, end_ms, clock_random(guard->clock), &delay_ms);
  platform_lock(&guard->mutex);
  guard_clear_timer(guard);
  if (guard->is_running) {
    guard->due = due;
    guard->due_delay_ms = delay_ms;
    guard->due_at_ms = clock_monotonic_ms(guard->clock) + (int64_t)delay_ms;
  }
  platform_unlock(&guard->mutex);
}

/* Sends a heartbeat. False: the seat is lost or the service does not answer, which a check finds out. */
static bool beat(licensing_guard *guard) {
  guard_memory *memory = &guard->memory;
  if (memory->seat_id == NULL) {
    guard_schedule_tick(guard);
    return true;
  }
  licensing_answer *answer =
      client_heartbeat(guard->settings.client, memory->license_key, memory->seat_id, &guard->is_aborted);
  bool is_renewed = answer->error == NULL;
  if (is_renewed) guard_memory_set_seat(memory, answer->data, memory->seat_fingerprint);
  licensing_answer_free(answer);
  if (!is_renewed) return false;
  /* Where the policy requires activation, the certificate ends with the lease. */
  double begin = licensing_answer_number(guard->certified, "claims.iat", -1);
  double end = licensing_answer_number(guard->certified, "claims.exp", -1);
  bool is_set_back;
  double now_ms = (double)guard_clock_read(&guard->service_clock, &is_set_back);
  if (begin < 0 || (end + begin) * 500 < now_ms) guard_renew_certificate(guard);
  guard_memory_save(memory);
  if (!guard->is_aborted) {
    guard_evaluate(guard);
    guard_schedule_tick(guard);
  }
  return true;
}

void licensing_guard_tick(licensing_guard *guard) {
  platform_lock(&guard->work);
  platform_lock(&guard->mutex);
  bool is_due = guard->due_at_ms >= 0 && clock_monotonic_ms(guard->clock) >= guard->due_at_ms;
  guard_due due = guard->due;
  if (is_due) {
    guard->due_at_ms = -1;
    guard->until_check_ms -= guard->due_delay_ms;
  }
  platform_unlock(&guard->mutex);
  bool must_check = false;
  if (is_due) {
    /* The certificate may have ended; a check of an unreachable service would only notice it seconds later. */
    bool has_failed = guard->failure.code != NULL;
    if (has_failed) guard_evaluate(guard);
    must_check = due == GUARD_DUE_CHECK || (due == GUARD_DUE_BEAT && has_failed);
    if (!must_check && due == GUARD_DUE_BEAT) must_check = !beat(guard) && !guard->is_aborted;
    else if (!must_check) guard_schedule_tick(guard);
  }
  guard_end_work(guard);
  if (must_check) licensing_guard_refresh(guard);
}

int64_t licensing_guard_due_ms(licensing_guard *guard) {
  platform_lock(&guard->mutex);
  int64_t left_ms = guard->due_at_ms < 0 ? -1 : guard->due_at_ms - clock_monotonic_ms(guard->clock);
  if (guard->due_at_ms >= 0 && left_ms < 0) left_ms = 0;
  platform_unlock(&guard->mutex);
  return left_ms;
}

void guard_run(void *context) {
  licensing_guard *guard = context;
  for (;;) {
    platform_lock(&guard->mutex);
    int64_t left_ms = guard->due_at_ms < 0 ? -1 : guard->due_at_ms - clock_monotonic_ms(guard->clock);
    bool is_due = guard->due_at_ms >= 0 && left_ms <= 0;
    if (guard->is_running && !is_due) platform_wait(&guard->changed, &guard->mutex, left_ms);
    bool is_running = guard->is_running;
    if (!is_running) guard->has_thread_ended = true;
    platform_unlock(&guard->mutex);
    if (!is_running) return;
    if (is_due) licensing_guard_tick(guard);
  }
}
