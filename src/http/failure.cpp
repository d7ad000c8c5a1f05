// One row per fault: its status, its class word, whether the same call may work later, and the remedy.
#include "http/failure.hpp"

#include "base/redact.hpp"

#include <array>

namespace gputide::http {

namespace {

struct meaning {
    fault what;
    gputide::status status;
    const char* word;
    bool retryable;
    const char* remedy;  // {peer} stands for host:port of the URL
};

constexpr std::array meanings = {
    meaning{fault::url, status::invalid, "config", false, "Correct the address"},
    meaning{fault::not_allowed, status::security, "security", false,
            "Use https, or allow plain http for credentials in the host program's options"},
    meaning{fault::resolve, status::unavailable, "transient", true,
            "Check the host name of {peer} and the DNS of the machine that asks"},
    meaning{fault::connect, status::unavailable, "transient", true,
            "Is something listening on {peer}, and does a firewall or network policy let it through?"},
    meaning{fault::timeout, status::timeout, "timeout", true,
            "Check that {peer} is reachable and quick enough, or allow more time"},
    meaning{fault::deadline, status::timeout, "timeout", true, "Check that {peer} is reachable, or allow more time"},
    meaning{fault::cancelled, status::cancelled, "cancelled", false, ""},
    meaning{fault::reset, status::unavailable, "transient", true,
            "A proxy, load balancer or restart on the way may have closed it; try again"},
    meaning{
        fault::tls_verify, status::security, "security", false,
        "If the certificate is right, name the CA that signed it (ca in the trigger's credentials, ca_file in the host "
        "program's options); if its host is another one, correct the address"},
    meaning{fault::tls_handshake, status::unavailable, "transient", true,
            "Check that {peer} speaks TLS 1.2 or later and whether it wants a client certificate"},
    meaning{fault::too_large, status::limit, "limit", false, "Narrow the query"},
    meaning{fault::encoding, status::protocol, "encoding", false, "A proxy on the way may have damaged it"},
    meaning{fault::other, status::protocol, "protocol", false, "Check that {peer} is an HTTP server"},
};

const meaning& meaning_of(fault what) {
    for (const meaning& one : meanings) {
        if (one.what == what) return one;
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

}  // namespace

error to_error(const answer& got, std::string_view url) {
    const meaning& means = meaning_of(got.fault);
    error out = fail(means.status,
                     redact_url(url) + ": " + redact(got.fault_text.empty() ? fault_name(got.fault) : got.fault_text));
    if (*means.remedy != '\0') out.message += ". " + filled(means.remedy, url);
    out.retryable = means.retryable;
    out.error_class = means.word;
    return out;
}

}  // namespace gputide::http
