/* What an application passes by mistake is an error, and never a crash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "licensing/licensing.h"

static int failures;

static void expect(const char *title, licensing_answer *answer, const char *code) {
  const char *error = licensing_answer_error(answer);
  if (error == NULL || strcmp(error, code) != 0) {
    fprintf(stderr, "FAILED %s: %s instead of %s\n", title, error == NULL ? licensing_answer_json(answer) : error, code);
    failures++;
  }
  licensing_answer_free(answer);
}

/* Nothing of this reaches the network. */
static void call(licensing_client *client) {
  const char *code = "CONFIGURATION.INVALID";
  expect("validate", licensing_validate(client, NULL, NULL), code);
  expect("activate", licensing_activate(client, NULL, NULL), code);
  expect("heartbeat", licensing_heartbeat(client, NULL, NULL), code);
  expect("deactivate", licensing_deactivate(client, NULL, NULL), code);
  expect("list", licensing_list_activations(client, NULL, NULL, 0, NULL), code);
  expect("entitlements", licensing_check_entitlements(client, NULL, NULL, 0), code);
  expect("usage", licensing_report_usage(client, NULL, NULL, 0), code);
  expect("certificate", licensing_issue_certificate(client, NULL, NULL, 0), code);
  expect("trial", licensing_start_trial(client, NULL), code);
}

static void misuse_guard(licensing_client *client, const char *path) {
  licensing_answer *error = NULL;
  if (licensing_guard_new(NULL, &error) != NULL) abort();
  expect("guard", error, "CONFIGURATION.INVALID");
  licensing_guard_options options = {.size = sizeof options, .client = client, .is_unsigned = true, .is_pumped = true};
  options.store = licensing_file_store(path);
  licensing_guard *guard = licensing_guard_new(&options, NULL);
  if (licensing_guard_start(guard) != LICENSING_UNLICENSED || licensing_guard_has(guard, NULL)) abort();
  expect("file", licensing_guard_import_certificate(guard, NULL), "CERTIFICATE_FILE.INVALID");
  expect("request", licensing_guard_request_file(guard), "CONFIGURATION.INVALID");
  expect("key", licensing_guard_activate(guard, NULL), "CONFIGURATION.INVALID");
  licensing_guard_free(guard);
  licensing_guard_free(NULL);
}

/* What a call without a guard does: see licensing_guard_new. */
static void call_without_guard(void) {
  const char *code = "CONFIGURATION.INVALID";
  bool is_refused = licensing_guard_start(NULL) == LICENSING_UNLICENSED &&
                    licensing_guard_start_fresh(NULL) == LICENSING_UNLICENSED &&
                    licensing_guard_refresh(NULL) == LICENSING_UNLICENSED &&
                    licensing_guard_status(NULL) == LICENSING_UNLICENSED && !licensing_guard_has(NULL, "export") &&
                    licensing_guard_due_ms(NULL) == -1;
  if (!is_refused) abort();
  licensing_guard_stop(NULL);
  licensing_guard_tick(NULL);
  expect("state without guard", licensing_guard_state(NULL), code);
  expect("devices without guard", licensing_guard_devices(NULL), code);
  expect("release without guard", licensing_guard_release_device(NULL, "id"), code);
  expect("request without guard", licensing_guard_request_file(NULL), code);
  expect("import without guard", licensing_guard_import_certificate(NULL, "file"), code);
  expect("trial without guard", licensing_guard_start_trial(NULL, NULL, NULL), code);
  expect("confirmation without guard", licensing_guard_confirm_trial(NULL, "code"), code);
  expect("activation without guard", licensing_guard_activate(NULL, "key"), code);
}

/* A guard that would believe any server is made only for an application that says so. */
static void forget_trust(licensing_client *client) {
  licensing_guard_options options = {.size = sizeof options, .client = client};
  licensing_answer *error = NULL;
  if (licensing_guard_new(&options, &error) != NULL) abort();
  if (strstr(licensing_answer_message(error), "is_unsigned") == NULL) abort();
  expect("guard without keys", error, "CONFIGURATION.INVALID");
  options.jwks = "{\"keys\":[]}";
  if (licensing_guard_new(&options, &error) != NULL) abort();
  expect("guard without issuer", error, "CONFIGURATION.INVALID");
  options.issuer = "i";
  options.audience = "a";
  options.is_unsigned = true;
  if (licensing_guard_new(&options, &error) != NULL) abort();
  expect("guard with keys that it must not use", error, "CONFIGURATION.INVALID");
}

/* The text for people is in the language of the options. */
static void read_message(licensing_client *client, const char *language, const char *start) {
  licensing_guard_options options = {.size = sizeof options, .client = client, .is_unsigned = true, .language = language};
  licensing_guard *guard = licensing_guard_new(&options, NULL);
  licensing_answer *state = licensing_guard_state(guard);
  const char *message = licensing_answer_text(state, "message");
  if (message == NULL || strncmp(message, start, strlen(start)) != 0) {
    fprintf(stderr, "FAILED message in %s: %s\n", language, message);
    failures++;
  }
  licensing_answer_free(state);
  licensing_guard_free(guard);
}

