// The daemon's own pages over HTTP: what is requested, and the response with its type.
#pragma once

#include "run/pages/listen_socket.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

inline constexpr char plain_text[] = "text/plain; charset=utf-8";

struct web_request {
    std::string path;
    std::string host;    // of the Host header, without its port; "": none
    std::string scaler;  // of ?scaler=; "": none
    std::string token;   // of Authorization: Bearer, or the password of Basic; "": none
    origin from = origin::network;
    bool has_login = false;  // by the token or a Unix socket, as page_access decides
};

struct web_answer {
    unsigned status = 200;
    std::string type = plain_text;
    std::string body;
    std::string content_policy = {};  // Content-Security-Policy; "": nothing may be loaded or run
    std::vector<std::pair<std::string, std::string>> headers = {};
};

class web_server {
  public:
    // "HOST:PORT", "[::1]:9105", "unix:/run/gputided.sock" (mode 0600); port 0 takes a free one.  answer(request) is called on the
    // server's thread.  A connection that takes more than 10 s over a request, or stands in the way of others, is closed.  Throws
    // usage_error where the address is wrong or taken.
    web_server(const std::string& address, std::function<web_answer(const web_request&)> answer);
    ~web_server();
    web_server(const web_server&) = delete;
    web_server& operator=(const web_server&) = delete;

    std::string place() const;  // "port 9105", "unix:/run/gputided.sock"
    origin from() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace gputided
