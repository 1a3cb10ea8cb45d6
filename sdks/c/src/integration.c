#include <stdlib.h>
#include <string.h>

#include "client.h"

static const char integration[] = "/api/v1/integration/";

/* Takes the body over, which may be NULL. */
static api_request post(char *path, json *body) {
  api_request request = {.method = "POST", .path = path};
  if (body != NULL) request.body = json_to_text(body);
  json_free(body);
  return request;
}

/* Returns the path of an action of a license. */
static char *license_path(const char *license_key, const char *action) {
  char *segment = client_segment(license_key);
  char *path = text_format("%slicenses/%s/%s", integration, segment, action);
  free(segment);
  return path;
}

static char *activation_path(const char *license_key, const char *activation_id, const char *action) {
  char *segment = client_segment(activation_id);
  char *rest = text_format("activations/%s/%s", segment, action);
  char *path = license_path(license_key, rest);
  free(segment);
  free(rest);
  return path;
}

/* Adds a text that was given. */
static void add_given(json *body, const char *name, const char *value) {
  if (value != NULL) json_add_text(body, name, value);
}

static void add_list(json *body, const char *name, const char *const *texts, size_t count) {
  if (texts == NULL) return;
  json *list = json_new(JSON_LIST);
  json **at = &list->first;
  for (size_t i = 0; i < count; i++) {
    *at = json_new_text(texts[i]);
    at = &(*at)->next;
  }
  json_add(body, name, list);
}

/* Adds a JSON object that was given. False if it is none. */
static bool add_object(json *body, const char *name, const char *given) {
  if (given == NULL) return true;
  json *object = json_parse(given, strlen(given));
  bool is_object = json_is(object, JSON_OBJECT);
  if (is_object) json_add(body, name, object);
  else json_free(object);
  return is_object;
}

bool client_is_object(const char *given) {
  json *body = json_new(JSON_OBJECT);
  bool is_object = add_object(body, "given", given);
  json_free(body);
  return is_object;
}

static licensing_answer *no_object(json *body, const char *name) {
  json_free(body);
  char *message = text_format("%s must be a JSON object.", name);
  licensing_answer *answer = answer_invalid(message);
  free(message);
  return answer;
}

static licensing_answer *no_key(void) { return answer_invalid("A license key must be a text. It is not set."); }

licensing_answer *client_validate(licensing_client *client, const char *license_key, const licensing_question *question,
                                  atomic_bool *is_aborted) {
  static const licensing_question nothing = {.size = sizeof nothing};
  if (license_key == NULL) return no_key();
  if (question == NULL) question = &nothing;
  if (!HAS_SIZE_BEFORE(question, components)) return answer_invalid(SIZE_PROBLEM);
  json *body = json_new(JSON_OBJECT);
  if (!add_object(body, "components", NEW_MEMBER(question, components))) return no_object(body, "components");
  char *nonce = question->nonce == NULL && question->proof ? text_random_key() : text_copy(question->nonce);
  add_given(body, "product", question->product);
  add_given(body, "fingerprint", question->fingerprint);
  add_list(body, "entitlements", question->entitlements, question->entitlement_count);
  add_given(body, "version_released_at", question->version_released_at);
  add_given(body, "app_version", question->app_version);
  add_given(body, "nonce", nonce);
  if (question->proof) json_add_flag(body, "proof", true);
  api_request request = post(license_path(license_key, "validate"), body);
  request.required[0] = (required_field){"valid", JSON_TRUE};
  request.required[1] = (required_field){"code", JSON_TEXT};
  request.nonce = question->proof ? nonce : NULL;
  request.is_aborted = is_aborted;
  licensing_answer *answer = client_call(client, &request);
  free(nonce);
  return answer;
}

licensing_answer *licensing_validate(licensing_client *client, const char *license_key, const licensing_question *question) {
  return client_validate(client, license_key, question, NULL);
}

licensing_answer *licensing_activate(licensing_client *client, const char *license_key, const licensing_device *device) {
  if (license_key == NULL || device == NULL) return no_key();
  if (!HAS_SIZE_BEFORE(device, components)) return answer_invalid(SIZE_PROBLEM);
  json *body = json_new(JSON_OBJECT);
  if (!add_object(body, "components", NEW_MEMBER(device, components))) return no_object(body, "components");
  if (!add_object(body, "metadata", device->metadata)) return no_object(body, "metadata");
  add_given(body, "fingerprint", device->fingerprint);
  add_given(body, "name", device->name);
  add_given(body, "hostname", device->hostname);
  add_given(body, "platform", device->platform);
  add_given(body, "app_version", device->app_version);
  api_request request = post(license_path(license_key, "activations"), body);
  request.idempotency_key = text_random_key();
  return client_call(client, &request);
}

licensing_answer *client_heartbeat(licensing_client *client, const char *license_key, const char *activation_id,
                                   atomic_bool *is_aborted) {
  if (license_key == NULL || activation_id == NULL) return no_key();
  api_request request = post(activation_path(license_key, activation_id, "heartbeat"), NULL);
  request.is_aborted = is_aborted;
  return client_call(client, &request);
}

licensing_answer *licensing_heartbeat(licensing_client *client, const char *license_key, const char *activation_id) {
  return client_heartbeat(client, license_key, activation_id, NULL);
}

licensing_answer *licensing_deactivate(licensing_client *client, const char *license_key, const char *activation_id) {
  if (license_key == NULL || activation_id == NULL) return no_key();
  api_request request = post(activation_path(license_key, activation_id, "deactivate"), NULL);
  return client_call(client, &request);
}

