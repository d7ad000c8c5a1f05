// Steps `authority` and `endpoint`: reachability, certificate and clock of a host, from the result of one request without
// credentials.  Pure.
#pragma once

#include "base/error.hpp"
#include "doctor/step.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// A certificate of a TLS server, only for messages: libcurl decides whether a chain is trusted.
struct certificate {
    std::string subject;  // the common name, or the whole name if it has none
    std::string issuer;
    std::vector<std::string> names;  // its DNS names and addresses
    std::int64_t not_before_ms = 0;  // Unix; 0: unreadable
    std::int64_t not_after_ms = 0;
    bool self_signed = false;
    bool is_for_host = false;  // set for the first certificate: it is for the host of the request
};

// Parses PEM texts, the server's own certificate first; skips unreadable certificates.
std::vector<certificate> read_chain(const std::vector<std::string>& pem, const std::string& host);

struct reach {
    std::string url;      // scheme, host and port: "https://w.eastus.prometheus.monitor.azure.com"
    std::string host;     // host of `url`
    http::answer answer;  // with the trust settings of the trigger
    std::vector<certificate> chain;
    bool verified = true;                 // false: the trigger has unsafeSsl
    std::string roots;                    // description of the trusted roots: "the CA file /etc/ca.crt"
    std::int64_t now_ms = 0;              // our clock at the response
    std::optional<std::int64_t> peer_ms;  // the server's clock, from its Date header
};

// Entra accepts an assertion if its times are wrong by at most five minutes.  An instant query finds nothing if its time is wrong
// by more than Prometheus' lookback (five minutes).
inline constexpr std::int64_t fatal_skew_ms = 5 * 60'000;
inline constexpr std::int64_t worrying_skew_ms = 30'000;

step judge_reach(std::string_view name, const reach& seen);

// Returns the step `proxy`, or nullopt if the request goes directly to the host.
std::optional<step> judge_proxy(const reach& seen);

// Returns the error that a request to that host would have, if the step failed.
error_ptr failure_of(const reach& seen);

}  // namespace gputide::doctor
