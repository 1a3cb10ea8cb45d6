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
  licensing_store store = licensing_file_store(path);
  licensing_guard_options options = {.size = sizeof options, .client = client, .store = store, .is_pumped = true};
  licensing_guard *guard = licensing_guard_new(&options, NULL);
  if (licensing_guard_start(guard) != LICENSING_UNLICENSED || licensing_guard_has(guard, NULL)) abort();
  expect("file", licensing_guard_import_certificate(guard, NULL), "CERTIFICATE_FILE.INVALID");
  expect("request", licensing_guard_request_file(guard), "CONFIGURATION.INVALID");
  expect("key", licensing_guard_activate(guard, NULL), "CONFIGURATION.INVALID");
  licensing_guard_free(guard);
  licensing_guard_free(NULL);
  licensing_file_store_free(store);
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
  misuse_guard(client, NULL);
  misuse_guard(client, "");
  licensing_answer *error = NULL;
  if (licensing_client_new(NULL, &error) != NULL) abort();
  expect("client", error, "CONFIGURATION.INVALID");
  expect("verification", licensing_verify_certificate(NULL, NULL), "CONFIGURATION.INVALID");
  expect("proof", licensing_verify_verdict(NULL, NULL), "CONFIGURATION.INVALID");
  expect("fingerprint", licensing_machine_fingerprint(NULL, NULL), "CONFIGURATION.INVALID");
  expect("offline request", licensing_offline_request(NULL, NULL), "CONFIGURATION.INVALID");
  expect("certificate file", licensing_read_certificate_file(NULL), "CERTIFICATE_FILE.INVALID");
  if (licensing_answer_text(NULL, NULL) != NULL || licensing_answer_flag(NULL, NULL)) abort();
  licensing_answer_free(NULL);
  licensing_client_free(client);
  licensing_client_free(NULL);
  return failures == 0 ? 0 : 1;
}
