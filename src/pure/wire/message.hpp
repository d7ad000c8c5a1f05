// One HTTP request and one response, as values.  Pure: only a loop (http/loop.hpp) sends.
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

// Compared by value to share connections: requests with equal settings reuse one.
struct tls_settings {
    std::string ca_pem;  // replaces the system's roots; "": ca_file, SSL_CERT_FILE and _DIR, the system
    std::string ca_file;
    secret_text client_certificate_pem;
    secret_text client_key_pem;
    bool verify = true;       // false only for a manifest's own unsafeSsl
    std::string server_name;  // SNI and verified name, where it is not the URL's host
    std::string connect_to;   // "host:port" to connect to instead of the URL's
    std::string proxy;        // a proxy's URL; environment_proxy: as in HTTPS_PROXY and the like; "": none
    std::string user_agent;   // "": "gputide/" and the version
};

bool same_settings(const tls_settings& a, const tls_settings& b);

// AWS Signature Version 4, computed by libcurl when the request is sent.  The session's token is a header of the
// request.
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
    std::shared_ptr<const aws_signing> signing;  // null: none
    bool carries_credential = false;  // then plain http needs loopback or allow_plain_http, and 3xx is a security error
    bool allow_plain_http = false;    // set by the host program, never by a manifest
    bool only_verified = false;       // set by the host program: no credential to a peer with an unverified certificate
    bool use_proxy = true;            // false for metadata services
    std::int64_t connect_timeout_ms = 10'000;
    std::int64_t attempt_timeout_ms = 30'000;        // one attempt, body included
    std::size_t max_bytes = limits::response_bytes;  // of the body, before and after decompression
    std::string unix_socket;  // the path to connect to instead of the URL's host; "": none. A manifest never sets it
    bool is_http2 = false;    // also over plain http, without negotiation: the peer speaks nothing else (gRPC)
    bool wants_certificates = false;  // return the peer's chain; uses a connection of its own
    // Receives the body of a 200 piece by piece, on the loop's thread; the answer's own body stays empty then, and
    // max_bytes does not apply.  It may be called once more after the request was canceled.  Null: the body is
    // collected.
    std::shared_ptr<const std::function<void(std::string_view)>> stream;

    void set(std::string name, std::string value) {
        headers.push_back({std::move(name), secret_text(std::move(value))});
    }
    const header* find(std::string_view name) const;  // case-insensitive; null: not there
};

// An immutable request to send, shared between retries, shared responses and error messages.
class outgoing {
  public:
    outgoing() = default;   // an empty request
    outgoing(request what)  // NOLINT(google-explicit-constructor): any request may go out
        : is_(std::make_shared<const request>(std::move(what))) {}
    operator const request&() const { return *is_; }  // NOLINT(google-explicit-constructor): and is still one
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
    std::optional<std::string_view> header(std::string_view name) const;  // case-insensitive, first one
};

// Why an exchange ended without a complete response.
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
    tls_handshake,  // every other TLS failure
    too_large,
    crowded,    // all responses in progress together use too much memory
    no_memory,  // on this side
    encoding,   // invalid gzip
    other,
};

const char* fault_name(fault kind) noexcept;  // "connect", "tls_verify", ...

struct answer {
    http::fault fault = http::fault::none;
    std::string fault_text;  // "connection refused (127.0.0.1:9090)"; no secret
    std::string roots;       // fault tls_verify: what the certificate was checked against, "the CA file /etc/ca.crt"
    http::response response;
    std::vector<std::string> certificates;  // PEM, the peer's own first; where the request wants them
    bool held = false;  // nothing was sent: a fleet does not contact the peer for a while, and repeats its last failure

    bool arrived() const { return fault == http::fault::none; }
};

std::string host_and_port(std::string_view host, std::int32_t port);  // "h:9090", "[::1]:9090"
bool is_loopback(std::string_view host);                              // localhost, 127.0.0.0/8, ::1
// Tells whether a name may be one piece of a URL's path: "", "." and ".." would lead elsewhere.
bool is_path_part(std::string_view text);

}  // namespace gputide::http