licensing_answer *licensing_list_activations(licensing_client *client, const char *license_key, const char *fingerprint,
                                             int32_t limit, const char *cursor) {
  licensing_device device = {.size = sizeof device, .fingerprint = fingerprint};
  return licensing_list_activations_for(client, license_key, &device, limit, cursor);
}

/* Adds what identifies a device, which may be NULL. Returns why that is impossible, and frees the body then. */
static licensing_answer *add_device(json *body, const licensing_device *device) {
  if (device == NULL) return NULL;
  bool has_size = HAS_SIZE_BEFORE(device, components);
  if (has_size && !add_object(body, "components", NEW_MEMBER(device, components))) return no_object(body, "components");
  if (has_size) add_given(body, "fingerprint", device->fingerprint);
  else json_free(body);
  return has_size ? NULL : answer_invalid(SIZE_PROBLEM);
}

licensing_answer *licensing_list_activations_for(licensing_client *client, const char *license_key,
                                                 const licensing_device *device, int32_t limit, const char *cursor) {
  if (license_key == NULL) return no_key();
  json *body = json_new(JSON_OBJECT);
  licensing_answer *mistake = add_device(body, device);
  if (mistake != NULL) return mistake;
  if (limit > 0) json_add_number(body, "limit", limit);
  add_given(body, "cursor", cursor);
  api_request request = post(license_path(license_key, "activations/list"), body);
  return client_call(client, &request);
}

licensing_answer *licensing_check_entitlements(licensing_client *client, const char *license_key, const char *const *codes,
                                               size_t count) {
  if (license_key == NULL) return no_key();
  json *body = json_new(JSON_OBJECT);
  add_list(body, "entitlements", codes, count);
  api_request request = post(license_path(license_key, "entitlements/check"), body);
  return client_call(client, &request);
}

static json *event_of(const licensing_usage_event *event) {
  json *made = json_new(JSON_OBJECT);
  char *key = event->idempotency_key == NULL ? text_random_key() : text_copy(event->idempotency_key);
  add_given(made, "entitlement", event->entitlement);
  json_add_number(made, "quantity", event->quantity);
  json_add_text(made, "idempotency_key", key);
  add_given(made, "occurred_at", event->occurred_at);
  free(key);
  return made;
}

licensing_answer *licensing_report_usage(licensing_client *client, const char *license_key,
                                         const licensing_usage_event *events, size_t count) {
  if (license_key == NULL || events == NULL) return no_key();
  json *body = json_new(JSON_OBJECT);
  json *list = json_add(body, "events", json_new(JSON_LIST));
  json **at = &list->first;
  for (size_t i = 0; i < count; i++) {
    *at = event_of(&events[i]);
    at = &(*at)->next;
  }
  api_request request = post(license_path(license_key, "usage"), body);
  request.idempotency_key = text_random_key();
  return client_call(client, &request);
}

licensing_answer *client_issue_certificate(licensing_client *client, const char *license_key,
                                           const licensing_device *device, int64_t ttl_seconds, atomic_bool *is_aborted) {
  if (license_key == NULL) return no_key();
  json *body = json_new(JSON_OBJECT);
  licensing_answer *mistake = add_device(body, device);
  if (mistake != NULL) return mistake;
  if (ttl_seconds > 0) json_add_number(body, "ttl_seconds", ttl_seconds);
  api_request request = post(license_path(license_key, "certificate"), body);
  request.is_aborted = is_aborted;
  return client_call(client, &request);
}

licensing_answer *licensing_issue_certificate(licensing_client *client, const char *license_key, const char *fingerprint,
                                              int64_t ttl_seconds) {
  licensing_device device = {.size = sizeof device, .fingerprint = fingerprint};
  return client_issue_certificate(client, license_key, &device, ttl_seconds, NULL);
}

licensing_answer *licensing_issue_certificate_for(licensing_client *client, const char *license_key,
                                                  const licensing_device *device, int64_t ttl_seconds) {
  return client_issue_certificate(client, license_key, device, ttl_seconds, NULL);
}

licensing_answer *licensing_start_trial(licensing_client *client, const licensing_trial *trial) {
  if (trial == NULL) return answer_invalid("Pass the product and the fingerprint of the trial.");
  if (!HAS_SIZE_BEFORE(trial, components)) return answer_invalid(SIZE_PROBLEM);
  json *body = json_new(JSON_OBJECT);
  if (!add_object(body, "components", NEW_MEMBER(trial, components))) return no_object(body, "components");
  add_given(body, "product", trial->product);
  add_given(body, "fingerprint", trial->fingerprint);
  add_given(body, "email", trial->email);
  add_given(body, "name", trial->name);
  if (trial->device_name != NULL) {
    json_add_text(json_add(body, "device", json_new(JSON_OBJECT)), "name", trial->device_name);
  }
  api_request request = post(text_format("%strials", integration), body);
  request.required[0] = (required_field){"status", JSON_TEXT};
  return client_call(client, &request);
}

licensing_answer *licensing_confirm_trial(licensing_client *client, const char *code) {
  json *body = json_new(JSON_OBJECT);
  add_given(body, "code", code);
  api_request request = post(text_format("%strials/confirm", integration), body);
  request.required[0] = (required_field){"license_key", JSON_TEXT};
  return client_call(client, &request);
}

licensing_answer *licensing_jwks(licensing_client *client, const char *tenant_id) {
  char *segment = client_segment(tenant_id);
  api_request request = {.method = "GET", .path = text_format("/api/v1/tenants/%s/jwks.json", segment), .is_public = true};
  request.required[0] = (required_field){"keys", JSON_LIST};
  free(segment);
  return client_call(client, &request);
}
