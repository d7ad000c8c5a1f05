// The certificates that a TLS server shows, as values.  Only for telling what is wrong: whether a chain is trusted is
// libcurl's judgement alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::doctor {

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

}  // namespace gputide::doctor
