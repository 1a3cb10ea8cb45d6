/*
 * License checks against a licensing service, online and offline, with a stable C ABI.
 *
 * Every text is UTF-8 and ends with a zero byte. Set every `size` to the size of its structure: later versions may add
 * fields at its end; zero the rest of a structure: zero means "not given" everywhere. What a function returns as
 * `licensing_answer *` belongs to the caller, who frees it and uses it in one thread at a time. The library needs libcurl
 * and libsodium. If memory is exhausted, it calls `abort`.
 */
#ifndef LICENSING_H
#define LICENSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(LICENSING_SHARED)
#ifdef LICENSING_BUILD
#define LICENSING_API __declspec(dllexport)
#else
#define LICENSING_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define LICENSING_API __attribute__((visibility("default")))
#else
#define LICENSING_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LICENSING_VERSION "1.4.0"

/* The result of a call: the data of the service, or an error. A negative verdict is data. */
typedef struct licensing_answer licensing_answer;

/* The code of the error, for example NETWORK.UNREACHABLE; NULL if the call succeeded. */
LICENSING_API const char *licensing_answer_error(const licensing_answer *answer);
/* What happened and what to do, for developers; NULL if the call succeeded. For people: `licensing_message_for`. */
LICENSING_API const char *licensing_answer_message(const licensing_answer *answer);
/* The HTTP status of an error; 0 if there was no response. */
LICENSING_API int32_t licensing_answer_status(const licensing_answer *answer);
/* The id of the request in the log of the service; NULL if it is unknown. */
LICENSING_API const char *licensing_answer_request_id(const licensing_answer *answer);
/* After how many milliseconds the service accepts the request again; -1 if it does not say so. */
LICENSING_API int64_t licensing_answer_retry_after_ms(const licensing_answer *answer);
/* The data as JSON, with every field of the service; for an error, the list of its details. */
LICENSING_API const char *licensing_answer_json(const licensing_answer *answer);
/* A text in the data, for example "license.holder.name" or "entitlements.0.code"; NULL if there is none. */
LICENSING_API const char *licensing_answer_text(const licensing_answer *answer, const char *path);
/* A number in the data; `otherwise` if there is none. */
LICENSING_API double licensing_answer_number(const licensing_answer *answer, const char *path, double otherwise);
/* Whether a value in the data is true. */
LICENSING_API bool licensing_answer_flag(const licensing_answer *answer, const char *path);
/* The number of elements of a list in the data; 0 if there is none. */
LICENSING_API size_t licensing_answer_count(const licensing_answer *answer, const char *path);
LICENSING_API void licensing_answer_free(licensing_answer *answer);
/*
 * Returns the text about a code for the users of an application. `language` is a tag such as "de" or "de-AT"; English
 * stands for an unknown one and for NULL. The text is never NULL, and is not freed.
 */
LICENSING_API const char *licensing_message_for(const char *code, const char *language);

/* The time. A test passes its own; everybody else leaves it NULL. */
typedef struct licensing_clock {
  size_t size;
  void *context;
  /* The clock of this machine, which a user can set, in milliseconds since 1970. */
  int64_t (*now_ms)(void *context);
  /* A clock that nobody can set, in milliseconds. */
  int64_t (*monotonic_ms)(void *context);
  void (*sleep_ms)(void *context, int64_t duration_ms);
  /* A number from 0 to 1, which spreads the requests of many machines. */
  double (*random)(void *context);
} licensing_clock;

#define LICENSING_NO_RETRIES (-1)

typedef struct licensing_client_options {
  size_t size;
  /* The address of the service, without /api: https://licensing.example.com */
  const char *base_url;
  /* Authenticates the application: vx_… */
  const char *api_key;
  /* Limits one call with all its attempts, in milliseconds; 0: 10,000. */
  int64_t timeout_ms;
  /* Attempts after the first one; 0: 2, or LICENSING_NO_RETRIES. Network failures, 429, 502, 503 and 504 are retried. */
  int32_t max_retries;
  /* A file of trusted certificate authorities; NULL: those of the system. */
  const char *ca_file;
  const licensing_clock *clock;
} licensing_client_options;

