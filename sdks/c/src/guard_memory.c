#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "moment.h"
#include "store.h"

static const char kind[] = "LicenseGuard";

guard_reason reason_of(const char *code, const char *detail) {
  return (guard_reason){text_copy(code), text_copy(detail)};
}

void reason_free(guard_reason *reason) {
  free(reason->code);
  free(reason->detail);
  *reason = (guard_reason){NULL, NULL};
}

void reason_set(guard_reason *to, const char *code, const char *detail) {
  guard_reason made = reason_of(code, detail);
  reason_free(to);
  *to = made;
}

static void replace(char **field, char *value) {
  free(*field);
  *field = value;
}

void guard_memory_clear_answer(guard_memory *memory) {
  replace(&memory->certificate, NULL);
  replace(&memory->license_id, NULL);
  reason_free(&memory->denial);
  memory->denied_at_ms = -1;
  memory->release_ms = -1;
  memory->is_answer_new = true;
}

static void clear_seat(guard_memory *memory) {
  replace(&memory->seat_id, NULL);
  replace(&memory->seat_fingerprint, NULL);
  memory->lease_ms = 0;
}

/* Both times of an activation are the service's, so the clock of this machine does not matter. */
void guard_memory_set_seat(guard_memory *memory, const json *activation, const char *fingerprint) {
  char *owner = text_copy(fingerprint);
  clear_seat(memory);
  memory->is_seat_new = true;
  const char *id = json_member_text(activation, "id");
  if (id == NULL) {
    free(owner);
    return;
  }
  int64_t begin_ms, end_ms;
  memory->seat_id = text_copy(id);
  memory->seat_fingerprint = owner;
  if (moment_parse(json_member_text(activation, "lease_expires_at"), &end_ms) &&
      moment_parse(json_member_text(activation, "last_heartbeat_at"), &begin_ms) && end_ms > begin_ms) {
    memory->lease_ms = end_ms - begin_ms;
  }
}

void guard_memory_adopt(guard_memory *memory, const char *license_key) {
  if (!text_equal(license_key, memory->license_key)) {
    guard_memory_clear_answer(memory);
    guard_memory_set_seat(memory, NULL, NULL);
  }
  replace(&memory->license_key, text_copy(license_key));
  memory->keeps_key = true;
}

static void report(guard_memory *memory, const char *code, const char *message) {
  if (text_equal(memory->reported, code)) return;
  memory->reported = code;
  if (memory->failures == NULL) memory->failures = json_new(JSON_LIST);
  json *failure = json_new(JSON_OBJECT);
  json_add_text(failure, "code", code);
  json_add_text(failure, "message", message);
  json_append(memory->failures, failure);
}

void guard_memory_hold(guard_memory *memory) {
  const licensing_store *store = &memory->store;
  if (memory->is_held) return;
  memory->is_held = true;
  memory->hold = store->hold == NULL ? NULL : store->hold(store->context);
  if (store->hold != NULL && memory->hold == NULL) {
    report(memory, "STORE.FAILED", "The store cannot count its users. Check the store.");
  }
}

bool guard_memory_leave(guard_memory *memory) {
  const licensing_store *store = &memory->store;
  /* A guard that was only refreshed does not hold the store, but another one may. */
  guard_memory_hold(memory);
  void *hold = memory->hold;
  memory->is_held = false;
  memory->hold = NULL;
  if (store->hold == NULL) return true;
  if (hold == NULL) return false;
  bool is_last = false;
  if (store->release(store->context, hold, &is_last)) return is_last;
  report(memory, "STORE.FAILED", "The store cannot count its users. Check the store.");
  return false;
}

void guard_memory_free(guard_memory *memory) {
  if (memory->is_held) guard_memory_leave(memory);
  store_destroy(&memory->store);
  guard_memory_clear_answer(memory);
  clear_seat(memory);
  free(memory->license_key);
  json_free(memory->failures);
}

/* Returns the SHA-256 of a license key in hexadecimal: the store does not hold the key. */
static char *digest_of(const char *license_key) {
  unsigned char sum[crypto_hash_sha256_BYTES];
  char *hex = text_allocate(sizeof sum * 2 + 1, 1);
  crypto_hash_sha256(sum, (const unsigned char *)license_key, strlen(license_key));
  return sodium_bin2hex(hex, sizeof sum * 2 + 1, sum, sizeof sum);
}

static int64_t number_or(const json *object, const char *name, int64_t otherwise) {
  double number;
  bool is_usable = json_number(json_member(object, name), &number) && number > -9e15 && number < 9e15;
  return is_usable ? (int64_t)number : otherwise;
}

static void take_answer(guard_memory *memory, const json *stored) {
  const json *denial = json_member(stored, "denial");
  guard_memory_clear_answer(memory);
  memory->is_answer_new = false;
  memory->certificate = text_copy(json_member_text(stored, "certificate"));
  memory->license_id = text_copy(json_member_text(stored, "licenseId"));
  if (json_member_text(denial, "code") != NULL) {
    reason_set(&memory->denial, json_member_text(denial, "code"), json_member_text(denial, "detail"));
  }
  memory->denied_at_ms = number_or(stored, "deniedAtMs", -1);
  memory->release_ms = number_or(stored, "release", -1);
}

