// Sets up an easy handle for one request, and resets it.  Header lines and the body may contain secrets: libcurl reads both from
// our memory, which is wiped with the transfer.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/libcurl.hpp"
#include "http/message.hpp"
#include "http/transfer/transfer.hpp"
#include "wire/message.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <netinet/in.h>
#include <new>
#include <utility>

namespace gputide::http {

namespace {

bool has_body(const request& request) {
    return !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
}

}  // namespace

transfer::transfer(outgoing request, url_parts url)
    : request_(std::move(request)), url_(std::move(url)), share_(url_.host, url_.port) {}

transfer::~transfer() {
    curl_slist_free_all(connect_to_);
    curl_slist_free_all(resolve_);
    wipe(lines_);
}

void transfer::prepare(CURL* handle) {
    set_option(handle, CURLOPT_WRITEFUNCTION, &transfer::on_body);
    set_option(handle, CURLOPT_HEADERFUNCTION, &transfer::on_header);
    set_option(handle, CURLOPT_XFERINFOFUNCTION, &transfer::on_progress);
    set_option(handle, CURLOPT_NOPROGRESS, 0L);
    set_option(handle, CURLOPT_RESOLVER_START_FUNCTION, &transfer::on_lookup);
}

CURL* transfer::start(easy_pool& pool, void* owner) {
    easy_ = pool.take(request_->tls);
    CURL* on = easy_.handle.get();
    set_option(on, CURLOPT_PRIVATE, owner);
    set_option(on, CURLOPT_ERRORBUFFER, error_text_.data());
    set_option(on, CURLOPT_WRITEDATA, this);
    set_option(on, CURLOPT_HEADERDATA, this);
    set_option(on, CURLOPT_XFERINFODATA, this);
    set_option(on, CURLOPT_RESOLVER_START_DATA, this);
    response_.headers.reserve(8);
    set_target(on);
    set_method(on);
    set_headers(on);
    set_limits(on);
    set_proxy(on);
    if (request_->wants_certificates) {
        set_option(on, CURLOPT_CERTINFO, 1L);
        set_option(on, CURLOPT_FRESH_CONNECT, 1L);  // the chain is only available after a handshake
    }
    if (request_->signing) set_signing(on);
    return on;
}

// Puts a verified name that differs from the URL's host into the URL, because libcurl takes SNI and the name to verify from
// there.  The connection still goes to the URL's own host, and the Host header names it.
void transfer::set_target(CURL* handle) {
    const bool renamed = request_->tls && !request_->tls->server_name.empty() &&
                         !equal_ignoring_case(request_->tls->server_name, url_.host);
    const std::string_view elsewhere = request_->tls ? std::string_view(request_->tls->connect_to) : std::string_view();
    std::string other_url;
    if (renamed) {
        other_url = format_text("{}://{}{}{}{}", url_.scheme, url_.has_user_info ? url_.user_info + "@" : "",
                                host_and_port(request_->tls->server_name, url_.port), url_.path,
                                url_.has_query ? "?" + url_.query : "");
    }
    if (renamed || !elsewhere.empty()) {
        const std::string to =
            "::" + (elsewhere.empty() ? host_and_port(url_.host, url_.port) : std::string(elsewhere));
        connect_to_ = curl_slist_append(nullptr, to.c_str());
        if (connect_to_ == nullptr) throw std::bad_alloc();
    }
    if (renamed && request_->find("Host") == nullptr) {
        const bool usual_port = url_.port == (url_.scheme == "https" ? 443 : 80);
        const std::string full = host_and_port(url_.host, url_.port);
        host_ = usual_port ? full.substr(0, full.rfind(':')) : full;
    }
    set_option(handle, CURLOPT_URL, renamed ? other_url.c_str() : request_->url.c_str());
    wipe(other_url);  // it may contain user information
    if (connect_to_ != nullptr) set_option(handle, CURLOPT_CONNECT_TO, connect_to_);
    if (!request_->unix_socket.empty()) set_option(handle, CURLOPT_UNIX_SOCKET_PATH, request_->unix_socket.c_str());
    // Waits for a connection that may be multiplexed, if HTTP/2 is possible.
    const bool is_tls = url_.scheme == "https";
    set_option(handle, CURLOPT_PIPEWAIT, is_tls || request_->is_http2 ? 1L : 0L);
    if (request_->is_http2 && !is_tls) set_plain_http2(handle);
}

// Enables plain-text HTTP/2. libcurl 7.88 starts HTTP/2 again on a connection that already uses it, which breaks it (curl/curl
// issue 10634, fixed in 8.0.0): with these versions each request gets its own connection.
void transfer::set_plain_http2(CURL* handle) {
    constexpr unsigned mended = 0x080000;
    const bool is_once = curl_version_info(CURLVERSION_NOW)->version_num < mended;
    set_option(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE));
    if (is_once) set_option(handle, CURLOPT_PIPEWAIT, 0L);
    set_option(handle, CURLOPT_FRESH_CONNECT, is_once ? 1L : 0L);
    set_option(handle, CURLOPT_FORBID_REUSE, is_once ? 1L : 0L);
}

