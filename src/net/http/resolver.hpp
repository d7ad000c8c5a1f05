// Looks up host names on at most 16 threads of the process.  getaddrinfo() cannot be interrupted: without a response from the DNS
// server, a lookup occupies its thread for as long as the C library tries (5 s to a minute), even if no transfer waits any more.
// So the number of lookups is limited here, not the number of transfers.
//
// Order of lookups:
// - Names with a quick last lookup come first, in order of arrival, on up to 16 threads.
// - Unknown names come next, the newest first, on up to 14.  So a new name does not wait behind many names that hang.
// - Names with a slow last lookup come last, on up to 6.
// The first 12 (quick) or 8 (unknown) threads start immediately.  Each further thread starts 250 ms (quick) or 500 ms (unknown)
// after the last start, doubled for each additional one.  So hanging names cannot occupy all threads at once.
// An unknown name does not wait if no name of its domain is being looked up.  The names of a domain share its DNS servers, and in
// a Kubernetes cluster a namespace.
//
// Transfers that need the same name share one lookup.  Nothing is cached here: libcurl caches addresses for 60 s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gputide::http {

class resolver : public std::enable_shared_from_this<resolver> {
  public:
    struct parts {
        // Blocks.  Returns addresses in the format of CURLOPT_RESOLVE, "10.0.0.1,[2001:db8::1]"; "": the name has none.  Throws
        // std::bad_alloc.
        std::function<std::string(const std::string& name)> look_up;
        std::function<std::int64_t()> steady_ms;  // thread-safe
    };

  private:
    struct lookup;

  public:
    // A transfer that waits for a name.  The caller owns it and must call leave() before destroying it.
    class waiter {
      public:
        waiter() = default;
        virtual ~waiter() = default;
        waiter(const waiter&) = delete;
        waiter& operator=(const waiter&) = delete;
        // Called once, on a thread of the resolver or inside ask() and start_due().  Must not call the resolver.  Null: no
        // memory, or no thread.
        virtual void resolved(std::shared_ptr<const std::string> addresses) noexcept = 0;

      private:
        friend class resolver;
        lookup* at_ = nullptr;  // null: not waiting
        waiter* next_ = nullptr;
    };

    explicit resolver(parts how);

    // Thread-safe.
    void ask(waiter& who, std::string_view name);  // throws std::bad_alloc without any change
    void leave(waiter& who) noexcept;              // afterwards resolved() is not running and will not be called
    // Starts the lookups that may start now.  Returns the milliseconds until the next call; -1: the end of a lookup starts the
    // next one.
    std::int64_t start_due() noexcept;
    std::size_t thread_count() const;

  private:
    enum class past : std::size_t { quick, unknown, slow };
    enum class stage { idle, queued, running };
    struct lookup {
        std::string name;
        std::string_view domain() const;  // "tenant.svc" of "prometheus.tenant.svc"; "" of "prometheus"
        past last = past::unknown;
        stage now = stage::idle;
        std::int64_t started_ms = 0;
        waiter* waiters = nullptr;  // the first waiter
    };
    using place = std::list<lookup>::iterator;

    static std::size_t queue_of(const lookup& of) { return static_cast<std::size_t>(of.last); }
    place find_or_add(std::string_view name);
    void enqueue(place which) noexcept;
    bool is_first_of_domain(const lookup& wanted) const noexcept;
    void set_idle(place which, std::list<lookup>& from) noexcept;
    std::int64_t due_ms(std::size_t queue, std::int64_t now_ms) const noexcept;
    place take_next(std::int64_t now_ms) noexcept;
    void start_threads(std::int64_t now_ms) noexcept;
    void give_up_queued() noexcept;
    void run(place which) noexcept;
    void end(place which, const std::shared_ptr<const std::string>& addresses, std::int64_t now_ms) noexcept;

    const parts how_;
    mutable std::mutex mutex_;  // guards everything below; held while resolved() runs
    std::unordered_map<std::string_view, place> names_;
    std::list<lookup> idle_;                   // the least recently used first
    std::array<std::list<lookup>, 3> queues_;  // index: `past` of the last lookup
    std::list<lookup> running_;                // each on its own thread
    std::int64_t paced_ms_ = 0;                // last start of a thread beyond the first ones
};

std::string look_up_by_system(const std::string& name);  // calls getaddrinfo() like libcurl

// Returns the resolver of the process.  It lives as long as a client or one of its threads.
std::shared_ptr<resolver> shared_resolver();

}  // namespace gputide::http
