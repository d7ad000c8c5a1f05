// A server that misbehaves on purpose: a thread per connection runs the test's own script over the raw bytes, plain or
// TLS.  Listens on loopback, on a port of the system's choice.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace gputide::testing {

class fault_server;

// One connection, as the script sees it.  Reading and sending give up when the peer or the server goes.
class connection {
  public:
    connection(fault_server& of, int socket, ssl_st* tls);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    std::optional<std::string> read_request();  // head and body (Content-Length); nothing: the peer closed
    bool send(std::string_view bytes);          // false: the peer is gone
    bool pause(std::int64_t ms);                // false: the server stops
    void reset();                               // RST instead of FIN
    std::string server_name() const;            // SNI
    int number() const { return number_; }      // 0, 1, ... in the order of acceptance

  private:
    friend class fault_server;
    fault_server& server_;
    int socket_;
    ssl_st* tls_;
    int number_ = 0;
    std::string unread_;
};

struct tls_files {
    std::string certificate, key;
    std::string client_ca;  // set: a client certificate by this CA is required
};

// "HTTP/1.1 200 OK\r\nContent-Length: ...": an ordinary answer.
std::string plain_answer(std::string_view body, std::string_view status = "200 OK", std::string_view more_headers = {});

class fault_server {
  public:
    using script = std::function<void(connection&)>;
    explicit fault_server(script run, const std::optional<tls_files>& tls = std::nullopt);
    ~fault_server();
    fault_server(const fault_server&) = delete;
    fault_server& operator=(const fault_server&) = delete;

    int port() const { return port_; }
    std::string url(std::string_view path = "/", std::string_view host = "127.0.0.1") const;
    int connections() const { return connections_; }
    int requests() const { return requests_; }
    int max_at_once() const { return max_at_once_; }  // requests read and not yet answered (see connection::send)
    std::string last_request() const;

  private:
    friend class connection;
    void accept_all();
    void serve(int socket, int number);
    void request_seen(const std::string& text);
    void answer_sent();

    script run_;
    ssl_ctx_st* tls_ = nullptr;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<int> connections_{0}, requests_{0}, at_once_{0}, max_at_once_{0};
    std::atomic<bool> stopping_{false};
    mutable std::mutex mutex_;
    std::condition_variable stop_;
    std::string last_request_;
    std::list<int> open_sockets_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

// Answers every request on a connection with what the function gives.
fault_server::script answering(std::function<std::string(const std::string& request)> answer);

}  // namespace gputide::testing
