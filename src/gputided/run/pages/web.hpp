// The HTTP server of the pages: requests, responses, and the sockets of --listen.
#pragma once

#include "common/files.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <netdb.h>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

// The origin of a request: another machine, this machine, or a process that may open the socket's file.
enum class origin { network, loopback, unix_socket };

using found_addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

// Resolves "HOST:PORT" or "[::1]:9105".  Throws usage_error that names the flag.
found_addresses resolve_listen(const std::string& address, const std::string& flag = "--listen");

origin origin_of(const addrinfo& address);

// Returns the path in "unix:/run/gputided.sock"; "" for other addresses.
std::string socket_path(const std::string& address);

// Listens on a Unix socket with mode 0600.  Replaces a socket without a listening process.  Throws usage_error.
unique_descriptor listen_unix(const std::string& path);

inline constexpr char plain_text[] = "text/plain; charset=utf-8";

struct web_request {
    std::string path;
    std::string host;    // from the Host header, without port; "": none
    std::string scaler;  // from ?scaler=; "": none
    std::string token;   // from Authorization: Bearer, or the password of Basic; "": none
    origin from = origin::network;
    bool has_login = false;  // set from page_access::has_login()
};

struct web_answer {
    unsigned status = 200;
    std::string type = plain_text;
    std::string body;
    std::string content_policy = {};  // Content-Security-Policy; "": loads and runs nothing
    std::vector<std::pair<std::string, std::string>> headers = {};
};

struct page_read {
    std::string body;
    std::string failure;  // "": the server answered 200
};

// Reads a page of a running gputided.  address: in the form of --listen.  token "": none.  Throws usage_error that names --running.
page_read read_page(const std::string& address, const std::string& path, const std::string& token,
                    std::int32_t timeout_ms);

class web_server {
  public:
    // address: "HOST:PORT", "[::1]:9105" or "unix:/run/gputided.sock" (mode 0600); port 0 selects a free one. answer(request) is
    // called on the server's thread.  A connection that takes more than 10 s for a request, or the oldest of too many, is closed.
    // Throws usage_error if the address is wrong or in use.
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
