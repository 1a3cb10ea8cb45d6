/* JSON (RFC 8259): strict, UTF-8 only, with a limited depth. The last of several members with one name counts. */
#ifndef LICENSING_JSON_H
#define LICENSING_JSON_H

#include "text.h"

typedef enum json_kind { JSON_NULL, JSON_TRUE, JSON_FALSE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

typedef struct json json;
struct json {
  json_kind kind;
  /* The name of a member of an object. */
  char *name;
  /* The value of a text without its length after a zero byte; the digits of a number. */
  char *value;
  /* The bytes of a text, which may contain zero bytes. */
  size_t length;
  /* The first element of a list or an object, and the next one of the same. */
  json *first;
  json *next;
};

/* Returns the value in a text, or NULL if it is no JSON. */
json *json_parse(const char *data, size_t length);
void json_free(json *value);
/* Writes a value without white space. NULL is written as null. */
void json_write(text *to, const json *value);
char *json_to_text(const json *value);
/* Writes a text with its quotes; NULL is written as null. */
void json_write_text(text *to, const char *value);
/* The member of an object, or NULL. */
const json *json_member(const json *object, const char *name);
/* The value at a path such as "license.holder.name" or "entitlements.0", or NULL. */
const json *json_at(const json *value, const char *path);
/* A text without zero bytes, or NULL. */
const char *json_text(const json *value);
/* The text of a member, or NULL. */
const char *json_member_text(const json *object, const char *name);
bool json_is(const json *value, json_kind kind);
bool json_is_flag(const json *value);
/* Whether a value is absent or null. */
bool json_is_none(const json *value);
/* A finite number in `*number`; false if there is none. */
bool json_number(const json *value, double *number);
size_t json_count(const json *list);
/* Whether two values are the same JSON, members in the same order. */
bool json_equal(const json *one, const json *other);
/* Builders of objects: add a member, and return it. */
json *json_new(json_kind kind);
/* A text; null for NULL. */
json *json_new_text(const char *value);
/* Adds an element with a name, which another one may have: the last one counts. */
void json_add_member(json *object, json *element);
json *json_add(json *object, const char *name, json *value);
json *json_add_text(json *object, const char *name, const char *value);
json *json_add_number(json *object, const char *name, int64_t number);
json *json_add_flag(json *object, const char *name, bool flag);
json *json_new_number(int64_t number);
/* Adds an element at the end of a list. */
void json_append(json *list, json *element);
json *json_copy(const json *value);
/* Adds a copy of a value, or null for NULL. */
json *json_add_copy(json *object, const char *name, const json *value);

#endif
