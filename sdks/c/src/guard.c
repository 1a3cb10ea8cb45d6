#include <stdlib.h>

#include "guard_core.h"

/* Makes the stored certificate the state, until the service answers. */
static void show(licensing_guard *guard) {
  platform_lock(&guard->work);
  platform_lock(&guard->mutex);
  bool is_stopped = !guard->is_running;
  platform_unlock(&guard->mutex);
  if (!is_stopped) guard_memory_hold(&guard->memory);
  guard_memory_load(&guard->memory);
  /* A check that the application asked for may have an answer already. */
  if (guard->verdict == NULL) guard_fail(guard, "GUARD.CHECKING", "The service has not answered yet. Wait for it.");
  guard_end_work(guard);
}

/* Whether the stored certificate allows the use now, and the check runs behind that. The caller holds `mutex`. */
static bool check_behind(licensing_guard *guard) {
  bool is_allowed = guard->state.status == LICENSING_OFFLINE && text_equal(guard->state.reason.code, "GUARD.CHECKING");
  if (!is_allowed || !guard_ensure_thread(guard)) return false;
  if (!guard->is_checking) guard_schedule_now(guard);
  return true;
}

static licensing_status start(licensing_guard *guard, bool is_fresh) {
  if (guard == NULL) return LICENSING_UNLICENSED;
  platform_lock(&guard->mutex);
  bool is_first = !guard->is_running;
  guard->is_running = true;
  platform_unlock(&guard->mutex);
  if (is_first) show(guard);
  platform_lock(&guard->mutex);
  licensing_status status = guard->state.status;
  bool is_behind = !is_fresh && check_behind(guard);
  platform_unlock(&guard->mutex);
  if (is_behind) return status;
  status = licensing_guard_refresh(guard);
  platform_lock(&guard->mutex);
  guard_ensure_thread(guard);
  platform_unlock(&guard->mutex);
  return status;
}

licensing_status licensing_guard_start(licensing_guard *guard) { return start(guard, false); }
licensing_status licensing_guard_start_fresh(licensing_guard *guard) { return start(guard, true); }

static void release_seat(licensing_guard *guard) {
  guard_memory *memory = &guard->memory;
  bool is_last = guard_memory_leave(memory);
  bool is_ours = is_last && memory->seat_id != NULL && memory->lease_ms > 0 &&
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
  if (guard == NULL) return;
  platform_lock(&guard->mutex);
  guard->is_running = false;
  guard->is_aborted = true;
  guard_clear_timer(guard);
  bool must_join = guard->has_thread && !platform_thread_is_current(guard->thread);
  if (must_join) {
    guard->has_thread = false;
    guard->thread_number++;
  }
  platform_thread thread = guard->thread;
  platform_unlock(&guard->mutex);
  if (must_join) platform_thread_join(thread);
  platform_lock(&guard->work);
  guard->is_aborted = false;
  platform_lock(&guard->mutex);
  /* A start that came after this stop keeps the seat, and its check was ended. */
  bool is_restarted = guard->is_running;
  if (is_restarted) guard_schedule_now(guard);
  platform_unlock(&guard->mutex);
  if (!is_restarted) release_seat(guard);
  guard_end_work(guard);
}
