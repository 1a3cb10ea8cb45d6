#ifdef _WIN32
#include <direct.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"
#include "text.h"

void platform_mutex_init(platform_mutex *mutex) { InitializeSRWLock(mutex); }
void platform_mutex_free(platform_mutex *mutex) { (void)mutex; }
void platform_lock(platform_mutex *mutex) { AcquireSRWLockExclusive(mutex); }
void platform_unlock(platform_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }
void platform_condition_init(platform_condition *condition) { InitializeConditionVariable(condition); }
void platform_condition_free(platform_condition *condition) { (void)condition; }
void platform_wake(platform_condition *condition) { WakeAllConditionVariable(condition); }

void platform_wait(platform_condition *condition, platform_mutex *mutex, int64_t duration_ms) {
  DWORD limited = duration_ms < 0 ? INFINITE : duration_ms > 60000 ? 60000 : (DWORD)duration_ms;
  SleepConditionVariableSRW(condition, mutex, limited, 0);
}

typedef struct start {
  void (*run)(void *context);
  void *context;
} start;

static DWORD WINAPI run_thread(void *given) {
  start begun = *(start *)given;
  free(given);
  begun.run(begun.context);
  return 0;
}

bool platform_thread_start(platform_thread *thread, void (*run)(void *context), void *context) {
  start *given = text_allocate(1, sizeof(start));
  *given = (start){run, context};
  *thread = CreateThread(NULL, 0, run_thread, given, 0, NULL);
  if (*thread != NULL) return true;
  free(given);
  return false;
}

void platform_thread_join(platform_thread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}

bool platform_thread_is_current(platform_thread thread) { return GetThreadId(thread) == GetCurrentThreadId(); }

