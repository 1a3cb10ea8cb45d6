#include "text.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *text_allocate(size_t count, size_t size) {
  void *memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
  if (memory == NULL) abort();
  return memory;
}

char *text_copy(const char *from) { return from == NULL ? NULL : text_copy_bytes(from, strlen(from)); }

char *text_copy_bytes(const char *from, size_t length) {
  char *copy = text_allocate(length + 1, 1);
  if (length > 0) memcpy(copy, from, length);
  return copy;
}

static void reserve(text *to, size_t more) {
  size_t needed = to->length + more + 1;
  if (needed <= to->capacity) return;
  size_t capacity = to->capacity == 0 ? 64 : to->capacity;
  while (capacity < needed) capacity *= 2;
  char *grown = realloc(to->data, capacity);
  if (grown == NULL) abort();
  to->data = grown;
  to->capacity = capacity;
}

void text_add_bytes(text *to, const char *from, size_t length) {
  reserve(to, length);
  if (length > 0) memcpy(to->data + to->length, from, length);
  to->length += length;
  to->data[to->length] = '\0';
}

void text_add(text *to, const char *from) { text_add_bytes(to, from, strlen(from)); }

TEXT_FORMAT(2, 0) static void add_formatted(text *to, const char *format, va_list values) {
  va_list again;
  va_copy(again, values);
  int length = vsnprintf(NULL, 0, format, values);
  if (length < 0) abort();
  reserve(to, (size_t)length);
  vsnprintf(to->data + to->length, (size_t)length + 1, format, again);
  to->length += (size_t)length;
  va_end(again);
}

void text_add_format(text *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  add_formatted(to, format, values);
  va_end(values);
}

char *text_format_values(const char *format, va_list values) {
  text made = {0};
  add_formatted(&made, format, values);
  return text_take(&made);
}

char *text_format(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *made = text_format_values(format, values);
  va_end(values);
  return made;
}

char *text_take(text *from) {
  char *data = from->data == NULL ? text_copy("") : from->data;
  *from = (text){0};
  return data;
}

void text_free(text *from) {
  free(from->data);
  *from = (text){0};
}

bool text_equal(const char *one, const char *other) {
  return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

bool text_starts(const char *whole, const char *start) {
  return whole != NULL && strncmp(whole, start, strlen(start)) == 0;
}

bool text_is_empty(const char *one) { return one == NULL || *one == '\0'; }

char *text_trimmed(const char *from) {
  const char *start = from == NULL ? "" : from;
  while (isspace((unsigned char)*start)) start++;
  size_t length = strlen(start);
  while (length > 0 && isspace((unsigned char)start[length - 1])) length--;
  return text_copy_bytes(start, length);
}

/* Returns the length of the character at the start, or 0 if it is not UTF-8. */
static size_t character_length(const unsigned char *at, size_t left) {
  static const struct {
    unsigned char mask, lead;
    size_t length;
    uint32_t least;
  } forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if ((at[0] & forms[i].mask) != forms[i].lead) continue;
    if (forms[i].length > left) return 0;
    uint32_t code = at[0] & (unsigned char)~forms[i].mask;
    for (size_t j = 1; j < forms[i].length; j++) {
      if ((at[j] & 0xc0) != 0x80) return 0;
      code = code << 6 | (at[j] & 0x3f);
    }
    bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < forms[i].least || code > 0x10ffff || is_surrogate ? 0 : forms[i].length;
  }
  return 0;
}

bool text_is_utf8(const char *data, size_t length) {
  const unsigned char *at = (const unsigned char *)data;
  while (length > 0) {
    size_t step = character_length(at, length);
    if (step == 0) return false;
    at += step;
    length -= step;
  }
  return true;
}

char *text_random_key(void) {
  unsigned char bytes[16];
  char *key = text_allocate(sizeof bytes * 2 + 1, 1);
  randombytes_buf(bytes, sizeof bytes);
  return sodium_bin2hex(key, sizeof bytes * 2 + 1, bytes, sizeof bytes);
}
