#include <stdlib.h>

#include "client.h"
#include "guard_core.h"
#include "text.h"

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
  if (guard == NULL) return;
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

typedef struct guard_run {
  licensing_guard *guard;
  uint64_t number;
} guard_run;

static void run(void *context) {
  guard_run given = *(guard_run *)context;
  licensing_guard *guard = given.guard;
  free(context);
  for (;;) {
    platform_lock(&guard->mutex);
    int64_t left_ms = guard->due_at_ms < 0 ? -1 : guard->due_at_ms - clock_monotonic_ms(guard->clock);
    bool is_due = guard->due_at_ms >= 0 && left_ms <= 0;
    bool is_current = guard->thread_number == given.number;
    bool must_end = !is_current || !guard->is_running;
    if (must_end && is_current) guard->has_thread_ended = true;
    if (!must_end && !is_due) platform_wait(&guard->changed, &guard->mutex, left_ms);
    platform_unlock(&guard->mutex);
    if (must_end) return;
    if (is_due) licensing_guard_tick(guard);
  }
}

bool guard_ensure_thread(licensing_guard *guard) {
  if (guard->has_thread && guard->has_thread_ended) {
    platform_thread_join(guard->thread);
    guard->has_thread = false;
  }
  if (guard->is_pumped || guard->has_thread || !guard->is_running) return guard->is_running;
  guard_run *given = text_allocate(1, sizeof(guard_run));
  *given = (guard_run){guard, guard->thread_number};
  guard->has_thread_ended = false;
  /* Without a thread the guard checks when it is asked. */
  guard->has_thread = platform_thread_start(&guard->thread, run, given);
  if (!guard->has_thread) free(given);
  return guard->has_thread;
}