void transfer::set_method(CURL* handle) {
    const bool body = has_body(*request_);
    const bool head = request_->method == "HEAD" && !body;
    set_option(handle, CURLOPT_NOBODY, head ? 1L : 0L);
    if (body) {
        const std::string_view bytes = request_->body.reveal();
        set_option(handle, CURLOPT_POST, 1L);
        set_option(handle, CURLOPT_POSTFIELDS, bytes.empty() ? "" : bytes.data());
        set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
    }
    if (!head && !body) set_option(handle, CURLOPT_HTTPGET, 1L);
    const bool usual = request_->method == (body ? "POST" : head ? "HEAD" : "GET");
    set_option(handle, CURLOPT_CUSTOMREQUEST, usual ? nullptr : request_->method.c_str());
}

// Adds a header line. libcurl reads "Name;" as a header without a value, and "Name:" as one of its own headers to omit.
void transfer::add_line(std::string_view name, std::string_view mark, std::string_view value) {
    char* start = lines_.data() + lines_.size();
    lines_.append(name).append(mark).append(value) += '\0';
    if (!list_.empty()) list_.back().next = list_.data() + list_.size();
    list_.push_back({start, nullptr});
}

void transfer::set_headers(CURL* handle) {
    std::size_t size = sizeof "Expect:" + sizeof "Host: " + host_.size();
    for (const header& header : request_->headers)
        size += header.name.size() + header.value.reveal().size() + sizeof ": ";
    lines_.reserve(size);  // one allocation: growing would leave copies behind
    list_.reserve(request_->headers.size() + 2);
    for (const header& header : request_->headers)
        add_line(header.name, header.value.empty() ? ";" : ": ", header.value.reveal());
    if (!host_.empty()) add_line("Host", ": ", host_);
    // Omits 100-continue, which costs a second if the server does not support it.  Not if the request is signed: libcurl would
    // sign this line although it is never sent.
    if (has_body(*request_) && !request_->signing) add_line("Expect", ":", {});
    set_option(handle, CURLOPT_HTTPHEADER, list_.empty() ? nullptr : list_.data());
}

std::int64_t transfer::connect_limit_ms() const {
    return std::clamp<std::int64_t>(request_->connect_timeout_ms, 1, 86'400'000);
}

// Sets the limits.  The client limits the whole time of an attempt (client.cpp), because libcurl's own limit does not include the
// wait for a free connection.
void transfer::set_limits(CURL* handle) {
    set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_limit_ms()));
    set_option(handle, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request_->stream ? 0 : request_->max_bytes));
    // A server that compresses a stream may start a new gzip member at each flush, which libcurl does not decompress.
    if (request_->stream) set_option(handle, CURLOPT_ACCEPT_ENCODING, static_cast<char*>(nullptr));
}

// Sets the proxy: none unless the host program enables it, and never for loopback, as in Go's net/http.  With a null pointer
// libcurl reads the environment.
void transfer::set_proxy(CURL* handle) {
    const std::string proxy = request_->tls ? request_->tls->proxy : std::string();
    const bool direct = goes_directly(*request_, url_);
    if (easy_.direct == direct) return;  // the handle already has the request's settings, including its proxy
    easy_.direct = direct;
    const bool by_environment = proxy == environment_proxy;
    set_option(handle, CURLOPT_PROXY, direct ? "" : by_environment ? nullptr : proxy.c_str());
    set_option(handle, CURLOPT_NOPROXY, direct ? "*" : by_environment ? nullptr : "");
}

// Sets the signature's options. libcurl keeps its own copies while the handle has them.
void transfer::set_signing(CURL* handle) {
    const aws_signing& signing = *request_->signing;
    const std::string provider = format_text("aws:amz:{}:{}", signing.region, signing.service);
    set_option(handle, CURLOPT_AWS_SIGV4, provider.c_str());
    set_option(handle, CURLOPT_USERNAME, signing.access_key_id.c_str());
    std::string secret(signing.secret_access_key.reveal());
    set_option(handle, CURLOPT_PASSWORD, secret.c_str());
    wipe(secret);
}

