/* Requests of a client with their retries. */
#ifndef LICENSING_CLIENT_H
#define LICENSING_CLIENT_H

#include <stdatomic.h>

#include "answer.h"

/* A field without which an answer is not one of the service. */
typedef struct required_field {
  const char *name;
  /* JSON_TRUE stands for both booleans. */
  json_kind kind;
} required_field;

typedef struct api_request {
  const char *method;
  /* From /api on. */
  char *path;
  /* NULL: no body. Owned. */
  char *body;
  char *idempotency_key;
  /* The nonce that the answer must repeat, or NULL. */
  const char *nonce;
  bool is_public;
  required_field required[2];
  atomic_bool *is_aborted;
} api_request;

/* Performs a request, and frees what it owns. */
licensing_answer *client_call(licensing_client *client, api_request *request);
/* Returns a license key or an id as one segment of a path, which the caller frees. */
char *client_segment(const char *given);

/* The calls of a guard, which a flag may end. */
licensing_answer *client_validate(licensing_client *client, const char *license_key, const licensing_question *question,
                                  atomic_bool *is_aborted);
licensing_answer *client_heartbeat(licensing_client *client, const char *license_key, const char *activation_id,
                                   atomic_bool *is_aborted);
licensing_answer *client_issue_certificate(licensing_client *client, const char *license_key,
                                           const licensing_device *device, int64_t ttl_seconds, atomic_bool *is_aborted);
/* Whether a text is a JSON object, or NULL. */
bool client_is_object(const char *given);

#endif
