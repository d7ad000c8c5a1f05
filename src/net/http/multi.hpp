// libcurl's multi handle over epoll: only transfers with socket events are processed, so that thousands of slow ones cost
// nothing.  Only for the driving thread, except the const functions, which are thread-safe.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/epoll.h>
#include <vector>

namespace gputide::http {

std::int64_t steady_now_ms();  // includes suspend if the system supports it

struct connection_limits {
    long cached = 0;             // idle connections kept
    long all = 0, per_host = 0;  // maximum open connections; 0: no limit
};

class multi {
  public:
    explicit multi(const connection_limits& limits);  // throws std::bad_alloc or std::system_error
    ~multi();                                         // all handles must have been removed
    multi(const multi&) = delete;
    multi& operator=(const multi&) = delete;

    void prepare(CURL* handle);  // once for each handle that will be added
    void add(CURL* handle);
    void remove(CURL* handle);

    // Handles a timeout of `handle`, which must still be added: if its connection has received nothing since began_ms, closes the
    // connection for all transfers on it. libcurl 7.88 sends no ping and ends only the stream; the next request would use the
    // same dead connection.
    void end_if_silent(CURL* handle, std::int64_t began_ms);

    // Lets libcurl process the events of wait() and its own timers.  False: out of memory.  An unknown transfer then misses its
    // socket events, and libcurl 7.88 may crash in another transfer on the same connection: remove all transfers; the next add()
    // starts with new connections.
    bool move();

    struct ended {
        CURL* handle = nullptr;
        CURLcode code = CURLE_OK;
    };
    std::optional<ended> next_ended();

    void wait(std::int64_t max_ms);  // for a socket, libcurl's timer or wake()
    // For a caller with its own event loop: readable when wait() would return, except for libcurl's timer.  Call settle() before
    // waiting for it.
    int descriptor() const { return epoll_; }
    // Returns when libcurl's timer is due, on the steady clock; -1: none is set.
    std::int64_t settle();
    void wake() const;  // ends the current or the next wait

  private:
    // A socket's state in epoll and as libcurl wants it.  Only the difference at the time of a wait is passed to the system: in
    // steady polling a connection changes its transfer between two waits without a system call.
    struct watched {
        std::uint32_t registered = 0, wanted = 0;
        bool changed = false;  // is in changed_
        bool ours = false;     // opened and closed here, so that reuse of its number is noticed
    };

    CURLM* make();
    watched& at(int socket);
    void apply(int socket);
    void watch_foreign(int socket, std::uint32_t wanted) const;
    static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int close_socket(void* self, curl_socket_t socket);
    static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*);
    static int on_timer(CURLM*, long after_ms, void* self);

    const connection_limits limits_;
    CURLM* multi_ = nullptr;
    bool used_ = false;    // a handle was added to multi_
    bool spoilt_ = false;  // a move() ran out of memory
    int epoll_ = -1;
    int wake_ = -1;                 // an eventfd
    std::int64_t timer_ms_ = -1;    // steady clock, next call of libcurl; -1: never
    std::vector<watched> sockets_;  // index: socket number
    std::vector<int> changed_;
    std::array<epoll_event, 256> seen_{};
    std::size_t seen_count_ = 0;
};

}  // namespace gputide::http
