#include "client.h"

#include <curl/curl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "moment.h"
#include "platform.h"

#define DEFAULT_TIMEOUT_MS 10000
#define DEFAULT_RETRIES 2
#define BASE_WAIT_MS 250.0
#define LONGEST_WAIT_MS 4000.0
#define KEY_CHARACTERS_MAX 128

struct licensing_client {
  char *base_url;
  char *api_key;
  char *ca_file;
  int64_t timeout_ms;
  int32_t max_retries;
  licensing_clock clock_copy;
  const licensing_clock *clock;
};

char *client_segment(const char *given) {
  size_t length = given == NULL ? 0 : strlen(given), characters = 0;
  for (size_t i = 0; i < length; i++) characters += (given[i] & 0xc0) != 0x80;
  bool is_possible = length > 0 && !text_equal(given, ".") && !text_equal(given, "..") &&
                     characters <= KEY_CHARACTERS_MAX && text_is_utf8(given, length);
  /* A text that no URL can carry becomes "-", which is not a key either: the service answers as for every unknown key. */
  if (!is_possible) return text_copy("-");
  text made = {0};
  for (size_t i = 0; i < length; i++) {
    char c = given[i];
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~", c) != NULL;
    if (is_plain) text_add_bytes(&made, &c, 1);
    else text_add_format(&made, "%%%02X", (unsigned)(unsigned char)c);
  }
  return text_take(&made);
}

/* Returns a copy without slashes at its end, or NULL for a URL that cannot be one of the service. */
static char *checked_url(const char *given, const char **problem) {
  *problem = "base_url must be the http or https URL of the service.";
  CURLU *url = curl_url();
  char *part = NULL;
  char *made = NULL;
  bool is_url = given != NULL && curl_url_set(url, CURLUPART_URL, given, 0) == CURLUE_OK &&
                (text_starts(given, "http://") || text_starts(given, "https://"));
  if (is_url) {
    static const CURLUPart unwanted[] = {CURLUPART_USER, CURLUPART_QUERY, CURLUPART_FRAGMENT};
    *problem = "base_url must have neither credentials nor a query nor a fragment.";
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted && is_url; i++) {
      is_url = curl_url_get(url, unwanted[i], &part, 0) != CURLUE_OK;
      curl_free(part);
      part = NULL;
    }
  }
  if (is_url) {
    made = text_copy(given);
    for (size_t end = strlen(made); end > 0 && made[end - 1] == '/'; end--) made[end - 1] = '\0';
    const char *api = strstr(made, "/api/v");
    if (api != NULL && api[6] != '\0' && strspn(api + 6, "0123456789") == strlen(api + 6)) {
      *problem = "base_url must end before /api/v1.";
      free(made);
      made = NULL;
    }
  }
  curl_url_cleanup(url);
  return made;
}

static const char *problem_of_key(const char *key) {
  if (text_starts(key, "service_")) return "api_key must be vx_…, not an access token (service_…).";
  if (text_starts(key, "whsec_")) return "api_key must be vx_…, not the secret of a webhook (whsec_…).";
  if (text_is_empty(key)) return "api_key must be vx_…. It is not set.";
  for (const char *at = key; *at != '\0'; at++) {
    if (*at < '!' || *at > '~') return "api_key must be vx_…, without white space.";
  }
  return NULL;
}

static void fail_with(licensing_answer **error, const char *problem) {
  if (error != NULL) *error = answer_invalid(problem);
}

