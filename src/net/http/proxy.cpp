// Chooses and parses proxies.  Declared in message.hpp.
#include "base/text.hpp"
#include "http/libcurl.hpp"
#include "http/message.hpp"
#include "wire/message.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdlib>

namespace gputide::http {

namespace {

constexpr std::int32_t usual_proxy_port = 1080;  // curl/curl lib/urldata.h CURL_DEFAULT_PROXY_PORT @curl-7_88_1

using address_bytes = std::array<unsigned char, 16>;

// Returns the number of bits of the address, 0 if the text is not an address.
int read_address(const std::string& text, address_bytes& out) {
    if (::inet_pton(AF_INET, text.c_str(), out.data()) == 1) return 32;
    return ::inet_pton(AF_INET6, text.c_str(), out.data()) == 1 ? 128 : 0;
}

// network: "10.0.0.0/8", or an address.
bool is_in_network(std::string_view network, const address_bytes& host, int host_bits) {
    const std::size_t slash = std::min(network.find('/'), network.size());
    address_bytes base{};
    if (read_address(std::string(network.substr(0, slash)), base) != host_bits) return false;
    const auto given = slash < network.size() ? parse_int64(network.substr(slash + 1)) : host_bits;
    if (!given || *given < 0 || *given > host_bits) return false;
    for (int bit = 0; bit < *given; ++bit) {
        const auto byte = static_cast<std::size_t>(bit / 8);
        if (((base[byte] ^ host[byte]) >> (7 - bit % 8) & 1) != 0) return false;
    }
    return true;
}

bool is_in_domain(std::string_view domain, std::string_view host) {
    while (!domain.empty() && domain.front() == '.') domain.remove_prefix(1);
    if (!domain.empty() && domain.back() == '.') domain.remove_suffix(1);
    if (domain.empty() || domain.size() > host.size()) return false;
    const std::size_t before = host.size() - domain.size();
    return equal_ignoring_case(host.substr(before), domain) && (before == 0 || host[before - 1] == '.');
}

const char* value_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

bool is_excepted(std::string_view list, std::string_view host) {
    if (trim(list) == "*") return true;
    address_bytes numbers{};
    const int bits = read_address(std::string(host), numbers);
    while (!list.empty()) {
        const std::size_t end = std::min(list.find_first_of(", \t"), list.size());
        const std::string_view entry = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        if (bits > 0 ? is_in_network(entry, numbers, bits) : is_in_domain(entry, host)) return true;
    }
    return false;
}

bool goes_directly(const request& request, const url_parts& url) {
    return !request.tls || request.tls->proxy.empty() || !request.use_proxy || is_loopback(url.host);
}

// Checks in libcurl's order (curl/curl lib/url.c detect_proxy @curl-7_88_1).
std::optional<chosen_proxy> proxy_of(const request& request, const url_parts& url) {
    if (goes_directly(request, url) || !request.unix_socket.empty()) return std::nullopt;
    const std::string& proxy = request.tls->proxy;
    if (proxy != environment_proxy) return chosen_proxy{proxy, ""};
    for (const char* list : {"no_proxy", "NO_PROXY"}) {
        if (const char* value = value_of(list)) {
            if (is_excepted(value, url.host)) return std::nullopt;
            break;
        }
    }
    const std::array<const char*, 4> names = url.scheme == "https"
                                                 ? std::array{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}
                                                 : std::array{"http_proxy", "http_proxy", "all_proxy", "ALL_PROXY"};
    for (const char* name : names) {
        if (const char* value = value_of(name)) return chosen_proxy{value, name};
    }
    return std::nullopt;
}

std::optional<endpoint> endpoint_of_proxy(const std::string& proxy) {
    const url_handle url = new_url();
    constexpr unsigned any_scheme = CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME;
    if (curl_url_set(url.get(), CURLUPART_URL, proxy.c_str(), any_scheme) != CURLUE_OK) return std::nullopt;
    endpoint out;
    out.host = without_brackets(part_of(url, CURLUPART_HOST, CURLU_URLDECODE));
    const std::string port = part_of(url, CURLUPART_PORT);
    const bool is_tls = part_of(url, CURLUPART_SCHEME) == "https";
    out.port = !port.empty() ? std::atoi(port.c_str()) : is_tls ? 443 : usual_proxy_port;
    return out;
}

std::string proxy_text(const chosen_proxy& proxy) {
    const endpoint at = endpoint_of_proxy(proxy.url).value_or(endpoint{});
    return host_and_port(at.host, at.port) + " (" +
           (proxy.variable.empty() ? "the host program's options" : proxy.variable) + ")";
}

}  // namespace gputide::http
