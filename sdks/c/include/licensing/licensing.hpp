// C++17 over the C library: memory is freed by itself, and mistakes of the program are exceptions.
#ifndef LICENSING_HPP
#define LICENSING_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "licensing/licensing.h"

namespace licensing {

/** A mistake of the program, such as an impossible option. */
class configuration_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/** The result of a call: the data of the service, or an error. A negative verdict is data. */
class answer {
 public:
  explicit answer(licensing_answer *given) : answer_(given, licensing_answer_free) {}

  /** Whether the call succeeded. */
  explicit operator bool() const { return licensing_answer_error(get()) == nullptr; }
  /** The code of the error, or an empty text. */
  std::string error() const { return text_of(licensing_answer_error(get())); }
  std::string message() const { return text_of(licensing_answer_message(get())); }
  int status() const { return licensing_answer_status(get()); }
  std::string request_id() const { return text_of(licensing_answer_request_id(get())); }
  /** After how many milliseconds the service accepts the request again; -1 if it does not say so. */
  std::int64_t retry_after_ms() const { return licensing_answer_retry_after_ms(get()); }
  /** The data as JSON. */
  std::string json() const { return text_of(licensing_answer_json(get())); }
  /** A text in the data, such as "license.holder.name"; an empty text if there is none. */
  std::string text(const std::string &path) const { return text_of(licensing_answer_text(get(), path.c_str())); }
  double number(const std::string &path, double otherwise = 0) const {
    return licensing_answer_number(get(), path.c_str(), otherwise);
  }
  bool flag(const std::string &path) const { return licensing_answer_flag(get(), path.c_str()); }
  std::size_t count(const std::string &path) const { return licensing_answer_count(get(), path.c_str()); }

 private:
  const licensing_answer *get() const { return answer_.get(); }
  static std::string text_of(const char *given) { return given == nullptr ? std::string() : std::string(given); }

  std::unique_ptr<licensing_answer, void (*)(licensing_answer *)> answer_;
};

/** Returns the text about a code for the users of an application, in a language such as "de"; empty: English. */
inline std::string message_for(const std::string &code, const std::string &language = {}) {
  return licensing_message_for(code.c_str(), language.c_str());
}

/** Calls the service. Threads may share one client. */
class client {
 public:
  client(const std::string &base_url, const std::string &api_key) : client(options_of(base_url, api_key)) {}
  /** Takes every option, such as `timeout_ms`, `max_retries` and `ca_file`. The `size` is set here. */
  explicit client(licensing_client_options options) : client_(make(options), licensing_client_free) {}

