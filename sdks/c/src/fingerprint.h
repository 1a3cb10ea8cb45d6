/* The id of a machine, and its fingerprint for a product. */
#ifndef LICENSING_FINGERPRINT_H
#define LICENSING_FINGERPRINT_H

#include "json.h"

/* What macOS and Windows say about the machine. */
typedef enum fingerprint_property { FINGERPRINT_MACHINE, FINGERPRINT_BOARD, FINGERPRINT_CPU } fingerprint_property;

/* What the fingerprint reads from the operating system; the cases pass their own. */
typedef struct fingerprint_system {
  void *context;
  /* linux, darwin, win32, or another name. */
  const char *platform;
  const char *(*variable)(void *context, const char *name);
  /* Returns the text of a file, or NULL if it cannot be read. */
  char *(*read_file)(void *context, const char *path);
  /* Returns a property that macOS or Windows knows, or NULL. */
  char *(*property)(void *context, fingerprint_property property);
} fingerprint_system;

/* Returns the id of a machine, or NULL if it has none or is a container. */
char *fingerprint_id_of(const fingerprint_system *system);
/* Returns the random id in a file, which is made if it is missing, or NULL. */
char *fingerprint_stored_id(const char *path);
/* Returns the HMAC-SHA256 of a product under an id, in hexadecimal. */
char *fingerprint_of(const char *id, const char *product);
/* Returns the HMAC-SHA256 of a text under a key without the white space around it, in hexadecimal. */
char *fingerprint_hash(const char *key, const char *message);
/* Returns a property in what `ioreg` prints, such as IOPlatformUUID, or NULL. */
char *fingerprint_mac_property(const char *printed, const char *name);
/* Whether a Linux system is a container, which shares the parts of its machine. */
bool fingerprint_is_container(const fingerprint_system *system);
/* Returns the components of a machine with an id: names and hashes. */
json *components_of(const fingerprint_system *system, const char *id, const char *product);

#endif