/* An application that was built with the header before the components has none, whatever lies behind its structures. */
static void use_earlier_sizes(licensing_client *client) {
  const char *ok = "NETWORK.UNREACHABLE", *no_object = "no JSON";
  licensing_device device = {.size = offsetof(licensing_device, components), .components = no_object};
  licensing_question question = {.size = offsetof(licensing_question, components), .components = no_object};
  licensing_trial trial = {.size = offsetof(licensing_trial, components), .components = no_object};
  expect("device of an earlier version", licensing_activate(client, "key", &device), ok);
  expect("certificate of an earlier version", licensing_issue_certificate_for(client, "key", &device, 0), ok);
  expect("question of an earlier version", licensing_validate(client, "key", &question), ok);
  expect("trial of an earlier version", licensing_start_trial(client, &trial), ok);
  device.size = sizeof device;
  question.size = sizeof question;
  trial.size = sizeof trial;
  expect("components of a device", licensing_activate(client, "key", &device), "CONFIGURATION.INVALID");
  expect("components of a list", licensing_list_activations_for(client, "key", &device, 0, NULL), "CONFIGURATION.INVALID");
  expect("components of a question", licensing_validate(client, "key", &question), "CONFIGURATION.INVALID");
  expect("components of a trial", licensing_start_trial(client, &trial), "CONFIGURATION.INVALID");
}

/* A structure without its size may be one of an application that was built with another header. */
static void forget_size(licensing_client *client) {
  const char *code = "CONFIGURATION.INVALID";
  const licensing_clock no_clock = {0};
  licensing_client_options options = {.base_url = "http://127.0.0.1:1", .api_key = "vx_1"};
  licensing_answer *error = NULL;
  if (licensing_client_new(&options, &error) != NULL) abort();
  expect("client without size", error, code);
  options.size = sizeof options;
  options.clock = &no_clock;
  if (licensing_client_new(&options, &error) != NULL) abort();
  expect("clock without size", error, code);
  if (licensing_guard_new(&(licensing_guard_options){.client = client}, &error) != NULL) abort();
  expect("guard without size", error, code);
  expect("question without size", licensing_validate(client, "key", &(licensing_question){.product = "editor"}), code);
  expect("device without size", licensing_activate(client, "key", &(licensing_device){.fingerprint = "device-1"}), code);
  expect("trial without size", licensing_start_trial(client, &(licensing_trial){.product = "editor"}), code);
  expect("request without size", licensing_offline_request("editor", &(licensing_device){.fingerprint = "device-1"}), code);
  licensing_verification expected = {.jwks = "{\"keys\":[]}", .issuer = "i", .audience = "a"};
  expect("verification without size", licensing_verify_certificate("token", &expected), code);
}

int main(void) {
  licensing_client_options options = {.size = sizeof options,
                                      .base_url = "http://127.0.0.1:1",
                                      .api_key = "vx_1",
                                      .max_retries = LICENSING_NO_RETRIES};
  licensing_client *client = licensing_client_new(&options, NULL);
  call(NULL);
  call(client);
  expect("confirmation", licensing_confirm_trial(client, NULL), "NETWORK.UNREACHABLE");
  expect("keys", licensing_jwks(client, NULL), "NETWORK.UNREACHABLE");
  forget_size(client);
  use_earlier_sizes(client);
  misuse_guard(client, NULL);
  misuse_guard(client, "");
  call_without_guard();
  forget_trust(client);
  read_message(client, NULL, "The license has not");
  read_message(client, "de-AT", "Die Lizenz");
  read_message(client, "fr", "La licence");
  read_message(client, "xx", "The license has not");
  licensing_answer *error = NULL;
  if (licensing_client_new(NULL, &error) != NULL) abort();
  expect("client", error, "CONFIGURATION.INVALID");
  expect("verification", licensing_verify_certificate(NULL, NULL), "CONFIGURATION.INVALID");
  expect("proof", licensing_verify_verdict(NULL, NULL), "CONFIGURATION.INVALID");
  expect("fingerprint", licensing_machine_fingerprint(NULL, NULL), "CONFIGURATION.INVALID");
  expect("components", licensing_machine_components(NULL, NULL), "CONFIGURATION.INVALID");
  expect("offline request", licensing_offline_request(NULL, NULL), "CONFIGURATION.INVALID");
  expect("certificate file", licensing_read_certificate_file(NULL), "CERTIFICATE_FILE.INVALID");
  if (licensing_answer_text(NULL, NULL) != NULL || licensing_answer_flag(NULL, NULL)) abort();
  if (licensing_message_for(NULL, NULL) == NULL || *licensing_message_for("", "") == '\0') abort();
  licensing_answer_free(NULL);
  licensing_client_free(client);
  licensing_client_free(NULL);
  return failures == 0 ? 0 : 1;
}