  answer validate(const std::string &license_key, licensing_question question = {}) const {
    question.size = sizeof question;
    return answer(licensing_validate(get(), license_key.c_str(), &question));
  }
  answer activate(const std::string &license_key, licensing_device device) const {
    device.size = sizeof device;
    return answer(licensing_activate(get(), license_key.c_str(), &device));
  }
  answer heartbeat(const std::string &license_key, const std::string &activation_id) const {
    return answer(licensing_heartbeat(get(), license_key.c_str(), activation_id.c_str()));
  }
  answer deactivate(const std::string &license_key, const std::string &activation_id) const {
    return answer(licensing_deactivate(get(), license_key.c_str(), activation_id.c_str()));
  }
  /** `limit` and `cursor` may be left out, and an empty fingerprint means every device. */
  answer list_activations(const std::string &license_key, const std::string &fingerprint = {}, std::int32_t limit = 0,
                          const std::string &cursor = {}) const {
    return answer(licensing_list_activations(get(), license_key.c_str(), given(fingerprint), limit, given(cursor)));
  }
  /** The same with the fingerprint and the components of a device, as `issue_certificate_for`. */
  answer list_activations_for(const std::string &license_key, licensing_device device, std::int32_t limit = 0,
                              const std::string &cursor = {}) const {
    device.size = sizeof device;
    return answer(licensing_list_activations_for(get(), license_key.c_str(), &device, limit, given(cursor)));
  }
  /** All entitlements of the license. */
  answer check_entitlements(const std::string &license_key) const {
    return answer(licensing_check_entitlements(get(), license_key.c_str(), nullptr, 0));
  }
  answer check_entitlements(const std::string &license_key, const std::vector<std::string> &codes) const {
    std::vector<const char *> texts;
    /* A pointer that is not NULL stands for a list, also for one without elements. */
    texts.reserve(codes.size() + 1);
    for (const std::string &code : codes) texts.push_back(code.c_str());
    return answer(licensing_check_entitlements(get(), license_key.c_str(), texts.data(), texts.size()));
  }
  answer report_usage(const std::string &license_key, const std::vector<licensing_usage_event> &events) const {
    return answer(licensing_report_usage(get(), license_key.c_str(), events.data(), events.size()));
  }
  answer issue_certificate(const std::string &license_key, const std::string &fingerprint = {},
                           std::int64_t ttl_seconds = 0) const {
    return answer(licensing_issue_certificate(get(), license_key.c_str(), given(fingerprint), ttl_seconds));
  }
  answer issue_certificate_for(const std::string &license_key, licensing_device device,
                               std::int64_t ttl_seconds = 0) const {
    device.size = sizeof device;
    return answer(licensing_issue_certificate_for(get(), license_key.c_str(), &device, ttl_seconds));
  }
  answer start_trial(licensing_trial trial) const {
    trial.size = sizeof trial;
    return answer(licensing_start_trial(get(), &trial));
  }
  answer confirm_trial(const std::string &code) const { return answer(licensing_confirm_trial(get(), code.c_str())); }
  answer jwks(const std::string &tenant_id) const { return answer(licensing_jwks(get(), tenant_id.c_str())); }
  /** The C client, for the options of a guard. */
  licensing_client *get() const { return client_.get(); }

 private:
  static const char *given(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }
  static licensing_client_options options_of(const std::string &base_url, const std::string &api_key) {
    licensing_client_options options{};
    options.base_url = base_url.c_str();
    options.api_key = api_key.c_str();
    return options;
  }
  static licensing_client *make(licensing_client_options &options) {
    options.size = sizeof options;
    licensing_answer *error = nullptr;
    licensing_client *made = licensing_client_new(&options, &error);
    if (made == nullptr) throw configuration_error(answer(error).message());
    return made;
  }

  std::unique_ptr<licensing_client, void (*)(licensing_client *)> client_;
};

/** Verifies an offline certificate without a network: see licensing_verify_certificate. */
inline answer verify_certificate(const std::string &token, licensing_verification expected) {
  expected.size = sizeof expected;
  return answer(licensing_verify_certificate(token.c_str(), &expected));
}

/** Verifies a signed verdict, as JSON: see licensing_verify_verdict. */
inline answer verify_verdict(const std::string &verdict, licensing_verification expected) {
  expected.size = sizeof expected;
  return answer(licensing_verify_verdict(verdict.c_str(), &expected));
}

/** Returns the text of a request file, for a machine without a network, in the field `file`. */
inline answer offline_request(const std::string &product, licensing_device device) {
  device.size = sizeof device;
  return answer(licensing_offline_request(product.c_str(), &device));
}

/** Reads the text of a certificate file: `product`, `license_key`, `certificate`, `expires_at`. */
inline answer read_certificate_file(const std::string &text) {
  return answer(licensing_read_certificate_file(text.c_str()));
}

/** Returns a store in a file, for the options of one guard, which owns it. */
inline licensing_store file_store(const std::string &path) { return licensing_file_store(path.c_str()); }

/**
 * Returns the fingerprint of this machine for a product. `path` is the file of the id of a machine that has none; empty: a file
 * in the user's state folder. Throws if the machine has no id, and none can be stored.
 */
inline std::string machine_fingerprint(const std::string &product, const std::string &path = {}) {
  answer found(licensing_machine_fingerprint(product.c_str(), path.empty() ? nullptr : path.c_str()));
  if (!found) throw std::runtime_error(found.message());
  return found.text("fingerprint");
}

/** Returns the components of this machine as JSON: see licensing_machine_components. Throws like machine_fingerprint. */
inline std::string machine_components(const std::string &product, const std::string &path = {}) {
  answer found(licensing_machine_components(product.c_str(), path.empty() ? nullptr : path.c_str()));
  if (!found) throw std::runtime_error(found.message());
  return found.json();
}

/** Decides whether an application may be used: see licensing_guard_new. */
class guard {
 public:
  using listener = std::function<void(licensing_status status, const std::string &reason)>;
  using error_listener = std::function<void(const std::string &code, const std::string &message)>;

