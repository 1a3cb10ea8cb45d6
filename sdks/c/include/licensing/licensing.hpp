// C++17 over the C library: memory is freed by itself, and mistakes of the program are exceptions.
#ifndef LICENSING_HPP
#define LICENSING_HPP

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

/** Calls the service. Threads may share one client. */
class client {
 public:
  client(const std::string &base_url, const std::string &api_key) : client_(make(base_url, api_key), licensing_client_free) {}

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
  /** The C client, for the functions that this class does not have. */
  licensing_client *get() const { return client_.get(); }

 private:
  static licensing_client *make(const std::string &base_url, const std::string &api_key) {
    licensing_client_options options{};
    options.size = sizeof options;
    options.base_url = base_url.c_str();
    options.api_key = api_key.c_str();
    licensing_answer *error = nullptr;
    licensing_client *made = licensing_client_new(&options, &error);
    if (made == nullptr) throw configuration_error(answer(error).message());
    return made;
  }

  std::unique_ptr<licensing_client, void (*)(licensing_client *)> client_;
};

/** Returns the fingerprint of this machine for a product. Throws if the machine has no id, and none can be stored. */
inline std::string machine_fingerprint(const std::string &product) {
  answer found(licensing_machine_fingerprint(product.c_str(), nullptr));
  if (!found) throw std::runtime_error(found.message());
  return found.text("fingerprint");
}

/** Decides whether an application may be used: see licensing_guard_new. */
class guard {
 public:
  using listener = std::function<void(licensing_status status, const std::string &reason)>;

  /** The client of the options must live longer than the guard. */
  explicit guard(licensing_guard_options options, listener on_change = {})
      : on_change_(std::make_unique<listener>(std::move(on_change))), guard_(make(options, on_change_.get()), licensing_guard_free) {}

  licensing_status start() { return licensing_guard_start(get()); }
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
  /** The C guard, for the functions that this class does not have. */
  licensing_guard *get() const { return guard_.get(); }

 private:
  static licensing_guard *make(licensing_guard_options &options, listener *on_change) {
    options.size = sizeof options;
    options.context = on_change;
    options.on_change = [](void *context, licensing_status status, const char *reason) {
      const listener &told = *static_cast<listener *>(context);
      if (told) told(status, reason == nullptr ? "" : reason);
    };
    licensing_answer *error = nullptr;
    licensing_guard *made = licensing_guard_new(&options, &error);
    if (made == nullptr) throw configuration_error(answer(error).message());
    return made;
  }

  std::unique_ptr<listener> on_change_;
  std::unique_ptr<licensing_guard, void (*)(licensing_guard *)> guard_;
};

}  // namespace licensing

#endif
