#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"

/* A part of a machine that can be replaced. Its value is owned. */
typedef struct part {
  const char *name;
  char *value;
  /* The computers of one series have the same value. */
  bool is_shared;
} part;

#define PARTS_MAX 5

/* What firmware and virtual machines say instead of a serial number, in small letters and without braces. */
static const char *const placeholders[] = {"none",
                                           "unknown",
                                           "default string",
                                           "not specified",
                                           "not applicable",
                                           "not available",
                                           "to be filled by o.e.m.",
                                           "system serial number",
                                           "base board serial number",
                                           "123456789",
                                           "03000200-0400-0500-0006-000700080009",
                                           "{03000200-0400-0500-0006-000700080009}"};

static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

static bool is_placeholder_text(const char *small) {
  for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++) {
    if (text_equal(small, placeholders[i])) return true;
  }
  const char *digits = text_starts(small, "qm") ? small + 2 : "";
  size_t count = 0;
  while (is_digit(digits[count])) count++;
  if (count > 0 && digits[count] == '\0') return true;
  /* A value that repeats a single letter or digit identifies nothing either. */
  char first = '\0';
  for (const char *at = small; *at != '\0'; at++) {
    if (!is_digit(*at) && (*at < 'a' || *at > 'z')) continue;
    if (first != '\0' && *at != first) return false;
    first = *at;
  }
  return true;
}

/* Whether a value, which may be NULL, identifies nothing. */
static bool is_placeholder(const char *value) {
  char *small = text_trimmed(value);
  for (char *at = small; *at != '\0'; at++) {
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
  }
  bool is_found = is_placeholder_text(small);
  free(small);
  return is_found;
}

/* Returns the text of a file without the white space around it; empty if it cannot be read. */
static char *trimmed_file(const fingerprint_system *system, const char *path) {
  char *content = system->read_file(system->context, path);
  char *trimmed = text_trimmed(content);
  free(content);
  return trimmed;
}

static char *file_of(const fingerprint_system *system, const char *folder, const char *name, const char *file) {
  char *path = text_format("%s%s%s", folder, name, file);
  char *trimmed = trimmed_file(system, path);
  free(path);
  return trimmed;
}

/* Returns the start of the next line, or NULL. */
static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end == NULL ? NULL : end + 1;
}

/* Returns the rest of the first line that starts so, or NULL. */
static char *rest_of_line(const char *lines, const char *start) {
  for (const char *line = lines; line != NULL; line = next_line(line)) {
    if (text_starts(line, start)) return text_copy_bytes(line + strlen(start), strcspn(line + strlen(start), "\n"));
  }
  return NULL;
}

/* Returns a word of a line, counted from 0, or an empty text. */
static char *word_of(const char *line, int number) {
  for (; number > 0; number--) {
    line += strcspn(line, " \n");
    if (*line == ' ') line++;
  }
  return text_copy_bytes(line, strcspn(line, " \n"));
}

static char *board_of(const fingerprint_system *system, bool *is_shared) {
  static const char folder[] = "/sys/class/dmi/id/board_";
  /* Only root may read the serial number. */
  char *serial = file_of(system, folder, "serial", "");
  *is_shared = is_placeholder(serial);
  if (!*is_shared) return serial;
  free(serial);
  char *vendor = file_of(system, folder, "vendor", "");
  char *model = file_of(system, folder, "name", "");
  char *board = is_placeholder(model) ? NULL : text_format("%s %s", vendor, model);
  free(vendor);
  free(model);
  return board;
}

static char *processor_of(const fingerprint_system *system) {
  char *content = trimmed_file(system, "/proc/cpuinfo");
  char *rest = rest_of_line(content, "model name");
  const char *colon = rest == NULL ? NULL : rest + strspn(rest, " \t");
  char *name = colon == NULL || *colon != ':' ? NULL : text_copy(colon + 1);
  free(content);
  free(rest);
  return name;
}

