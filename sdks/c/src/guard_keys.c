#include <stdlib.h>
#include <string.h>

#include "guard_core.h"
#include "offline_files.h"

static char *key_of(licensing_guard *guard) {
  platform_lock(&guard->work);
  char *key = text_copy(guard->memory.license_key);
  platform_unlock(&guard->work);
  return key;
}

licensing_answer *licensing_guard_devices(licensing_guard *guard) {
  if (guard == NULL) return guard_missing();
  char *key = key_of(guard);
  licensing_device device = {
      .size = sizeof device, .fingerprint = guard->settings.fingerprint, .components = guard->settings.components};
  licensing_answer *answer = licensing_list_activations_for(guard->settings.client, key, &device, 100, NULL);
  free(key);
  return answer;
}

licensing_answer *licensing_guard_release_device(licensing_guard *guard, const char *id) {
  if (guard == NULL) return guard_missing();
  char *key = key_of(guard);
  licensing_answer *answer = licensing_deactivate(guard->settings.client, key, id);
  free(key);
  if (answer->error != NULL) return answer;
  licensing_answer_free(answer);
  /* A check that already runs may get an answer from before the release. */
  platform_lock(&guard->work);
  platform_unlock(&guard->work);
  licensing_guard_refresh(guard);
  return licensing_guard_state(guard);
}

licensing_answer *licensing_guard_request_file(licensing_guard *guard) {
  if (guard == NULL) return guard_missing();
  licensing_device device = {
      .size = sizeof device, .fingerprint = guard->settings.fingerprint, .name = guard->settings.device_name};
  return offline_request_at(guard->settings.product, &device, clock_now_ms(guard->clock));
}

/* Why a file is refused; NULL if its certificate is kept. */
static licensing_answer *import_file(licensing_guard *guard, const char *given) {
  guard_memory *memory = &guard->memory;
  licensing_answer *file = licensing_read_certificate_file(given);
  if (file->error != NULL) return file;
  licensing_answer *refused = NULL, *verdict = NULL;
  const char *certificate = licensing_answer_text(file, "certificate");
  guard_memory_load(memory);
  if (!offline_is_same_key(licensing_answer_text(file, "license_key"), memory->license_key)) {
    refused = answer_error("CERTIFICATE_FILE.OTHER_LICENSE",
                           "This certificate file is for another license key. Enter that key, or download the file of "
                           "this license.");
  } else if (guard->settings.jwks == NULL) {
    refused = answer_invalid("A guard without jwks cannot verify a certificate. Pass the keys of the vendor.");
  } else {
    verdict = guard_verify_new(guard, certificate);
    /* A certificate names whole seconds. */
    int64_t issued_ms = (int64_t)licensing_answer_number(verdict, "claims.iat", 0) * 1000;
    if (!licensing_answer_flag(verdict, "valid")) {
      refused = answer_error(licensing_answer_text(verdict, "code"), licensing_answer_text(verdict, "detail"));
    } else if (memory->denied_at_ms >= 0 && issued_ms + 1000 <= memory->denied_at_ms) {
      refused = answer_error("CERTIFICATE_FILE.TOO_OLD",
                             "The service has refused the license since this certificate was issued. Request a new one.");
    }
  }
  if (refused == NULL) {
    guard_memory_clear_answer(memory);
    memory->certificate = text_copy(certificate);
    memory->license_id = text_copy(licensing_answer_text(verdict, "claims.sub"));
    guard_memory_save(memory);
  }
  licensing_answer_free(verdict);
  licensing_answer_free(file);
  return refused;
}

licensing_answer *licensing_guard_import_certificate(licensing_guard *guard, const char *file) {
  if (guard == NULL) return guard_missing();
  platform_lock(&guard->work);
  licensing_answer *refused = import_file(guard, file);
  if (refused == NULL) {
    /* An earlier answer of the service says nothing about the certificate. */
    licensing_answer_free(guard->verdict);
    guard->verdict = NULL;
    if (guard->failure.code == NULL) {
      reason_set(&guard->failure, "GUARD.CHECKING",
                 "A certificate was imported. Connect to the network, so that the next check can ask the service.");
    }
    guard_evaluate(guard);
    guard_schedule_tick(guard);
  }
  guard_end_work(guard);
  return refused != NULL ? refused : licensing_guard_state(guard);
}

static licensing_answer *adopt(licensing_guard *guard, const char *license_key) {
  /* A running check is about the former key. */
  platform_lock(&guard->work);
  guard_memory_load(&guard->memory);
  if (!text_equal(license_key, guard->memory.license_key)) {
    licensing_answer_free(guard->verdict);
    guard->verdict = NULL;
  }
  guard_memory_adopt(&guard->memory, license_key);
  guard_end_work(guard);
  licensing_guard_refresh(guard);
  return licensing_guard_state(guard);
}

licensing_answer *licensing_guard_start_trial(licensing_guard *guard, const char *email, const char *name) {
  if (guard == NULL) return guard_missing();
  const guard_settings *settings = &guard->settings;
  if (settings->product == NULL || settings->fingerprint == NULL) {
    return answer_invalid("Pass the options product and fingerprint to the guard to start a trial.");
  }
  licensing_trial trial = {.size = sizeof trial,
                           .product = settings->product,
                           .fingerprint = settings->fingerprint,
                           .email = email,
                           .name = name,
                           .device_name = settings->device_name,
                           .components = settings->components};
  licensing_answer *answer = licensing_start_trial(settings->client, &trial);
  const char *key = licensing_answer_text(answer, "license_key");
  if (answer->error == NULL && key != NULL && text_equal(licensing_answer_text(answer, "status"), "started")) {
    licensing_answer_free(adopt(guard, key));
  }
  return answer;
}

licensing_answer *licensing_guard_confirm_trial(licensing_guard *guard, const char *code) {
  if (guard == NULL) return guard_missing();
  licensing_answer *answer = licensing_confirm_trial(guard->settings.client, code);
  if (answer->error != NULL) return answer;
  licensing_answer *state = adopt(guard, licensing_answer_text(answer, "license_key"));
  licensing_answer_free(answer);
  return state;
}

licensing_answer *licensing_guard_activate(licensing_guard *guard, const char *license_key) {
  if (guard == NULL) return guard_missing();
  licensing_question question = {.size = sizeof question,
                                 .product = guard->settings.product,
                                 .fingerprint = guard->settings.fingerprint,
                                 .components = guard->settings.components};
  licensing_answer *verdict = licensing_validate(guard->settings.client, license_key, &question);
  if (verdict->error != NULL) return verdict;
  const char *code = licensing_answer_text(verdict, "code");
  licensing_answer *answer;
  if (!licensing_answer_flag(verdict, "valid") && !guard_is_seatless(code)) {
    answer = answer_error(code, licensing_answer_text(verdict, "detail"));
  } else {
    answer = adopt(guard, license_key);
  }
  licensing_answer_free(verdict);
  return answer;
}