licensing_client *licensing_client_new(const licensing_client_options *options, licensing_answer **error) {
  if (error != NULL) *error = NULL;
  if (options == NULL || sodium_init() < 0) {
    fail_with(error, "Pass the options of the client.");
    return NULL;
  }
  if (!HAS_SIZE(options) || (options->clock != NULL && !HAS_SIZE(options->clock))) {
    fail_with(error, SIZE_PROBLEM);
    return NULL;
  }
  const char *problem = problem_of_key(options->api_key);
  if (options->timeout_ms < 0) problem = "timeout_ms must be positive.";
  if (options->max_retries < LICENSING_NO_RETRIES) problem = "max_retries must be 0 or more, or LICENSING_NO_RETRIES.";
  const char *problem_of_url = NULL;
  char *base_url = problem == NULL ? checked_url(options->base_url, &problem_of_url) : NULL;
  if (base_url == NULL) {
    fail_with(error, problem == NULL ? problem_of_url : problem);
    return NULL;
  }
  licensing_client *client = text_allocate(1, sizeof(licensing_client));
  client->base_url = base_url;
  client->api_key = text_copy(options->api_key);
  client->ca_file = text_copy(options->ca_file);
  client->timeout_ms = options->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : options->timeout_ms;
  client->max_retries = options->max_retries == 0 ? DEFAULT_RETRIES : options->max_retries;
  if (client->max_retries == LICENSING_NO_RETRIES) client->max_retries = 0;
  if (options->clock != NULL) {
    client->clock_copy = *options->clock;
    client->clock = &client->clock_copy;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return client;
}

void licensing_client_free(licensing_client *client) {
  if (client == NULL) return;
  free(client->base_url);
  free(client->api_key);
  free(client->ca_file);
  free(client);
}

static bool is_json(const http_response *response) {
  const char *given = response->content_type.data == NULL ? "" : response->content_type.data;
  char *kind = text_copy_bytes(given, strcspn(given, "; \t"));
  for (char *at = kind; *at != '\0'; at++) {
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at + 32);
  }
  size_t length = strlen(kind);
  bool is_right = text_equal(kind, "application/json") ||
                  (text_starts(kind, "application/") && length > 5 && text_equal(kind + length - 5, "+json"));
  free(kind);
  return is_right;
}

/* Seconds or a date, which is compared with the response's own, because the clock of this machine may be wrong. -1: none. */
static int64_t retry_after_ms(const http_response *response) {
  const char *value = response->retry_after.data;
  int64_t until_ms, sent_ms;
  if (text_is_empty(value)) return -1;
  if (strspn(value, "0123456789") == strlen(value)) {
    /* More digits are more than a century. */
    return strlen(value) > 9 ? INT64_C(999999999000) : (int64_t)strtol(value, NULL, 10) * 1000;
  }
  if (!moment_parse_http(value, &until_ms)) return -1;
  if (!moment_parse_http(response->date.data, &sent_ms)) sent_ms = clock_now_ms(NULL);
  return until_ms > sent_ms ? until_ms - sent_ms : 0;
}

static licensing_answer *failure_of(const http_response *response, const char *code, const char *message) {
  licensing_answer *answer = answer_error(code, message);
  answer->status = (int32_t)response->status;
  answer->retry_after_ms = retry_after_ms(response);
  answer->request_id = text_is_empty(response->request_id.data) ? NULL : text_copy(response->request_id.data);
  return answer;
}

/* Removes the API key from a body, in case the server echoes the request. */
static char *redacted(const http_response *response, const char *secret) {
  text made = {0};
  const char *at = response->body.data == NULL ? "" : response->body.data;
  for (const char *found; (found = strstr(at, secret)) != NULL; at = found + strlen(secret)) {
    text_add_bytes(&made, at, (size_t)(found - at));
    text_add(&made, "[redacted]");
  }
  text_add(&made, at);
  return text_take(&made);
}

static licensing_answer *error_in(const licensing_client *client, const http_response *response) {
  char *body = redacted(response, client->api_key);
  json *document = json_parse(body, strlen(body));
  free(body);
  const json *error = json_member(document, "error");
  const char *code = json_member_text(error, "code");
  const char *message = json_member_text(error, "message");
  licensing_answer *answer = NULL;
  if (code != NULL && message != NULL) {
    answer = failure_of(response, code, message);
    const char *request_id = json_text(json_at(document, "meta.request_id"));
    if (answer->request_id == NULL) answer->request_id = text_copy(request_id);
    const json *details = json_member(error, "details");
    if (json_is(details, JSON_LIST)) {
      json_free(answer->data);
      answer->data = json_copy(details);
    }
  }
  json_free(document);
  return answer;
}

static bool has_fields(const json *data, const api_request *request) {
  for (size_t i = 0; i < 2 && request->required[i].name != NULL; i++) {
    const json *field = json_member(data, request->required[i].name);
    bool is_right = request->required[i].kind == JSON_TRUE ? json_is_flag(field) : json_is(field, request->required[i].kind);
    if (!is_right) return false;
  }
  return json_is(data, JSON_OBJECT);
}

