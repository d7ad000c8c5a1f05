// libcurl's multi_socket interface: libcurl names the sockets and the timeout to wait for, and is called with the events.

#include "http/libcurl.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <new>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace gputide::http {

namespace {

constexpr std::int64_t longest_wait_ms = 60'000;
constexpr std::int64_t min_silence_ms = 1'000;  // a shorter silence is not conclusive
constexpr std::int64_t imprecise_ms = 20;       // the system measures silence in its own ticks
constexpr unsigned unacknowledged_ms = 20'000;  // the system's own limit is 15 minutes or more

int must_open(int descriptor, const char* what) {
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
    return descriptor;
}

std::uint32_t events_of(int what) {
    std::uint32_t out = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) out |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) out |= EPOLLOUT;
    return out;
}

int curl_bits(std::uint32_t events) {
    int out = 0;
    if ((events & (EPOLLIN | EPOLLHUP)) != 0) out |= CURL_CSELECT_IN;
    if ((events & EPOLLOUT) != 0) out |= CURL_CSELECT_OUT;
    if ((events & EPOLLERR) != 0) out |= CURL_CSELECT_ERR;
    return out;
}

// Returns the local port; 0: unknown.
int local_port(int socket) {
    sockaddr_storage here{};
    socklen_t size = sizeof here;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size) != 0) return 0;
    if (here.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(here).sin_port);
    return here.ss_family == AF_INET6 ? ntohs(reinterpret_cast<const sockaddr_in6&>(here).sin6_port) : 0;
}

// Returns the time since the last byte received, or since the connection was made; 0: unknown.
std::int64_t silence_ms(int socket) {
    tcp_info facts{};
    socklen_t size = sizeof facts;
    return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &facts, &size) == 0 ? facts.tcpi_last_data_recv : 0;
}

// libcurl frees a multi handle with an easy handle that copies CURLOPT_NOSIGNAL from added handles.  If none was added, it
// changes the process's SIGPIPE handler meanwhile, and two threads that do so leave the host with a wrong handler.
void take_no_signals(CURLM* multi) {
    CURL* const handle = new_easy();
    if (handle == nullptr) return;
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    if (curl_multi_add_handle(multi, handle) == CURLM_OK) curl_multi_remove_handle(multi, handle);
    curl_easy_cleanup(handle);
}

}  // namespace

std::int64_t steady_now_ms() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

multi::multi(long idle_connections) : idle_connections_(idle_connections), multi_(make()) {
    epoll_ = must_open(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    wake_ = must_open(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wake_;
    must_open(::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event), "epoll_ctl");
}

CURLM* multi::make() {
    CURLM* out = new_multi();
    if (out == nullptr) throw std::bad_alloc();
    curl_multi_setopt(out, CURLMOPT_MAXCONNECTS, idle_connections_);
    curl_multi_setopt(out, CURLMOPT_SOCKETFUNCTION, &multi::on_socket);
    curl_multi_setopt(out, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(out, CURLMOPT_TIMERFUNCTION, &multi::on_timer);
    curl_multi_setopt(out, CURLMOPT_TIMERDATA, this);
    return out;
}

multi::~multi() {
    if (!used_) take_no_signals(multi_);
    curl_multi_cleanup(multi_);
    ::close(wake_);
    ::close(epoll_);
}

void multi::prepare(CURL* handle) {
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &multi::open_socket);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &multi::close_socket);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, this);
}

void multi::add(CURL* handle) {
    if (spoilt_) {
        CURLM* fresh = make();
        curl_multi_cleanup(std::exchange(multi_, fresh));
        spoilt_ = used_ = false;
    }
    if (curl_multi_add_handle(multi_, handle) != CURLM_OK) throw std::bad_alloc();
    used_ = true;
}

void multi::remove(CURL* handle) { curl_multi_remove_handle(multi_, handle); }

bool multi::move() {
    bool good = true;
    const auto act = [&](curl_socket_t socket, int bits) {
        int running = 0;
        good = curl_multi_socket_action(multi_, socket, bits, &running) == CURLM_OK && good;
    };
    for (std::size_t i = 0; i < seen_count_; ++i) {
        if (seen_[i].data.fd == wake_) {
            std::uint64_t count = 0;
            (void)!::read(wake_, &count, sizeof count);
        } else {
            act(seen_[i].data.fd, curl_bits(seen_[i].events));
        }
    }
    seen_count_ = 0;
    if (timer_ms_ >= 0 && timer_ms_ <= steady_now_ms()) {
        timer_ms_ = -1;
        act(CURL_SOCKET_TIMEOUT, 0);
    }
    spoilt_ = spoilt_ || !good;
    return good;
}

