#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "guard_core.h"

#define GUARDS_MAX 4

/* A text between the runs of an application, which a case damages or makes unusable. */
typedef struct simulated_store {
  char *name;
  char *content;
  bool is_failing;
  int holders;
} simulated_store;

/* A guard, and what its listeners heard since the last question. */
typedef struct running_guard {
  char *name;
  licensing_guard *guard;
  json *changes;
  json *errors;
} running_guard;

static simulated_store stores[GUARDS_MAX];
static running_guard guards[GUARDS_MAX];
static int64_t real_ms, ahead_ms;

static int64_t now_of_case(void *context) {
  (void)context;
  return real_ms + ahead_ms;
}

static int64_t monotonic_of_case(void *context) {
  (void)context;
  return real_ms;
}

static void sleep_of_case(void *context, int64_t duration_ms) { (void)context, (void)duration_ms; }

static double random_of_case(void *context) {
  (void)context;
  return 0.5;
}

static bool read_store(void *context, char **content) {
  simulated_store *store = context;
  if (store->is_failing) return false;
  *content = text_copy(store->content);
  return true;
}

static bool write_store(void *context, const char *content) {
  simulated_store *store = context;
  if (store->is_failing) return false;
  free(store->content);
  store->content = text_copy(content);
  return true;
}

static void *hold_store(void *context) {
  simulated_store *store = context;
  if (store->is_failing) return NULL;
  store->holders++;
  return store;
}

static bool release_store(void *context, void *hold, bool *is_last) {
  simulated_store *store = hold;
  (void)context;
  *is_last = --store->holders == 0;
  return true;
}

static void append(json *list, const char *value) { json_append(list, json_new_text(value)); }

static void note_change(void *context, licensing_status status, const char *reason) {
  char *line = text_format("%s %s", guard_status_name(status), reason);
  append(((running_guard *)context)->changes, line);
  free(line);
}

static void note_error(void *context, const char *code, const char *message) {
  (void)message;
  append(((running_guard *)context)->errors, code);
}

static simulated_store *store_named(const char *name) {
  for (size_t i = 0; i < GUARDS_MAX; i++) {
    if (stores[i].name == NULL) stores[i].name = text_copy(name);
    if (text_equal(stores[i].name, name)) return &stores[i];
  }
  abort();
}

static running_guard *guard_named(const char *name) {
  for (size_t i = 0; i < GUARDS_MAX; i++) {
    if (guards[i].guard != NULL && text_equal(guards[i].name, name)) return &guards[i];
  }
  return NULL;
}

static void end_guard(running_guard *running) {
  licensing_guard_free(running->guard);
  json_free(running->changes);
  json_free(running->errors);
  free(running->name);
  *running = (running_guard){0};
}

static void reset(void) {
  for (size_t i = 0; i < GUARDS_MAX; i++) {
    if (guards[i].guard != NULL) end_guard(&guards[i]);
    free(stores[i].name);
    free(stores[i].content);
    stores[i] = (simulated_store){0};
  }
}

static licensing_answer *create(const json *given, licensing_client *client) {
  const json *options = json_member(given, "options");
  running_guard *running = guards;
  while (running->guard != NULL) running++;
  running->name = text_copy(json_member_text(given, "guard"));
  running->changes = json_new(JSON_LIST);
  running->errors = json_new(JSON_LIST);
  driver_texts entitlements = driver_texts_of(options, "entitlements");
  const json *keys = json_member(options, "jwks");
  char *jwks = keys == NULL ? NULL : json_to_text(keys);
  const json *parts = json_member(options, "components");
  char *components = parts == NULL ? NULL : json_to_text(parts);
  licensing_clock clock = {sizeof clock, NULL, now_of_case, monotonic_of_case, sleep_of_case, random_of_case};
  licensing_guard_options made = {.size = sizeof made,
                                  .client = client,
                                  .license_key = json_member_text(options, "license_key"),
                                  .product = json_member_text(options, "product"),
                                  .fingerprint = json_member_text(options, "fingerprint"),
                                  .entitlements = entitlements.texts,
                                  .entitlement_count = entitlements.count,
                                  .version_released_at = json_member_text(options, "version_released_at"),
                                  .jwks = jwks,
                                  .issuer = json_member_text(options, "issuer"),
                                  .audience = json_member_text(options, "audience"),
                                  .is_unsigned = json_is(json_member(options, "unsigned"), JSON_TRUE),
                                  .check_interval_ms = driver_number(options, "check_interval_ms", 0),
                                  .retry_interval_ms = driver_number(options, "retry_interval_ms", 0),
                                  .clock_tolerance_ms = driver_number(options, "clock_tolerance_ms", 0),
                                  .context = running,
                                  .on_change = note_change,
                                  .on_error = note_error,
                                  .is_pumped = true,
                                  .clock = &clock,
                                  .components = components};
  made.store = (licensing_store){.context = store_named(json_member_text(given, "store")),
                                 .read = read_store,
                                 .write = write_store,
                                 .hold = hold_store,
                                 .release = release_store};
  licensing_answer *error;
  running->guard = licensing_guard_new(&made, &error);
  free(jwks);
  free(components);
  driver_texts_free(&entitlements);
  if (running->guard != NULL) return driver_nothing();
  end_guard(running);
  return error;
}

