/* Who owns a store, and who counts as a user of a file. Sanitizers notice a leak and what is freed twice. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "licensing/licensing.h"
#include "platform.h"
#include "text.h"

static int failures;

static void expect(const char *title, bool is_right) {
  if (is_right) return;
  fprintf(stderr, "FAILED %s\n", title);
  failures++;
}

static bool read_nothing(void *context, char **text) {
  (void)context;
  *text = NULL;
  return true;
}

static bool write_nothing(void *context, const char *text) {
  (void)context, (void)text;
  return true;
}

static void count_end(void *context) { ++*(int *)context; }

static void own_stores(licensing_client *client) {
  int ends = 0;
  licensing_guard_options options = {.size = sizeof options, .client = client, .is_unsigned = true, .is_pumped = true};
  options.store = (licensing_store){.context = &ends, .read = read_nothing, .write = write_nothing, .destroy = count_end};
  licensing_guard *guard = licensing_guard_new(&options, NULL);
  expect("a guard keeps its store", ends == 0);
  licensing_guard_free(guard);
  expect("a freed guard destroys its store once", ends == 1);
  options.is_unsigned = false;
  expect("the options are refused", licensing_guard_new(&options, NULL) == NULL);
  expect("refused options destroy their store", ends == 2);
  options.store = licensing_file_store("license.json");
  expect("the options are refused again", licensing_guard_new(&options, NULL) == NULL);
  options.is_unsigned = true;
  options.store = licensing_file_store("license.json");
  licensing_guard_free(licensing_guard_new(&options, NULL));
  options.store = (licensing_store){0};
  licensing_guard_free(licensing_guard_new(&options, NULL));
}

static bool is_last_after(licensing_store store, void *hold) {
  bool is_last = false;
  expect("a hold ends", store.release(store.context, hold, &is_last));
  return is_last;
}

static void write_holder(const char *path, const char *token, long long pid, const char *host) {
  char *file = text_format("%s.%s.holder", path, token);
  char *content = text_format("{\"token\":\"%s\",\"pid\":%lld,\"host\":\"%s\",\"startedAt\":null}", token, pid, host);
  expect("a file is written", platform_write_new_file(file, content));
  free(file);
  free(content);
}

static bool exists(const char *path, const char *token) {
  char *file = text_format("%s.%s.holder", path, token);
  bool is_there = platform_file_exists(file);
  free(file);
  return is_there;
}

static long long ended_process(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  return child;
}

static void count_users(const char *path) {
  licensing_store store = licensing_file_store(path);
  char *host = platform_host_name();
  void *first = store.hold(store.context), *second = store.hold(store.context);
  expect("two users hold a file", first != NULL && second != NULL);
  expect("the first to end is not the last", !is_last_after(store, first));
  expect("the second one is", is_last_after(store, second));
  first = store.hold(store.context);
  write_holder(path, "ended", ended_process(), host);
  write_holder(path, "elsewhere", getpid(), "another-machine");
  write_holder(path, "backup.one", getpid(), host);
  expect("ended processes, other machines and other stores do not count", is_last_after(store, first));
  expect("the file of an ended process is removed", !exists(path, "ended"));
  expect("the files of others stay", exists(path, "elsewhere") && exists(path, "backup.one"));
  first = store.hold(store.context);
  write_holder(path, "living", getppid(), host);
  expect("a living process counts", !is_last_after(store, first));
  expect("its file stays", exists(path, "living"));
  free(host);
  store.destroy(store.context);
}

int main(void) {
  char folder[] = "stores-XXXXXX";
  licensing_client_options given = {.size = sizeof given, .base_url = "http://127.0.0.1:1", .api_key = "vx_1"};
  licensing_client *client = licensing_client_new(&given, NULL);
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) abort();
  own_stores(client);
  /* The holders of `license` are not those of `license.backup`. */
  count_users("license");
  count_users("state/license.json");
  licensing_client_free(client);
  return failures == 0 ? 0 : 1;
}
