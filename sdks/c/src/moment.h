/* Moments in milliseconds since 1970, and their texts (RFC 3339). */
#ifndef LICENSING_MOMENT_H
#define LICENSING_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a text with a zone. False if it is no moment. */
bool moment_parse(const char *text, int64_t *ms);
/* Reads the date of an HTTP header: Sun, 06 Nov 1994 08:49:37 GMT (RFC 9110, section 5.6.7). */
bool moment_parse_http(const char *text, int64_t *ms);
/* Returns a text in UTC that the caller frees. */
char *moment_format(int64_t ms);

#endif