typedef struct licensing_client licensing_client;

/*
 * Returns a client, which threads may share. NULL if an option cannot work: `*error` is then the answer
 * CONFIGURATION.INVALID, which the caller frees, and every call without a client returns that code too.
 */
LICENSING_API licensing_client *licensing_client_new(const licensing_client_options *options, licensing_answer **error);
LICENSING_API void licensing_client_free(licensing_client *client);

/* The conditions of `licensing_validate`. */
typedef struct licensing_question {
  size_t size;
  /* The code of the product that the license must belong to. */
  const char *product;
  const char *fingerprint;
  /* These entitlements must all be granted. A list without elements is sent if the pointer is not NULL. */
  const char *const *entitlements;
  size_t entitlement_count;
  /* When this version of the application was released: 2026-05-01T00:00:00Z */
  const char *version_released_at;
  const char *app_version;
  /* A text that the answer repeats. */
  const char *nonce;
  /* Asks for a signed verdict, for `licensing_verify_verdict`. Without a nonce, the client makes one. */
  bool proof;
  /* The parts of this device as a JSON object, such as the answer of `licensing_machine_components`, beside `fingerprint`. */
  const char *components;
} licensing_question;

/* Asks for a verdict: the fields `valid`, `code`, `detail`, `license`, `activation`, `entitlements`. `question` may be NULL. */
LICENSING_API licensing_answer *licensing_validate(licensing_client *client, const char *license_key,
                                                   const licensing_question *question);

/* This device, for the people who manage licenses. */
typedef struct licensing_device {
  size_t size;
  const char *fingerprint;
  const char *name;
  const char *hostname;
  const char *platform;
  const char *app_version;
  /* A JSON object of the application. */
  const char *metadata;
  /* The parts of this device as a JSON object, such as the answer of `licensing_machine_components`, beside `fingerprint`. */
  const char *components;
} licensing_device;

/* Takes a seat for this device. An active device gets its activation again. */
LICENSING_API licensing_answer *licensing_activate(licensing_client *client, const char *license_key,
                                                   const licensing_device *device);
/* Renews the lease of an activation. */
LICENSING_API licensing_answer *licensing_heartbeat(licensing_client *client, const char *license_key,
                                                    const char *activation_id);
/* Frees the seat of an activation. */
LICENSING_API licensing_answer *licensing_deactivate(licensing_client *client, const char *license_key,
                                                     const char *activation_id);
/* Lists the devices that hold a seat, newest first: 25, or `limit` up to 100. `fingerprint` and `cursor` may be NULL. */
LICENSING_API licensing_answer *licensing_list_activations(licensing_client *client, const char *license_key,
                                                           const char *fingerprint, int32_t limit, const char *cursor);
/* The same with the fingerprint and the components of a device. */
LICENSING_API licensing_answer *licensing_list_activations_for(licensing_client *client, const char *license_key,
                                                               const licensing_device *device, int32_t limit,
                                                               const char *cursor);
/* Returns what the license grants of these entitlements; of all if `codes` is NULL. */
LICENSING_API licensing_answer *licensing_check_entitlements(licensing_client *client, const char *license_key,
                                                             const char *const *codes, size_t count);

/* One consumption of a metered entitlement. Events with the same key are counted once. */
typedef struct licensing_usage_event {
  const char *entitlement;
  int64_t quantity;
  /* NULL: the client makes one. */
  const char *idempotency_key;
  /* NULL: the time of the report. */
  const char *occurred_at;
} licensing_usage_event;

/* Reports 1 to 1,000 events. A retry counts nothing twice. Refused events are in the data. */
LICENSING_API licensing_answer *licensing_report_usage(licensing_client *client, const char *license_key,
                                                       const licensing_usage_event *events, size_t count);
