#include "answer.h"

#include <stdlib.h>

#include "messages.h"

licensing_answer *answer_of(json *data) {
  licensing_answer *answer = text_allocate(1, sizeof(licensing_answer));
  answer->data = data;
  answer->text = text_allocate(1, sizeof(char *));
  answer->retry_after_ms = -1;
  return answer;
}

licensing_answer *answer_error(const char *code, const char *message) {
  licensing_answer *answer = answer_of(json_new(JSON_LIST));
  answer->error = text_copy(code);
  answer->message = text_copy(message);
  return answer;
}

licensing_answer *answer_error_format(const char *code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  char *message = text_format_values(format, values);
  va_end(values);
  licensing_answer *answer = answer_error(code, message);
  free(message);
  return answer;
}

licensing_answer *answer_invalid(const char *message) { return answer_error("CONFIGURATION.INVALID", message); }

licensing_answer *answer_of_text(const char *name, char *value) {
  json *data = json_new(JSON_OBJECT);
  json_add_text(data, name, value);
  free(value);
  return answer_of(data);
}

bool answer_is(const licensing_answer *answer, const char *code) { return text_equal(answer->error, code); }

const char *licensing_answer_error(const licensing_answer *answer) { return answer == NULL ? NULL : answer->error; }
const char *licensing_answer_message(const licensing_answer *answer) { return answer == NULL ? NULL : answer->message; }
int32_t licensing_answer_status(const licensing_answer *answer) { return answer == NULL ? 0 : answer->status; }

const char *licensing_answer_request_id(const licensing_answer *answer) {
  return answer == NULL ? NULL : answer->request_id;
}

int64_t licensing_answer_retry_after_ms(const licensing_answer *answer) {
  return answer == NULL ? -1 : answer->retry_after_ms;
}

const char *licensing_answer_json(const licensing_answer *answer) {
  if (answer == NULL) return NULL;
  if (*answer->text == NULL) *answer->text = json_to_text(answer->data);
  return *answer->text;
}

const char *licensing_answer_text(const licensing_answer *answer, const char *path) {
  return answer == NULL ? NULL : json_text(json_at(answer->data, path));
}

double licensing_answer_number(const licensing_answer *answer, const char *path, double otherwise) {
  double number;
  return answer != NULL && json_number(json_at(answer->data, path), &number) ? number : otherwise;
}

bool licensing_answer_flag(const licensing_answer *answer, const char *path) {
  return answer != NULL && json_is(json_at(answer->data, path), JSON_TRUE);
}

size_t licensing_answer_count(const licensing_answer *answer, const char *path) {
  return answer == NULL ? 0 : json_count(json_at(answer->data, path));
}

const char *licensing_message_for(const char *code, const char *language) { return message_for(code, language); }

void licensing_answer_free(licensing_answer *answer) {
  if (answer == NULL) return;
  free(answer->error);
  free(answer->message);
  free(answer->request_id);
  free(*answer->text);
  free(answer->text);
  json_free(answer->data);
  free(answer);
}
