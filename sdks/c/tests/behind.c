/* What a start with a kept certificate does while the service does not answer. A test that hangs has failed. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "licensing/licensing.h"
#include "platform.h"
#include "text.h"

#define ROUNDS 20
#define HOUR_S 3600

static licensing_guard *guard;
static char *kept;

static void expect(const char *title, bool is_right) {
  if (is_right) return;
  fprintf(stderr, "FAILED %s\n", title);
  exit(1);
}

static bool read_kept(void *context, char **content) {
  (void)context;
  *content = text_copy(kept);
  return true;
}

static bool write_kept(void *context, const char *content) {
  (void)context;
  free(kept);
  kept = text_copy(content);
  return true;
}

static char *encoded(const unsigned char *bytes, size_t length) {
  size_t size = sodium_base64_encoded_len(length, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  return sodium_bin2base64(text_allocate(size, 1), size, bytes, length, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* Returns a certificate for an hour, and the keys that verify it. */
static char *certificate(char **jwks) {
  unsigned char public_key[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES], signature[crypto_sign_BYTES];
  static const char header[] = "{\"alg\":\"EdDSA\",\"typ\":\"license+jwt\",\"kid\":\"k\"}";
  crypto_sign_keypair(public_key, secret);
  char *x = encoded(public_key, sizeof public_key);
  *jwks = text_format("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\",\"x\":\"%s\"}]}", x);
  long long now = clock_now_ms(NULL) / 1000;
  char *claims = text_format("{\"iss\":\"i\",\"aud\":\"a\",\"sub\":\"s\",\"iat\":%lld,\"exp\":%lld,\"product\":\"p\",\"policy\":\"p\","
                             "\"key_hint\":\"h\",\"fingerprint\":null,\"entitlements\":[]}", now, now + HOUR_S);
  char *first = encoded((const unsigned char *)header, sizeof header - 1);
  char *second = encoded((const unsigned char *)claims, strlen(claims));
  char *content = text_format("%s.%s", first, second);
  crypto_sign_detached(signature, NULL, (const unsigned char *)content, strlen(content), secret);
  char *third = encoded(signature, sizeof signature);
  char *made = text_format("%s.%s", content, third);
  free(x), free(claims), free(first), free(second), free(content), free(third);
  return made;
}

static void keep(const char *license_key, const char *token) {
  unsigned char sum[crypto_hash_sha256_BYTES];
  char hex[sizeof sum * 2 + 1];
  crypto_hash_sha256(sum, (const unsigned char *)license_key, strlen(license_key));
  sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
  kept = text_format("{\"kind\":\"LicenseGuard\",\"key\":\"%s\",\"certificate\":\"%s\"}", hex, token);
}

/* Returns a socket that takes connections when it is asked to, and its port. */
static int listener(int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  int made = socket(AF_INET, SOCK_STREAM, 0);
  bool is_made = bind(made, (struct sockaddr *)&address, length) == 0 && listen(made, 8) == 0 &&
                 getsockname(made, (struct sockaddr *)&address, &length) == 0;
  if (!is_made) abort();
  *port = ntohs(address.sin_port);
  return made;
}

static bool is_reason(const char *code) {
  licensing_answer *state = licensing_guard_state(guard);
  bool is_right = text_equal(licensing_answer_text(state, "reason"), code);
  licensing_answer_free(state);
  return is_right;
}

static void start_fresh(void *context) {
  (void)context;
  expect("a fresh start still has the certificate", licensing_guard_start_fresh(guard) == LICENSING_OFFLINE);
  expect("a fresh start waits for the check", is_reason("NETWORK.UNREACHABLE"));
}

static void play(int server) {
  platform_thread thread;
  expect("a start returns the kept verdict", licensing_guard_start(guard) == LICENSING_OFFLINE);
  int connection = accept(server, NULL, NULL);
  expect("the check runs behind the start", connection >= 0 && is_reason("GUARD.CHECKING"));
  expect("a second start does not wait either", licensing_guard_start(guard) == LICENSING_OFFLINE);
  licensing_guard_stop(guard);
  expect("a stop ends the check", is_reason("GUARD.CHECKING"));
  close(connection);
  if (!platform_thread_start(&thread, start_fresh, NULL)) abort();
  close(accept(server, NULL, NULL));
  platform_thread_join(thread);
  licensing_guard_stop(guard);
}

int main(void) {
  int port;
  char *jwks;
  if (sodium_init() < 0) abort();
  int server = listener(&port);
  char *url = text_format("http://127.0.0.1:%d", port);
  licensing_client_options options = {.size = sizeof options,
                                      .base_url = url,
                                      .api_key = "vx_1",
                                      .timeout_ms = INT64_C(1000) * HOUR_S,
                                      .max_retries = LICENSING_NO_RETRIES};
  licensing_client *client = licensing_client_new(&options, NULL);
  char *token = certificate(&jwks);
  keep("KEY", token);
  licensing_guard_options given = {.size = sizeof given,
                                   .client = client,
                                   .license_key = "KEY",
                                   .store = {.read = read_kept, .write = write_kept},
                                   .jwks = jwks,
                                   .issuer = "i",
                                   .audience = "a"};
  for (int i = 0; i < ROUNDS; i++) {
    guard = licensing_guard_new(&given, NULL);
    play(server);
    licensing_guard_free(guard);
  }
  licensing_client_free(client);
  close(server);
  free(url), free(jwks), free(token), free(kept);
  return 0;
}