/* Returns the number of the device with the root folder, such as 259:2, or an empty text. */
static char *root_device(const fingerprint_system *system) {
  char *mounts = trimmed_file(system, "/proc/self/mountinfo");
  char *number = text_copy("");
  for (const char *line = mounts; line != NULL; line = next_line(line)) {
    char *folder = word_of(line, 4);
    char *whole = text_copy_bytes(line, strcspn(line, "\n"));
    const char *kind = strstr(whole, " - ");
    if (text_equal(folder, "/") && kind != NULL) {
      char *source = word_of(kind, 3);
      free(number);
      number = word_of(line, 2);
      const char *name = text_starts(source, "/dev/") ? source + 5 : "";
      /* A file system of several disks has a number of its own. */
      if (text_starts(number, "0:") && *name != '\0' && strchr(name, '/') == NULL) {
        free(number);
        number = file_of(system, "/sys/class/block/", name, "/dev");
      }
      free(source);
      free(folder);
      free(whole);
      break;
    }
    free(folder);
    free(whole);
  }
  free(mounts);
  return number;
}

/* Returns the serial number of the disk with the root folder, or the id of its file system, as udev knows them. */
static char *disk_of(const fingerprint_system *system) {
  char *number = root_device(system);
  char *facts = file_of(system, "/run/udev/data/b", number, "");
  char *disk = rest_of_line(facts, "E:ID_SERIAL_SHORT=");
  if (is_placeholder(disk)) {
    free(disk);
    disk = rest_of_line(facts, "E:ID_FS_UUID=");
  }
  free(number);
  free(facts);
  return disk;
}

/* Returns the permanent address of a network interface that is hardware, or NULL. */
static char *hardware_address(const fingerprint_system *system, const char *name) {
  static const char folder[] = "/sys/class/net/";
  char *device = file_of(system, folder, name, "/device/uevent");
  char *kind = file_of(system, folder, name, "/addr_assign_type");
  char *address = file_of(system, folder, name, "/address");
  bool is_hardware = *device != '\0' && text_equal(kind, "0") && !is_placeholder(address);
  free(device);
  free(kind);
  if (is_hardware) return address;
  free(address);
  return NULL;
}

/* Returns the permanent address of the first network interface, by name, that is hardware, or NULL. */
static char *address_of(const fingerprint_system *system) {
  char *rows = trimmed_file(system, "/proc/net/dev");
  char *first = NULL, *found = NULL;
  for (const char *line = rows; line != NULL; line = next_line(line)) {
    line += strspn(line, " \t");
    size_t length = strcspn(line, ": \t\n");
    char *name = text_copy_bytes(line, length);
    char *address = length > 0 && line[length] == ':' ? hardware_address(system, name) : NULL;
    bool is_first = address != NULL && (first == NULL || strcmp(name, first) < 0);
    free(is_first ? found : address);
    free(is_first ? first : name);
    if (is_first) found = address;
    if (is_first) first = name;
  }
  free(first);
  free(rows);
  return found;
}

static size_t parts_of(const fingerprint_system *system, part *parts) {
  size_t count = 0;
  if (text_equal(system->platform, "linux")) {
    if (fingerprint_is_container(system)) return 0;
    bool is_shared;
    char *board = board_of(system, &is_shared);
    parts[count++] = (part){"board", board, is_shared};
    parts[count++] = (part){"disk", disk_of(system), false};
    parts[count++] = (part){"mac", address_of(system), false};
    parts[count++] = (part){"cpu", processor_of(system), true};
  } else if (text_equal(system->platform, "darwin") || text_equal(system->platform, "win32")) {
    parts[count++] = (part){"board", system->property(system->context, FINGERPRINT_BOARD), false};
    parts[count++] = (part){"cpu", system->property(system->context, FINGERPRINT_CPU), true};
  }
  return count;
}

static void add_hash(json *components, const part *one, const char *product) {
  char *message = text_format("licensing-component-v1:%s:%s", one->name, product);
  char *hash = fingerprint_hash(one->value, message);
  json_add_text(components, one->name, hash);
  free(message);
  free(hash);
}

json *components_of(const fingerprint_system *system, const char *id, const char *product) {
  json *components = json_new(JSON_OBJECT);
  part parts[PARTS_MAX] = {{"machine", text_copy(id), false}};
  size_t count = 1 + parts_of(system, parts + 1);
  size_t own = 0;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].is_shared || is_placeholder(parts[i].value)) continue;
    add_hash(components, &parts[i], product);
    own++;
  }
  /* What computers of one series share is never the majority. */
  for (size_t i = 0; i < count; i++) {
    if (!parts[i].is_shared || own == 0 || is_placeholder(parts[i].value)) continue;
    add_hash(components, &parts[i], product);
    own--;
  }
  for (size_t i = 0; i < count; i++) free(parts[i].value);
  return components;
}