static licensing_answer *decode(const licensing_client *client, const api_request *request, const http_response *response) {
  bool is_readable = is_json(response) && !response->is_too_large && response->body.data != NULL;
  if (is_readable && response->status >= 200 && response->status < 300) {
    json *document = json_parse(response->body.data, response->body.length);
    const json *data = request->is_public ? document : json_member(document, "data");
    if (has_fields(data, request)) {
      bool is_answer = request->nonce == NULL || text_equal(json_member_text(data, "nonce"), request->nonce);
      json *kept = json_copy(data);
      json_free(document);
      if (is_answer) return answer_of(kept);
      json_free(kept);
      const char *message = "The verdict repeats another nonce than the request had: it may be an old one. Ask again.";
      return failure_of(response, "RESPONSE.INVALID", message);
    }
    json_free(document);
  }
  licensing_answer *error = is_readable && response->status >= 400 ? error_in(client, response) : NULL;
  if (error != NULL) return error;
  char *message = text_format("The response is not one of the API: status %ld. Check base_url and every proxy.", response->status);
  licensing_answer *answer = failure_of(response, "RESPONSE.INVALID", message);
  free(message);
  return answer;
}

static licensing_answer *attempt(licensing_client *client, const api_request *request, const char *url, int64_t left_ms) {
  http_request sent = {.method = request->method,
                       .url = url,
                       .body = request->body,
                       .api_key = request->is_public ? NULL : client->api_key,
                       .idempotency_key = request->idempotency_key,
                       .timeout_ms = left_ms,
                       .ca_file = client->ca_file,
                       .is_aborted = request->is_aborted};
  http_response response;
  licensing_answer *answer;
  http_send(&sent, &response);
  if (response.status != 0) {
    answer = decode(client, request, &response);
  } else if (response.is_aborted) {
    answer = answer_error("NETWORK.ABORTED", "The caller ended the request. Repeat it if needed.");
  } else if (response.is_timeout) {
    answer = answer_error("NETWORK.TIMEOUT", "The service did not answer in time. Try again, or raise timeout_ms.");
  } else {
    answer = answer_error_format("NETWORK.UNREACHABLE",
                                 "The service could not be reached (%s). Check the network and base_url.", response.failure);
  }
  http_response_free(&response);
  return answer;
}

static bool is_retried(const licensing_answer *answer, int32_t attempts) {
  switch (answer->status) {
    case 0: return answer_is(answer, "NETWORK.UNREACHABLE");
    case 429:
    case 502:
    case 503:
    case 504: return true;
    /* An earlier attempt of this call is still running. */
    default: return attempts > 0 && answer_is(answer, "IDEMPOTENCY.IN_PROGRESS");
  }
}

/* What the service asks for, or a random wait from 0 to a range that doubles with each attempt. */
static int64_t wait_after(const licensing_client *client, const licensing_answer *answer, int32_t attempts) {
  if (answer->retry_after_ms >= 0) return answer->retry_after_ms;
  double longest = BASE_WAIT_MS * (double)(INT64_C(1) << (attempts < 10 ? attempts : 10));
  if (longest > LONGEST_WAIT_MS) longest = LONGEST_WAIT_MS;
  return (int64_t)(clock_random(client->clock) * longest);
}

static licensing_answer *call(licensing_client *client, const api_request *request) {
  if (client == NULL) return answer_invalid("There is no client. The error of licensing_client_new says why.");
  char *url = text_format("%s%s", client->base_url, request->path);
  int64_t deadline_ms = clock_monotonic_ms(client->clock) + client->timeout_ms;
  licensing_answer *answer = NULL;
  for (int32_t attempts = 0;; attempts++) {
    licensing_answer_free(answer);
    answer = attempt(client, request, url, deadline_ms - clock_monotonic_ms(client->clock));
    if (answer->error == NULL || attempts >= client->max_retries || !is_retried(answer, attempts)) break;
    int64_t wait_ms = wait_after(client, answer, attempts);
    if (clock_monotonic_ms(client->clock) + wait_ms >= deadline_ms) break;
    clock_sleep_ms(client->clock, wait_ms);
  }
  free(url);
  return answer;
}

licensing_answer *client_call(licensing_client *client, api_request *request) {
  licensing_answer *answer = call(client, request);
  free(request->path);
  free(request->body);
  free(request->idempotency_key);
  return answer;
}