easy transfer::take_handle() {
    CURL* on = easy_.handle.get();
    if (request_->signing) {
        set_option(on, CURLOPT_AWS_SIGV4, static_cast<char*>(nullptr));
        set_option(on, CURLOPT_USERNAME, static_cast<char*>(nullptr));
        set_option(on, CURLOPT_PASSWORD, static_cast<char*>(nullptr));
        // Restores the default, which signing has changed
        set_option(on, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    }
    set_option(on, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    set_option(on, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    if (connect_to_ != nullptr) set_option(on, CURLOPT_CONNECT_TO, static_cast<curl_slist*>(nullptr));
    if (!request_->unix_socket.empty()) set_option(on, CURLOPT_UNIX_SOCKET_PATH, static_cast<char*>(nullptr));
    if (resolve_ != nullptr) set_option(on, CURLOPT_RESOLVE, static_cast<curl_slist*>(nullptr));
    if (has_body(*request_)) set_option(on, CURLOPT_POSTFIELDS, static_cast<char*>(nullptr));
    if (request_->stream) set_option(on, CURLOPT_ACCEPT_ENCODING, accepted_coding);
    if (request_->is_http2) {
        set_option(on, CURLOPT_HTTP_VERSION, usual_version);
        set_option(on, CURLOPT_FRESH_CONNECT, 0L);
        set_option(on, CURLOPT_FORBID_REUSE, 0L);
    }
    if (url_.has_user_info) set_option(on, CURLOPT_URL, static_cast<char*>(nullptr));
    if (request_->wants_certificates) {
        set_option(on, CURLOPT_CERTINFO, 0L);
        set_option(on, CURLOPT_FRESH_CONNECT, 0L);
    }
    return std::move(easy_);
}

// Host names. libcurl would start a thread for each unknown name, so it is stopped there: the transfer ends, the driver has the
// name looked up (src/net/http/resolver.hpp), and the transfer restarts with the addresses.  Requests over an open connection, or
// to a host in libcurl's cache, do not get here.

namespace {

constexpr int max_names = 4;  // per transfer: a SOCKS proxy's, the host's, and each again
constexpr auto used_proxy_info = static_cast<CURLINFO>(CURLINFO_LONG + 66);  // CURLINFO_USED_PROXY, since libcurl 8.7.0

// Tells whether libcurl converts the text to addresses without a lookup (curl/curl lib/hostip.c Curl_resolv @curl-7_88_1).
bool needs_no_lookup(const std::string& host) {
    constexpr std::string_view local = ".localhost";
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    if (::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1) return true;
    if (::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1) return true;
    if (equal_ignoring_case(host, local.substr(1))) return true;
    return host.size() > local.size() &&
           equal_ignoring_case(std::string_view(host).substr(host.size() - local.size()), local);
}

// Returns the name in DNS form, "xn--..." for other letters; "": it has no such form, or this libcurl cannot convert it.
std::string ascii_name(const std::string& host) {
    if (std::ranges::all_of(host, [](unsigned char c) { return c < 0x80; })) return host;
#ifdef CURLU_PUNYCODE
    const url_handle url = new_url();
    if (curl_url_set(url.get(), CURLUPART_HOST, host.c_str(), 0) == CURLUE_OK)
        return part_of(url, CURLUPART_HOST, CURLU_PUNYCODE);
#endif
    return {};
}

}  // namespace

// Called by libcurl before a lookup, also for addresses.  Returns 0 if libcurl should continue.
int transfer::on_lookup(void*, void*, void* self) {
    auto& here = *static_cast<transfer*>(self);
    if (std::exchange(here.is_address_, false)) return 0;
    const bool is_own_host = !here.request_->tls || here.request_->tls->connect_to.empty();
    if (here.easy_.direct == true && is_own_host && needs_no_lookup(here.url_.host)) return 0;
    here.wants_name_ = true;
    return 1;
}

// Tells whether the missing name is the proxy's. libcurl's error code shows it.  From 8.18.0 on the code shows only that a proxy
// is used: its name comes first, and a SOCKS proxy may then need the host's name as well.
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
        const std::optional<chosen_proxy> proxy = proxy_of(*request_, url_);
        to = proxy ? endpoint_of_proxy(proxy->url) : std::nullopt;
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
        // "+": the entry expires like one that libcurl has looked up itself.
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
