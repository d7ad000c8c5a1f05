#include "run/pages/own_name.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <strings.h>
#include <unistd.h>

namespace gputided {
namespace {

bool same(const std::string& a, const std::string& b) { return ::strcasecmp(a.c_str(), b.c_str()) == 0; }

bool is_address(const std::string& text) {
    in6_addr room{};
    return ::inet_pton(AF_INET, text.c_str(), &room) == 1 || ::inet_pton(AF_INET6, text.c_str(), &room) == 1;
}

std::string machine_name() {
    std::array<char, 256> out{};
    return ::gethostname(out.data(), out.size() - 1) == 0 ? out.data() : "";
}

}  // namespace

bool is_own_name(const std::string& host, const std::vector<std::string>& allowed) {
    if (host.empty() || same(host, "localhost") || is_address(host) || same(host, machine_name())) return true;
    return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& name) { return same(host, name); });
}

}  // namespace gputided
