// One answer for whoever connects, on a loopback port that the system chooses: for what only a real connection shows, such as
// content codings.
#pragma once

#include "through/answers.hpp"

#include <cstdint>
#include <string>
#include <thread>

namespace conformance {

class loopback_server {
  public:
    explicit loopback_server(const http_answer& answer);  // throws std::system_error
    loopback_server(const loopback_server&) = delete;
    loopback_server& operator=(const loopback_server&) = delete;
    ~loopback_server();

    std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    void serve() const;

    std::string answer_;  // as it goes over the wire
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace conformance