static void change_store(const json *given) {
  simulated_store *store = store_named(json_member_text(given, "store"));
  const json *is_failing = json_member(given, "is_failing");
  const char *content = json_member_text(given, "text");
  if (json_is_flag(is_failing)) store->is_failing = json_is(is_failing, JSON_TRUE);
  if (content == NULL) return;
  free(store->content);
  store->content = text_copy(content);
}

/* The guard whose timer fires first, or NULL. */
static running_guard *next_guard(int64_t *left_ms) {
  running_guard *first = NULL;
  for (size_t i = 0; i < GUARDS_MAX; i++) {
    int64_t left = guards[i].guard == NULL ? -1 : licensing_guard_due_ms(guards[i].guard);
    if (left < 0 || (first != NULL && left >= *left_ms)) continue;
    first = &guards[i];
    *left_ms = left;
  }
  return first;
}

static licensing_answer *next_timer(void) {
  int64_t left_ms;
  json *data = json_new(JSON_OBJECT);
  if (next_guard(&left_ms) == NULL) json_add_text(data, "due_ms", NULL);
  else json_add_number(data, "due_ms", real_ms + left_ms);
  return answer_of(data);
}

static void add_granted_codes(json *to, const json *entitlements) {
  json *list = json_add(to, "entitlements", json_new(JSON_LIST));
  for (const json *one = entitlements->first; one != NULL; one = one->next) append(list, json_member_text(one, "code"));
}

static licensing_answer *observe(running_guard *running, const json *given) {
  licensing_answer *state = licensing_guard_state(running->guard);
  json *seen = json_new(JSON_OBJECT);
  static const char *const copied[] = {"status", "reason", "until_ms", "checked_at_ms", "license"};
  for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
    json_add(seen, copied[i], json_copy(json_member(state->data, copied[i])));
  }
  add_granted_codes(seen, json_member(state->data, "entitlements"));
  json *has = json_add(seen, "has", json_new(JSON_LIST));
  driver_texts codes = driver_texts_of(given, "has");
  for (size_t i = 0; i < codes.count; i++) {
    if (licensing_guard_has(running->guard, codes.texts[i])) append(has, codes.texts[i]);
  }
  driver_texts_free(&codes);
  json_add(seen, "changes", running->changes);
  json_add(seen, "errors", running->errors);
  running->changes = json_new(JSON_LIST);
  running->errors = json_new(JSON_LIST);
  licensing_answer_free(state);
  return answer_of(seen);
}

/* Keeps the error of a call, and nothing else. */
static licensing_answer *only_error(licensing_answer *answer) {
  if (answer->error != NULL) return answer;
  licensing_answer_free(answer);
  return driver_nothing();
}

static licensing_answer *devices(licensing_guard *guard) {
  licensing_answer *answer = licensing_guard_devices(guard);
  if (answer->error != NULL) return answer;
  json *data = json_new(JSON_OBJECT);
  json *ids = json_add(data, "devices", json_new(JSON_LIST));
  for (const json *one = json_member(answer->data, "activations")->first; one != NULL; one = one->next) {
    append(ids, json_member_text(one, "id"));
  }
  licensing_answer_free(answer);
  return answer_of(data);
}

static licensing_answer *request_file(licensing_guard *guard) {
  licensing_answer *answer = licensing_guard_request_file(guard);
  const char *file = licensing_answer_text(answer, "file");
  if (file == NULL) return answer;
  licensing_answer *content = answer_of(json_parse(file, strlen(file)));
  licensing_answer_free(answer);
  return content;
}

static licensing_answer *start_trial(licensing_guard *guard, const char *email) {
  licensing_answer *answer = licensing_guard_start_trial(guard, email, NULL);
  if (answer->error != NULL) return answer;
  licensing_answer *status = answer_of_text("status", text_copy(licensing_answer_text(answer, "status")));
  licensing_answer_free(answer);
  return status;
}

static struct {
  platform_mutex mutex;
  platform_condition changed;
  bool is_made;
  bool is_closed;
} gate;

