/* The files with which a device without a network is activated in the portal of the vendor. */
#ifndef LICENSING_OFFLINE_FILES_H
#define LICENSING_OFFLINE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "licensing/licensing.h"

/* Like licensing_offline_request, written at another time. */
licensing_answer *offline_request_at(const char *product, const licensing_device *device, int64_t now_ms);
/* Whether two texts are the same license key, as a person typed or pasted it. */
bool offline_is_same_key(const char *one, const char *other);

#endif
