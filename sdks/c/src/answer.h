/* Answers: the data of a call or its error. */
#ifndef LICENSING_ANSWER_H
#define LICENSING_ANSWER_H

#include "json.h"
#include "licensing/licensing.h"

struct licensing_answer {
  /* NULL for a success. */
  char *error;
  char *message;
  int32_t status;
  char *request_id;
  int64_t retry_after_ms;
  /* The data, or the details of an error. */
  json *data;
  /* Where the data is kept as text, which is made when it is asked for. */
  char **text;
};

/* Takes the data over. */
licensing_answer *answer_of(json *data);
licensing_answer *answer_error(const char *code, const char *message);
licensing_answer *answer_error_format(const char *code, const char *format, ...) TEXT_FORMAT(2, 3);
licensing_answer *answer_invalid(const char *message);
/*
 * Whether the `size` of a structure was set, so that all members of this version can be read. A version that adds members
 * has to accept this size too, and to read the new members of larger structures only.
 */
#define HAS_SIZE(structure) ((structure)->size >= sizeof *(structure))
/* The same for a structure to which a version added `member`, the last one; and that member, if the structure has it. */
#define HAS_SIZE_BEFORE(structure, member) \
  ((structure)->size >= (size_t)((const char *)&(structure)->member - (const char *)(structure)))
#define NEW_MEMBER(structure, member) (HAS_SIZE(structure) ? (structure)->member : NULL)
#define SIZE_PROBLEM "Set the `size` of every structure to its sizeof, from the header of this version or a later one."
/* A success whose data has one text. */
licensing_answer *answer_of_text(const char *name, char *value);
bool answer_is(const licensing_answer *answer, const char *code);

#endif
