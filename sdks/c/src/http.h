/* One HTTP exchange. */
#ifndef LICENSING_HTTP_H
#define LICENSING_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "text.h"

typedef struct http_request {
  /* "GET" or "POST". */
  const char *method;
  const char *url;
  /* NULL: no body. */
  const char *body;
  /* NULL: none of these headers. */
  const char *api_key;
  const char *idempotency_key;
  int64_t timeout_ms;
  const char *ca_file;
  /* NULL, or a flag that ends the exchange when it becomes true. */
  atomic_bool *is_aborted;
} http_request;

typedef struct http_response {
  /* 0: there was no response, and `failure` says why. */
  long status;
  text body;
  text content_type;
  text request_id;
  text retry_after;
  text date;
  bool is_timeout;
  bool is_aborted;
  bool is_too_large;
  char *failure;
} http_response;

void http_send(const http_request *request, http_response *response);
void http_response_free(http_response *response);

#endif
