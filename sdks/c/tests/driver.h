/* The driver of the conformance cases: see packages/sdk/conformance/README.md. */
#ifndef LICENSING_TESTS_DRIVER_H
#define LICENSING_TESTS_DRIVER_H

#include "answer.h"

/* The texts of a list of the arguments, for one call. */
typedef struct driver_texts {
  const char **texts;
  size_t count;
} driver_texts;

driver_texts driver_texts_of(const json *given, const char *name);
void driver_texts_free(driver_texts *list);
int64_t driver_number(const json *given, const char *name, int64_t otherwise);
/* An answer whose data is null. */
licensing_answer *driver_nothing(void);
/* Waits while calls that must overlap begin. */
void driver_pass_gate(void);
/* An operation of a guard. */
licensing_answer *driver_guard(const char *operation, const json *given, licensing_client *client);

#endif
