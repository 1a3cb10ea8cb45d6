/* Performs the calls of the conformance runner: one JSON object per line in both directions. */
#define _POSIX_C_SOURCE 200809L
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fingerprint.h"
#include "offline_files.h"
#include "platform.h"

/* A client, and its clock, which jumps over waits and notes them. */
typedef struct kept_client {
  char *name;
  licensing_client *client;
  bool is_simulated;
  int64_t skipped_ms;
  json *waited;
  struct kept_client *next;
} kept_client;

static kept_client *clients;

static int64_t now_ms(void *context) {
  (void)context;
  return clock_now_ms(NULL);
}

/* Every call asks for the time before it sends something, so a closed gate holds it. */
static int64_t monotonic_ms(void *context) {
  driver_pass_gate();
  return clock_monotonic_ms(NULL) + ((kept_client *)context)->skipped_ms;
}

static void skip_ms(void *context, int64_t duration_ms) {
  kept_client *kept = context;
  if (!kept->is_simulated) {
    clock_sleep_ms(NULL, duration_ms);
    return;
  }
  kept->skipped_ms += duration_ms;
  json_append(kept->waited, json_new_number(duration_ms));
}

static double random_number(void *context) {
  (void)context;
  return clock_random(NULL);
}

int64_t driver_number(const json *given, const char *name, int64_t otherwise) {
  double number;
  return json_number(json_member(given, name), &number) ? (int64_t)number : otherwise;
}

driver_texts driver_texts_of(const json *given, const char *name) {
  driver_texts list = {0};
  const json *from = json_member(given, name);
  if (!json_is(from, JSON_LIST)) return list;
  list.count = json_count(from);
  list.texts = text_allocate(list.count, sizeof(char *));
  size_t i = 0;
  for (const json *one = from->first; one != NULL; one = one->next) list.texts[i++] = json_text(one);
  return list;
}

void driver_texts_free(driver_texts *list) { free((void *)list->texts); }

licensing_answer *driver_nothing(void) { return answer_of(json_new(JSON_NULL)); }

static licensing_answer *client_for(const json *options, kept_client **found) {
  const char *name = json_member_text(options, "name");
  for (*found = clients; *found != NULL; *found = (*found)->next) {
    if (text_equal((*found)->name, name)) return NULL;
  }
  kept_client *kept = text_allocate(1, sizeof(kept_client));
  kept->waited = json_new(JSON_LIST);
  kept->name = text_copy(name);
  kept->is_simulated = json_is(json_member(options, "is_time_simulated"), JSON_TRUE);
  licensing_clock clock = {sizeof clock, kept, now_ms, monotonic_ms, skip_ms, random_number};
  int64_t retries = driver_number(options, "max_retries", 2);
  licensing_client_options given = {.size = sizeof given,
                                    .base_url = json_member_text(options, "base_url"),
                                    .api_key = json_member_text(options, "api_key"),
                                    .timeout_ms = driver_number(options, "timeout_ms", 0),
                                    /* A case says 0 for none, and the library -1. */
                                    .max_retries = (int32_t)(retries > 0 ? retries : retries - 1),
                                    .clock = &clock};
  licensing_answer *error;
  kept->client = licensing_client_new(&given, &error);
  if (kept->client == NULL) {
    json_free(kept->waited);
    free(kept->name);
    free(kept);
    return error;
  }
  kept->next = clients;
  clients = kept;
  *found = kept;
  return NULL;
}

static const char *text_of(const json *given, const char *name) { return json_member_text(given, name); }

/* Returns an object as JSON, or NULL. */
static char *object_of(const json *given, const char *name) {
  const json *object = json_member(given, name);
  return object == NULL ? NULL : json_to_text(object);
}

static licensing_answer *validate(licensing_client *client, const json *given) {
  driver_texts entitlements = driver_texts_of(given, "entitlements");
  licensing_question question = {.size = sizeof question,
                                 .product = text_of(given, "product"),
                                 .fingerprint = text_of(given, "fingerprint"),
                                 .entitlements = entitlements.texts,
                                 .entitlement_count = entitlements.count,
                                 .version_released_at = text_of(given, "version_released_at"),
                                 .nonce = text_of(given, "nonce"),
                                 .proof = json_is(json_member(given, "proof"), JSON_TRUE)};
  char *components = object_of(given, "components");
  question.components = components;
  licensing_answer *answer = licensing_validate(client, text_of(given, "license_key"), &question);
  free(components);
  driver_texts_free(&entitlements);
  return answer;
}

/* The caller frees the metadata and the components. */
static licensing_device device_of(const json *given) {
  return (licensing_device){.size = sizeof(licensing_device),
                            .fingerprint = text_of(given, "fingerprint"),
                            .name = text_of(given, "name"),
                            .hostname = text_of(given, "hostname"),
                            .platform = text_of(given, "platform"),
                            .metadata = object_of(given, "metadata"),
                            .components = object_of(given, "components")};
}

static void free_device(licensing_device *device) {
  free((void *)(uintptr_t)device->metadata);
  free((void *)(uintptr_t)device->components);
}

