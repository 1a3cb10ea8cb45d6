#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper JSON comes from nobody who means well. */
#define DEPTH_MAX 200
/* Names are compared one by one, so an object with endless members would take endless time. */
#define MEMBERS_MAX 10000

typedef struct reader {
  const char *at;
  const char *end;
  int depth;
} reader;

static json *read_value(reader *from);

static void skip_space(reader *from) {
  while (from->at < from->end && strchr(" \t\r\n", *from->at) != NULL && *from->at != '\0') from->at++;
}

static bool accept(reader *from, char wanted) {
  skip_space(from);
  if (from->at >= from->end || *from->at != wanted) return false;
  from->at++;
  return true;
}

static bool read_word(reader *from, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(from->end - from->at) < length || memcmp(from->at, word, length) != 0) return false;
  from->at += length;
  return true;
}

static int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static bool read_unit(reader *from, uint32_t *unit) {
  *unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = from->at < from->end ? hex_of(*from->at) : -1;
    if (digit < 0) return false;
    *unit = *unit * 16 + (uint32_t)digit;
    from->at++;
  }
  return true;
}

static void add_character(text *to, uint32_t code) {
  char bytes[4];
  if (code < 0x80) {
    bytes[0] = (char)code;
    text_add_bytes(to, bytes, 1);
  } else if (code < 0x800) {
    bytes[0] = (char)(0xc0 | code >> 6);
    bytes[1] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(to, bytes, 2);
  } else if (code < 0x10000) {
    bytes[0] = (char)(0xe0 | code >> 12);
    bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
    bytes[2] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(to, bytes, 3);
  } else {
    bytes[0] = (char)(0xf0 | code >> 18);
    bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (code & 0x3f));
    text_add_bytes(to, bytes, 4);
  }
}

/* Reads what follows "\u". A surrogate without its other half becomes the replacement character. */
static bool read_escaped_unit(reader *from, text *to) {
  uint32_t unit;
  if (!read_unit(from, &unit)) return false;
  if (unit >= 0xd800 && unit <= 0xdbff && from->end - from->at >= 6 && from->at[0] == '\\' && from->at[1] == 'u') {
    reader ahead = {from->at + 2, from->end, 0};
    uint32_t second;
    if (read_unit(&ahead, &second) && second >= 0xdc00 && second <= 0xdfff) {
      from->at = ahead.at;
      add_character(to, 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00));
      return true;
    }
  }
  add_character(to, unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit);
  return true;
}

static bool read_escape(reader *from, text *to) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  if (from->at >= from->end) return false;
  char name = *from->at++;
  if (name == 'u') return read_escaped_unit(from, to);
  const char *found = name == '\0' ? NULL : strchr(names, name);
  if (found == NULL) return false;
  text_add_bytes(to, &values[found - names], 1);
  return true;
}

/* Reads a text after its first quote. */
static bool read_text(reader *from, text *to) {
  text_add(to, "");
  while (from->at < from->end) {
    unsigned char c = (unsigned char)*from->at++;
    if (c == '"') return true;
    if (c < 0x20) return false;
    if (c != '\\') {
      text_add_bytes(to, (const char *)&c, 1);
    } else if (!read_escape(from, to)) {
      return false;
    }
  }
  return false;
}

static void skip_digits(reader *from) {
  while (from->at < from->end && *from->at >= '0' && *from->at <= '9') from->at++;
}

static bool read_digits(reader *from) {
  const char *start = from->at;
  skip_digits(from);
  return from->at > start;
}

static json *read_number(reader *from) {
  const char *start = from->at;
  if (from->at < from->end && *from->at == '-') from->at++;
  bool is_zero = from->at < from->end && *from->at == '0';
  if (is_zero) {
    from->at++;
  } else if (!read_digits(from)) {
    return NULL;
  }
  if (from->at < from->end && *from->at == '.') {
    from->at++;
    if (!read_digits(from)) return NULL;
  }
  if (from->at < from->end && (*from->at == 'e' || *from->at == 'E')) {
    from->at++;
    if (from->at < from->end && (*from->at == '+' || *from->at == '-')) from->at++;
    if (!read_digits(from)) return NULL;
  }
  json *number = json_new(JSON_NUMBER);
  number->length = (size_t)(from->at - start);
  number->value = text_copy_bytes(start, number->length);
  return number;
}