/* Issues a certificate for `licensing_verify_certificate`. `fingerprint` may be NULL; 0 seconds: as the policy says. */
LICENSING_API licensing_answer *licensing_issue_certificate(licensing_client *client, const char *license_key,
                                                            const char *fingerprint, int64_t ttl_seconds);
/* The same with the fingerprint and the components of a device. */
LICENSING_API licensing_answer *licensing_issue_certificate_for(licensing_client *client, const char *license_key,
                                                                const licensing_device *device, int64_t ttl_seconds);

/* Who tries which product. */
typedef struct licensing_trial {
  size_t size;
  const char *product;
  const char *fingerprint;
  const char *email;
  const char *name;
  const char *device_name;
  /* The parts of this device as a JSON object, such as the answer of `licensing_machine_components`, beside `fingerprint`. */
  const char *components;
} licensing_trial;

/* Starts the trial of a product on this device, or returns the one that it had. */
LICENSING_API licensing_answer *licensing_start_trial(licensing_client *client, const licensing_trial *trial);
/* Confirms the address of a trial with the code from the mail. */
LICENSING_API licensing_answer *licensing_confirm_trial(licensing_client *client, const char *code);
/* Returns the public keys of a vendor, as JSON. Embed them in the application when you build it. */
LICENSING_API licensing_answer *licensing_jwks(licensing_client *client, const char *tenant_id);

/* What a signed statement is verified against. */
typedef struct licensing_verification {
  size_t size;
  /* The public keys of the vendor, as JSON. */
  const char *jwks;
  /* The PUBLIC_URL of the service. */
  const char *issuer;
  /* The id of the vendor's tenant. */
  const char *audience;
  /* What the statement must be for; NULL is not compared. */
  const char *product;
  const char *fingerprint;
  const char *version_released_at;
  /* The current time in milliseconds since 1970; 0: the clock of this machine. */
  int64_t now_ms;
  /* How much the clock of this machine may differ; 0: 60 seconds, or LICENSING_NO_TOLERANCE. */
  int64_t clock_tolerance_ms;
  /* Only for verdicts: the question. The nonce is required. */
  const char *nonce;
  const char *license_key;
  const char *license_id;
  const char *const *entitlements;
  size_t entitlement_count;
} licensing_verification;

#define LICENSING_NO_TOLERANCE (-1)

/*
 * Verifies an offline certificate without a network. The data has the form of a verdict, with `claims`: the code is
 * LICENSE.VALID, LICENSE.MAINTENANCE_EXPIRED or CERTIFICATE.…; only CONFIGURATION.INVALID is an error.
 */
LICENSING_API licensing_answer *licensing_verify_certificate(const char *token, const licensing_verification *expected);
/*
 * Verifies that the service signed a verdict (its JSON), and that it answers this question. With the code PROOF.… decide as
 * if the service could not be reached.
 */
LICENSING_API licensing_answer *licensing_verify_verdict(const char *verdict, const licensing_verification *expected);

/*
 * Returns the fingerprint of this machine for a product, in the field `fingerprint`: 64 hexadecimal characters. In a
 * container and on a machine without an id, a random id in the file `path` takes its place; NULL: a file in the user's
 * state folder.
 */
LICENSING_API licensing_answer *licensing_machine_fingerprint(const char *product, const char *path);
/*
 * Returns hashes of the parts of this machine, by which a policy recognises a device although some of them changed: `machine`
 * (the id of the fingerprint), `board`, `disk`, `mac` and `cpu`, if the user may read them; in a container only `machine`.
 * Those that computers of one series share (`cpu`, `board` without a serial number) are never the majority.
 */
LICENSING_API licensing_answer *licensing_machine_components(const char *product, const char *path);

/* Returns the text of a request file, for a machine without a network, in the field `file`. */
LICENSING_API licensing_answer *licensing_offline_request(const char *product, const licensing_device *device);
/* Reads the text of a certificate file: `product`, `license_key`, `certificate`, `expires_at`. */
LICENSING_API licensing_answer *licensing_read_certificate_file(const char *text);

