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

void guard_schedule_now(licensing_guard *guard) {
  guard->due = GUARD_DUE_CHECK;
  guard->due_delay_ms = 0;
  guard->due_at_ms = clock_monotonic_ms(guard->clock);
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

int64_t licensing_guard_due_ms(licensing_guard *guard) {
  if (guard == NULL) return -1;
  platform_lock(&guard->mutex);
  int64_t left_ms = guard->due_at_ms < 0 ? -1 : guard->due_at_ms - clock_monotonic_ms(guard->clock);
  if (guard->due_at_ms >= 0 && left_ms < 0) left_ms = 0;
  platform_unlock(&guard->mutex);
  return left_ms;
}
