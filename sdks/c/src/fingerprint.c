#include "fingerprint.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "platform.h"

static const char prefix[] = "licensing-fingerprint-v1:";

char *fingerprint_of(const char *id, const char *product) {
  crypto_auth_hmacsha256_state state;
  unsigned char mac[crypto_auth_hmacsha256_BYTES];
  char *key = text_trimmed(id);
  char *hex = text_allocate(sizeof mac * 2 + 1, 1);
  crypto_auth_hmacsha256_init(&state, (const unsigned char *)key, strlen(key));
  crypto_auth_hmacsha256_update(&state, (const unsigned char *)prefix, sizeof prefix - 1);
  crypto_auth_hmacsha256_update(&state, (const unsigned char *)product, strlen(product));
  crypto_auth_hmacsha256_final(&state, mac);
  free(key);
  return sodium_bin2hex(hex, sizeof mac * 2 + 1, mac, sizeof mac);
}

char *fingerprint_mac_id(const char *printed) {
  static const char name[] = "\"IOPlatformUUID\"";
  const char *at = printed == NULL ? NULL : strstr(printed, name);
  if (at == NULL) return NULL;
  at += sizeof name - 1;
  at += strspn(at, " \t");
  if (*at != '=') return NULL;
  at++;
  at += strspn(at, " \t");
  const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
  return end == NULL || end == at + 1 ? NULL : text_copy_bytes(at + 1, (size_t)(end - at - 1));
}

static bool is_container(const fingerprint_system *system) {
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
  if (text_equal(system->platform, "linux")) return is_container(system) ? NULL : linux_id(system);
  char *id = system->machine_id(system->context);
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

static char *machine_id_of_system(void *context) {
  (void)context;
  return platform_machine_id();
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

licensing_answer *licensing_machine_fingerprint(const char *product, const char *path) {
  if (text_is_empty(product)) return answer_invalid("product must be the code of a product.");
  if (sodium_init() < 0) return answer_error("FINGERPRINT.UNAVAILABLE", "The system has no random numbers.");
  fingerprint_system system = {NULL, platform_name(), variable_of_process, read_file_of_system, machine_id_of_system};
  char *id = fingerprint_id_of(&system);
  char *stored = path == NULL ? default_path() : text_copy(path);
  if (id == NULL && stored != NULL) id = fingerprint_stored_id(stored);
  free(stored);
  if (id == NULL) {
    const char *message = "This machine has no id of its own, and none can be stored. Pass a writable path that persists.";
    return answer_error("FINGERPRINT.UNAVAILABLE", message);
  }
  licensing_answer *answer = answer_of_text("fingerprint", fingerprint_of(id, product));
  free(id);
  return answer;
}