// libcurl returns the socket of a finished transfer, but only the local port of a running one.  Shuts down the reading direction,
// because a write would raise SIGPIPE.
void multi::end_if_silent(CURL* handle, std::int64_t began_ms) {
    long port = 0;
    if (curl_easy_getinfo(handle, CURLINFO_LOCAL_PORT, &port) != CURLE_OK || port <= 0) return;
    const std::int64_t min_ms = std::max(min_silence_ms, steady_now_ms() - began_ms - imprecise_ms);
    for (int socket = 0; static_cast<std::size_t>(socket) < sockets_.size(); ++socket) {
        const bool is_its = sockets_[static_cast<std::size_t>(socket)].ours && local_port(socket) == port;
        if (is_its && silence_ms(socket) >= min_ms) ::shutdown(socket, SHUT_RD);
    }
}

std::optional<multi::ended> multi::next_ended() {
    int left = 0;
    while (const CURLMsg* said = curl_multi_info_read(multi_, &left)) {
        if (said->msg == CURLMSG_DONE) return ended{said->easy_handle, said->data.result};
    }
    return std::nullopt;
}

void multi::wait(std::int64_t max_ms) {
    std::int64_t wait_ms = std::clamp<std::int64_t>(max_ms, 0, longest_wait_ms);
    if (timer_ms_ >= 0) wait_ms = std::clamp<std::int64_t>(timer_ms_ - steady_now_ms(), 0, wait_ms);
    settle();
    const int count = ::epoll_wait(epoll_, seen_.data(), static_cast<int>(seen_.size()), static_cast<int>(wait_ms));
    seen_count_ = static_cast<std::size_t>(std::max(0, count));
}

std::int64_t multi::settle() {
    for (const int socket : changed_) {
        at(socket).changed = false;
        apply(socket);
    }
    changed_.clear();
    return timer_ms_;
}

void multi::wake() const {
    const std::uint64_t increment = 1;
    (void)!::write(wake_, &increment, sizeof increment);
}

multi::watched& multi::at(int socket) {
    const auto index = static_cast<std::size_t>(socket);
    if (index >= sockets_.size()) {
        changed_.reserve(index + 64);  // each socket is listed at most once, so that on_socket allocates nothing
        sockets_.resize(index + 64);
    }
    return sockets_[index];
}

void multi::apply(int socket) {
    watched& state = at(socket);
    if (state.registered == state.wanted) return;
    const int how = state.registered == 0 ? EPOLL_CTL_ADD : state.wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    epoll_event event{};
    event.events = state.registered = state.wanted;
    event.data.fd = socket;
    ::epoll_ctl(epoll_, how, socket, &event);
}

// Handles a socket of libcurl's own, such as a pair for its threads: it may be closed without notice, so no state is kept for it.
// A failure is not reported to libcurl, which would abort every transfer instead of delaying one.
void multi::watch_foreign(int socket, std::uint32_t wanted) const {
    epoll_event event{};
    event.events = wanted;
    event.data.fd = socket;
    if (wanted == 0) {
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, &event);
    } else if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST) {
        ::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event);
    }
}

// Opens the socket like libcurl, with close-on-exec for programs that the host starts.
curl_socket_t multi::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
    const int out = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (out < 0) return CURL_SOCKET_BAD;
    try {
        watched& state = static_cast<multi*>(self)->at(out);
        state = {.changed = state.changed, .ours = true};
    } catch (const std::bad_alloc&) {  // no exception may pass through libcurl
        ::close(out);
        return CURL_SOCKET_BAD;
    }
    if (address->socktype == SOCK_STREAM)  // detects a peer that no longer acknowledges data
        ::setsockopt(out, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms, sizeof unacknowledged_ms);
    return out;
}

// Closes a socket, which also removes it from epoll.
int multi::close_socket(void* self, curl_socket_t socket) {
    watched& state = static_cast<multi*>(self)->at(socket);
    state = {.changed = state.changed};
    return ::close(socket);
}

int multi::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
    auto& here = *static_cast<multi*>(self);
    const std::uint32_t wanted = what == CURL_POLL_REMOVE ? 0 : events_of(what);
    const auto index = static_cast<std::size_t>(socket);
    if (index >= here.sockets_.size() || !here.sockets_[index].ours) {
        here.watch_foreign(socket, wanted);
        return 0;
    }
    watched& state = here.sockets_[index];
    state.wanted = wanted;
    if (!std::exchange(state.changed, true)) here.changed_.push_back(socket);
    return 0;
}

int multi::on_timer(CURLM*, long after_ms, void* self) {
    static_cast<multi*>(self)->timer_ms_ = after_ms < 0 ? -1 : steady_now_ms() + after_ms;
    return 0;
}

}  // namespace gputide::http
