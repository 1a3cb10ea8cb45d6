#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void json_add_member(json *to, json *element) {
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

json *json_add(json *object, const char *name, json *value) {
  value->name = text_copy(name);
  json_add_member(object, value);
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