/* Adds an element whose name another one may have: the last one counts. */
static void add_member(json *to, json *element) {
  json **at = &to->first;
  while (*at != NULL) {
    if (element->name != NULL && text_equal((*at)->name, element->name)) {
      element->next = (*at)->next;
      (*at)->next = NULL;
      json_free(*at);
      *at = element;
      return;
    }
    at = &(*at)->next;
  }
  *at = element;
}

static bool read_elements(reader *from, json *to) {
  bool is_object = to->kind == JSON_OBJECT;
  char close = is_object ? '}' : ']';
  if (accept(from, close)) return true;
  /* Lists are long: their end is kept. Objects are short, and their names are compared. */
  json *last = NULL;
  int count = 0;
  do {
    if (is_object && ++count > MEMBERS_MAX) return false;
    text name = {0};
    if (is_object && !(accept(from, '"') && read_text(from, &name) && accept(from, ':'))) {
      text_free(&name);
      return false;
    }
    json *element = read_value(from);
    if (element == NULL) {
      text_free(&name);
      return false;
    }
    if (is_object) {
      element->name = text_take(&name);
      add_member(to, element);
    } else {
      if (last == NULL) to->first = element;
      else last->next = element;
      last = element;
    }
  } while (accept(from, ','));
  return accept(from, close);
}

static json *read_container(reader *from, json_kind kind) {
  if (from->depth >= DEPTH_MAX) return NULL;
  from->depth++;
  json *made = json_new(kind);
  bool is_right = read_elements(from, made);
  from->depth--;
  if (is_right) return made;
  json_free(made);
  return NULL;
}

static json *read_value(reader *from) {
  if (accept(from, '{')) return read_container(from, JSON_OBJECT);
  if (accept(from, '[')) return read_container(from, JSON_LIST);
  if (accept(from, '"')) {
    text value = {0};
    if (!read_text(from, &value)) {
      text_free(&value);
      return NULL;
    }
    json *made = json_new(JSON_TEXT);
    made->length = value.length;
    made->value = text_take(&value);
    return made;
  }
  if (read_word(from, "null")) return json_new(JSON_NULL);
  if (read_word(from, "true")) return json_new(JSON_TRUE);
  if (read_word(from, "false")) return json_new(JSON_FALSE);
  return read_number(from);
}

json *json_parse(const char *data, size_t length) {
  if (data == NULL || !text_is_utf8(data, length)) return NULL;
  reader from = {data, data + length, 0};
  json *value = read_value(&from);
  skip_space(&from);
  if (value != NULL && from.at == from.end) return value;
  json_free(value);
  return NULL;
}

void json_free(json *value) {
  while (value != NULL) {
    json *next = value->next;
    json_free(value->first);
    free(value->name);
    free(value->value);
    free(value);
    value = next;
  }
}

static void write_escaped(text *to, const char *value, size_t length) {
  text_add(to, "\"");
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)value[i];
    if (c == '"' || c == '\\') {
      text_add_format(to, "\\%c", c);
    } else if (c < 0x20) {
      text_add_format(to, "\\u%04x", c);
    } else {
      text_add_bytes(to, (const char *)&c, 1);
    }
  }
  text_add(to, "\"");
}

void json_write_text(text *to, const char *value) {
  if (value == NULL) text_add(to, "null");
  else write_escaped(to, value, strlen(value));
}

static void write_elements(text *to, const json *value) {
  bool is_object = value->kind == JSON_OBJECT;
  text_add(to, is_object ? "{" : "[");
  for (const json *one = value->first; one != NULL; one = one->next) {
    if (one != value->first) text_add(to, ",");
    if (is_object) {
      json_write_text(to, one->name);
      text_add(to, ":");
    }
    json_write(to, one);
  }
  text_add(to, is_object ? "}" : "]");
}

void json_write(text *to, const json *value) {
  switch (value == NULL ? JSON_NULL : value->kind) {
    case JSON_NULL: text_add(to, "null"); break;
    case JSON_TRUE: text_add(to, "true"); break;
    case JSON_FALSE: text_add(to, "false"); break;
    case JSON_NUMBER: text_add(to, value->value); break;
    case JSON_TEXT: write_escaped(to, value->value, value->length); break;
    case JSON_LIST:
    case JSON_OBJECT: write_elements(to, value); break;
  }
}

char *json_to_text(const json *value) {
  text made = {0};
  json_write(&made, value);
  return text_take(&made);
}

bool json_is(const json *value, json_kind kind) { return value != NULL && value->kind == kind; }

