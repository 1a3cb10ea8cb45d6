#include <stdlib.h>
#include <string.h>

#include "json.h"

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
      json_add_member(to, element);
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
