// A keep-alive HTTP server in a child process that gives every request the same Prometheus vector: the other end of
// fetch_loopback.  One thread, epoll, no parsing beyond the end of the head.
#pragma once

#include <string>
#include <sys/types.h>

namespace gputide::bench {

class vector_server {
  public:
    vector_server();  // forks; the child serves until the parent ends it
    ~vector_server();
    vector_server(const vector_server&) = delete;
    vector_server& operator=(const vector_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    pid_t child_ = -1;
    int port_ = 0;
};

}  // namespace gputide::bench
