/* The thread of a guard, and threads that share a guard. A service that nobody reaches answers every check at once. */
#include <stdio.h>
#include <stdlib.h>

#include "licensing/licensing.h"
#include "platform.h"
#include "text.h"

#define THREADS 4
#define ROUNDS 50
#define PATIENCE_MS 20000

static platform_mutex mutex;
static platform_condition changed;
static pthread_t main_thread;
static licensing_guard *guard;
static int heard;
static bool must_stop;
static bool has_ended;
static pthread_key_t end_of_thread;
/* How many guards hold the store, and whether one did twice. */
static int holders;

/* The same failure is reported once, so the store fails in two ways in turn. The guard calls it in one thread at a time. */
static bool read_badly(void *context, char **text) {
  bool *is_failing = context;
  *is_failing = !*is_failing;
  if (!*is_failing) *text = text_copy("{\"kind\":\"another\"}");
  return !*is_failing;
}

static void *hold(void *context) {
  platform_lock(&mutex);
  if (++holders > 1) abort();
  platform_unlock(&mutex);
  return context;
}

static bool release(void *context, void *held, bool *is_last) {
  (void)context, (void)held;
  platform_lock(&mutex);
  *is_last = --holders == 0;
  platform_unlock(&mutex);
  return true;
}

static bool fail_to_write(void *context, const char *text) {
  (void)context, (void)text;
  return false;
}

static void note_end(void *value) {
  (void)value;
  platform_lock(&mutex);
  has_ended = true;
  platform_wake(&changed);
  platform_unlock(&mutex);
}

/* Each check reports a failure of the store. Those of the guard's own thread count. */
static void note(void *context, const char *code, const char *message) {
  (void)context, (void)code, (void)message;
  if (pthread_equal(pthread_self(), main_thread)) return;
  platform_lock(&mutex);
  bool is_asked = must_stop;
  must_stop = false;
  platform_unlock(&mutex);
  if (is_asked) {
    licensing_guard_stop(guard);
    pthread_setspecific(end_of_thread, &end_of_thread);
  }
  platform_lock(&mutex);
  heard++;
  platform_wake(&changed);
  platform_unlock(&mutex);
}

static void expect_checks(const char *title, int count) {
  int64_t end_ms = clock_monotonic_ms(NULL) + PATIENCE_MS;
  platform_lock(&mutex);
  heard = 0;
  while (heard < count && clock_monotonic_ms(NULL) < end_ms) platform_wait(&changed, &mutex, PATIENCE_MS);
  bool is_right = heard >= count;
  platform_unlock(&mutex);
  if (is_right) return;
  fprintf(stderr, "FAILED %s\n", title);
  exit(1);
}

static void expect_holders(const char *title, int count) {
  if (holders == count) return;
  fprintf(stderr, "FAILED %s: %d\n", title, holders);
  exit(1);
}

static void use(void *context) {
  (void)context;
  for (int i = 0; i < ROUNDS; i++) {
    if (i % 2 == 0) licensing_guard_start(guard);
    else licensing_guard_start_fresh(guard);
    licensing_guard_refresh(guard);
    licensing_answer_free(licensing_guard_state(guard));
    if (licensing_guard_has(guard, "export") || licensing_guard_status(guard) != LICENSING_UNLICENSED) abort();
    licensing_guard_due_ms(guard);
    if (i % 5 == 0) licensing_guard_stop(guard);
  }
}

int main(void) {
  platform_mutex_init(&mutex);
  platform_condition_init(&changed);
  main_thread = pthread_self();
  pthread_key_create(&end_of_thread, note_end);
  licensing_client_options options = {.size = sizeof options,
                                      .base_url = "http://127.0.0.1:1",
                                      .api_key = "vx_1",
                                      .max_retries = LICENSING_NO_RETRIES};
  licensing_client *client = licensing_client_new(&options, NULL);
  bool is_failing = false;
  licensing_guard_options given = {.size = sizeof given,
                                   .client = client,
                                   .license_key = "KEY",
                                   .fingerprint = "device",
                                   .store = {.context = &is_failing,
                                             .read = read_badly,
                                             .write = fail_to_write,
                                             .hold = hold,
                                             .release = release},
                                   .is_unsigned = true,
                                   .check_interval_ms = 10,
                                   .retry_interval_ms = 10,
                                   .on_error = note};
  guard = licensing_guard_new(&given, NULL);
  licensing_guard_start(guard);
  expect_checks("a started guard checks in its own thread", 3);
  licensing_guard_stop(guard);
  licensing_guard_start(guard);
  expect_checks("a guard that was stopped and started checks again", 3);
  platform_lock(&mutex);
  must_stop = true;
  while (!has_ended) platform_wait(&changed, &mutex, -1);
  platform_unlock(&mutex);
  licensing_guard_start(guard);
  expect_checks("a guard that its listener stopped checks again after a start", 3);

  platform_thread threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    if (!platform_thread_start(&threads[i], use, NULL)) abort();
  }
  for (int i = 0; i < THREADS; i++) platform_thread_join(threads[i]);
  licensing_guard_start(guard);
  expect_checks("a guard that threads started and stopped checks again", 3);
  licensing_guard_stop(guard);
  expect_holders("a stopped guard does not hold its store", 0);
  licensing_guard_start_fresh(guard);
  expect_holders("a running guard holds its store once", 1);
  licensing_guard_free(guard);
  expect_holders("a freed guard does not hold its store", 0);
  licensing_client_free(client);
  pthread_key_delete(end_of_thread);
  platform_condition_free(&changed);
  platform_mutex_free(&mutex);
  return 0;
}
