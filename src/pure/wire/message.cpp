// Requests and responses as values: header lookup, names, hosts.
#include "wire/message.hpp"

#include "base/format_text.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"

#include <array>

namespace gputide::http {

namespace {

template <class Headers>
auto* find_header(Headers& headers, std::string_view name) {
    for (auto& header : headers) {
        if (equal_ignoring_case(header.name, name)) return &header;
    }
    return static_cast<decltype(&headers.front())>(nullptr);
}

const never_destroyed<std::shared_ptr<const request>> no_request{std::make_shared<const request>()};

}  // namespace

bool same_settings(const tls_settings& a, const tls_settings& b) {
    return a.ca_pem == b.ca_pem && a.ca_file == b.ca_file && a.verify == b.verify && a.server_name == b.server_name &&
           a.connect_to == b.connect_to && a.proxy == b.proxy && a.user_agent == b.user_agent &&
           same_secret(a.client_certificate_pem.reveal(), b.client_certificate_pem.reveal()) &&
           same_secret(a.client_key_pem.reveal(), b.client_key_pem.reveal());
}

const header* request::find(std::string_view name) const { return find_header(headers, name); }

const std::shared_ptr<const request>& outgoing::nothing() { return *no_request; }

std::optional<std::string_view> response::header(std::string_view name) const {
    const response_header* found = find_header(headers, name);
    if (found == nullptr) return std::nullopt;
    return found->value;
}

const char* fault_name(fault kind) noexcept {
    static constexpr std::array names = {
        "none",  "url",        "not_allowed",   "resolve",   "connect", "timeout",   "deadline", "cancelled",
        "reset", "tls_verify", "tls_handshake", "too_large", "crowded", "no_memory", "encoding", "other"};
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : "unknown";
}

std::string host_and_port(std::string_view host, std::int32_t port) {
    const bool bare_ipv6 = host.find(':') != std::string_view::npos;
    std::string out = bare_ipv6 ? format_text("[{}]", host) : std::string(host);
    return format_text("{}:{}", out, port);
}

bool is_path_part(std::string_view text) {
    return !text.empty() && text != "." && text != ".." && text.find_first_of("/\\?#%") == std::string_view::npos;
}

}  // namespace gputide::http
