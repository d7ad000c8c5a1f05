// libcurl's multi handle over epoll: only transfers with socket events are processed, so that thousands of slow ones
// cost nothing.  For the driving thread only, except the const functions, which any thread may call.
#pragma once

#include <curl/curl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/epoll.h>
#include <vector>

namespace gputide::http {

std::int64_t steady_now_ms();  // counts suspend where the system can

struct connection_limits {
    long cached = 0;             // idle connections kept
    long all = 0, per_host = 0;  // open at once; 0: no limit
};

class multi {
  public:
    explicit multi(const connection_limits& limits);  // throws std::bad_alloc or std::system_error
    ~multi();                                         // requires that all handles were removed
    multi(const multi&) = delete;
    multi& operator=(const multi&) = delete;

    void prepare(CURL* handle);  // once for each handle that will be added
    void add(CURL* handle);
    void remove(CURL* handle);

    // Handles a timeout of `handle`, which has not been removed yet: if its connection has received nothing since
    // began_ms, closes the connection for all transfers on it.  libcurl 7.88 sends no ping and ends only the stream;
    // the next request would use the same dead connection.
    void end_if_silent(CURL* handle, std::int64_t began_ms);

    // Lets libcurl process the events of wait() and its own timers.  False: out of memory.  Some unknown transfer then
    // misses its socket events, and libcurl 7.88 may crash in another transfer on the same connection: remove all of
    // them; the next add() starts without the connections.
    bool move();

    struct ended {
        CURL* handle = nullptr;
        CURLcode code = CURLE_OK;
    };
    std::optional<ended> next_ended();

    void wait(std::int64_t max_ms);  // for a socket, a timer of libcurl's or wake()
    // For a caller with its own event loop: readable when wait() would return, except for libcurl's timer; call
    // settle() before waiting for it.
    int descriptor() const { return epoll_; }
    // Returns when libcurl's timer is due, on the steady clock; -1: none is set.
    std::int64_t settle();
    void wake() const;  // a wake before the wait ends it at once

  private:
    // A socket's state in epoll and as libcurl wants it.  Only the difference at the time of a wait is passed to the
    // system: in steady polling a connection changes its transfer between two waits and no system call is needed.
    struct watched {
        std::uint32_t registered = 0, wanted = 0;
        bool changed = false;  // is in changed_
        bool ours = false;     // opened and closed here, so that its number is never reused unnoticed
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
    bool used_ = false;    // a handle was added to multi_ once
    bool spoilt_ = false;  // a move() found no memory
    int epoll_ = -1;
    int wake_ = -1;                 // an eventfd
    std::int64_t timer_ms_ = -1;    // steady clock, when libcurl wants to be called; -1: never
    std::vector<watched> sockets_;  // by number
    std::vector<int> changed_;
    std::array<epoll_event, 256> seen_{};
    std::size_t seen_count_ = 0;
};

}  // namespace gputide::http
