#include "fingerprint.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "platform.h"

char *fingerprint_of(const char *id, const char *product) {
  char *message = text_format("licensing-fingerprint-v1:%s", product);
  char *hash = fingerprint_hash(id, message);
  free(message);
  return hash;
}

char *fingerprint_hash(const char *id, const char *message) {
  crypto_auth_hmacsha256_state state;
  unsigned char mac[crypto_auth_hmacsha256_BYTES];
  char *key = text_trimmed(id);
  char *hex = text_allocate(sizeof mac * 2 + 1, 1);
  crypto_auth_hmacsha256_init(&state, (const unsigned char *)key, strlen(key));
  crypto_auth_hmacsha256_update(&state, (const unsigned char *)message, strlen(message));
  crypto_auth_hmacsha256_final(&state, mac);
  free(key);
  return sodium_bin2hex(hex, sizeof mac * 2 + 1, mac, sizeof mac);
}

char *fingerprint_mac_property(const char *printed, const char *name) {
  char *quoted = text_format("\"%s\"", name);
  const char *at = printed == NULL ? NULL : strstr(printed, quoted);
  size_t length = strlen(quoted);
  free(quoted);
  if (at == NULL) return NULL;
  at += length;
  at += strspn(at, " \t");
  if (*at != '=') return NULL;
  at++;
  at += strspn(at, " \t");
  const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
  return end == NULL || end == at + 1 ? NULL : text_copy_bytes(at + 1, (size_t)(end - at - 1));
}

bool fingerprint_is_container(const fingerprint_system *system) {
  static const char *const marks[] = {"/.dockerenv", "/run/.containerenv"};
  static const char *const names[] = {"docker", "containerd", "kubepods", "libpod", "lxc"};
  if (system->variable(system->context, "KUBERNETES_SERVICE_HOST") != NULL) return true;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    char *mark = system->read_file(system->context, marks[i]);
    free(mark);
    if (mark != NULL) return true;
  }
  char *groups = system->read_file(system->context, "/proc/1/cgroup");
  bool is_found = false;
  for (size_t i = 0; groups != NULL && i < sizeof names / sizeof *names; i++) {
    is_found = is_found || strstr(groups, names[i]) != NULL;
  }
  free(groups);
  return is_found;
}

static char *linux_id(const fingerprint_system *system) {
  static const char *const paths[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    char *content = system->read_file(system->context, paths[i]);
    char *id = text_trimmed(content);
    free(content);
    /* "uninitialized": the first boot has not finished, machine-id(5). */
    if (*id != '\0' && !text_equal(id, "uninitialized")) return id;
    free(id);
  }
  return NULL;
}

char *fingerprint_id_of(const fingerprint_system *system) {
  if (text_equal(system->platform, "linux")) return fingerprint_is_container(system) ? NULL : linux_id(system);
  char *id = system->property(system->context, FINGERPRINT_MACHINE);
  if (!text_is_empty(id)) return id;
  free(id);
  return NULL;
}

char *fingerprint_stored_id(const char *path) {
  bool is_missing;
  char *content = platform_read_file(path, &is_missing);
  char *id = text_trimmed(content);
  bool is_failed = content == NULL && !is_missing;
  free(content);
  if (*id != '\0') return id;
  free(id);
  if (is_failed || !platform_make_folder_of(path)) return NULL;
  char *made = text_random_key();
  char *draft = text_format("%s.%s.tmp", path, made);
  char *random = text_random_key();
  if (platform_write_new_file(draft, random)) {
    /* Only the first of several processes succeeds; the others read its id. Some file systems have no links. */
    if (!platform_link_file(draft, path) && !platform_file_exists(path)) platform_write_new_file(path, random);
    platform_remove_file(draft);
  }
  free(made);
  free(draft);
  free(random);
  content = platform_read_file(path, NULL);
  id = text_trimmed(content);
  free(content);
  if (*id != '\0') return id;
  free(id);
  return NULL;
}

static const char *variable_of_process(void *context, const char *name) {
  (void)context;
  return platform_variable(name);
}

static char *read_file_of_system(void *context, const char *path) {
  (void)context;
  return platform_read_file(path, NULL);
}

static char *property_of_system(void *context, fingerprint_property property) {
  (void)context;
  return platform_property(property);
}

/* Returns the file in which programs keep such state for the user, or NULL. */
static char *default_path(void) {
  const char *home = platform_variable("HOME");
  const char *folder = NULL;
  const char *rest = "";
  if (text_equal(platform_name(), "win32")) {
    folder = platform_variable("LOCALAPPDATA");
  } else if (text_equal(platform_name(), "darwin")) {
    folder = home;
    rest = "/Library/Application Support";
  } else {
    folder = platform_variable("XDG_STATE_HOME");
    if (text_is_empty(folder)) {
      folder = home;
      rest = "/.local/state";
    }
  }
  return text_is_empty(folder) ? NULL : text_format("%s%s/licensing-sdk/machine-id", folder, rest);
}

/* Returns the id of this machine or the stored one, or NULL with the reason in `*mistake`. */
static char *own_id(const fingerprint_system *system, const char *product, const char *path, licensing_answer **mistake) {
  if (text_is_empty(product)) {
    *mistake = answer_invalid("product must be the code of a product.");
    return NULL;
  }
  if (sodium_init() < 0) {
    *mistake = answer_error("FINGERPRINT.UNAVAILABLE", "The system has no random numbers.");
    return NULL;
  }
  char *id = fingerprint_id_of(system);
  char *stored = path == NULL ? default_path() : text_copy(path);
  if (id == NULL && stored != NULL) id = fingerprint_stored_id(stored);
  free(stored);
  if (id == NULL) {
    const char *message = "This machine has no id of its own, and none can be stored. Pass a writable path that persists.";
    *mistake = answer_error("FINGERPRINT.UNAVAILABLE", message);
  }
  return id;
}

static fingerprint_system this_system(void) {
  return (fingerprint_system){NULL, platform_name(), variable_of_process, read_file_of_system, property_of_system};
}

licensing_answer *licensing_machine_fingerprint(const char *product, const char *path) {
  fingerprint_system system = this_system();
  licensing_answer *mistake = NULL;
  char *id = own_id(&system, product, path, &mistake);
  licensing_answer *answer = id == NULL ? mistake : answer_of_text("fingerprint", fingerprint_of(id, product));
  free(id);
  return answer;
}

licensing_answer *licensing_machine_components(const char *product, const char *path) {
  fingerprint_system system = this_system();
  licensing_answer *mistake = NULL;
  char *id = own_id(&system, product, path, &mistake);
  licensing_answer *answer = id == NULL ? mistake : answer_of(components_of(&system, id, product));
  free(id);
  return answer;
}
