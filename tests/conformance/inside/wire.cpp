// A server for one connection, and the library's client in front of it.
#include "inside/wire.hpp"

#include "http/client.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace conformance {
namespace {

namespace http = gputide::http;

class descriptor {
  public:
    explicit descriptor(int number) : number_(number) {
        if (number_ < 0) throw std::system_error(errno, std::generic_category(), "loopback socket");
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { ::close(number_); }
    int number() const { return number_; }

  private:
    int number_;
};

// Listens on a port that the system chooses; shuts down when it goes, so that nobody waits in accept().
class one_shot_server {
  public:
    explicit one_shot_server(std::string answer) : answer_(std::move(answer)), listener_(listening()) {
        thread_ = std::thread([this] { serve(); });
    }
    one_shot_server(const one_shot_server&) = delete;
    one_shot_server& operator=(const one_shot_server&) = delete;
    ~one_shot_server() {
        ::shutdown(listener_.number(), SHUT_RDWR);
        thread_.join();
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/api/v1/query"; }

  private:
    int listening() {
        const int number = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const plain = reinterpret_cast<sockaddr*>(&address);  // NOLINT: the sockets interface
        if (number >= 0 && ::bind(number, plain, size) == 0 && ::listen(number, 1) == 0 &&
            ::getsockname(number, plain, &size) == 0) {
            port_ = ntohs(address.sin_port);
        }
        return number;
    }

    void serve() const {
        const int peer = ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
        if (peer < 0) return;
        const descriptor connection(peer);
        std::string request;
        std::array<char, 4096> buffer{};
        while (request.find("\r\n\r\n") == std::string::npos) {
            const ssize_t got = ::recv(peer, buffer.data(), buffer.size(), 0);
            if (got <= 0) return;
            request.append(buffer.data(), static_cast<std::size_t>(got));
        }
        std::string_view rest = answer_;
        while (!rest.empty()) {
            const ssize_t sent = ::send(peer, rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            rest.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    std::string answer_;
    std::uint16_t port_ = 0;
    descriptor listener_;
    std::thread thread_;
};

std::string wire_form(std::int32_t status, const std::vector<http::response_header>& headers, std::string_view body) {
    std::string out = "HTTP/1.1 " + std::to_string(status) +
                      " -\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    for (const http::response_header& one : headers) out += one.name + ": " + one.value + "\r\n";
    return out.append("\r\n").append(body);
}

}  // namespace

http::answer over_the_wire(std::int32_t status, const std::vector<http::response_header>& headers,
                           std::string_view body) {
    constexpr std::int64_t patience_ms = 10'000;
    const one_shot_server server(wire_form(status, headers, body));
    auto client = http::client::open({});
    if (!client) throw std::runtime_error(client.failure().message);
    http::client& loop = **client;
    http::request what;
    what.url = server.url();
    what.use_proxy = false;
    http::answer out;
    bool arrived = false;
    const std::int64_t deadline_ms = loop.steady_ms() + patience_ms;
    loop.send(std::move(what), deadline_ms, [&](http::answer got) {
        out = std::move(got);
        arrived = true;
    });
    if (!loop.drive([&] { return arrived; }, deadline_ms))
        throw std::runtime_error("no answer from the loopback server");
    return out;
}

}  // namespace conformance
