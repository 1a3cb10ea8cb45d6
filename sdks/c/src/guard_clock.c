#include "guard.h"

void guard_clock_adopt(guard_clock *clock, int64_t latest_ms, int64_t offset_ms) {
  bool is_set_back;
  guard_clock_read(clock, &is_set_back);
  /* Times with different offsets cannot be compared. */
  bool is_same = offset_ms == clock->offset_ms;
  if (!is_same || latest_ms > clock->latest_ms) clock->latest_ms = latest_ms;
  clock->offset_ms = offset_ms;
}

void guard_clock_synchronize(guard_clock *clock, int64_t server_ms) {
  clock->last_monotonic_ms = clock_monotonic_ms(clock->clock);
  clock->latest_ms = server_ms;
  clock->offset_ms = server_ms - clock_now_ms(clock->clock);
}

int64_t guard_clock_read(guard_clock *clock, bool *is_set_back) {
  int64_t monotonic_ms = clock_monotonic_ms(clock->clock);
  int64_t passed_ms = monotonic_ms - clock->last_monotonic_ms;
  clock->last_monotonic_ms = monotonic_ms;
  int64_t clock_ms = clock_now_ms(clock->clock) + clock->offset_ms;
  int64_t at_least_ms = clock->latest_ms + (passed_ms > 0 ? passed_ms : 0);
  clock->latest_ms = clock_ms > at_least_ms ? clock_ms : at_least_ms;
  *is_set_back = clock_ms < at_least_ms - clock->tolerance_ms;
  return clock->latest_ms;
}

double guard_check_delay_ms(const guard_settings *settings, int failed_checks, int64_t lease_ms, int64_t left_ms) {
  double interval = (double)settings->check_interval_ms;
  double delay = interval;
  if (failed_checks > 0) {
    double retry = (double)settings->retry_interval_ms;
    for (int i = 1; i < failed_checks && retry < interval; i++) retry *= 2;
    if (retry < delay) delay = retry;
    if (lease_ms > 0 && (double)lease_ms / 3 < delay) delay = (double)lease_ms / 3;
    return delay;
  }
  /* The certificate is renewed when half of it is over. Heartbeats renew the one of a floating seat. */
  if (left_ms < 0 || lease_ms > 0) return interval;
  double renewal = (double)left_ms / 2 > 15000 ? (double)left_ms / 2 : 15000;
  return renewal < interval ? renewal : interval;
}

guard_due guard_next_tick(double until_check_ms, int64_t lease_ms, int64_t end_ms, double random, double *delay_ms) {
  const double longest = 2147483647;
  double beat = lease_ms > 0 ? (double)lease_ms / 3 * (0.9 + 0.1 * random) : longest;
  double until_end = end_ms >= 0 ? (double)end_ms : longest;
  double first = beat < until_end ? beat : until_end;
  double delay = until_check_ms < first ? until_check_ms : first;
  if (delay > longest) delay = longest;
  *delay_ms = delay > 0 ? delay : 0;
  if (until_check_ms <= first) return GUARD_DUE_CHECK;
  return beat < until_end ? GUARD_DUE_BEAT : GUARD_DUE_END;
}