/*
 * Keeps one text between the runs of an application. Zero: a store in memory. The guard owns the store of its options:
 * `licensing_guard_free` destroys it, and so does `licensing_guard_new` if it returns no guard, unless it cannot read the
 * options (NULL, or a wrong `size`). Give each guard a store of its own; two file stores may have one path. Who gives a
 * store to no guard calls `store.destroy(store.context)`.
 */
typedef struct licensing_store {
  void *context;
  /* Returns the text in memory of `malloc`, or NULL before the first write. False: the store failed. */
  bool (*read)(void *context, char **text);
  /* Replaces the text completely or not at all. False: the store failed. */
  bool (*write)(void *context, const char *text);
  /*
   * Counts a user of the store until `release`, or until its process ends in any way. Returns what `release` gets; NULL: the
   * store failed. A running guard is one user: a floating seat belongs to the machine, and the last guard to stop frees it.
   * Without both functions, every guard that stops frees it.
   */
  void *(*hold)(void *context);
  /* Ends a hold, and says in `*is_last` whether no other user is left. False: the store failed. */
  bool (*release)(void *context, void *hold, bool *is_last);
  /* Frees the context. NULL: there is nothing to free. */
  void (*destroy)(void *context);
} licensing_store;

/*
 * Returns a store in a file that only its owner can read, which is replaced at once. Processes may share the file: each
 * running guard has a file `<path>.<token>.holder` beside it.
 */
LICENSING_API licensing_store licensing_file_store(const char *path);

typedef struct licensing_guard licensing_guard;

typedef enum licensing_status {
  /* The application must not be used. */
  LICENSING_UNLICENSED = 0,
  /* The service said yes. */
  LICENSING_LICENSED = 1,
  /* The service said yes with a warning, or the seat was lost and the certificate still runs. */
  LICENSING_GRACE = 2,
  /* The service gave no answer, and the last certificate says yes. */
  LICENSING_OFFLINE = 3
} licensing_status;

typedef struct licensing_guard_options {
  size_t size;
  licensing_client *client;
  /* The key of the user. Without one, the guard uses the key of `licensing_guard_start_trial` or `_activate`. */
  const char *license_key;
  licensing_store store;
  const char *product;
  /* Identifies this machine. With it, the guard takes a seat and binds the certificate to this machine. */
  const char *fingerprint;
  const char *device_name;
  const char *app_version;
  /* The entitlements without which the application must not be used. */
  const char *const *entitlements;
  size_t entitlement_count;
  const char *version_released_at;
  /*
   * The public keys of the vendor, as JSON. With them, every answer must be signed, and the certificate lets the application
   * continue offline. Required with `issuer` and `audience`, unless `is_unsigned` is true.
   */
  const char *jwks;
  const char *issuer;
  const char *audience;
  /* True instead of `jwks`: the guard believes whatever server answers, and works online only. */
  bool is_unsigned;
  /* The language of `message` in the state: en, de or fr. NULL, or an unknown one: en. */
  const char *language;
  /* The time between two checks, ±10 %; 0: one hour. */
  int64_t check_interval_ms;
  /* The time to the next check after a failed one, which doubles; 0: 30 seconds. */
  int64_t retry_interval_ms;
  /* By how much the clock may be set back; 0: five minutes. */
  int64_t clock_tolerance_ms;
  /* Passed to the functions below, which run in the thread that changed the state. They may call the guard. */
  void *context;
  /* The status, its reason, the entitlements or the details of the license changed. */
  void (*on_change)(void *context, licensing_status status, const char *reason);
  /*
   * The store failed. The guard goes on, but may not start offline next time. The same code comes once, until a write
   * succeeds or another code comes.
   */
  void (*on_error)(void *context, const char *code, const char *message);
  /* True: the guard starts no thread, and the application calls `licensing_guard_tick` when it is due. */
  bool is_pumped;
  const licensing_clock *clock;
  /* The parts of this machine as a JSON object, beside `fingerprint`, so that a policy can recognise it after a repair. */
  const char *components;
} licensing_guard_options;

