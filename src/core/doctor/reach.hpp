// Steps `authority` and `endpoint`: does the host answer, whose certificate does it show, does its clock agree with ours?
// In: what one request without credentials came to; out: the step.  Pure.
#pragma once

#include "base/error.hpp"
#include "doctor/step.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// The certificates that a TLS server shows, as values.  Only for telling what is wrong: whether a chain is trusted is
// libcurl's judgement alone.

struct certificate {
    std::string subject;  // the common name, or the whole name where it has none
    std::string issuer;
    std::vector<std::string> names;  // DNS names and addresses that it is for
    std::int64_t not_before_ms = 0;  // Unix; 0: unreadable
    std::int64_t not_after_ms = 0;
    bool self_signed = false;
    bool is_for_host = false;  // of the first one: it bears the host that was asked
};

// PEM texts, the server's own first; what cannot be read is left out.
std::vector<certificate> read_chain(const std::vector<std::string>& pem, const std::string& host);

struct reach {
    std::string url;      // scheme, host and port: "https://w.eastus.prometheus.monitor.azure.com"
    std::string host;     // of it
    http::answer answer;  // as the trigger's own trust has it
    std::vector<certificate> chain;
    bool verified = true;                 // false: the trigger's unsafeSsl
    std::string roots;                    // what is trusted, in words: "the CA file /etc/ca.crt"
    std::int64_t now_ms = 0;              // our clock when the answer came
    std::optional<std::int64_t> peer_ms;  // the peer's, from its Date header
};

// Entra takes an assertion whose times are off by five minutes at the most; an instant query that is evaluated further in the
// past or the future than Prometheus looks back (five minutes) finds nothing.
inline constexpr std::int64_t fatal_skew_ms = 5 * 60'000;
inline constexpr std::int64_t worrying_skew_ms = 30'000;

step judge_reach(const std::string& name, const reach& seen);

// What a question to that host would have come to, where the step failed.
error_ptr failure_of(const reach& seen);

}  // namespace gputide::doctor
