// Steps `authority` and `endpoint`: reachability, certificate and clock of a host.  In: the result of one request without
// credentials; out: the step.  Pure.
#pragma once

#include "base/error.hpp"
#include "doctor/step.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// A certificate of a TLS server, for messages only: libcurl decides whether a chain is trusted.
struct certificate {
    std::string subject;  // the common name, or the whole name where it has none
    std::string issuer;
    std::vector<std::string> names;  // DNS names and addresses that it is for
    std::int64_t not_before_ms = 0;  // Unix; 0: unreadable
    std::int64_t not_after_ms = 0;
    bool self_signed = false;
    bool is_for_host = false;  // of the first certificate: it is for the host of the request
};

// Parses PEM texts, the server's own first; unreadable certificates are left out.
std::vector<certificate> read_chain(const std::vector<std::string>& pem, const std::string& host);

struct reach {
    std::string url;      // scheme, host and port: "https://w.eastus.prometheus.monitor.azure.com"
    std::string host;     // of it
    http::answer answer;  // with the trust settings of the trigger
    std::vector<certificate> chain;
    bool verified = true;                 // false: the trigger's unsafeSsl
    std::string roots;                    // the trusted roots as text: "the CA file /etc/ca.crt"
    std::int64_t now_ms = 0;              // our clock when the answer came
    std::optional<std::int64_t> peer_ms;  // the peer's, from its Date header
};

// Entra accepts an assertion with times that are off by at most five minutes.  An instant query further in the past or the
// future than Prometheus looks back (five minutes) finds nothing.
inline constexpr std::int64_t fatal_skew_ms = 5 * 60'000;
inline constexpr std::int64_t worrying_skew_ms = 30'000;

step judge_reach(const std::string& name, const reach& seen);

// Returns the step `proxy`; nothing if the host is asked directly.
std::optional<step> judge_proxy(const reach& seen);

// Returns the error that a request to that host would have, if the step failed.
error_ptr failure_of(const reach& seen);

}  // namespace gputide::doctor
