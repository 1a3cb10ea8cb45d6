#include "holders.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "platform.h"

static const char ending[] = ".holder";

char *holder_new(const char *path) {
  if (text_is_empty(path)) return NULL;
  char *token = text_random_key();
  char *host = platform_host_name();
  char *start = platform_process_start(platform_process_id());
  json *owner = json_new(JSON_OBJECT);
  json_add_text(owner, "token", token);
  json_add_number(owner, "pid", platform_process_id());
  json_add_text(owner, "host", host);
  json_add_text(owner, "startedAt", start);
  char *content = json_to_text(owner);
  char *mine = text_format("%s.%s%s", path, token, ending);
  /* Another process never sees half of the text. */
  char *draft = text_format("%s.%s.tmp", path, token);
  if (!platform_write_new_file(draft, content) || !platform_replace_file(draft, mine)) {
    platform_remove_file(draft);
    free(mine);
    mine = NULL;
  }
  json_free(owner);
  free(token);
  free(host);
  free(start);
  free(content);
  free(draft);
  return mine;
}

/* What the search for other holders found. */
typedef struct search {
  /* The part of a path before the name of its file, with its slash, and what names of holders begin with. */
  char *folder;
  char *prefix;
  bool is_held;
  bool has_failed;
} search;

static bool is_alive(const json *owner, int64_t id) {
  if (!platform_process_lives(id)) return false;
  const char *then = json_member_text(owner, "startedAt");
  char *now = platform_process_start(id);
  bool is_same = then == NULL || now == NULL || text_equal(then, now);
  free(now);
  return is_same;
}

/* Whether a living process of this machine has a file. The file of an ended one is removed. */
static bool is_held(search *found, const char *file) {
  bool is_missing;
  double id = 0;
  char *content = platform_read_file(file, &is_missing);
  if (content == NULL) {
    found->has_failed = found->has_failed || !is_missing;
    return false;
  }
  json *owner = json_parse(content, strlen(content));
  char *host = platform_host_name();
  /* Another machine has a seat of its own. */
  bool is_ours = text_equal(json_member_text(owner, "host"), host) && json_number(json_member(owner, "pid"), &id) &&
                 id > 0 && id < 2147483648.0;
  bool lives = is_ours && is_alive(owner, (int64_t)id);
  if (is_ours && !lives) platform_remove_file(file);
  json_free(owner);
  free(host);
  free(content);
  return lives;
}

static void look_at(void *context, const char *name) {
  search *found = context;
  if (!text_starts(name, found->prefix)) return;
  const char *token = name + strlen(found->prefix);
  /* A token has no dot; with one, the file belongs to another store, such as `<path>.backup`. */
  if (!text_equal(strchr(token, '.'), ending)) return;
  char *file = text_format("%s%s", found->folder, name);
  if (is_held(found, file)) found->is_held = true;
  free(file);
}

static size_t length_of_folder(const char *path) {
  size_t length = strlen(path);
  while (length > 0 && path[length - 1] != '/' && !(path[length - 1] == '\\' && text_equal(platform_name(), "win32"))) {
    length--;
  }
  return length;
}

bool holder_end(const char *path, char *mine, bool *is_last) {
  size_t length = length_of_folder(path);
  search found = {.folder = length == 0 ? text_copy("./") : text_copy_bytes(path, length),
                  .prefix = text_format("%s.", path + length)};
  platform_remove_file(mine);
  free(mine);
  bool is_read = platform_visit_folder(found.folder, look_at, &found);
  *is_last = !found.is_held;
  free(found.folder);
  free(found.prefix);
  return is_read && !found.has_failed;
}