/* A call with a device. */
static licensing_answer *of_device(licensing_client *client, const char *operation, const json *given) {
  licensing_device device = device_of(given);
  const char *key = text_of(given, "license_key");
  licensing_answer *answer;
  if (text_equal(operation, "activate")) {
    answer = licensing_activate(client, key, &device);
  } else if (text_equal(operation, "list_activations")) {
    int32_t limit = (int32_t)driver_number(given, "limit", 0);
    answer = licensing_list_activations_for(client, key, &device, limit, text_of(given, "cursor"));
  } else {
    answer = licensing_issue_certificate_for(client, key, &device, driver_number(given, "ttl_seconds", 0));
  }
  free_device(&device);
  return answer;
}

static licensing_answer *check_entitlements(licensing_client *client, const json *given) {
  driver_texts codes = driver_texts_of(given, "entitlements");
  licensing_answer *answer =
      licensing_check_entitlements(client, text_of(given, "license_key"), codes.texts, codes.count);
  driver_texts_free(&codes);
  return answer;
}

static licensing_answer *report_usage(licensing_client *client, const json *given) {
  const json *list = json_member(given, "events");
  size_t count = json_count(list), i = 0;
  licensing_usage_event *events = text_allocate(count, sizeof(licensing_usage_event));
  for (const json *one = list == NULL ? NULL : list->first; one != NULL; one = one->next) {
    events[i++] = (licensing_usage_event){text_of(one, "entitlement"), driver_number(one, "quantity", 0),
                                          text_of(one, "idempotency_key"), text_of(one, "occurred_at")};
  }
  licensing_answer *answer = licensing_report_usage(client, text_of(given, "license_key"), events, count);
  free(events);
  return answer;
}

static licensing_answer *start_trial(licensing_client *client, const json *given) {
  licensing_trial trial = {.size = sizeof trial,
                           .product = text_of(given, "product"),
                           .fingerprint = text_of(given, "fingerprint"),
                           .email = text_of(given, "email"),
                           .name = text_of(given, "name")};
  char *components = object_of(given, "components");
  trial.components = components;
  licensing_answer *answer = licensing_start_trial(client, &trial);
  free(components);
  return answer;
}

static licensing_answer *online(licensing_client *client, const char *operation, const json *given) {
  const char *key = text_of(given, "license_key");
  const char *activation = text_of(given, "activation_id");
  if (text_equal(operation, "validate")) return validate(client, given);
  if (text_equal(operation, "heartbeat")) return licensing_heartbeat(client, key, activation);
  if (text_equal(operation, "deactivate")) return licensing_deactivate(client, key, activation);
  if (text_equal(operation, "check_entitlements")) return check_entitlements(client, given);
  if (text_equal(operation, "report_usage")) return report_usage(client, given);
  if (text_equal(operation, "start_trial")) return start_trial(client, given);
  if (text_equal(operation, "confirm_trial")) return licensing_confirm_trial(client, text_of(given, "code"));
  if (text_equal(operation, "jwks")) return licensing_jwks(client, text_of(given, "tenant_id"));
  bool is_of_device = text_equal(operation, "activate") || text_equal(operation, "list_activations") ||
                      text_equal(operation, "issue_certificate");
  if (is_of_device) return of_device(client, operation, given);
  return answer_error("DRIVER.UNKNOWN", operation);
}

static licensing_answer *verify(const char *operation, const json *given) {
  driver_texts entitlements = driver_texts_of(given, "entitlements");
  char *jwks = json_to_text(json_member(given, "jwks"));
  char *verdict = json_to_text(json_member(given, "verdict"));
  int64_t tolerance = driver_number(given, "clock_tolerance_seconds", 60);
  licensing_verification expected = {.size = sizeof expected,
                                     .jwks = jwks,
                                     .issuer = text_of(given, "issuer"),
                                     .audience = text_of(given, "audience"),
                                     .product = text_of(given, "product"),
                                     .fingerprint = text_of(given, "fingerprint"),
                                     .version_released_at = text_of(given, "version_released_at"),
                                     .now_ms = driver_number(given, "now", 0) * 1000,
                                     /* A case says 0 for none, and the library -1. */
                                     .clock_tolerance_ms = tolerance > 0 ? tolerance * 1000 : tolerance - 1,
                                     .nonce = text_of(given, "nonce"),
                                     .license_key = text_of(given, "license_key"),
                                     .license_id = text_of(given, "license_id"),
                                     .entitlements = entitlements.texts,
                                     .entitlement_count = entitlements.count};
  licensing_answer *answer = text_equal(operation, "verify_verdict")
                                 ? licensing_verify_verdict(verdict, &expected)
                                 : licensing_verify_certificate(text_of(given, "token"), &expected);
  free(jwks);
  free(verdict);
  driver_texts_free(&entitlements);
  return answer;
}

static const char *variable_of_case(void *context, const char *name) {
  return json_member_text(json_member(context, "env"), name);
}

static char *read_file_of_case(void *context, const char *path) {
  return text_copy(json_member_text(json_member(context, "files"), path));
}

