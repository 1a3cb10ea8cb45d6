// Asks whether this machine may use an application: licensed URL API_KEY LICENSE_KEY ISSUER TENANT_ID JWKS
#include <cstdio>
#include <licensing/licensing.hpp>

int main(int count, char **arguments) {
  if (count != 7) return std::fprintf(stderr, "Usage: licensed URL API_KEY LICENSE_KEY ISSUER TENANT_ID JWKS\n"), 2;
  try {
    licensing::client client(arguments[1], arguments[2]);
    const std::string fingerprint = licensing::machine_fingerprint("editor");
    licensing_guard_options options{};
    options.client = client.get();
    options.product = "editor";
    options.license_key = arguments[3];
    options.fingerprint = fingerprint.c_str();
    options.issuer = arguments[4];
    options.audience = arguments[5];
    // The public keys of the vendor, which an application embeds when it is built.
    options.jwks = arguments[6];
    licensing::guard guard(options);
    const licensing_status status = guard.start();
    std::printf("%s\n", guard.state().text("reason").c_str());
    guard.stop();
    return status == LICENSING_UNLICENSED ? 1 : 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
