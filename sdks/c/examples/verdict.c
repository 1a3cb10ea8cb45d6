/* A first verdict: verdict URL API_KEY LICENSE_KEY */
#include <licensing/licensing.h>
#include <stdio.h>

int main(int count, char **arguments) {
  if (count != 4) return fprintf(stderr, "Usage: verdict URL API_KEY LICENSE_KEY\n"), 2;
  licensing_client_options options = {.size = sizeof options, .base_url = arguments[1], .api_key = arguments[2]};
  licensing_client *client = licensing_client_new(&options, NULL);
  if (client == NULL) return fprintf(stderr, "The URL or the API key is wrong.\n"), 2;
  licensing_answer *verdict = licensing_validate(client, arguments[3], NULL);
  const char *error = licensing_answer_error(verdict);
  printf("%s\n", error != NULL ? error : licensing_answer_text(verdict, "code"));
  int status = licensing_answer_flag(verdict, "valid") ? 0 : 1;
  licensing_answer_free(verdict);
  licensing_client_free(client);
  return status;
}
