#include "common/log.hpp"
#include "run/pages/web.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace gputided {

namespace {

constexpr unsigned long last_port = 65'535;
constexpr char unix_prefix[] = "unix:";
constexpr int backlog = 128;

struct address_text {
    std::string host;
    std::string port;
};

// Tells whether the text is a valid port; getaddrinfo would accept any number and keep its last 16 bits.
bool is_port(const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
    return digits && std::stoul(text) <= last_port;
}

address_text split_address(const std::string& address, const std::string& flag) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos || !is_port(address.substr(colon + 1)))
        throw usage_error(flag + " " + address +
                          ": expected HOST:PORT with a port up to 65535, such as 127.0.0.1:9105, or unix:/PATH");
    address_text out{address.substr(0, colon), address.substr(colon + 1)};
    if (out.host.size() > 1 && out.host.front() == '[' && out.host.back() == ']') {
        out.host = out.host.substr(1, out.host.size() - 2);
    }
    return out;
}

bool binds(int socket, const sockaddr_un& address) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the sockets interface has it
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// Tells whether the socket's file was left by a killed process.
bool has_no_listener(const sockaddr_un& address) {
    struct stat about {};
    if (::lstat(address.sun_path, &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
    const unique_descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the sockets interface has it
    const int failed = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return failed != 0 && errno == ECONNREFUSED;
}

}  // namespace

found_addresses resolve_listen(const std::string& address, const std::string& flag) {
    const address_text parts = split_address(address, flag);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failed =
        ::getaddrinfo(parts.host.empty() ? nullptr : parts.host.c_str(), parts.port.c_str(), &hints, &found);
    if (failed != 0) throw usage_error(flag + " " + address + ": " + ::gai_strerror(failed));
    return {found, &::freeaddrinfo};
}

origin origin_of(const addrinfo& address) {
    bool is_loopback = false;
    if (address.ai_family == AF_INET) {
        sockaddr_in at{};
        std::memcpy(&at, address.ai_addr, sizeof at);
        is_loopback = (ntohl(at.sin_addr.s_addr) >> 24U) == IN_LOOPBACKNET;
    } else if (address.ai_family == AF_INET6) {
        sockaddr_in6 at{};
        std::memcpy(&at, address.ai_addr, sizeof at);
        is_loopback = IN6_IS_ADDR_LOOPBACK(&at.sin6_addr);
    }
    return is_loopback ? origin::loopback : origin::network;
}

std::string socket_path(const std::string& address) {
    return address.rfind(unix_prefix, 0) == 0 ? address.substr(std::strlen(unix_prefix)) : "";
}

sockaddr_un unix_address(const std::string& flag, const std::string& path) {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    if (path.size() >= sizeof out.sun_path) {
        throw usage_error(flag + " " + unix_prefix + path + ": the path has more than " +
                          std::to_string(sizeof out.sun_path - 1) + " bytes");
    }
    path.copy(out.sun_path, sizeof out.sun_path - 1);
    return out;
}

unique_descriptor listen_unix(const std::string& path) {
    const sockaddr_un address = unix_address("--listen", path);
    unique_descriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // Sets the mode before bind(), so that the file never has another mode.
    bool is_bound = out.is_open() && ::fchmod(out.get(), 0600) == 0 && binds(out.get(), address);
    const int error = errno;
    if (!is_bound && error == EADDRINUSE && has_no_listener(address)) {
        is_bound = ::unlink(address.sun_path) == 0 && binds(out.get(), address);
    }
    if (is_bound && ::listen(out.get(), backlog) == 0) return out;
    throw usage_error(std::string("--listen ") + unix_prefix + path + ": " + std::strerror(error) +
                      "; name a file that does not exist yet, in a folder that can be written");
}

}  // namespace gputided
