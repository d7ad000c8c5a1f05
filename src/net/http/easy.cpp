// Options that all handles share, and the TLS settings of a handle.
#include "base/encode.hpp"
#include "base/never_destroyed.hpp"
#include "base/process.hpp"
#include "http/libcurl.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace gputide::http {

namespace {

constexpr std::size_t max_idle = 256;
constexpr std::size_t looked_through = 16;  // idle handles searched for the same TLS settings
constexpr long ca_file_reread_s = 60;       // a rotated CA bundle is used after at most this time

void set_constant_options(CURL* handle) {
    set_option(handle, CURLOPT_NOSIGNAL, 1L);
    set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(handle, CURLOPT_FOLLOWLOCATION, 0L);
    set_option(handle, CURLOPT_PATH_AS_IS, 1L);
    set_option(handle, CURLOPT_ACCEPT_ENCODING, accepted_coding);
    set_option(handle, CURLOPT_HTTP_CONTENT_DECODING, 0L);  // transfer/body.cpp decompresses
    set_option(handle, CURLOPT_HTTP_VERSION, usual_version);
    set_option(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set_option(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set_option(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set_option(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    set_option(handle, CURLOPT_CA_CACHE_TIMEOUT, ca_file_reread_s);
    // An encrypted key fails; without a pass phrase OpenSSL would prompt on the terminal.
    set_option(handle, CURLOPT_KEYPASSWD, "");
    // libcurl resolves no name itself (src/net/http/transfer/request.cpp).  If it started a thread for it anyway, that thread
    // would not be waited for.
    set_option(handle, CURLOPT_QUICK_EXIT, 1L);
}

void set_blob(CURL* handle, CURLoption option, std::string_view text) {
    if (text.empty()) {
        set_option(handle, option, static_cast<curl_blob*>(nullptr));
        return;
    }
    // Borrowed: `easy` keeps the text as long as the handle uses it.
    curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};  // NOLINT: curl does not write to it
    set_option(handle, option, &blob);
}

void set_path(CURL* handle, CURLoption option, const std::string& path) {
    set_option(handle, option, path.empty() ? nullptr : path.c_str());
}

// Sets the roots.  Configured roots replace the system's file and folder.
void set_roots(CURL* handle, const tls_settings& tls, const trust_defaults& defaults) {
    set_blob(handle, CURLOPT_CAINFO_BLOB, tls.ca_pem);
    const bool own = !tls.ca_pem.empty() || !tls.ca_file.empty();
    if (!own && defaults.ca_file.empty() && defaults.ca_folder.empty()) return;
    set_path(handle, CURLOPT_CAINFO, own ? tls.ca_file : defaults.ca_file);
    set_path(handle, CURLOPT_CAPATH, own ? "" : defaults.ca_folder);
}

void set_tls(CURL* handle, const tls_settings& tls, const trust_defaults& defaults) {
    set_roots(handle, tls, defaults);
    set_blob(handle, CURLOPT_SSLKEY_BLOB, tls.client_key_pem.reveal());
    set_option(handle, CURLOPT_USERAGENT, tls.user_agent.empty() ? "gputide/" GPUTIDE_VERSION : tls.user_agent.c_str());
    set_option(handle, CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L);
    set_option(handle, CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
}

const never_destroyed<const tls_settings> usual;

easy make_easy(const std::shared_ptr<const tls_settings>& tls, const trust_defaults& defaults) {
    easy out;
    out.handle.reset(new_easy());
    if (!out.handle) throw std::bad_alloc();
    out.tls = tls;
    set_constant_options(out.handle.get());
    const tls_settings& wanted = tls ? *tls : *usual;  // a reference: the handle borrows its texts
    set_tls(out.handle.get(), wanted, defaults);
    out.certificate = certificate_for_connections(wanted);
    set_blob(out.handle.get(), CURLOPT_SSLCERT_BLOB, out.certificate);
    return out;
}

}  // namespace

CURL* new_easy() noexcept {
    const no_fork hold;
    return curl_easy_init();
}

CURLM* new_multi() noexcept {
    const no_fork hold;
    return curl_multi_init();
}

std::string roots_instead_of(const std::string& built_in, std::span<const char* const> known) {
    const auto readable = [](const char* path) { return ::access(path, R_OK) == 0; };
    if (!built_in.empty() && readable(built_in.c_str())) return {};
    const auto found = std::ranges::find_if(known, readable);
    return found != known.end() ? *found : "";
}

std::string roots_in_words(const tls_settings* tls, const trust_defaults& defaults) {
    if (tls != nullptr && !tls->ca_pem.empty()) return "the CA given as text";
    if (tls != nullptr && !tls->ca_file.empty()) return "the CA file " + tls->ca_file;
    if (!defaults.ca_file.empty()) return "the CA file " + defaults.ca_file;
    if (!defaults.ca_folder.empty()) return "the CA folder " + defaults.ca_folder;
    return "the system's CAs";
}

easy_pool::easy_pool(trust_defaults defaults, callback<void(CURL*)> prepare)
    : defaults_(std::move(defaults)), prepare_(std::move(prepare)) {}

// Handles with other settings are left until they expire: resetting a handle would cost more than creating one.
easy easy_pool::take(const std::shared_ptr<const tls_settings>& tls) {
    const std::size_t first = idle_.size() > looked_through ? idle_.size() - looked_through : 0;
    for (std::size_t i = idle_.size(); i-- > first;) {
        if (!same_settings(idle_[i].tls.get(), tls.get())) continue;
        std::swap(idle_[i], idle_.back());
        easy out = std::move(idle_.back());
        idle_.pop_back();
        return out;
    }
    easy fresh = make_easy(tls, defaults_);
    prepare_(fresh.handle.get());
    return fresh;
}

void easy_pool::give_back(easy handle) noexcept {
    if (idle_.size() >= max_idle) idle_.erase(idle_.begin());  // the least recently used
    try {
        idle_.push_back(std::move(handle));
    } catch (const std::bad_alloc&) {  // the handle is then not kept
    }
}

}  // namespace gputide::http
