// libcurl: its URL parser, and its easy and multi handles.
#pragma once

#include "base/callback.hpp"
#include "http/message.hpp"

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <sys/epoll.h>
#include <vector>

namespace gputide::http {

// libcurl's own URL parser, for code that must interpret a URL like libcurl.

using url_handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

inline url_handle new_url() {
    url_handle out(::curl_url(), &curl_url_cleanup);
    if (!out) throw std::bad_alloc();
    return out;
}

// Returns a part of the URL; "" if it is missing.
inline std::string part_of(const url_handle& url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> held(text, &curl_free);
    return text;
}

// libcurl easy handles: created once with the constant options, and kept for reuse together with their TLS settings.  Nothing
// here waits or sends.

// Calls curl_easy_setopt; the only possible failure is lack of memory.
template <class Value>
void set_option(CURL* handle, CURLoption option, Value value) {
    if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

// Call curl_easy_init and curl_multi_init while no fork can happen.  Each briefly takes the lock of libcurl's global
// initialization, even if that is already done (curl lib/easy.c; a multi handle contains an easy one), and in a forked child the
// lock would stay locked. nullptr: no memory.
CURL* new_easy() noexcept;
CURLM* new_multi() noexcept;

inline constexpr const char* accepted_coding = "gzip";
inline constexpr long usual_version = CURL_HTTP_VERSION_2TLS;

struct easy_deleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

struct easy {
    std::shared_ptr<const tls_settings> tls;  // the handle borrows its PEM texts
    std::string certificate;                  // the client's, from certificate_for_connections()
    std::unique_ptr<CURL, easy_deleter> handle;
    std::optional<bool> direct;  // true: without any proxy; nullopt: libcurl's default
};

// The default roots, with a description for messages.
struct trust_defaults {
    std::string ca_file;    // PEM
    std::string ca_folder;  // as c_rehash creates it; both "": libcurl's own default, the system's roots
};
// Files with root certificates: Debian, Red Hat, SUSE, newer Red Hat, Alpine.
inline constexpr std::array<const char*, 5> known_roots{
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"};

// Returns the first existing file if libcurl's default is missing: a libcurl built for one distribution may name a file that
// another does not have.  Returns "" if libcurl's default is readable, or no file exists.
std::string roots_instead_of(const std::string& built_in, std::span<const char* const> known);

std::string roots_in_words(const tls_settings* tls, const trust_defaults& defaults);

class easy_pool {
  public:
    // Calls `prepare` once per new handle, for constant options.
    easy_pool(trust_defaults defaults, callback<void(CURL*)> prepare);

    // Returns a handle with these TLS settings applied.
    easy take(const std::shared_ptr<const tls_settings>& tls);
    void give_back(easy handle) noexcept;
    const trust_defaults& defaults() const { return defaults_; }

  private:
    trust_defaults defaults_;
    callback<void(CURL*)> prepare_;
    std::vector<easy> idle_;  // newest last
};

// libcurl's multi handle over epoll: only transfers with socket events are processed, so that thousands of slow ones cost
// nothing.  Only for the driving thread, except the const functions, which are thread-safe.

std::int64_t steady_now_ms();  // includes suspend if the system supports it

class multi {
  public:
    explicit multi(long idle_connections);  // that are kept; throws std::bad_alloc or std::system_error
    ~multi();                               // all handles must have been removed
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

    const long idle_connections_;
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