static char *property_of_case(void *context, fingerprint_property property) {
  static const char *const names[] = {"machine_guid", "hardware_id", "cpu_name"};
  const char *value = json_member_text(context, names[property]);
  const char *name = property == FINGERPRINT_BOARD ? "IOPlatformSerialNumber" : "IOPlatformUUID";
  if (value != NULL || property == FINGERPRINT_CPU) return text_copy(value);
  return fingerprint_mac_property(json_member_text(context, "ioreg"), name);
}

static licensing_answer *fingerprint(const char *operation, json *given) {
  const char *id = text_of(given, "machine_id");
  json *contents = NULL;
  for (json *one = given->first; one != NULL; one = one->next) {
    if (text_equal(one->name, "system")) contents = one;
  }
  char *found = text_copy(id);
  fingerprint_system system = {contents, text_of(contents, "platform"), variable_of_case, read_file_of_case,
                               property_of_case};
  if (contents != NULL) {
    found = fingerprint_id_of(&system);
    if (found == NULL) {
      char *key = text_random_key();
      char *path = text_format("/tmp/licensing-conformance-%s/machine-id", key);
      platform_make_folder_of(path);
      platform_write_new_file(path, text_of(given, "stored_id"));
      found = fingerprint_stored_id(path);
      platform_remove_file(path);
      *strrchr(path, '/') = '\0';
      rmdir(path);
      free(path);
      free(key);
    }
  }
  const char *product = text_of(given, "product");
  licensing_answer *answer;
  if (text_equal(operation, "machine_components")) {
    json *data = json_new(JSON_OBJECT);
    json_add(data, "components", components_of(&system, found, product));
    answer = answer_of(data);
  } else {
    answer = answer_of_text("fingerprint", fingerprint_of(found, product));
  }
  free(found);
  return answer;
}

/* Returns the text of an answer as its data. */
static licensing_answer *opened(licensing_answer *answer) {
  const char *file = licensing_answer_text(answer, "file");
  if (file == NULL) return answer;
  licensing_answer *content = answer_of(json_parse(file, strlen(file)));
  licensing_answer_free(answer);
  return content;
}

static licensing_answer *offline(const char *operation, json *given) {
  if (text_starts(operation, "verify_")) return verify(operation, given);
  if (text_starts(operation, "machine_")) return fingerprint(operation, given);
  if (text_equal(operation, "read_certificate_file")) return licensing_read_certificate_file(text_of(given, "file"));
  if (text_equal(operation, "offline_request")) {
    licensing_device device = device_of(given);
    int64_t now = driver_number(given, "now", 0) * 1000;
    licensing_answer *answer = offline_request_at(text_of(given, "product"), &device, now);
    free_device(&device);
    return opened(answer);
  }
  return answer_error("DRIVER.UNKNOWN", operation);
}

static void write_answer(const json *id, licensing_answer *answer, kept_client *kept) {
  json *line = json_new(JSON_OBJECT);
  json_add(line, "id", json_copy(id));
  if (answer->error == NULL) {
    json_add(line, "result", json_copy(answer->data));
  } else {
    json *error = json_add(line, "error", json_new(JSON_OBJECT));
    json_add_text(error, "code", answer->error);
    json_add_text(error, "message", answer->message);
    if (answer->status != 0) json_add_number(error, "status", answer->status);
    if (answer->request_id != NULL) json_add_text(error, "request_id", answer->request_id);
    json_add(error, "details", json_copy(answer->data));
    if (answer->retry_after_ms >= 0) json_add_number(error, "retry_after_ms", answer->retry_after_ms);
  }
  if (kept != NULL && kept->is_simulated) {
    json_add(line, "waited_ms", kept->waited);
    kept->waited = json_new(JSON_LIST);
  }
  char *text_of_line = json_to_text(line);
  puts(text_of_line);
  fflush(stdout);
  free(text_of_line);
  json_free(line);
}

static void answer_line(json *request) {
  const char *operation = json_member_text(request, "operation");
  const json *options = json_member(request, "client");
  json *given = json_copy(json_member(request, "arguments"));
  kept_client *kept = NULL;
  licensing_answer *answer = options == NULL ? offline(operation, given) : client_for(options, &kept);
  if (answer == NULL && text_starts(operation, "guard_")) answer = driver_guard(operation, given, kept->client);
  if (answer == NULL) answer = online(kept->client, operation, given);
  write_answer(json_member(request, "id"), answer, kept);
  licensing_answer_free(answer);
  json_free(given);
}

static bool read_line(text *line) {
  int c;
  line->length = 0;
  text_add(line, "");
  while ((c = getchar()) != EOF && c != '\n') {
    char byte = (char)c;
    text_add_bytes(line, &byte, 1);
  }
  return c != EOF;
}

int main(void) {
  text line = {0};
  while (read_line(&line)) {
    json *request = json_parse(line.data, line.length);
    if (request == NULL) return 1;
    answer_line(request);
    json_free(request);
  }
  text_free(&line);
  licensing_answer_free(driver_guard("guard_reset", NULL, NULL));
  while (clients != NULL) {
    kept_client *next = clients->next;
    licensing_client_free(clients->client);
    json_free(clients->waited);
    free(clients->name);
    free(clients);
    clients = next;
  }
  return 0;
}
