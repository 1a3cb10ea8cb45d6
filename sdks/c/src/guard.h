/* The parts of a guard, which `guard.c` puts together. */
#ifndef LICENSING_GUARD_H
#define LICENSING_GUARD_H

#include <stdatomic.h>

#include "answer.h"
#include "platform.h"

/* Why something is not allowed or did not work. */
typedef struct guard_reason {
  char *code;
  char *detail;
} guard_reason;

guard_reason reason_of(const char *code, const char *detail);
void reason_free(guard_reason *reason);
void reason_set(guard_reason *to, const char *code, const char *detail);

/* Tells the time of the service from the clock of this machine, and notices when that clock is set back. */
typedef struct guard_clock {
  const licensing_clock *clock;
  int64_t tolerance_ms;
  int64_t last_monotonic_ms;
  /* The latest time that was seen, in the time of the service, since 1970. */
  int64_t latest_ms;
  /* What must be added to the clock of this machine to get the time of the service. */
  int64_t offset_ms;
} guard_clock;

/* Takes over what an earlier or another process has seen. */
void guard_clock_adopt(guard_clock *clock, int64_t latest_ms, int64_t offset_ms);
/* Takes over the time of an answer of the service. */
void guard_clock_synchronize(guard_clock *clock, int64_t server_ms);
/* Returns the time, never before the latest one, and whether the clock was set back by more than the tolerance. */
int64_t guard_clock_read(guard_clock *clock, bool *is_set_back);

/* What the last answer of the service left behind. */
typedef struct guard_memory {
  licensing_store store;
  guard_clock *clock;
  char *license_key;
  /* Whether the key is kept in the store, because the application does not have it. */
  bool keeps_key;
  /* The last certificate; NULL after a refusal. */
  char *certificate;
  /* The last refusal; its code is NULL after a positive answer. */
  guard_reason denial;
  /* When the service refused; -1 without a refusal. */
  int64_t denied_at_ms;
  /* The release that the denial is about; -1: every release. */
  int64_t release_ms;
  /* The id of the license, so that a later answer about another license is noticed. */
  char *license_id;
  /* The seat of this machine; NULL without one. */
  char *seat_id;
  char *seat_fingerprint;
  /* The length of the lease; 0 for a seat that stays until it is freed. */
  int64_t lease_ms;
  bool is_answer_new;
  bool is_seat_new;
  /* Whether the guard is a user of the store; `hold` is NULL if the store failed or does not count its users. */
  bool is_held;
  void *hold;
  /* Failures of the store that the listener has not heard: their code and message. */
  json *failures;
  /* The code of the last failure, until a write succeeds: one broken store is one error. */
  const char *reported;
} guard_memory;

/* Ends the hold of the store, and destroys the store. */
void guard_memory_free(guard_memory *memory);
/* Makes the guard a user of its store. */
void guard_memory_hold(guard_memory *memory);
/*
 * Ends that, and returns whether a floating seat may be freed: there is no other user, or the store does not count them. If
 * the store fails, that is unknown, and the seat ends with its lease.
 */
bool guard_memory_leave(guard_memory *memory);
/* Reads what this process does not know better. */
void guard_memory_load(guard_memory *memory);
/* Writes everything; what could not be written is written by the next call. */
void guard_memory_save(guard_memory *memory);
/* Continues with another license key, which the store keeps from now on. */
void guard_memory_adopt(guard_memory *memory, const char *license_key);
void guard_memory_clear_answer(guard_memory *memory);
/* NULL: there is no seat. */
void guard_memory_set_seat(guard_memory *memory, const json *activation, const char *fingerprint);

/* The options of a guard, owned by it. */
typedef struct guard_settings {
  licensing_client *client;
  char *product;
  char *fingerprint;
  /* NULL without a fingerprint. */
  char *components;
  char *device_name;
  char *app_version;
  char **entitlements;
  size_t entitlement_count;
  char *version_released_at;
  int64_t release_ms;
  char *jwks;
  char *issuer;
  char *audience;
  char *language;
  int64_t check_interval_ms;
  int64_t retry_interval_ms;
} guard_settings;

/* One check: what the service answered, proven if there are keys. */
typedef struct guard_answer {
  /* The error of a check without an answer that can be trusted, or NULL. The other fields say nothing then. */
  licensing_answer *failure;
  licensing_answer *verdict;
  guard_reason denial;
  guard_reason seat_denial;
  char *license_id;
  /* The service's time of the answer; -1 if it is unknown. */
  int64_t server_ms;
  bool is_incomplete;
} guard_answer;

guard_answer guard_consult(const guard_settings *settings, guard_memory *memory, atomic_bool *is_aborted);
void guard_answer_free(guard_answer *answer);
bool guard_is_seatless(const char *code);

/* Everything that a state depends on. */
typedef struct guard_findings {
  int64_t now_ms;
  bool is_set_back;
  /* The last verdict of the service to this process; NULL before the first. */
  const licensing_answer *verdict;
  int64_t received_at_ms;
  const guard_reason *warning;
  /* Why the last check got no answer. */
  const guard_reason *failure;
  const guard_reason *denial;
  /* The verified certificate, or NULL. */
  const licensing_answer *certified;
  int64_t answer_life_ms;
  const guard_settings *settings;
} guard_findings;

typedef struct guard_state {
  licensing_status status;
  guard_reason reason;
  /* -1: none. */
  int64_t until_ms;
  int64_t checked_at_ms;
  /* A list of entitlements. */
  json *entitlements;
  /* An object, or NULL. */
  json *license;
  /* The facts whose changes listeners receive. */
  char *essence;
} guard_state;

guard_state guard_judge(const guard_findings *findings);
void guard_state_free(guard_state *state);
const char *guard_status_name(licensing_status status);
/* Returns the state as data, with the text for people in a language. */
licensing_answer *guard_state_answer(const guard_state *state, const char *language);
/* The answer of a call without a guard. */
licensing_answer *guard_missing(void);

/* Whether an entitlement that the state grants has not ended. */
bool guard_state_grants(const guard_state *state, const char *code, int64_t now_ms);

typedef enum guard_due { GUARD_DUE_CHECK, GUARD_DUE_BEAT, GUARD_DUE_END } guard_due;

/* The time to the next check, without the random part. 0 ms of lease: none; -1 left: no certificate. */
double guard_check_delay_ms(const guard_settings *settings, int failed_checks, int64_t lease_ms, int64_t left_ms);
/* What comes first, and in how many milliseconds. -1: there is no such end. */
guard_due guard_next_tick(double until_check_ms, int64_t lease_ms, int64_t end_ms, double random, double *delay_ms);

#endif
