// A server on loopback that takes connections and never says a word.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace gputide::testing {

inline sockaddr_in loopback(int port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    out.sin_port = htons(static_cast<std::uint16_t>(port));
    return out;
}

class silent_peer {
  public:
    silent_peer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in here = loopback(0);
        socklen_t size = sizeof here;
        auto* address = reinterpret_cast<sockaddr*>(&here);
        EXPECT_EQ(::bind(socket_, address, size), 0);
        EXPECT_EQ(::listen(socket_, 64), 0);
        EXPECT_EQ(::getsockname(socket_, address, &size), 0);
        port_ = ntohs(here.sin_port);
    }
    silent_peer(const silent_peer&) = delete;
    silent_peer& operator=(const silent_peer&) = delete;
    ~silent_peer() { ::close(socket_); }

    int port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    int accept() const { return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

  private:
    int socket_;
    int port_ = 0;
};

}  // namespace gputide::testing
