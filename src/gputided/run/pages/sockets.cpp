// The sockets of --listen, and the client that reads a page of a running gputided for doctor --running.
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "run/pages/pages.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
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

// Throws usage_error that names the flag if the path is too long.
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

namespace {

constexpr char running_flag[] = "--running";
constexpr std::size_t max_page_bytes = std::size_t{64} << 20;

// A connection for one exchange, with one deadline for all of it.
class client_socket {
  public:
    client_socket(int family, std::int32_t timeout_ms)
        : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)), deadline_ms_(steady_now_ms() + timeout_ms) {}

    bool connect(const sockaddr* address, socklen_t size_bytes) const {
        return limit_wait() && ::connect(socket_.get(), address, size_bytes) == 0;
    }

    bool send(std::string_view text) const {
        return limit_wait() &&
               ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    }

    // Reads until the server closes the connection.
    bool receive(std::string& out) const {
        std::array<char, 1 << 14> piece{};
        while (limit_wait()) {
            const ssize_t size_bytes = ::recv(socket_.get(), piece.data(), piece.size(), 0);
            if (size_bytes == 0) return true;
            if (size_bytes < 0 && errno == EINTR) continue;
            if (size_bytes < 0) return false;
            out.append(piece.data(), static_cast<std::size_t>(size_bytes));
            if (out.size() <= max_page_bytes) continue;
            errno = EMSGSIZE;
            return false;
        }
        return false;
    }

  private:
    // Limits the next call to the time left, whatever the peer has sent meanwhile.
    bool limit_wait() const {
        const std::int64_t left_ms = deadline_ms_ - steady_now_ms();
        errno = ETIMEDOUT;
        if (left_ms <= 0) return false;
        const timeval left{left_ms / 1'000, left_ms % 1'000 * 1'000};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &left, sizeof left);  // also for connect()
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &left, sizeof left);
        return true;
    }

    unique_descriptor socket_;
    std::int64_t deadline_ms_;  // on the steady clock
};

// Returns the text of errno; a call that reached its time limit sets EAGAIN or EINPROGRESS.
const char* failure_of_call() { return std::strerror(errno == EAGAIN || errno == EINPROGRESS ? ETIMEDOUT : errno); }

// Returns the response with its headers, or the reason in failure.
page_read exchange(int family, const sockaddr* address, socklen_t size_bytes, const std::string& request,
                   std::int32_t timeout_ms) {
    const client_socket socket(family, timeout_ms);
    page_read out;
    const bool is_done = socket.connect(address, size_bytes) && socket.send(request) && socket.receive(out.body);
    if (!is_done) out.failure = failure_of_call();
    return out;
}

page_read whole_response(const std::string& address, const std::string& path, const std::string& token,
                         std::int32_t timeout_ms) {
    std::string request = "GET " + path + " HTTP/1.0\r\n";
    if (!token.empty()) request += "Authorization: Bearer " + token + "\r\n";
    request += "\r\n";
    const std::string unix_path = socket_path(address);
    if (!unix_path.empty()) {
        const sockaddr_un at = unix_address(running_flag, unix_path);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the sockets interface has it
        return exchange(AF_UNIX, reinterpret_cast<const sockaddr*>(&at), sizeof at, request, timeout_ms);
    }
    const found_addresses found = resolve_listen(address, running_flag);
    return exchange(found->ai_family, found->ai_addr, found->ai_addrlen, request, timeout_ms);
}

}  // namespace

page_read read_page(const std::string& address, const std::string& path, const std::string& token,
                    std::int32_t timeout_ms) {
    page_read out = whole_response(address, path, token, timeout_ms);
    const std::string where = std::string(running_flag) + " " + address + ": ";
    if (!out.failure.empty()) return {"", where + "no response: " + out.failure};
    const std::string_view response = out.body;
    const std::size_t end = response.find("\r\n\r\n"), blank = response.find(' ');
    if (response.rfind("HTTP/", 0) != 0 || end == std::string_view::npos || blank > end)
        return {"", where + "its response is not HTTP; give the --listen address of a gputided"};
    const std::string status(response.substr(blank + 1, 3));
    out.body.erase(0, end + 4);
    if (status != "200") return {"", where + "response " + status + ": " + out.body};
    return out;
}

}  // namespace gputided
