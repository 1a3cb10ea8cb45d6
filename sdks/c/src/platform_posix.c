#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"
#include "text.h"

void platform_mutex_init(platform_mutex *mutex) {
  if (pthread_mutex_init(mutex, NULL) != 0) abort();
}
void platform_mutex_free(platform_mutex *mutex) { pthread_mutex_destroy(mutex); }
void platform_lock(platform_mutex *mutex) { pthread_mutex_lock(mutex); }
void platform_unlock(platform_mutex *mutex) { pthread_mutex_unlock(mutex); }

void platform_condition_init(platform_condition *condition) {
  pthread_condattr_t attributes;
  bool is_made = pthread_condattr_init(&attributes) == 0;
#ifndef __APPLE__
  is_made = is_made && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0;
#endif
  if (!is_made || pthread_cond_init(condition, &attributes) != 0) abort();
  pthread_condattr_destroy(&attributes);
}
void platform_condition_free(platform_condition *condition) { pthread_cond_destroy(condition); }
void platform_wake(platform_condition *condition) { pthread_cond_broadcast(condition); }

void platform_wait(platform_condition *condition, platform_mutex *mutex, int64_t duration_ms) {
  if (duration_ms < 0) {
    pthread_cond_wait(condition, mutex);
    return;
  }
  /* In the clock that nobody can set: a user who sets the other one back must not make the wait longer. */
  struct timespec wait = {(time_t)(duration_ms / 1000), (long)(duration_ms % 1000) * 1000000};
#ifdef __APPLE__
  pthread_cond_timedwait_relative_np(condition, mutex, &wait);
#else
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += wait.tv_sec + (until.tv_nsec + wait.tv_nsec) / 1000000000;
  until.tv_nsec = (until.tv_nsec + wait.tv_nsec) % 1000000000;
  pthread_cond_timedwait(condition, mutex, &until);
#endif
}

typedef struct start {
  void (*run)(void *context);
  void *context;
} start;

static void *run_thread(void *given) {
  start begun = *(start *)given;
  free(given);
  begun.run(begun.context);
  return NULL;
}

bool platform_thread_start(platform_thread *thread, void (*run)(void *context), void *context) {
  start *given = text_allocate(1, sizeof(start));
  *given = (start){run, context};
  if (pthread_create(thread, NULL, run_thread, given) == 0) return true;
  free(given);
  return false;
}

void platform_thread_join(platform_thread thread) { pthread_join(thread, NULL); }
bool platform_thread_is_current(platform_thread thread) { return pthread_equal(thread, pthread_self()) != 0; }

