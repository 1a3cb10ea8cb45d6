#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "platform.h"

static bool read_memory(void *context, char **content) {
  *content = text_copy(*(char **)context);
  return true;
}

static bool write_memory(void *context, const char *content) {
  char **kept = context;
  free(*kept);
  *kept = text_copy(content);
  return true;
}

licensing_store store_in_memory(void) {
  return (licensing_store){text_allocate(1, sizeof(char *)), read_memory, write_memory};
}

void store_in_memory_free(licensing_store store) {
  if (store.read != read_memory) return;
  free(*(char **)store.context);
  free(store.context);
}

static bool read_file(void *context, char **content) {
  bool is_missing;
  *content = platform_read_file(context, &is_missing);
  return *content != NULL || is_missing;
}

static bool write_file(void *context, const char *content) {
  const char *path = context;
  char *key = text_random_key();
  char *draft = text_format("%s.%s.tmp", path, key);
  bool is_done = platform_make_folder_of(path) && platform_write_new_file(draft, content);
  if (is_done && !platform_replace_file(draft, path)) {
    platform_remove_file(draft);
    is_done = false;
  }
  free(key);
  free(draft);
  return is_done;
}

licensing_store licensing_file_store(const char *path) {
  return (licensing_store){text_copy(path == NULL ? "" : path), read_file, write_file};
}

void licensing_file_store_free(licensing_store store) { free(store.context); }
