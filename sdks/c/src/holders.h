/* The living users of a file on this machine. SDKs of all languages read and write the same files. */
#ifndef LICENSING_HOLDERS_H
#define LICENSING_HOLDERS_H

#include <stdbool.h>

/* Writes `<path>.<token>.holder`, and returns its path for the next function; NULL if it cannot be written. */
char *holder_new(const char *path);
/*
 * Removes that file, frees its path, and says whether no living process of this machine has another one. False if that
 * cannot be read.
 */
bool holder_end(const char *path, char *mine, bool *is_last);

#endif
