/* Growing texts, and memory that is there or ends the program. */
#ifndef LICENSING_TEXT_H
#define LICENSING_TEXT_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text {
  char *data;
  size_t length;
  size_t capacity;
} text;

#if defined(__GNUC__)
#define TEXT_FORMAT(position, first) __attribute__((format(printf, position, first)))
#else
#define TEXT_FORMAT(position, first)
#endif

/* Returns zeroed memory. Calls abort if there is none. */
void *text_allocate(size_t count, size_t size);
/* Copies a text; NULL stays NULL. */
char *text_copy(const char *from);
/* Copies the first bytes of a text. */
char *text_copy_bytes(const char *from, size_t length);
/* Returns a formatted text that the caller frees. */
char *text_format(const char *format, ...) TEXT_FORMAT(1, 2);
char *text_format_values(const char *format, va_list values) TEXT_FORMAT(1, 0);
void text_add(text *to, const char *from);
void text_add_bytes(text *to, const char *from, size_t length);
void text_add_format(text *to, const char *format, ...) TEXT_FORMAT(2, 3);
/* Returns the text, never NULL, and leaves `from` empty. */
char *text_take(text *from);
void text_free(text *from);
/* Compares two texts that may be NULL. */
bool text_equal(const char *one, const char *other);
bool text_starts(const char *whole, const char *start);
bool text_is_empty(const char *one);
/* Returns a copy without white space at both ends. */
char *text_trimmed(const char *from);
/* Whether the bytes are UTF-8 (RFC 3629). */
bool text_is_utf8(const char *data, size_t length);
/* Returns 32 random hexadecimal characters. */
char *text_random_key(void);

#endif