static void set_gate(bool is_closed) {
  if (!gate.is_made) {
    platform_mutex_init(&gate.mutex);
    platform_condition_init(&gate.changed);
    gate.is_made = true;
  }
  platform_lock(&gate.mutex);
  gate.is_closed = is_closed;
  platform_wake(&gate.changed);
  platform_unlock(&gate.mutex);
}

void driver_pass_gate(void) {
  if (!gate.is_made) return;
  platform_lock(&gate.mutex);
  while (gate.is_closed) platform_wait(&gate.changed, &gate.mutex, -1);
  platform_unlock(&gate.mutex);
}

static atomic_int refreshed;

static void refresh(void *guard) {
  licensing_guard_refresh(guard);
  refreshed++;
}

/* Whether so many calls share the running check. One that needs no request, which the gate would hold, has ended. */
static bool share(licensing_guard *guard, int64_t calls) {
  platform_lock(&guard->mutex);
  bool is_shared = guard->sharing + refreshed >= calls;
  platform_unlock(&guard->mutex);
  return is_shared;
}

/* Calls that begin before the first one has its answer share its check. */
static void refresh_at_once(licensing_guard *guard, int64_t calls) {
  platform_thread threads[8];
  if (calls > 8) abort();
  refreshed = 0;
  set_gate(true);
  for (int64_t i = 0; i < calls; i++) {
    if (!platform_thread_start(&threads[i], refresh, guard)) abort();
  }
  while (!share(guard, calls - 1)) clock_sleep_ms(NULL, 1);
  set_gate(false);
  for (int64_t i = 0; i < calls; i++) platform_thread_join(threads[i]);
}

/* Returns the status that a start returned, after the check behind it has ended. */
static licensing_answer *start(licensing_guard *guard, bool is_fresh) {
  licensing_status status = is_fresh ? licensing_guard_start_fresh(guard) : licensing_guard_start(guard);
  if (licensing_guard_due_ms(guard) == 0) licensing_guard_tick(guard);
  return answer_of_text("status", text_copy(guard_status_name(status)));
}

static licensing_answer *call(running_guard *running, const char *operation, const json *given) {
  licensing_guard *guard = running->guard;
  if (text_equal(operation, "guard_state")) return observe(running, given);
  if (text_equal(operation, "guard_devices")) return devices(guard);
  if (text_equal(operation, "guard_request_file")) return request_file(guard);
  if (text_equal(operation, "guard_start_trial")) return start_trial(guard, json_member_text(given, "email"));
  if (text_equal(operation, "guard_confirm_trial")) {
    return only_error(licensing_guard_confirm_trial(guard, json_member_text(given, "code")));
  }
  if (text_equal(operation, "guard_activate")) {
    return only_error(licensing_guard_activate(guard, json_member_text(given, "license_key")));
  }
  if (text_equal(operation, "guard_import_certificate")) {
    return only_error(licensing_guard_import_certificate(guard, json_member_text(given, "file")));
  }
  if (text_equal(operation, "guard_release_device")) {
    return only_error(licensing_guard_release_device(guard, json_member_text(given, "id")));
  }
  int64_t calls = driver_number(given, "calls", 1);
  if (text_equal(operation, "guard_start")) return start(guard, json_is(json_member(given, "fresh"), JSON_TRUE));
  if (text_equal(operation, "guard_stop")) licensing_guard_stop(guard);
  else if (text_equal(operation, "guard_refresh") && calls > 1) refresh_at_once(guard, calls);
  else if (text_equal(operation, "guard_refresh")) licensing_guard_refresh(guard);
  else return answer_error("DRIVER.UNKNOWN", operation);
  return driver_nothing();
}

licensing_answer *driver_guard(const char *operation, const json *given, licensing_client *client) {
  if (text_equal(operation, "guard_reset")) {
    reset();
  } else if (text_equal(operation, "guard_time")) {
    real_ms = driver_number(given, "real_ms", 0);
    ahead_ms = driver_number(given, "ahead_ms", 0);
  } else if (text_equal(operation, "guard_store")) {
    change_store(given);
  } else if (text_equal(operation, "guard_create")) {
    return create(given, client);
  } else if (text_equal(operation, "guard_next_timer")) {
    return next_timer();
  } else if (text_equal(operation, "guard_fire")) {
    int64_t left_ms;
    running_guard *next = next_guard(&left_ms);
    if (next != NULL) licensing_guard_tick(next->guard);
  } else {
    running_guard *running = guard_named(json_member_text(given, "guard"));
    if (running == NULL) return answer_error("DRIVER.UNKNOWN", "There is no such guard.");
    if (!text_equal(operation, "guard_kill")) return call(running, operation, given);
    end_guard(running);
  }
  return driver_nothing();
}
