/* What differs between POSIX and Windows: threads, clocks and files. */
#ifndef LICENSING_PLATFORM_H
#define LICENSING_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "fingerprint.h"
#include "licensing/licensing.h"

#ifdef _WIN32
#include <windows.h>
typedef SRWLOCK platform_mutex;
typedef CONDITION_VARIABLE platform_condition;
typedef HANDLE platform_thread;
#else
#include <pthread.h>
typedef pthread_mutex_t platform_mutex;
typedef pthread_cond_t platform_condition;
typedef pthread_t platform_thread;
#endif

void platform_mutex_init(platform_mutex *mutex);
void platform_mutex_free(platform_mutex *mutex);
void platform_lock(platform_mutex *mutex);
void platform_unlock(platform_mutex *mutex);
void platform_condition_init(platform_condition *condition);
void platform_condition_free(platform_condition *condition);
/* Wakes every waiting thread. */
void platform_wake(platform_condition *condition);
/* Waits until woken, or for so many milliseconds; -1: without end. The caller holds the mutex. */
void platform_wait(platform_condition *condition, platform_mutex *mutex, int64_t duration_ms);
/* False if the system has no more threads. */
bool platform_thread_start(platform_thread *thread, void (*run)(void *context), void *context);
void platform_thread_join(platform_thread thread);
/* Whether the calling thread is this one. */
bool platform_thread_is_current(platform_thread thread);

/* The clock of the caller, or that of the system. */
int64_t clock_now_ms(const licensing_clock *clock);
int64_t clock_monotonic_ms(const licensing_clock *clock);
void clock_sleep_ms(const licensing_clock *clock, int64_t duration_ms);
double clock_random(const licensing_clock *clock);

/* Returns the text of a file, or NULL. `*is_missing` says whether there is no such file. */
char *platform_read_file(const char *path, bool *is_missing);
/* Creates a file that only its owner can read, on the disk when it returns. False if it exists or cannot be written. */
bool platform_write_new_file(const char *path, const char *content);
bool platform_replace_file(const char *from, const char *to);
/* Gives a file a second name. False if that exists, or if the file system has no links. */
bool platform_link_file(const char *from, const char *to);
void platform_remove_file(const char *path);
bool platform_file_exists(const char *path);
/* Creates the folder of a file, which only its owner can read. */
bool platform_make_folder_of(const char *path);
/* Returns the name that this machine has in its network. */
char *platform_host_name(void);
int64_t platform_process_id(void);
/* Whether a process runs, also one of another user. */
bool platform_process_lives(int64_t id);
/* Returns when a process started, which tells it from a later one with the same id, or NULL if the system does not say it. */
char *platform_process_start(int64_t id);
/* Calls `visit` with the name of each file in a folder. False if the folder cannot be read. */
bool platform_visit_folder(const char *folder, void (*visit)(void *context, const char *name), void *context);
/* Returns an environment variable, or NULL. */
const char *platform_variable(const char *name);
/* Returns the name of the operating system, as the cases call it. */
const char *platform_name(void);
/* Returns a property that macOS or Windows knows of this machine, or NULL. */
char *platform_property(fingerprint_property property);

#endif
