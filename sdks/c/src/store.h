/* Stores: one text between the runs of an application. */
#ifndef LICENSING_STORE_H
#define LICENSING_STORE_H

#include "licensing/licensing.h"
#include "text.h"

licensing_store store_in_memory(void);
/* Frees what belongs to a store. */
void store_destroy(const licensing_store *store);

#endif
