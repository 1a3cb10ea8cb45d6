#include "offline_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "moment.h"
#include "platform.h"

static const char request_format[] = "licensing-offline-request-v1";
static const char certificate_format[] = "licensing-offline-certificate-v1";

licensing_answer *offline_request_at(const char *product, const licensing_device *device, int64_t now_ms) {
  if (text_is_empty(product) || device == NULL || text_is_empty(device->fingerprint)) {
    return answer_invalid("product and fingerprint must not be empty.");
  }
  if (!HAS_SIZE_BEFORE(device, components)) return answer_invalid(SIZE_PROBLEM);
  json *request = json_new(JSON_OBJECT);
  char *created_at = moment_format(now_ms);
  json_add_text(request, "format", request_format);
  json_add_text(request, "product", product);
  json_add_text(request, "fingerprint", device->fingerprint);
  json_add_text(request, "name", device->name);
  json_add_text(request, "hostname", device->hostname);
  json_add_text(request, "platform", device->platform);
  json_add_text(request, "created_at", created_at);
  licensing_answer *answer = answer_of_text("file", json_to_text(request));
  json_free(request);
  free(created_at);
  return answer;
}

licensing_answer *licensing_offline_request(const char *product, const licensing_device *device) {
  return offline_request_at(product, device, clock_now_ms(NULL));
}

licensing_answer *licensing_read_certificate_file(const char *given) {
  static const char *const fields[] = {"product", "license_key", "certificate", "expires_at"};
  static const char mark[] = "\xef\xbb\xbf";
  const char *start = text_starts(given, mark) ? given + sizeof mark - 1 : given;
  json *content = start == NULL ? NULL : json_parse(start, strlen(start));
  const char *format = json_member_text(content, "format");
  bool is_right = text_equal(format, certificate_format);
  bool is_request = text_equal(format, request_format);
  json *file = json_new(JSON_OBJECT);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    const char *value = json_member_text(content, fields[i]);
    is_right = is_right && !text_is_empty(value);
    json_add_text(file, fields[i], value);
  }
  json_free(content);
  if (is_right) return answer_of(file);
  json_free(file);
  return answer_error("CERTIFICATE_FILE.INVALID",
                      is_request ? "This is the request file. Upload it in the portal, and import the file that you download there."
                                 : "This is not a certificate file. Download it again from the portal, and import it unchanged.");
}

/* Returns the letters and digits of a key, without what people and programs put between them. */
static char *essence_of(const char *key) {
  static const char *const dashes[] = {"\xe2\x80\x93", "\xe2\x80\x94"};
  text kept = {0};
  for (const char *at = key; *at != '\0'; at++) {
    if (text_starts(at, dashes[0]) || text_starts(at, dashes[1])) {
      at += 2;
      continue;
    }
    if (isspace((unsigned char)*at) || *at == '-' || *at == '_') continue;
    char upper = (char)toupper((unsigned char)*at);
    text_add_bytes(&kept, &upper, 1);
  }
  return text_take(&kept);
}

bool offline_is_same_key(const char *one, const char *other) {
  char *first = essence_of(one);
  char *second = essence_of(other);
  bool is_same = text_equal(first, second);
  free(first);
  free(second);
  return is_same;
}
