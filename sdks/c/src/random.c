#include <sodium.h>

#include "platform.h"

double clock_random(const licensing_clock *clock) {
  if (clock != NULL) return clock->random(clock->context);
  return (double)randombytes_random() / 4294967296.0;
}
