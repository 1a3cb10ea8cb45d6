/* The id of a machine, and its fingerprint for a product. */
#ifndef LICENSING_FINGERPRINT_H
#define LICENSING_FINGERPRINT_H

#include <stdbool.h>

/* What the fingerprint reads from the operating system; the cases pass their own. */
typedef struct fingerprint_system {
  void *context;
  /* linux, darwin, win32, or another name. */
  const char *platform;
  const char *(*variable)(void *context, const char *name);
  /* Returns the text of a file, or NULL if it cannot be read. */
  char *(*read_file)(void *context, const char *path);
  /* Returns the id that macOS or Windows gives to the machine, or NULL. */
  char *(*machine_id)(void *context);
} fingerprint_system;

/* Returns the id of a machine, or NULL if it has none or is a container. */
char *fingerprint_id_of(const fingerprint_system *system);
/* Returns the random id in a file, which is made if it is missing, or NULL. */
char *fingerprint_stored_id(const char *path);
/* Returns the HMAC-SHA256 of a product under an id, in hexadecimal. */
char *fingerprint_of(const char *id, const char *product);
/* Returns the id in what `ioreg` prints, or NULL. */
char *fingerprint_mac_id(const char *printed);

#endif
