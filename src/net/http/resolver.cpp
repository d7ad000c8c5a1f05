// The threads and the order of lookups.  A thread ends if no lookup may start.  Threads are detached and keep the resolver alive.
#include "http/resolver.hpp"

#include "base/process.hpp"
#include "base/text.hpp"
#include "http/libcurl.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <limits>
#include <netdb.h>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gputide::http {

namespace {

constexpr std::size_t max_idle_names = 4'096;
constexpr std::int64_t quick_failure_ms = 1'000;
constexpr std::int64_t quick_success_ms = 5'000;  // glibc's resolver waits this long for its first attempt
constexpr std::int64_t no_thread_retry_ms = 100;  // after the system refused to create a thread

// Limits for one class of names, see resolver.hpp.
struct pace {
    std::size_t at_once, max_threads;
    std::int64_t gap_ms;
};
constexpr std::array<pace, 3> paces{{{12, 16, 250}, {8, 14, 500}, {6, 6, 0}}};

bool has_ipv6() noexcept {
    const int probe = ::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe >= 0) ::close(probe);
    return probe >= 0;
}

// Appends an address.  CURLOPT_RESOLVE has no zones: an address that needs a zone ("fe80::1%eth0") is skipped.
void append_address(std::string& out, const addrinfo& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.ai_family == AF_INET && address.ai_addrlen >= sizeof(sockaddr_in)) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(*address.ai_addr);
        if (::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size()) == nullptr) return;
        append_item(out, text.data(), ",");
    } else if (address.ai_family == AF_INET6 && address.ai_addrlen >= sizeof(sockaddr_in6)) {
        const auto& six = reinterpret_cast<const sockaddr_in6&>(*address.ai_addr);
        if (six.sin6_scope_id != 0) return;
        if (::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size()) == nullptr) return;
        out.append(out.empty() ? "[" : ",[").append(text.data()).append("]");
    }
}

}  // namespace

// Uses the hints and the order of addresses of curl/curl lib/asyn-thread.c Curl_resolver_getaddrinfo @curl-7_88_1.
std::string look_up_by_system(const std::string& name) {
    addrinfo hints{};
    hints.ai_family = has_ipv6() ? AF_UNSPEC : AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    const int code = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
    if (code == EAI_MEMORY) throw std::bad_alloc();
    if (code != 0) return {};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> held(first, &::freeaddrinfo);
    std::string out;
    for (const addrinfo* address = first; address != nullptr; address = address->ai_next) append_address(out, *address);
    return out;
}

std::shared_ptr<resolver> shared_resolver() {
    static constinit process_wide<resolver> resolvers;
    return *resolvers.get([] {
        return result<std::shared_ptr<resolver>>(
            std::make_shared<resolver>(resolver::parts{look_up_by_system, steady_now_ms}));
    });
}

resolver::resolver(parts how) : how_(std::move(how)) {}

void resolver::ask(waiter& who, std::string_view name) {
    const std::lock_guard lock(mutex_);
    const place found = find_or_add(name);
    who.next_ = std::exchange(found->waiters, &who);
    who.at_ = &*found;
    if (found->now == stage::idle) enqueue(found);
    start_threads(how_.steady_ms());
}

void resolver::leave(waiter& who) noexcept {
    const std::lock_guard lock(mutex_);
    lookup* const at = std::exchange(who.at_, nullptr);
    if (at == nullptr) return;
    waiter** link = &at->waiters;
    while (*link != &who) link = &(*link)->next_;
    *link = std::exchange(who.next_, nullptr);
    if (at->waiters == nullptr && at->now == stage::queued)
        set_idle(names_.find(at->name)->second, queues_[queue_of(*at)]);
}

std::int64_t resolver::start_due() noexcept {
    const std::lock_guard lock(mutex_);
    const std::int64_t now_ms = how_.steady_ms();
    start_threads(now_ms);
    std::int64_t next_ms = -1;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        const std::int64_t due = due_ms(queue, now_ms);
        if (due < 0) continue;
        const std::int64_t left = due <= now_ms ? no_thread_retry_ms : due - now_ms;
        next_ms = next_ms < 0 ? left : std::min(next_ms, left);
    }
    return next_ms;
}

std::size_t resolver::thread_count() const {
    const std::lock_guard lock(mutex_);
    return running_.size();
}