/*
 * Returns a guard, which takes a seat, checks in the background, continues offline with the last certificate, and sends
 * heartbeats for a floating license. NULL if an option cannot work: see `licensing_client_new`. The client must live
 * longer than the guard. Threads may share a guard. Without a guard, a status is LICENSING_UNLICENSED, an answer is the error
 * CONFIGURATION.INVALID, and the other calls do nothing.
 */
LICENSING_API licensing_guard *licensing_guard_new(const licensing_guard_options *options, licensing_answer **error);
/*
 * Starts the checks. If the stored certificate allows the use, returns LICENSING_OFFLINE at once, with the reason
 * GUARD.CHECKING, and the first check runs behind it: in the guard's thread, or with the next tick of a pumped guard.
 * Otherwise, returns the status after that check.
 */
LICENSING_API licensing_status licensing_guard_start(licensing_guard *guard);
/* Starts the checks, and always returns the status after the first one. */
LICENSING_API licensing_status licensing_guard_start_fresh(licensing_guard *guard);
/* Asks the service now. Concurrent calls share one check. */
LICENSING_API licensing_status licensing_guard_refresh(licensing_guard *guard);
/* Ends the checks, and frees a floating seat if no other guard holds the store, such as one of another process. */
LICENSING_API void licensing_guard_stop(licensing_guard *guard);
/* Stops the guard without freeing a seat if it still runs, and frees its memory. Its listeners must not call this. */
LICENSING_API void licensing_guard_free(licensing_guard *guard);
LICENSING_API licensing_status licensing_guard_status(licensing_guard *guard);
/* Whether the application may be used and the license grants an entitlement. */
LICENSING_API bool licensing_guard_has(licensing_guard *guard, const char *entitlement);
/*
 * What the guard knows: `status`, `reason` (a code), `detail` (for developers), `message` (for people, in the language of the
 * options), `until_ms` and `checked_at_ms` (since 1970, or null), `entitlements`, and `license` (`expires_at`,
 * `maintenance_expires_at`, `holder_name`, `max_activations`, or null).
 */
LICENSING_API licensing_answer *licensing_guard_state(licensing_guard *guard);
/* In how many milliseconds `licensing_guard_tick` is due; -1: never. For a pumped guard. */
LICENSING_API int64_t licensing_guard_due_ms(licensing_guard *guard);
/* Does what is due. For a pumped guard. */
LICENSING_API void licensing_guard_tick(licensing_guard *guard);
/* Lists the devices that hold a seat of the license, so that a user can release one. */
LICENSING_API licensing_answer *licensing_guard_devices(licensing_guard *guard);
/* Frees the seat of another device, takes it if this one needs a seat, and returns the state. */
LICENSING_API licensing_answer *licensing_guard_release_device(licensing_guard *guard, const char *id);
/* Returns the text of a request file in the field `file`. */
LICENSING_API licensing_answer *licensing_guard_request_file(licensing_guard *guard);
/* Imports the text of a certificate file, and returns the state. */
LICENSING_API licensing_answer *licensing_guard_import_certificate(licensing_guard *guard, const char *file);
/* Starts the trial of this machine: the answer of `licensing_start_trial`. `email` and `name` may be NULL. */
LICENSING_API licensing_answer *licensing_guard_start_trial(licensing_guard *guard, const char *email, const char *name);
/* Starts the trial with the code from the mail, and returns the state. */
LICENSING_API licensing_answer *licensing_guard_confirm_trial(licensing_guard *guard, const char *code);
/* Continues with a license key that the user entered, and returns the state. */
LICENSING_API licensing_answer *licensing_guard_activate(licensing_guard *guard, const char *license_key);

#ifdef __cplusplus
}
#endif

#endif
