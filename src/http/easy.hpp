// libcurl easy handles: made once with everything that never changes, kept for reuse with the TLS settings that they
// carry.  Nothing here waits or sends.
#pragma once

#include "http/message.hpp"

#include <curl/curl.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gputide::http {

// Calls curl_easy_setopt; running out of memory is the one failure that options of ours can have.
template <class Value>
void set_option(CURL* handle, CURLoption option, Value value) {
    if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

// curl_easy_init and curl_multi_init, which no fork cuts in two: each takes the lock of libcurl's global initialisation for a moment,
// also when that is long done (curl lib/easy.c; a multi handle has an easy one of its own), and in a child it would stay taken.
// nullptr: no memory.
CURL* new_easy() noexcept;
CURLM* new_multi() noexcept;

inline constexpr const char* accepted_coding = "gzip";
inline constexpr long usual_version = CURL_HTTP_VERSION_2TLS;

struct easy_deleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

struct easy {
    std::shared_ptr<const tls_settings> tls;  // what the handle is set to; it borrows the PEM texts in it, and
    std::string certificate;                  // the client's, as certificate_for_connections() gives it
    std::unique_ptr<CURL, easy_deleter> handle;
    std::optional<bool> direct;  // set to go past every proxy, or not; nothing: as libcurl makes it
};

// Where trust comes from when a request does not say, and in words for a message.
struct trust_defaults {
    std::string ca_file;    // PEM
    std::string ca_folder;  // as c_rehash leaves it; both "": libcurl's own default, the system's roots
};
// Where Debian, Red Hat, SUSE, newer Red Hats, and Alpine keep the roots of the machine.
inline constexpr std::array<const char*, 5> known_roots{
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"};

// A libcurl built on one distribution and run on another names a file of roots that is not there: the first known one that is.
// "" where libcurl's own can be read, or none can.
std::string roots_instead_of(const std::string& built_in, std::span<const char* const> known);

std::string roots_in_words(const tls_settings* tls, const trust_defaults& defaults);

class easy_pool {
  public:
    // `prepare` sees each new handle once, for options that stay.
    easy_pool(trust_defaults defaults, std::function<void(CURL*)> prepare);

    // A handle with these TLS settings in force.
    easy take(const std::shared_ptr<const tls_settings>& tls);
    void give_back(easy one) noexcept;
    const trust_defaults& defaults() const { return defaults_; }

  private:
    trust_defaults defaults_;
    std::function<void(CURL*)> prepare_;
    std::vector<easy> idle_;  // newest last
};

}  // namespace gputide::http
