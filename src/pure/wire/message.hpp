// One HTTP request and one response, as values.  Pure: only a loop (http/loop.hpp) sends requests.
#pragma once

#include "base/limits.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::http {

struct header {
    std::string name;
    secret_text value;  // any header may carry a credential; values are never printed
};

inline constexpr std::string_view environment_proxy = "environment";

// Compared by value to share connections: requests with equal settings use the same connection.
struct tls_settings {
    std::string ca_pem;  // replaces the system's roots; "": ca_file, SSL_CERT_FILE and _DIR, the system
    std::string ca_file;
    secret_text client_certificate_pem;
    secret_text client_key_pem;
    bool verify = true;       // false only for a manifest with unsafeSsl
    std::string server_name;  // name for SNI and verification, if it differs from the URL's host
    std::string connect_to;   // "host:port" to connect to instead of the URL's
    std::string proxy;        // a proxy's URL; environment_proxy: from HTTPS_PROXY and similar variables; "": none
    std::string user_agent;   // "": "gputide/" and the version
};

bool same_settings(const tls_settings& a, const tls_settings& b);
// Compares two settings; null is equal only to null.
bool same_settings(const tls_settings* a, const tls_settings* b);

// AWS Signature Version 4, which libcurl computes when it sends the request.  The session token is a header of the request.
struct aws_signing {
    std::string region;
    std::string service;
    std::string access_key_id;
    secret_text secret_access_key;
};

struct request {
    std::string method = "GET";
    std::string url;
    std::vector<header> headers;
    secret_text body;
    std::shared_ptr<const tls_settings> tls;     // null: defaults
    std::shared_ptr<const aws_signing> signing;  // null: not signed
    // Plain http then requires loopback or allow_plain_http, and 3xx is a security error.
    bool carries_credential = false;
    bool allow_plain_http = false;  // set by the host program, never by a manifest
    bool only_verified = false;     // set by the host program: no credential to a peer with an unverified certificate
    bool use_proxy = true;          // false for metadata services
    std::int64_t connect_timeout_ms = 10'000;
    std::int64_t attempt_timeout_ms = 30'000;        // of one attempt, body included
    std::size_t max_bytes = limits::response_bytes;  // of the body, before and after decompression
    std::string unix_socket;  // the path to connect to instead of the URL's host; "": none.  Never set by a manifest
    bool is_http2 = false;    // without negotiation, also over plain http: the peer supports only HTTP/2 (gRPC)
    bool wants_certificates = false;  // return the peer's chain; uses a connection of its own
    // Receives the body of a 200 response in parts, on the loop's thread; the answer's body then stays empty, and max_bytes
    // does not apply.  May be called once more after the request was canceled.  Null: the body is collected.
    std::shared_ptr<const std::function<void(std::string_view)>> stream;

    void set(std::string name, std::string value) {
        headers.push_back({std::move(name), secret_text(std::move(value))});
    }
    const header* find(std::string_view name) const;  // case-insensitive; null: not present
};

// An immutable request, shared between retries, shared responses and error messages.
class outgoing {
  public:
    outgoing() = default;   // an empty request
    outgoing(request what)  // NOLINT(google-explicit-constructor): implicit by design
        : is_(std::make_shared<const request>(std::move(what))) {}
    operator const request&() const { return *is_; }  // NOLINT(google-explicit-constructor): implicit by design
    const request& operator*() const { return *is_; }
    const request* operator->() const { return is_.get(); }

  private:
    static const std::shared_ptr<const request>& nothing();
    std::shared_ptr<const request> is_ = nothing();
};

struct response_header {
    std::string name;  // as sent
    std::string value;
};

struct response {
    std::int32_t status = 0;
    std::vector<response_header> headers;
    std::string body;                                                     // decoded
    std::optional<std::string_view> header(std::string_view name) const;  // case-insensitive; the first one
    bool is_success() const { return status >= 200 && status <= 299; }
};

// Reasons for an exchange that ended without a complete response.
enum class fault : std::int32_t {
    none = 0,
    url,          // invalid, or a scheme other than http(s)
    not_allowed,  // plain http with a credential
    resolve,      // DNS
    connect,      // refused, unreachable
    timeout,      // of the attempt
    deadline,     // of the whole call
    cancelled,
    reset,          // closed in the middle
    tls_verify,     // unknown CA, wrong host, expired
    tls_handshake,  // any other TLS failure
    too_large,
    crowded,    // all responses in progress together use too much memory
    no_memory,  // of this process
    encoding,   // invalid gzip
    other,
};

const char* fault_name(fault kind) noexcept;  // "connect", "tls_verify", ...

struct answer {
    answer() = default;
    answer(http::fault why, std::string text) : fault(why), fault_text(std::move(text)) {}

    http::fault fault = http::fault::none;
    std::string fault_text;  // "connection refused (127.0.0.1:9090)"; no secret
    std::string roots;       // fault tls_verify: the roots used for the check, "the CA file /etc/ca.crt"
    http::response response;
    std::vector<std::string> certificates;  // PEM, the peer's own first; if the request wants them
    bool held = false;  // nothing was sent: the fleet pauses requests to this peer and repeats its last failure

    bool arrived() const { return fault == http::fault::none; }
    bool is_success() const { return arrived() && response.is_success(); }
};

std::string host_and_port(std::string_view host, std::int32_t port);  // "h:9090", "[::1]:9090"
bool is_loopback(std::string_view host);                              // localhost, 127.0.0.0/8, ::1
// Tells whether a text may be one segment of a URL's path: "", "." and ".." would change the path.
bool is_path_part(std::string_view text);

// Addresses in the host part of a URL.

// Parses an address such as 127.0.0.1: four decimal numbers without leading zeros.
std::optional<std::uint32_t> parse_ipv4(std::string_view host);

// Returns "::1" for "[::1]".
std::string without_brackets(std::string host);

}  // namespace gputide::http
