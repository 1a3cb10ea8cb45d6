/*
 * The guard itself. `guard_work.c` holds the state, `guard_schedule.c` the timer, `guard_check.c` asks the service,
 * `guard_timer.c` does what is due, and `guard.c` starts and stops. Each calls only the earlier ones.
 */
#ifndef LICENSING_GUARD_CORE_H
#define LICENSING_GUARD_CORE_H

#include "guard.h"

/* What listeners are told after the work: a change of the state, or a failure of the store. */
typedef struct guard_event {
  bool is_change;
  licensing_status status;
  char *code;
  char *message;
  struct guard_event *next;
} guard_event;

struct licensing_guard {
  guard_settings settings;
  const licensing_clock *clock;
  licensing_clock clock_copy;
  void *context;
  void (*on_change)(void *context, licensing_status status, const char *reason);
  void (*on_error)(void *context, const char *code, const char *message);

  /* Held by one check, heartbeat or import at a time, which own the fields below it. */
  platform_mutex work;
  guard_clock service_clock;
  guard_memory memory;
  licensing_answer *verdict;
  int64_t received_at_ms;
  guard_reason warning;
  guard_reason failure;
  licensing_answer *certified;
  int failed_checks;
  double until_check_ms;

  /* Held for moments only, and protects the fields below it. */
  platform_mutex mutex;
  platform_condition changed;
  guard_state state;
  char *published;
  /* A copy of the clock, because `work` may be held for as long as a network takes. */
  guard_clock read_clock;
  bool is_running;
  bool is_checking;
  uint64_t checks_ended;
  /* The calls that share the running check. */
  int64_t sharing;
  atomic_bool is_aborted;
  /* When the timer fires, in the monotonic time; -1: never. */
  int64_t due_at_ms;
  guard_due due;
  double due_delay_ms;
  bool is_pumped;
  /* Whether `thread` must be joined, and whether it has ended: a listener that stops the guard cannot wait for it. */
  bool has_thread;
  bool has_thread_ended;
  platform_thread thread;
  /* The number of `thread`. A thread that a stop waits for ends even if another thread starts the guard meanwhile. */
  uint64_t thread_number;
  guard_event *events;
  bool is_delivering;
};

/* These run under `work`. */
void guard_fail(licensing_guard *guard, const char *code, const char *detail);
void guard_evaluate(licensing_guard *guard);
void guard_renew_certificate(licensing_guard *guard);
void guard_schedule_check(licensing_guard *guard, int64_t retry_after_ms);
void guard_schedule_tick(licensing_guard *guard);
licensing_answer *guard_verify_new(licensing_guard *guard, const char *certificate);
licensing_answer *guard_verify_kept(licensing_guard *guard);

/* Ends the work, and then tells the listeners: they may call the guard. */
void guard_end_work(licensing_guard *guard);
/* Stops the timer. The caller holds `mutex`. */
void guard_clear_timer(licensing_guard *guard);
/* Makes a check due. The caller holds `mutex`. */
void guard_schedule_now(licensing_guard *guard);
/*
 * Starts the thread of a running guard that has none. False: nothing will happen by itself, because the guard was stopped or
 * the system has no more threads. The caller holds `mutex`.
 */
bool guard_ensure_thread(licensing_guard *guard);

#endif