static int64_t read_clock(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t clock_now_ms(const licensing_clock *clock) {
  return clock != NULL ? clock->now_ms(clock->context) : read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic_ms(const licensing_clock *clock) {
  return clock != NULL ? clock->monotonic_ms(clock->context) : read_clock(CLOCK_MONOTONIC);
}

void clock_sleep_ms(const licensing_clock *clock, int64_t duration_ms) {
  if (clock != NULL) {
    clock->sleep_ms(clock->context, duration_ms);
    return;
  }
  struct timespec left = {(time_t)(duration_ms / 1000), (long)(duration_ms % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

char *platform_read_file(const char *path, bool *is_missing) {
  FILE *file = fopen(path, "rb");
  if (is_missing != NULL) *is_missing = file == NULL && (errno == ENOENT || errno == ENOTDIR);
  if (file == NULL) return NULL;
  text content = {0};
  char piece[4096];
  size_t length;
  text_add(&content, "");
  while ((length = fread(piece, 1, sizeof piece, file)) > 0) text_add_bytes(&content, piece, length);
  bool is_whole = ferror(file) == 0;
  fclose(file);
  if (is_whole) return text_take(&content);
  text_free(&content);
  return NULL;
}

bool platform_write_new_file(const char *path, const char *content) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  size_t left = strlen(content);
  bool is_whole = true;
  while (left > 0 && is_whole) {
    ssize_t written = write(file, content, left);
    if (written >= 0) {
      content += written;
      left -= (size_t)written;
    } else {
      is_whole = errno == EINTR;
    }
  }
  is_whole = fsync(file) == 0 && is_whole;
  is_whole = close(file) == 0 && is_whole;
  if (!is_whole) unlink(path);
  return is_whole;
}

static void sync_folder_of(const char *path) {
  char *folder = text_copy(path);
  char *slash = strrchr(folder, '/');
  if (slash != NULL) *slash = '\0';
  int opened = open(slash == NULL ? "." : slash == folder ? "/" : folder, O_RDONLY | O_CLOEXEC);
  if (opened >= 0) {
    fsync(opened);
    close(opened);
  }
  free(folder);
}

bool platform_replace_file(const char *from, const char *to) {
  if (rename(from, to) != 0) return false;
  sync_folder_of(to);
  return true;
}

bool platform_link_file(const char *from, const char *to) { return link(from, to) == 0; }
void platform_remove_file(const char *path) { unlink(path); }
bool platform_file_exists(const char *path) { return access(path, F_OK) == 0; }

bool platform_make_folder_of(const char *path) {
  char *folder = text_copy(path);
  bool is_made = true;
  for (char *at = folder; *at != '\0'; at++) {
    if (at == folder || *at != '/') continue;
    *at = '\0';
    is_made = mkdir(folder, 0700) == 0 || errno == EEXIST || errno == EISDIR;
    *at = '/';
  }
  free(folder);
  return is_made;
}

char *platform_host_name(void) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return text_copy(name);
}

int64_t platform_process_id(void) { return getpid(); }

bool platform_process_lives(int64_t id) { return id > 0 && (kill((pid_t)id, 0) == 0 || errno == EPERM); }

char *platform_process_start(int64_t id) {
  char *path = text_format("/proc/%lld/stat", (long long)id);
  char *stat = platform_read_file(path, NULL);
  free(path);
  /* The second field, the program's name, is in parentheses and may contain spaces; proc(5), field 22. */
  const char *at = stat == NULL ? NULL : strrchr(stat, ')');
  for (int field = 2; at != NULL && field < 22; field++) {
    at = strchr(at, ' ');
    if (at != NULL) at++;
  }
  char *ticks = at == NULL ? NULL : text_copy_bytes(at, strcspn(at, " \n"));
  free(stat);
  return ticks;
}

bool platform_visit_folder(const char *folder, void (*visit)(void *context, const char *name), void *context) {
  DIR *opened = opendir(folder);
  if (opened == NULL) return false;
  for (struct dirent *one; (one = readdir(opened)) != NULL;) visit(context, one->d_name);
  closedir(opened);
  return true;
}

const char *platform_variable(const char *name) { return getenv(name); }

const char *platform_name(void) {
#ifdef __APPLE__
  return "darwin";
#elif defined(__linux__)
  return "linux";
#else
  return "other";
#endif
}

#ifdef __APPLE__
/* The absolute path of a program keeps a user from replacing it with one of the search path. */
static char *printed_by(const char *command) {
  FILE *program = popen(command, "r");
  if (program == NULL) return NULL;
  text printed = {0};
  char piece[1024];
  text_add(&printed, "");
  while (fgets(piece, sizeof piece, program) != NULL) text_add(&printed, piece);
  pclose(program);
  return text_take(&printed);
}
#endif

char *platform_property(fingerprint_property property) {
#ifdef __APPLE__
  if (property == FINGERPRINT_CPU) return printed_by("/usr/sbin/sysctl -n machdep.cpu.brand_string");
  char *printed = printed_by("/usr/sbin/ioreg -rd1 -c IOPlatformExpertDevice");
  const char *name = property == FINGERPRINT_BOARD ? "IOPlatformSerialNumber" : "IOPlatformUUID";
  char *found = fingerprint_mac_property(printed, name);
  free(printed);
  return found;
#else
  (void)property;
  return NULL;
#endif
}
#endif