int64_t clock_now_ms(const licensing_clock *clock) {
  if (clock != NULL) return clock->now_ms(clock->context);
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  /* 100 nanoseconds since 1601. */
  int64_t ticks = (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
  return ticks / 10000 - INT64_C(11644473600000);
}

int64_t clock_monotonic_ms(const licensing_clock *clock) {
  return clock != NULL ? clock->monotonic_ms(clock->context) : (int64_t)GetTickCount64();
}

void clock_sleep_ms(const licensing_clock *clock, int64_t duration_ms) {
  if (clock != NULL) clock->sleep_ms(clock->context, duration_ms);
  else Sleep((DWORD)duration_ms);
}

/* Windows knows names of files in UTF-16. */
static wchar_t *wide(const char *from) {
  int length = MultiByteToWideChar(CP_UTF8, 0, from, -1, NULL, 0);
  wchar_t *made = text_allocate((size_t)length + 1, sizeof(wchar_t));
  MultiByteToWideChar(CP_UTF8, 0, from, -1, made, length);
  return made;
}

char *platform_read_file(const char *path, bool *is_missing) {
  wchar_t *name = wide(path);
  FILE *file = _wfopen(name, L"rb");
  free(name);
  if (is_missing != NULL) *is_missing = file == NULL && errno == ENOENT;
  if (file == NULL) return NULL;
  text content = {0};
  char piece[4096];
  size_t length;
  text_add(&content, "");
  while ((length = fread(piece, 1, sizeof piece, file)) > 0) text_add_bytes(&content, piece, length);
  fclose(file);
  return text_take(&content);
}

bool platform_write_new_file(const char *path, const char *content) {
  wchar_t *name = wide(path);
  HANDLE file = CreateFileW(name, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
  free(name);
  if (file == INVALID_HANDLE_VALUE) return false;
  DWORD length = (DWORD)strlen(content), written = 0;
  bool is_whole = WriteFile(file, content, length, &written, NULL) && written == length && FlushFileBuffers(file);
  CloseHandle(file);
  if (!is_whole) platform_remove_file(path);
  return is_whole;
}

bool platform_replace_file(const char *from, const char *to) {
  wchar_t *old_name = wide(from), *new_name = wide(to);
  bool is_done = false;
  /* Windows refuses to replace a file while another process reads it. */
  for (DWORD attempt = 1; attempt <= 10 && !is_done; attempt++) {
    is_done = MoveFileExW(old_name, new_name, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    if (!is_done) Sleep(attempt * 10);
  }
  free(old_name);
  free(new_name);
  return is_done;
}

bool platform_link_file(const char *from, const char *to) {
  wchar_t *old_name = wide(from), *new_name = wide(to);
  bool is_done = CreateHardLinkW(new_name, old_name, NULL);
  free(old_name);
  free(new_name);
  return is_done;
}

void platform_remove_file(const char *path) {
  wchar_t *name = wide(path);
  DeleteFileW(name);
  free(name);
}

bool platform_file_exists(const char *path) {
  wchar_t *name = wide(path);
  bool exists = GetFileAttributesW(name) != INVALID_FILE_ATTRIBUTES;
  free(name);
  return exists;
}

bool platform_make_folder_of(const char *path) {
  char *folder = text_copy(path);
  bool is_made = true;
  for (char *at = folder; *at != '\0'; at++) {
    if (at == folder || (*at != '/' && *at != '\\') || at[-1] == ':') continue;
    char slash = *at;
    *at = '\0';
    wchar_t *name = wide(folder);
    is_made = CreateDirectoryW(name, NULL) || GetLastError() == ERROR_ALREADY_EXISTS;
    free(name);
    *at = slash;
  }
  free(folder);
  return is_made;
}

static char *narrow(const wchar_t *from) {
  int length = WideCharToMultiByte(CP_UTF8, 0, from, -1, NULL, 0, NULL, NULL);
  char *made = text_allocate((size_t)length + 1, 1);
  WideCharToMultiByte(CP_UTF8, 0, from, -1, made, length, NULL, NULL);
  return made;
}

char *platform_host_name(void) {
  wchar_t name[256] = L"";
  DWORD length = sizeof name / sizeof *name;
  GetComputerNameExW(ComputerNamePhysicalDnsHostname, name, &length);
  return narrow(name);
}

int64_t platform_process_id(void) { return GetCurrentProcessId(); }

bool platform_process_lives(int64_t id) {
  HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)id);
  if (process == NULL) return GetLastError() == ERROR_ACCESS_DENIED;
  DWORD code = 0;
  bool lives = GetExitCodeProcess(process, &code) && code == STILL_ACTIVE;
  CloseHandle(process);
  return lives;
}

/* The SDKs of other languages write none on Windows either. */
char *platform_process_start(int64_t id) {
  (void)id;
  return NULL;
}

bool platform_visit_folder(const char *folder, void (*visit)(void *context, const char *name), void *context) {
  char *every = text_format("%s\\*", folder);
  wchar_t *pattern = wide(every);
  WIN32_FIND_DATAW found;
  HANDLE search = FindFirstFileW(pattern, &found);
  free(every);
  free(pattern);
  if (search == INVALID_HANDLE_VALUE) return false;
  do {
    char *name = narrow(found.cFileName);
    visit(context, name);
    free(name);
  } while (FindNextFileW(search, &found));
  FindClose(search);
  return true;
}

const char *platform_variable(const char *name) { return getenv(name); }
const char *platform_name(void) { return "win32"; }

char *platform_property(fingerprint_property property) {
  static const struct {
    const char *key, *name;
  } values[] = {
      [FINGERPRINT_MACHINE] = {"SOFTWARE\\Microsoft\\Cryptography", "MachineGuid"},
      /* The UUID that the firmware has for this computer. */
      [FINGERPRINT_BOARD] = {"SYSTEM\\HardwareConfig", "LastConfig"},
      [FINGERPRINT_CPU] = {"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString"},
  };
  char value[256];
  DWORD length = sizeof value;
  /* A 32-bit process otherwise reads another part of the registry, which has no id. */
  DWORD flags = RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY;
  const char *key = values[property].key, *name = values[property].name;
  LSTATUS status = RegGetValueA(HKEY_LOCAL_MACHINE, key, name, flags, NULL, value, &length);
  return status == ERROR_SUCCESS ? text_trimmed(value) : NULL;
}
#endif
