// One row per fault and one per HTTP status: the class or status that each means, and for faults the remedy.
#include "http/failure.hpp"

#include "base/format_text.hpp"
#include "base/redact.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::http {

namespace {

struct meaning {
    fault what;
    error_class kind;
    const char* remedy;  // {peer} stands for host:port of the URL
};

constexpr std::array meanings = {
    meaning{fault::url, error_class::config, "Correct the address"},
    meaning{fault::not_allowed, error_class::security,
            "Use https, or allow plain http for credentials in the host program's options"},
    meaning{fault::resolve, error_class::transient,
            "Check the host name of {peer} and the DNS of the machine that asks"},
    meaning{fault::connect, error_class::transient,
            "Is something listening on {peer}, and does a firewall or network policy let it through?"},
    meaning{fault::timeout, error_class::timeout,
            "Check that {peer} is reachable and quick enough, or allow more time"},
    meaning{fault::deadline, error_class::timeout, "Check that {peer} is reachable, or allow more time"},
    meaning{fault::cancelled, error_class::cancelled, ""},
    meaning{fault::reset, error_class::transient,
            "A proxy, load balancer or restart on the way may have closed it; try again"},
    meaning{
        fault::tls_verify, error_class::security,
        "If the certificate is right, name the CA that signed it (ca in the trigger's credentials, ca_file in the host "
        "program's options); if its host is another one, correct the address"},
    meaning{fault::tls_handshake, error_class::transient,
            "Check that {peer} speaks TLS 1.2 or later and whether it wants a client certificate"},
    meaning{fault::too_large, error_class::limit, "Narrow the query"},
    meaning{fault::crowded, error_class::limit, "It is asked again at the next poll"},
    meaning{fault::no_memory, error_class::no_memory, ""},
    meaning{fault::encoding, error_class::encoding, "A proxy on the way may have damaged it"},
    meaning{fault::other, error_class::protocol,
            "Check that {peer} is an HTTP server; one that speaks TLS needs https in the address"},
};

const meaning& meaning_of(fault kind) {
    for (const meaning& one : meanings) {
        if (one.what == kind) return one;
    }
    return meanings.back();
}

std::string filled(std::string_view remedy, std::string_view url) {
    static constexpr std::string_view mark = "{peer}";
    std::string out(remedy);
    const auto parts = parse_url(url);
    const std::size_t at = out.find(mark);
    if (at == std::string::npos) return out;
    return out.replace(at, mark.size(), parts ? host_and_port(parts->host, parts->port) : "the peer");
}

constexpr std::array passing = {408, 429, 500, 502, 503, 504, 529};

}  // namespace

error to_error(const answer& reply, std::string_view url) {
    const meaning& means = meaning_of(reply.fault);
    error out =
        fail(means.kind, format_text("{}: {}", redact_url(url),
                                     redact(reply.fault_text.empty() ? fault_name(reply.fault) : reply.fault_text)));
    out.retryable = out.retryable || reply.fault == fault::crowded;  // others' answers will have ended
    if (*means.remedy != '\0') out.message += ". " + filled(means.remedy, url);
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
