// Host names.  libcurl would start a thread for each unknown name, so it is stopped there: the transfer ends, the
// driver has the name looked up (src/net/http/resolver.hpp), and the transfer restarts with the addresses.  Requests over
// an open connection, or to a host in libcurl's cache, do not get here.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/curl_url.hpp"
#include "http/transfer/transfer.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <netinet/in.h>
#include <new>
#include <utility>

namespace gputide::http {
namespace {

constexpr int max_names = 4;                     // per transfer: a SOCKS proxy's, the host's, and each again
constexpr std::int32_t usual_proxy_port = 1080;  // curl/curl lib/urldata.h CURL_DEFAULT_PROXY_PORT @curl-7_88_1
constexpr auto used_proxy_info = static_cast<CURLINFO>(CURLINFO_LONG + 66);  // CURLINFO_USED_PROXY, since libcurl 8.7.0

// Tells whether libcurl converts the text to addresses without a lookup (curl/curl lib/hostip.c Curl_resolv
// @curl-7_88_1).
bool needs_no_lookup(const std::string& host) {
    constexpr std::string_view local = ".localhost";
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    if (::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1) return true;
    if (::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1) return true;
    if (equal_ignoring_case(host, local.substr(1))) return true;
    return host.size() > local.size() &&
           equal_ignoring_case(std::string_view(host).substr(host.size() - local.size()), local);
}

// Returns the name as in DNS, "xn--..." for other letters; "": it has no such form, or this libcurl cannot convert it.
std::string ascii_name(const std::string& host) {
    if (std::all_of(host.begin(), host.end(), [](unsigned char c) { return c < 0x80; })) return host;
#ifdef CURLU_PUNYCODE
    const url_handle url = new_url();
    if (curl_url_set(url.get(), CURLUPART_HOST, host.c_str(), 0) == CURLUE_OK)
        return part_of(url, CURLUPART_HOST, CURLU_PUNYCODE);
#endif
    return {};
}

// Reads the proxy in libcurl's order (curl/curl lib/url.c detect_proxy @curl-7_88_1).  NO_PROXY was checked before.
std::string proxy_of_environment(const std::string& scheme) {
    const std::array<const char*, 4> names = scheme == "https"
                                                 ? std::array{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}
                                                 : std::array{"http_proxy", "http_proxy", "all_proxy", "ALL_PROXY"};
    for (const char* name : names) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return value;
    }
    return {};
}

// Parses a proxy as libcurl does (curl/curl lib/url.c parse_proxy @curl-7_88_1).
std::optional<endpoint> endpoint_of_proxy(const std::string& proxy) {
    const url_handle url = new_url();
    constexpr unsigned any_scheme = CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME;
    if (curl_url_set(url.get(), CURLUPART_URL, proxy.c_str(), any_scheme) != CURLUE_OK) return std::nullopt;
    endpoint out;
    out.host = without_brackets(part_of(url, CURLUPART_HOST, CURLU_URLDECODE));
    const std::string port = part_of(url, CURLUPART_PORT);
    const bool is_tls = part_of(url, CURLUPART_SCHEME) == "https";
    out.port = !port.empty() ? std::atoi(port.c_str()) : is_tls ? 443 : usual_proxy_port;
    return out;
}

}  // namespace

// Returns 0 if libcurl should continue.  Called for addresses too.
int transfer::on_lookup(void*, void*, void* self) {
    auto& here = *static_cast<transfer*>(self);
    if (std::exchange(here.is_address_, false)) return 0;
    const bool is_own_host = !here.request_->tls || here.request_->tls->connect_to.empty();
    if (here.easy_.direct == true && is_own_host && needs_no_lookup(here.url_.host)) return 0;
    here.wants_name_ = true;
    return 1;
}

// libcurl's error code tells whether the proxy's name is missing.  From 8.18.0 on it tells whether a proxy is used: the
// proxy's name comes first, and a SOCKS proxy may need the host's as well.
bool transfer::is_of_proxy(CURLcode code) const {
    if (easy_.direct != false || !request_->tls) return false;
    if (code != CURLE_ABORTED_BY_CALLBACK) return code == CURLE_COULDNT_RESOLVE_PROXY;
    long used = 0;
    return curl_easy_getinfo(handle(), used_proxy_info, &used) == CURLE_OK && used != 0 && !name_.is_of_proxy;
}

std::optional<std::string> transfer::wanted_name(CURLcode code) {
    wants_name_ = false;
    name_.is_of_proxy = is_of_proxy(code);
    std::optional<endpoint> to = endpoint_of(*request_, url_);
    if (name_.is_of_proxy) {
        const std::string& proxy = request_->tls->proxy;
        to = endpoint_of_proxy(proxy == environment_proxy ? proxy_of_environment(url_.scheme) : proxy);
    }
    name_.to = std::move(to).value_or(endpoint{});
    if (++name_count_ > max_names) return std::nullopt;
    is_address_ = needs_no_lookup(name_.to.host);
    if (is_address_) return std::string();
    name_.ascii = ascii_name(name_.to.host);
    if (name_.ascii.empty()) return std::nullopt;
    return name_.ascii;
}

CURL* transfer::resume(const std::string& addresses, std::int64_t connect_ms) {
    if (!addresses.empty()) {
        // "+": the entry expires as one that libcurl has looked up itself.
        const std::string line = format_text("+{}:{}:{}", name_.ascii, name_.to.port, addresses);
        curl_slist* const fresh = curl_slist_append(nullptr, line.c_str());
        if (fresh == nullptr) throw std::bad_alloc();
        curl_slist* const former = std::exchange(resolve_, fresh);
        set_option(handle(), CURLOPT_RESOLVE, resolve_);
        curl_slist_free_all(former);
    }
    set_option(handle(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, connect_ms)));
    return handle();
}

answer transfer::unresolved(const trust_defaults& trust) noexcept {
    const char* what = name_.is_of_proxy ? "proxy" : "host";
    std::snprintf(error_text_.data(), error_text_.size(), "Could not resolve %s: %s", what, name_.to.host.c_str());
    return conclude(name_.is_of_proxy ? CURLE_COULDNT_RESOLVE_PROXY : CURLE_COULDNT_RESOLVE_HOST, trust);
}

}  // namespace gputide::http
