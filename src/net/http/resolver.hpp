// Looks up host names on at most 16 threads of the process.  getaddrinfo() cannot be interrupted: a lookup without an answer from the
// DNS server keeps its thread for as long as the C library tries (5 s to a minute), also after the last transfer that waited for it has
// ended.  So the number of lookups is limited here, and not the number of transfers.
//
// Which lookup is started next:
// - Names with a quick last lookup go first, in order of arrival, on up to 16 threads.
// - Unknown names follow, the newest first, on up to 14.  A new name is so not behind a crowd that hangs.
// - Names with a last lookup that hung come last, on up to 6.
// The first 12 (quick) or 8 (unknown) threads start at once.  Each thread beyond waits 250 ms (quick) or 500 ms (unknown) after the last
// start, doubled for each further one.  So hanging names cannot take all threads in one moment, and there is one left soon.
// An unknown name does not wait if no name of its domain is being looked up.  The names of a domain share its DNS servers, and in a
// Kubernetes cluster a namespace.
//
// Transfers that want the same name share one lookup.  Nothing is cached: libcurl keeps addresses for 60 s.
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
        // Blocks.  Returns addresses as CURLOPT_RESOLVE takes them, "10.0.0.1,[2001:db8::1]"; "": the name has none.  Throws
        // std::bad_alloc.
        std::function<std::string(const std::string& name)> look_up;
        std::function<std::int64_t()> steady_ms;  // any thread
    };

  private:
    struct lookup;

  public:
    // A transfer that waits for a name.  The caller owns it and must call leave() before its destruction.
    class waiter {
      public:
        waiter() = default;
        virtual ~waiter() = default;
        waiter(const waiter&) = delete;
        waiter& operator=(const waiter&) = delete;
        // Called once, on a thread of the resolver or inside ask() and start_due(); must not call the resolver.  Null:
        // no memory, or no thread.
        virtual void resolved(std::shared_ptr<const std::string> addresses) noexcept = 0;

      private:
        friend class resolver;
        lookup* at_ = nullptr;  // null: does not wait
        waiter* next_ = nullptr;
    };

    explicit resolver(parts how);

    // Any thread.
    void ask(waiter& who, std::string_view name);  // throws std::bad_alloc without any change
    void leave(waiter& who) noexcept;              // afterwards resolved() is not running and will not be called
    // Starts the lookups that may start now.  Returns the milliseconds until the next call; -1: the end of a lookup
    // starts the next.
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
    void end(place which, std::shared_ptr<const std::string> addresses, std::int64_t now_ms) noexcept;

    const parts how_;
    mutable std::mutex mutex_;  // guards everything below; held while resolved() runs
    std::unordered_map<std::string_view, place> names_;
    std::list<lookup> idle_;                   // the least recently used first
    std::array<std::list<lookup>, 3> queues_;  // by the result of the last lookup
    std::list<lookup> running_;                // each on its own thread
    std::int64_t paced_ms_ = 0;                // when a thread beyond the first ones was last started
};

std::string look_up_by_system(const std::string& name);  // getaddrinfo() as libcurl calls it

// Returns the resolver of the process.  It lives as long as a client or one of its threads.
std::shared_ptr<resolver> shared_resolver();

}  // namespace gputide::http
