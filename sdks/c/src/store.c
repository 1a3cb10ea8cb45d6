#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "holders.h"
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

static void destroy_memory(void *context) {
  free(*(char **)context);
  free(context);
}

/* One guard has the store alone, so it needs no holders. */
licensing_store store_in_memory(void) {
  return (licensing_store){
      .context = text_allocate(1, sizeof(char *)), .read = read_memory, .write = write_memory, .destroy = destroy_memory};
}

void store_destroy(const licensing_store *store) {
  if (store->destroy != NULL) store->destroy(store->context);
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

static void *hold_file(void *context) {
  return platform_make_folder_of(context) ? holder_new(context) : NULL;
}

static bool release_file(void *context, void *hold, bool *is_last) { return holder_end(context, hold, is_last); }

licensing_store licensing_file_store(const char *path) {
  return (licensing_store){.context = text_copy(path == NULL ? "" : path),
                           .read = read_file,
                           .write = write_file,
                           .hold = hold_file,
                           .release = release_file,
                           .destroy = free};
}
