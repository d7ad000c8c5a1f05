// libcurl easy handles: created once with the constant options, and kept for reuse together with their TLS settings.  Nothing
// here waits or sends.
#pragma once

#include "base/callback.hpp"
#include "http/message.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gputide::http {

// libcurl's own URL parser, for code that must interpret a URL like libcurl.

using url_handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

inline url_handle new_url() {
    url_handle out(::curl_url(), &curl_url_cleanup);
    if (!out) throw std::bad_alloc();
    return out;
}

// Returns a part of the URL; "" if it is missing.
inline std::string part_of(const url_handle& url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> held(text, &curl_free);
    return text;
}

// Calls curl_easy_setopt; the only possible failure is lack of memory.
template <class Value>
void set_option(CURL* handle, CURLoption option, Value value) {
    if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

// Call curl_easy_init and curl_multi_init while no fork can happen.  Each briefly takes the lock of libcurl's global
// initialization, even if that is already done (curl lib/easy.c; a multi handle contains an easy one), and in a forked child the
// lock would stay locked. nullptr: no memory.
CURL* new_easy() noexcept;
CURLM* new_multi() noexcept;

inline constexpr const char* accepted_coding = "gzip";
inline constexpr long usual_version = CURL_HTTP_VERSION_2TLS;

struct easy_deleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

struct easy {
    std::shared_ptr<const tls_settings> tls;  // the handle borrows its PEM texts
    std::string certificate;                  // the client's, from certificate_for_connections()
    std::unique_ptr<CURL, easy_deleter> handle;
    std::optional<bool> direct;  // true: without any proxy; nullopt: libcurl's default
};

// The default roots, with a description for messages.
struct trust_defaults {
    std::string ca_file;    // PEM
    std::string ca_folder;  // as c_rehash creates it; both "": libcurl's own default, the system's roots
};
// Files with root certificates: Debian, Red Hat, SUSE, newer Red Hat, Alpine.
inline constexpr std::array<const char*, 5> known_roots{
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"};

// Returns the first existing file if libcurl's default is missing: a libcurl built for one distribution may name a file that
// another does not have.  Returns "" if libcurl's default is readable, or no file exists.
std::string roots_instead_of(const std::string& built_in, std::span<const char* const> known);

std::string roots_in_words(const tls_settings* tls, const trust_defaults& defaults);

class easy_pool {
  public:
    // Calls `prepare` once per new handle, for constant options.
    easy_pool(trust_defaults defaults, callback<void(CURL*)> prepare);

    // Returns a handle with these TLS settings applied.
    easy take(const std::shared_ptr<const tls_settings>& tls);
    void give_back(easy handle) noexcept;
    const trust_defaults& defaults() const { return defaults_; }

  private:
    trust_defaults defaults_;
    callback<void(CURL*)> prepare_;
    std::vector<easy> idle_;  // newest last
};

}  // namespace gputide::http
