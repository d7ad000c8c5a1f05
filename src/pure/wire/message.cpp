// Requests and responses as values: header lookup, names, hosts.
#include "wire/message.hpp"

#include "base/format_text.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

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

bool same_settings(const tls_settings* a, const tls_settings* b) {
    return a == b || (a != nullptr && b != nullptr && same_settings(*a, *b));
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

// Parses hosts of URLs without the C library: its address functions differ between systems.

namespace {

// Parses a number of at most max_digits digits; a decimal number must not have leading zeros.
std::optional<std::uint32_t> parse_digits(std::string_view digits, std::uint32_t base, std::size_t max_digits) {
    if (digits.empty() || digits.size() > max_digits) return std::nullopt;
    if (base == 10 && digits.size() > 1 && digits.front() == '0') return std::nullopt;
    std::uint32_t out = 0;
    for (const char c : digits) {
        const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
        const std::size_t value = digit < 16 ? digit : digit - 6;
        if (digit == std::string_view::npos || value >= base) return std::nullopt;
        out = out * base + static_cast<std::uint32_t>(value);
    }
    return out;
}

// Tells whether an IPv6 address (RFC 4291, 2.2) is ::1 in any spelling.
bool is_ipv6_loopback(std::string_view host) {
    constexpr std::int32_t groups = 8;
    std::vector<std::string_view> parts = split(host, ':');
    if (parts.size() < 3 || (parts.front().empty() && !parts[1].empty())) return false;
    if (parts.front().empty()) parts.erase(parts.begin());
    const bool has_gap = std::ranges::find(parts, std::string_view()) != parts.end();
    std::int32_t count = 0;
    std::uint64_t last = 0;  // value of the last two groups
    bool was_gap = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].empty()) {
            if (std::exchange(was_gap, true) || i + 1 == parts.size()) return false;
            continue;
        }
        const std::optional<std::uint32_t> four = i + 1 == parts.size() ? parse_ipv4(parts[i]) : std::nullopt;
        const std::optional<std::uint32_t> group = four ? four : parse_digits(parts[i], 16, 4);
        if (!group || last != 0) return false;
        last = *group;
        count += four ? 2 : 1;
    }
    return last == 1 && (has_gap ? count < groups : count == groups);
}

}  // namespace

std::optional<std::uint32_t> parse_ipv4(std::string_view host) {
    std::uint32_t out = 0;
    for (std::int32_t part = 0; part < 4; ++part) {
        const std::size_t end = part < 3 ? host.find('.') : host.size();
        if (end == std::string_view::npos) return std::nullopt;
        const std::optional<std::uint32_t> number = parse_digits(host.substr(0, end), 10, 3);
        if (!number || *number > 255) return std::nullopt;
        out = (out << 8U) | *number;
        if (part < 3) host.remove_prefix(end + 1);
    }
    return out;
}

std::string without_brackets(std::string host) {
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
    return host;
}

bool is_loopback(std::string_view host) {
    if (host.empty()) return false;
    if (is_letter(host.front()) && host.find(':') == std::string_view::npos)
        return equal_ignoring_case(host, "localhost");
    if (const std::optional<std::uint32_t> four = parse_ipv4(host)) return (*four >> 24U) == 127;
    return is_ipv6_loopback(host);
}

}  // namespace gputide::http
