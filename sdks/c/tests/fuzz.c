/* Feeds any bytes to what reads bytes of strangers: tokens, verdicts, certificate files and JSON. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "licensing/licensing.h"

static const char jwks[] =
    "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\",\"x\":\"xogq--wrFqZ-t2ORF4Nwq9fWXFBSbi8poGXvgO7n2EU\"}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *given = text_copy_bytes((const char *)data, size);
  licensing_verification expected = {
      .size = sizeof expected, .jwks = jwks, .issuer = "i", .audience = "a", .nonce = "n", .license_key = given, .now_ms = 1};
  licensing_answer *certificate = licensing_verify_certificate(given, &expected);
  licensing_answer *verdict = licensing_verify_verdict(given, &expected);
  licensing_answer *file = licensing_read_certificate_file(given);
  /* Nobody has the key, so nothing may pass. */
  if (licensing_answer_flag(certificate, "valid") || licensing_answer_flag(verdict, "valid")) abort();
  licensing_answer_free(certificate);
  licensing_answer_free(verdict);
  licensing_answer_free(file);
  json *value = json_parse((const char *)data, size);
  double number;
  json_number(value, &number);
  if (value != NULL) {
    /* What is written can be read again, and is the same. */
    char *written = json_to_text(value);
    json *again = json_parse(written, strlen(written));
    if (again == NULL || !json_equal(value, again)) abort();
    json_free(again);
    free(written);
  }
  json_free(value);
  free(given);
  return 0;
}