bool json_is_flag(const json *value) { return json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE); }

bool json_is_none(const json *value) { return value == NULL || value->kind == JSON_NULL; }

const json *json_member(const json *object, const char *name) {
  if (!json_is(object, JSON_OBJECT)) return NULL;
  for (const json *one = object->first; one != NULL; one = one->next) {
    if (text_equal(one->name, name)) return one;
  }
  return NULL;
}

static const json *element_named(const json *value, const char *name, size_t length) {
  char *copy = text_copy_bytes(name, length);
  const json *found = json_member(value, copy);
  if (json_is(value, JSON_LIST)) {
    char *end;
    unsigned long index = strtoul(copy, &end, 10);
    if (end != copy && *end == '\0') {
      found = value->first;
      while (found != NULL && index-- > 0) found = found->next;
    }
  }
  free(copy);
  return found;
}

const json *json_at(const json *value, const char *path) {
  while (value != NULL && path != NULL && *path != '\0') {
    size_t length = strcspn(path, ".");
    value = element_named(value, path, length);
    path += length + (path[length] == '.' ? 1 : 0);
  }
  return value;
}

const char *json_text(const json *value) {
  return json_is(value, JSON_TEXT) && strlen(value->value) == value->length ? value->value : NULL;
}

const char *json_member_text(const json *object, const char *name) { return json_text(json_member(object, name)); }

/* Not strtod: in the locale of many applications it expects a comma. */
bool json_number(const json *value, double *number) {
  if (!json_is(value, JSON_NUMBER)) return false;
  const char *at = value->value;
  bool is_negative = *at == '-';
  double digits = 0;
  double exponent = 0;
  if (is_negative) at++;
  for (; *at >= '0' && *at <= '9'; at++) digits = digits * 10 + (*at - '0');
  if (*at == '.') {
    for (at++; *at >= '0' && *at <= '9'; at++, exponent--) digits = digits * 10 + (*at - '0');
  }
  if (*at == 'e' || *at == 'E') exponent += (double)strtol(at + 1, NULL, 10);
  *number = (is_negative ? -digits : digits) * pow(10, exponent);
  return isfinite(*number);
}

size_t json_count(const json *list) {
  size_t count = 0;
  if (!json_is(list, JSON_LIST)) return 0;
  for (const json *one = list->first; one != NULL; one = one->next) count++;
  return count;
}

bool json_equal(const json *one, const json *other) {
  char *first = json_to_text(one);
  char *second = json_to_text(other);
  bool is_equal = strcmp(first, second) == 0;
  free(first);
  free(second);
  return is_equal;
}

json *json_new(json_kind kind) {
  json *made = text_allocate(1, sizeof(json));
  made->kind = kind;
  return made;
}

json *json_add(json *object, const char *name, json *value) {
  value->name = text_copy(name);
  add_member(object, value);
  return value;
}

json *json_new_text(const char *value) {
  json *made = json_new(value == NULL ? JSON_NULL : JSON_TEXT);
  if (value != NULL) {
    made->value = text_copy(value);
    made->length = strlen(value);
  }
  return made;
}

json *json_add_text(json *object, const char *name, const char *value) {
  return json_add(object, name, json_new_text(value));
}

json *json_new_number(int64_t number) {
  json *made = json_new(JSON_NUMBER);
  made->value = text_format("%" PRId64, number);
  made->length = strlen(made->value);
  return made;
}

json *json_add_number(json *object, const char *name, int64_t number) {
  return json_add(object, name, json_new_number(number));
}

void json_append(json *list, json *element) {
  json **at = &list->first;
  while (*at != NULL) at = &(*at)->next;
  *at = element;
}

json *json_add_copy(json *object, const char *name, const json *value) {
  return json_add(object, name, json_copy(value));
}

json *json_add_flag(json *object, const char *name, bool flag) {
  return json_add(object, name, json_new(flag ? JSON_TRUE : JSON_FALSE));
}

json *json_copy(const json *value) {
  json *made = json_new(value == NULL ? JSON_NULL : value->kind);
  if (value == NULL) return made;
  if (value->value != NULL) made->value = text_copy_bytes(value->value, value->length);
  made->length = value->length;
  json **at = &made->first;
  for (const json *one = value->first; one != NULL; one = one->next) {
    *at = json_copy(one);
    (*at)->name = text_copy(one->name);
    at = &(*at)->next;
  }
  return made;
}
