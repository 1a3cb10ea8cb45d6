/* An application with a floating seat: seat_holder URL PATH. It stops its guard when its standard input ends. */
#include <stdio.h>

#include "licensing/licensing.h"

int main(int count, char **arguments) {
  if (count != 3) return 2;
  licensing_client_options options = {.size = sizeof options, .base_url = arguments[1], .api_key = "vx_1"};
  licensing_client *client = licensing_client_new(&options, NULL);
  licensing_guard_options rules = {.size = sizeof rules,
                                   .client = client,
                                   .license_key = "ABCDE-FGHIJ-KLMNP",
                                   .fingerprint = "machine-1",
                                   .store = licensing_file_store(arguments[2]),
                                   /* Who holds the seat does not depend on signatures. */
                                   .is_unsigned = true};
  licensing_guard *guard = licensing_guard_new(&rules, NULL);
  printf("%s", licensing_guard_start(guard) == LICENSING_LICENSED ? "licensed" : "other");
  fflush(stdout);
  while (getchar() != EOF) continue;
  licensing_guard_stop(guard);
  licensing_guard_free(guard);
  licensing_client_free(client);
  return 0;
}