static void take_seat(guard_memory *memory, const json *seat) {
  clear_seat(memory);
  if (json_member_text(seat, "id") == NULL) return;
  memory->seat_id = text_copy(json_member_text(seat, "id"));
  memory->seat_fingerprint = text_copy(json_member_text(seat, "fingerprint"));
  memory->lease_ms = number_or(seat, "leaseMs", 0);
}

/* Reads the object in the store. False: the store must not be written. */
static bool read_stored(guard_memory *memory, json **stored) {
  char *content = NULL;
  *stored = NULL;
  if (!memory->store.read(memory->store.context, &content)) {
    report(memory, "STORE.FAILED", "The store cannot be read. Check the store.");
    return false;
  }
  bool is_right = true;
  if (!text_is_empty(content)) {
    json *value = json_parse(content, strlen(content));
    if (value == NULL) {
      report(memory, "STORE.UNREADABLE", "The store holds no JSON, so its state is lost. Let nothing else write to it.");
    } else if (text_equal(json_member_text(value, "kind"), kind)) {
      *stored = value;
      value = NULL;
    } else {
      report(memory, "STORE.FOREIGN", "The store belongs to something other than a guard. Give the guard its own store.");
      is_right = false;
    }
    json_free(value);
  }
  free(content);
  return is_right;
}

/* Takes over what this process does not know better. Returns the name under which the memory of this key is kept. */
static char *read_memory(guard_memory *memory) {
  json *stored;
  if (!read_stored(memory, &stored)) return NULL;
  /* Another process may have adopted the key. */
  if (*memory->license_key == '\0' && json_member_text(stored, "licenseKey") != NULL) {
    replace(&memory->license_key, text_copy(json_member_text(stored, "licenseKey")));
  }
  char *key = digest_of(memory->license_key);
  double latest;
  if (json_number(json_member(stored, "latestMs"), &latest) && !memory->is_answer_new) {
    guard_clock_adopt(memory->clock, number_or(stored, "latestMs", 0), number_or(stored, "offsetMs", 0));
  }
  /* The memory of another license key ends with the next write. */
  if (text_equal(json_member_text(stored, "key"), key)) {
    if (!memory->is_answer_new) take_answer(memory, stored);
    if (!memory->is_seat_new) take_seat(memory, json_member(stored, "seat"));
  }
  json_free(stored);
  return key;
}

void guard_memory_load(guard_memory *memory) { free(read_memory(memory)); }

static void add_number_or_null(json *to, const char *name, int64_t number, int64_t none) {
  if (number == none) json_add_text(to, name, NULL);
  else json_add_number(to, name, number);
}

static char *content_of(const guard_memory *memory, const char *key) {
  json *state = json_new(JSON_OBJECT);
  json_add_text(state, "kind", kind);
  json_add_text(state, "key", key);
  if (memory->keeps_key && *memory->license_key != '\0') json_add_text(state, "licenseKey", memory->license_key);
  json_add_text(state, "certificate", memory->certificate);
  json *denial = json_add(state, "denial", json_new(memory->denial.code == NULL ? JSON_NULL : JSON_OBJECT));
  if (memory->denial.code != NULL) {
    json_add_text(denial, "code", memory->denial.code);
    json_add_text(denial, "detail", memory->denial.detail);
  }
  add_number_or_null(state, "deniedAtMs", memory->denied_at_ms, -1);
  add_number_or_null(state, "release", memory->release_ms, -1);
  json_add_text(state, "licenseId", memory->license_id);
  json *seat = json_add(state, "seat", json_new(memory->seat_id == NULL ? JSON_NULL : JSON_OBJECT));
  if (memory->seat_id != NULL) {
    json_add_text(seat, "id", memory->seat_id);
    json_add_text(seat, "fingerprint", memory->seat_fingerprint);
    add_number_or_null(seat, "leaseMs", memory->lease_ms, 0);
  }
  json_add_number(state, "latestMs", memory->clock->latest_ms);
  json_add_number(state, "offsetMs", memory->clock->offset_ms);
  char *content = json_to_text(state);
  json_free(state);
  return content;
}

void guard_memory_save(guard_memory *memory) {
  /* A store that cannot be read is not overwritten: it may hold a certificate that is still good. */
  char *key = read_memory(memory);
  if (key == NULL) return;
  char *content = content_of(memory, key);
  if (memory->store.write(memory->store.context, content)) {
    memory->is_answer_new = false;
    memory->is_seat_new = false;
    memory->reported = NULL;
  } else {
    report(memory, "STORE.FAILED", "The store cannot be written. Check the store.");
  }
  free(content);
  free(key);
}
