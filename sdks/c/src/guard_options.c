#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "guard_core.h"
#include "moment.h"
#include "store.h"
#include "token.h"

#define HOUR_MS 3600000

/* A forgotten key would make the guard believe any server, so only an application that says so goes without one. */
static licensing_answer *check_trust(const licensing_guard_options *options) {
  if (options->jwks != NULL && options->is_unsigned) return answer_invalid("Pass either jwks or is_unsigned, not both.");
  if (options->jwks == NULL && !options->is_unsigned) {
    return answer_invalid("Pass jwks, issuer and audience, so that the guard verifies every answer. To believe any server "
                          "that answers, set is_unsigned instead.");
  }
  licensing_verification expected = {
      .size = sizeof expected, .jwks = options->jwks, .issuer = options->issuer, .audience = options->audience};
  return options->is_unsigned ? NULL : token_check(&expected);
}

/* Returns CONFIGURATION.INVALID for an option that cannot work, or NULL. */
static licensing_answer *check(const licensing_guard_options *options) {
  int64_t released_ms;
  if (options == NULL) return answer_invalid("Pass the options of the guard.");
  if (!HAS_SIZE_BEFORE(options, components) || (options->clock != NULL && !HAS_SIZE(options->clock))) return answer_invalid(SIZE_PROBLEM);
  if (options->client == NULL) return answer_invalid("client must be a client.");
  const licensing_store *store = &options->store;
  if ((store->read == NULL) != (store->write == NULL) || (store->hold == NULL) != (store->release == NULL)) {
    return answer_invalid("store must have both read and write, and both hold and release or neither.");
  }
  licensing_answer *mistake = check_trust(options);
  if (mistake != NULL) return mistake;
  if (!client_is_object(NEW_MEMBER(options, components))) return answer_invalid("components must be a JSON object.");
  if (options->version_released_at != NULL && !moment_parse(options->version_released_at, &released_ms)) {
    return answer_invalid("version_released_at must be a moment: 2026-05-01T00:00:00Z.");
  }
  if (options->check_interval_ms < 0 || options->retry_interval_ms < 0 || options->clock_tolerance_ms < 0) {
    return answer_invalid("The intervals and the tolerance must be positive.");
  }
  return sodium_init() < 0 ? answer_invalid("The system has no random numbers.") : NULL;
}

static int64_t or_default(int64_t given, int64_t standard) { return given == 0 ? standard : given; }

static void take_settings(guard_settings *settings, const licensing_guard_options *options) {
  settings->client = options->client;
  settings->product = text_copy(options->product);
  settings->fingerprint = text_copy(options->fingerprint);
  /* They go with a fingerprint only. */
  if (options->fingerprint != NULL) settings->components = text_copy(NEW_MEMBER(options, components));
  settings->device_name = text_copy(options->device_name);
  settings->app_version = text_copy(options->app_version);
  settings->version_released_at = text_copy(options->version_released_at);
  if (!moment_parse(options->version_released_at, &settings->release_ms)) settings->release_ms = 0;
  settings->jwks = text_copy(options->jwks);
  settings->issuer = text_copy(options->issuer);
  settings->audience = text_copy(options->audience);
  settings->language = text_copy(options->language);
  settings->check_interval_ms = or_default(options->check_interval_ms, HOUR_MS);
  settings->retry_interval_ms = or_default(options->retry_interval_ms, 30000);
  settings->entitlement_count = options->entitlements == NULL ? 0 : options->entitlement_count;
  settings->entitlements = text_allocate(settings->entitlement_count, sizeof(char *));
  for (size_t i = 0; i < settings->entitlement_count; i++) settings->entitlements[i] = text_copy(options->entitlements[i]);
}

licensing_guard *licensing_guard_new(const licensing_guard_options *options, licensing_answer **error) {
  licensing_answer *mistake = check(options);
  if (error != NULL) *error = mistake;
  else licensing_answer_free(mistake);
  if (mistake != NULL) {
    /* A guard would destroy the store, but there is no guard. */
    if (options != NULL && HAS_SIZE_BEFORE(options, components)) store_destroy(&options->store);
    return NULL;
  }
  licensing_guard *guard = text_allocate(1, sizeof(licensing_guard));
  take_settings(&guard->settings, options);
  if (options->clock != NULL) {
    guard->clock_copy = *options->clock;
    guard->clock = &guard->clock_copy;
  }
  guard->context = options->context;
  guard->on_change = options->on_change;
  guard->on_error = options->on_error;
  guard->is_pumped = options->is_pumped;
  guard->service_clock.clock = guard->clock;
  guard->service_clock.tolerance_ms = or_default(options->clock_tolerance_ms, 300000);
  guard->service_clock.last_monotonic_ms = clock_monotonic_ms(guard->clock);
  guard->memory.clock = &guard->service_clock;
  guard->memory.license_key = text_copy(options->license_key == NULL ? "" : options->license_key);
  guard->memory.keeps_key = text_is_empty(options->license_key);
  guard->memory.store = options->store.read == NULL ? store_in_memory() : options->store;
  guard->memory.denied_at_ms = -1;
  guard->memory.release_ms = -1;
  guard->due_at_ms = -1;
  platform_mutex_init(&guard->work);
  platform_mutex_init(&guard->mutex);
  platform_condition_init(&guard->changed);
  guard_evaluate(guard);
  return guard;
}

static void free_settings(guard_settings *settings) {
  free(settings->product);
  free(settings->fingerprint);
  free(settings->components);
  free(settings->device_name);
  free(settings->app_version);
  free(settings->version_released_at);
  free(settings->jwks);
  free(settings->issuer);
  free(settings->audience);
  free(settings->language);
  for (size_t i = 0; i < settings->entitlement_count; i++) free(settings->entitlements[i]);
  free(settings->entitlements);
}

void licensing_guard_free(licensing_guard *guard) {
  if (guard == NULL) return;
  platform_lock(&guard->mutex);
  guard->is_running = false;
  guard->is_aborted = true;
  guard_clear_timer(guard);
  platform_unlock(&guard->mutex);
  if (guard->has_thread) platform_thread_join(guard->thread);
  while (guard->events != NULL) {
    guard_event *next = guard->events->next;
    free(guard->events->code);
    free(guard->events->message);
    free(guard->events);
    guard->events = next;
  }
  guard_memory_free(&guard->memory);
  guard_state_free(&guard->state);
  reason_free(&guard->warning);
  reason_free(&guard->failure);
  licensing_answer_free(guard->verdict);
  licensing_answer_free(guard->certified);
  free(guard->published);
  free_settings(&guard->settings);
  platform_condition_free(&guard->changed);
  platform_mutex_free(&guard->mutex);
  platform_mutex_free(&guard->work);
  free(guard);
}