std::string_view resolver::lookup::domain() const {
    const std::size_t dot = name.find('.');
    return dot == std::string::npos ? std::string_view() : std::string_view(name).substr(dot + 1);
}

resolver::place resolver::find_or_add(std::string_view name) {
    if (const auto known = names_.find(name); known != names_.end()) return known->second;
    std::list<lookup> fresh;
    const place added = fresh.emplace(fresh.end());
    added->name = name;
    names_.emplace(added->name, added);
    idle_.splice(idle_.end(), fresh);
    return added;
}

void resolver::enqueue(place which) noexcept {
    std::list<lookup>& queue = queues_[queue_of(*which)];
    queue.splice(which->last == past::unknown ? queue.begin() : queue.end(), idle_, which);
    which->now = stage::queued;
}

void resolver::set_idle(place which, std::list<lookup>& from) noexcept {
    which->now = stage::idle;
    idle_.splice(idle_.end(), from, which);
    if (idle_.size() <= max_idle_names) return;
    names_.erase(idle_.front().name);
    idle_.pop_front();
}

bool resolver::is_first_of_domain(const lookup& wanted) const noexcept {
    return std::ranges::none_of(running_, [&wanted](const lookup& other) { return other.domain() == wanted.domain(); });
}

// Returns when the first lookup of a queue may start, on the steady clock; -1: not before another lookup has ended.
std::int64_t resolver::due_ms(std::size_t queue, std::int64_t now_ms) const noexcept {
    const pace& of = paces[queue];
    const std::size_t threads = running_.size();
    if (queues_[queue].empty() || threads >= of.max_threads) return -1;
    const lookup& first = queues_[queue].front();
    const bool is_free = threads < of.at_once || (first.last == past::unknown && is_first_of_domain(first));
    return is_free ? now_ms : paced_ms_ + (of.gap_ms << (threads - of.at_once));
}

// Moves the lookup that may start now to running_; returns running_.end() if no lookup may start.
resolver::place resolver::take_next(std::int64_t now_ms) noexcept {
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        const std::int64_t due = due_ms(queue, now_ms);
        if (due < 0 || due > now_ms) continue;
        const place next = queues_[queue].begin();
        running_.splice(running_.end(), queues_[queue], next);
        if (running_.size() >= paces[queue].at_once) paced_ms_ = now_ms;
        next->now = stage::running;
        next->started_ms = now_ms;
        return next;
    }
    return running_.end();
}

void resolver::start_threads(std::int64_t now_ms) noexcept {
    for (place next = take_next(now_ms); next != running_.end(); next = take_next(now_ms)) {
        try {
            const all_signals_blocked quiet;
            std::thread([self = shared_from_this(), next] { self->run(next); }).detach();
        } catch (const std::exception&) {  // std::system_error or std::bad_alloc
            std::list<lookup>& queue = queues_[queue_of(*next)];
            queue.splice(queue.begin(), running_, next);
            next->now = stage::queued;
            if (running_.empty()) give_up_queued();
            return;
        }
    }
}

// Gives up if the system creates no thread, and no running thread is left for the queued lookups.
void resolver::give_up_queued() noexcept {
    for (std::list<lookup>& queue : queues_) {
        while (!queue.empty()) {
            running_.splice(running_.end(), queue, queue.begin());
            end(std::prev(running_.end()), nullptr, std::numeric_limits<std::int64_t>::max());
        }
    }
}

void resolver::run(place which) noexcept {
    for (;;) {
        std::shared_ptr<const std::string> addresses;
        try {
            addresses = std::make_shared<const std::string>(how_.look_up(which->name));
        } catch (const std::bad_alloc&) {  // null reports it
        }
        const std::lock_guard lock(mutex_);
        const std::int64_t now_ms = how_.steady_ms();
        end(which, addresses, now_ms);
        which = take_next(now_ms);
        if (which == running_.end()) return;
    }
}

void resolver::end(place which, const std::shared_ptr<const std::string>& addresses, std::int64_t now_ms) noexcept {
    if (addresses) {
        const std::int64_t took_ms = now_ms - which->started_ms;
        which->last = took_ms <= (addresses->empty() ? quick_failure_ms : quick_success_ms) ? past::quick : past::slow;
    }
    while (waiter* waiting = which->waiters) {
        which->waiters = std::exchange(waiting->next_, nullptr);
        waiting->at_ = nullptr;
        waiting->resolved(addresses);
    }
    set_idle(which, running_);
}

}  // namespace gputide::http
