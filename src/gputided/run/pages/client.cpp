// Reads a page of a running gputided, for doctor --running.
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/times.hpp"
#include "run/pages/web.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace gputided {

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
