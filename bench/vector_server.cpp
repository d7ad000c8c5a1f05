// Accepts, reads up to an empty line, writes the answer, again.
#include "vector_server.hpp"

#include <array>
#include <csignal>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string_view>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gputide::bench {

namespace {

std::string fixed_answer() {
    const std::string body =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL",)"
        R"("gpu":"0","UUID":"GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52","Hostname":"aks-gpu-0","pod":"worker-0",)"
        R"("namespace":"default"},"value":[1760000000.123,"84.5"]}]}})";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

int listen_on_loopback(int& port) {
    const int out = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    const bool bound = ::bind(out, address, size) == 0 && ::listen(out, 1'024) == 0;
    if (!bound || ::getsockname(out, address, &size) != 0) throw std::runtime_error("no port to listen on");
    port = ntohs(here.sin_port);
    return out;
}

void watch(int epoll, int socket) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

// False: the peer is gone.
bool serve(int socket, std::string& unread, std::string_view answer) {
    std::array<char, 16'384> bytes{};
    const auto got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    unread.append(bytes.data(), static_cast<std::size_t>(got));
    for (auto end = unread.find("\r\n\r\n"); end != std::string::npos; end = unread.find("\r\n\r\n")) {
        unread.erase(0, end + 4);
        if (::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) return false;
    }
    return true;
}

[[noreturn]] void serve_for_ever(int listener) {
    const std::string answer = fixed_answer();
    std::map<int, std::string> unread;
    const int epoll = ::epoll_create1(0);
    watch(epoll, listener);
    std::array<epoll_event, 256> events{};
    for (;;) {
        const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            const int socket = events[static_cast<std::size_t>(i)].data.fd;
            if (socket == listener) {
                const int fresh = ::accept(listener, nullptr, nullptr);
                const int at_once = 1;
                ::setsockopt(fresh, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
                watch(epoll, fresh);
            } else if (!serve(socket, unread[socket], answer)) {
                unread.erase(socket);
                ::close(socket);
            }
        }
    }
}

}  // namespace

vector_server::vector_server() {
    const int listener = listen_on_loopback(port_);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("cannot fork");
    if (child_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_for_ever(listener);
    }
    ::close(listener);
}

vector_server::~vector_server() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
}

}  // namespace gputide::bench
