/* Stores: one text between the runs of an application. */
#ifndef LICENSING_STORE_H
#define LICENSING_STORE_H

#include "licensing/licensing.h"
#include "text.h"

licensing_store store_in_memory(void);
/* Frees a store of the function above, and leaves any other one alone. */
void store_in_memory_free(licensing_store store);

#endif
