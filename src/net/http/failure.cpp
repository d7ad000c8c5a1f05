// One row per fault and one per HTTP status: its class or status, and for faults the remedy.
#include "http/failure.hpp"

#include "base/redact.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::http {

namespace {

struct meaning {
    fault what;
    error_class kind;
    const char* remedy;  // printed after the address and the fault
};

constexpr std::array meanings = {
    meaning{fault::url, error_class::config, "Correct the address"},
    meaning{fault::not_allowed, error_class::security, ""},  // gate.cpp chooses one of two remedies
    meaning{fault::resolve, error_class::transient, "Check the host name and the DNS of the machine that asks"},
    meaning{fault::connect, error_class::transient,
            "Is something listening there, and does a firewall or network policy let it through?"},
    meaning{fault::timeout, error_class::timeout, "Check that it is reachable and quick enough, or allow more time"},
    meaning{fault::deadline, error_class::timeout, "Check that it is reachable, or allow more time"},
    meaning{fault::cancelled, error_class::cancelled, ""},
    meaning{fault::reset, error_class::transient,
            "A proxy, load balancer or restart on the way may have closed it; try again"},
    meaning{
        fault::tls_verify, error_class::security,
        "If the certificate is right, name the CA that signed it (ca in the trigger's credentials, ca_file in the host "
        "program's options); if its host is another one, correct the address"},
    meaning{fault::tls_handshake, error_class::transient,
            "Check that it speaks TLS 1.2 or later and whether it wants a client certificate"},
    meaning{fault::too_large, error_class::limit, "Narrow the query"},
    meaning{fault::crowded, error_class::limit, "It is asked again at the next poll"},
    meaning{fault::no_memory, error_class::no_memory, ""},
    meaning{fault::encoding, error_class::encoding, "A proxy on the way may have damaged it"},
    meaning{fault::other, error_class::protocol,
            "Check that it is an HTTP server; one that speaks TLS needs https in the address"},
};

const meaning& meaning_of(fault kind) {
    for (const meaning& one : meanings) {
        if (one.what == kind) return one;
    }
    return meanings.back();
}

constexpr std::array passing = {408, 429, 500, 502, 503, 504, 529};

}  // namespace

error fault_error(const answer& answer) {
    const meaning& means = meaning_of(answer.fault);
    error out = fail(means.kind, redact(answer.fault_text.empty() ? fault_name(answer.fault) : answer.fault_text));
    out.retryable = out.retryable || answer.fault == fault::crowded  // other responses will have ended
                    || answer.fault == fault::encoding;              // the next response may be complete
    if (*means.remedy != '\0') out.message.append(". ").append(means.remedy);
    return out;
}

bool is_redirect(std::int32_t http_status) { return http_status >= 300 && http_status <= 399; }

class_meaning meaning_of_status(std::int32_t http_status) {
    class_meaning out{status::protocol, std::find(passing.begin(), passing.end(), http_status) != passing.end()};
    if (http_status == 401) {
        out.status = status::auth;
    } else if (http_status == 403) {
        out.status = status::forbidden;
    } else if (http_status == 429 || http_status == 529) {
        out.status = status::throttled;
    } else if (http_status == 408 || (http_status >= 500 && http_status <= 599)) {
        out.status = status::unavailable;
    } else if (http_status >= 400 && http_status <= 499) {
        out.status = status::rejected;
    }
    return out;
}

error fail_http(error_class kind, std::int32_t http_status, std::string message) {
    const class_meaning means = meaning_of_status(http_status);
    error out = fail(kind, std::move(message));
    out.status = means.status;
    out.retryable = means.retryable;
    out.http_status = http_status;
    return out;
}

}  // namespace gputide::http
