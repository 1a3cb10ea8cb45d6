#include "http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

/* No response of the API is larger. A larger one comes from something else and must not fill the memory. */
#define BODY_BYTES_MAX ((size_t)16 * 1024 * 1024)

static size_t receive_body(char *data, size_t size, size_t count, void *context) {
  http_response *response = context;
  if (response->body.length + size * count > BODY_BYTES_MAX) {
    response->is_too_large = true;
    return 0;
  }
  text_add_bytes(&response->body, data, size * count);
  return size * count;
}

/* Compares letters of ASCII without their case. */
static bool is_name(const char *line, size_t length, const char *name) {
  if (length != strlen(name)) return false;
  for (size_t i = 0; i < length; i++) {
    char c = line[i] >= 'A' && line[i] <= 'Z' ? (char)(line[i] + 32) : line[i];
    if (c != name[i]) return false;
  }
  return true;
}

static size_t receive_header(char *data, size_t size, size_t count, void *context) {
  http_response *response = context;
  size_t length = size * count;
  const char *colon = memchr(data, ':', length);
  /* A line "HTTP/1.1 200" begins the headers of another response, after those of a proxy or "100 Continue". */
  if (colon == NULL) return length;
  size_t name_length = (size_t)(colon - data);
  const struct {
    const char *name;
    text *value;
  } wanted[] = {{"content-type", &response->content_type},
                {"x-request-id", &response->request_id},
                {"retry-after", &response->retry_after},
                {"date", &response->date}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    if (!is_name(data, name_length, wanted[i].name)) continue;
    char *line = text_copy_bytes(colon + 1, length - name_length - 1);
    char *value = text_trimmed(line);
    wanted[i].value->length = 0;
    text_add(wanted[i].value, value);
    free(line);
    free(value);
  }
  return length;
}

static int check_abort(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  return atomic_load((atomic_bool *)context) ? 1 : 0;
}

static struct curl_slist *add_header(struct curl_slist *list, const char *name, const char *value) {
  if (value == NULL) return list;
  char *line = text_format(*value == '\0' ? "%s:%s" : "%s: %s", name, value);
  struct curl_slist *longer = curl_slist_append(list, line);
  free(line);
  if (longer == NULL) abort();
  return longer;
}

static struct curl_slist *headers_of(const http_request *request) {
  struct curl_slist *headers = add_header(NULL, "accept", "application/json");
  /* Without a value, libcurl sends no such header, and not that of a form. */
  headers = add_header(headers, "content-type", request->body == NULL ? "" : "application/json");
  headers = add_header(headers, "x-api-key", request->api_key);
  headers = add_header(headers, "idempotency-key", request->idempotency_key);
  /* Likewise: it would wait for "100 Continue" before a longer body. */
  return add_header(headers, "expect", "");
}

static void set_options(CURL *handle, const http_request *request, http_response *response, char *why) {
  curl_easy_setopt(handle, CURLOPT_URL, request->url);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, why);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  /* A redirect could carry the API key to another host. */
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)(request->timeout_ms > 0 ? request->timeout_ms : 1));
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, response);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, response);
  if (request->ca_file != NULL) curl_easy_setopt(handle, CURLOPT_CAINFO, request->ca_file);
  if (request->is_aborted != NULL) {
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, check_abort);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, (void *)request->is_aborted);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  }
  if (text_equal(request->method, "POST")) {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request->body == NULL ? "" : request->body);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(request->body == NULL ? 0 : strlen(request->body)));
  }
}

void http_send(const http_request *request, http_response *response) {
  *response = (http_response){0};
  char why[CURL_ERROR_SIZE] = "";
  /* Not a kept connection: libcurl repeats a request on its own if one breaks, whatever the caller's number of retries. */
  CURL *handle = curl_easy_init();
  if (handle == NULL) abort();
  struct curl_slist *headers = headers_of(request);
  set_options(handle, request, response, why);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  CURLcode code = curl_easy_perform(handle);
  if (code == CURLE_OK || response->is_too_large) {
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &response->status);
  } else {
    response->is_timeout = code == CURLE_OPERATION_TIMEDOUT;
    response->is_aborted = code == CURLE_ABORTED_BY_CALLBACK;
    response->failure = text_copy(*why == '\0' ? curl_easy_strerror(code) : why);
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(handle);
}

void http_response_free(http_response *response) {
  text_free(&response->body);
  text_free(&response->content_type);
  text_free(&response->request_id);
  text_free(&response->retry_after);
  text_free(&response->date);
  free(response->failure);
}