  /** The client of the options must live longer than the guard, which owns the store of the options. */
  explicit guard(licensing_guard_options options, listener on_change = {}, error_listener on_error = {})
      : listeners_(std::make_unique<listeners>(listeners{std::move(on_change), std::move(on_error)})),
        guard_(make(options, listeners_.get()), licensing_guard_free) {}

  /** Returns at once if the stored certificate allows the use, and otherwise after the first check. */
  licensing_status start() { return licensing_guard_start(get()); }
  /** Always returns after the first check. */
  licensing_status start_fresh() { return licensing_guard_start_fresh(get()); }
  licensing_status refresh() { return licensing_guard_refresh(get()); }
  void stop() { licensing_guard_stop(get()); }
  licensing_status status() const { return licensing_guard_status(get()); }
  bool has(const std::string &entitlement) const { return licensing_guard_has(get(), entitlement.c_str()); }
  answer state() const { return answer(licensing_guard_state(get())); }
  answer devices() { return answer(licensing_guard_devices(get())); }
  answer release_device(const std::string &id) { return answer(licensing_guard_release_device(get(), id.c_str())); }
  answer activate(const std::string &license_key) { return answer(licensing_guard_activate(get(), license_key.c_str())); }
  answer import_certificate(const std::string &file) {
    return answer(licensing_guard_import_certificate(get(), file.c_str()));
  }
  /** The text of a request file, in the field `file`. */
  answer request_file() { return answer(licensing_guard_request_file(get())); }
  /** Starts the trial of this machine. Both texts may be empty. */
  answer start_trial(const std::string &email = {}, const std::string &name = {}) {
    return answer(licensing_guard_start_trial(get(), email.empty() ? nullptr : email.c_str(),
                                              name.empty() ? nullptr : name.c_str()));
  }
  answer confirm_trial(const std::string &code) { return answer(licensing_guard_confirm_trial(get(), code.c_str())); }
  /** In how many milliseconds `tick` is due; -1: never. For a pumped guard. */
  std::int64_t due_ms() const { return licensing_guard_due_ms(get()); }
  /** Does what is due. For a pumped guard. */
  void tick() { licensing_guard_tick(get()); }
  /** The C guard. */
  licensing_guard *get() const { return guard_.get(); }

 private:
  struct listeners {
    listener on_change;
    error_listener on_error;
  };

  static licensing_guard *make(licensing_guard_options &options, listeners *told) {
    options.size = sizeof options;
    options.context = told;
    options.on_change = [](void *context, licensing_status status, const char *reason) {
      const listener &on_change = static_cast<listeners *>(context)->on_change;
      if (on_change) on_change(status, reason == nullptr ? "" : reason);
    };
    options.on_error = [](void *context, const char *code, const char *message) {
      const error_listener &on_error = static_cast<listeners *>(context)->on_error;
      if (on_error) on_error(code, message);
    };
    licensing_answer *error = nullptr;
    licensing_guard *made = licensing_guard_new(&options, &error);
    if (made == nullptr) throw configuration_error(answer(error).message());
    return made;
  }

  std::unique_ptr<listeners> listeners_;
  std::unique_ptr<licensing_guard, void (*)(licensing_guard *)> guard_;
};

}  // namespace licensing

#endif
