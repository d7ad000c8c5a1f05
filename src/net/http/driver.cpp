// Thread-safe calls of the driver: they add transfers and timers to its tables, remove those that are canceled in time, and wake
// the driving thread.  No callback runs here.
#include "http/driver.hpp"

#include "base/saturate.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <new>
#include <sys/resource.h>
#include <utility>

namespace gputide::http {

namespace {

constexpr std::int64_t max_cached_connections = 10'000;

// Returns the number of idle connections to keep.  They use file descriptors of the host program; at least half of these are left
// to it.
long cached_connections() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return max_cached_connections;
    const auto half = static_cast<std::int64_t>(std::min<rlim_t>(files.rlim_cur / 2, max_cached_connections));
    return static_cast<long>(std::max<std::int64_t>(16, half));
}

std::int64_t later(std::int64_t now_ms, std::int64_t delay_ms) {
    return add_saturating(now_ms, std::max<std::int64_t>(delay_ms, 0));
}

}  // namespace

driver::drivers_own::drivers_own(trust_defaults trust)
    : curl(cached_connections()), pool(std::move(trust), [this](CURL* fresh) {
          curl.prepare(fresh);
          transfer::prepare(fresh);
      }) {}

driver::driver(trust_defaults trust) : own_(std::move(trust)) {}

void driver::drop_all(const lead& lead) {
    drivers_own& own = own_.with(lead);
    // Destroyed after the lock is released: destructors of captured objects may call back here.
    decltype(transfers_) transfers;
    decltype(timers_) timers;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        transfers.swap(transfers_);
        timers.swap(timers_);
        due_.clear();
        new_.clear();
        cancelled_ = nullptr;
    }
    for (const auto& [id, request] : transfers) {
        if (request->waits_for_name) leave_name(own, *request);
        if (request->way.handle() != nullptr) own.curl.remove(request->way.handle());
    }
    own.beginning.clear();
    own.begun = 0;
}

ticket driver::send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) {
    const std::int64_t now = steady_now_ms();
    const std::int64_t attempt_end = later(now, request->attempt_timeout_ms);
    auto url = parse_url(request->url);
    auto refused = refused_unsent(*request, url);
    auto created = std::make_unique<pending>(*this, std::move(request), std::move(url).value_or(url_parts{}));
    created->limit = deadline_ms <= attempt_end ? time_limit::deadline : time_limit::attempt;
    created->due_ms = std::min(deadline_ms, attempt_end);
    created->early = std::move(refused);
    if (!created->early && created->due_ms <= now) created->early = created->way.out_of_time(created->limit);

    decltype(transfers_)::node_type refused_entry;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    const ticket id = created->id = ++last_;
    if (closed_) return id;
    pending& added = *transfers_.emplace(id, std::move(created)).first->second;
    try {
        due_.emplace(added.due_ms, id);
        new_.push_back(id);
    } catch (const std::bad_alloc&) {
        due_.erase({added.due_ms, id});
        refused_entry = transfers_.extract(id);
        throw;
    }
    added.done = std::move(done);  // last: destructors of captured objects may call back here
    wake_locked();
    return id;
}

ticket driver::after(std::int64_t delay_ms, callback<void()> fire) {
    const std::int64_t due = later(steady_now_ms(), delay_ms);
    const std::lock_guard lock(mutex_);
    const ticket id = ++last_;
    if (closed_) return id;
    const bool earliest = due_.empty() || due < due_.begin()->first;
    timer& added = timers_[id];
    try {
        due_.emplace(due, id);
    } catch (const std::bad_alloc&) {
        timers_.erase(id);
        throw;
    }
    added = {due, std::move(fire)};  // last: as in send()
    if (earliest) wake_locked();
    return id;
}

ticket driver::reserve() {
    const std::lock_guard lock(mutex_);
    return ++last_;
}

void driver::cancel(ticket id) {
    // Destroyed after the lock is released: destructors of captured objects may call back here.
    callback<void()> dropped_timer;
    callback<void(answer)> dropped_done;
    std::unique_ptr<pending> dropped;
    const std::lock_guard lock(mutex_);
    if (auto node = timers_.extract(id); !node.empty()) {
        due_.erase({node.mapped().due_ms, id});
        dropped_timer = std::move(node.mapped().fire);
        return;
    }
    const auto found = transfers_.find(id);
    if (found == transfers_.end()) return;
    pending& request = *found->second;
    if (request.started) {
        if (std::exchange(request.cancelled, true)) return;
        dropped_done = std::move(request.done);
        request.next_cancelled = std::exchange(cancelled_, &request);
        wake_locked();
    } else {
        due_.erase({request.due_ms, id});
        dropped = std::move(found->second);
        transfers_.erase(found);
    }
}

void driver::wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    wake_locked();
}

void driver::wake_locked() {
    if (waiting_) own_.shared().curl.wake();
}

std::int64_t driver::next_due_ms() const {
    const std::lock_guard lock(mutex_);
    if (!new_.empty() || cancelled_ != nullptr || named_ != nullptr) return 0;
    if (due_.empty()) return -1;
    return std::max<std::int64_t>(0, due_.begin()->first - steady_now_ms());
}

// Transfers that wait for a name lookup.  Such a transfer is outside the multi handle, but its time limits apply.  It starts again
// when the resolver has called back; nothing of it has been sent before.

// Handles a `request` that libcurl has stopped because it needs a name.  Returns true if it is finished.
bool driver::want_name(drivers_own& own, pending& request, CURLcode code) {
    own.curl.remove(request.way.handle());
    const std::int64_t connect_due_ms = request.began_ms + request.way.connect_limit_ms();
    std::optional<answer> known;
    try {
        const std::optional<std::string> name = request.way.wanted_name(code);
        if (!name) {
            known = request.way.unresolved(own.pool.defaults());
        } else if (name->empty()) {
            own.curl.add(request.way.resume({}, connect_due_ms - steady_now_ms()));
        } else {
            names_->ask(request, *name);
            request.waits_for_name = true;
            ++own.nameless;
            request.end_ms = request.due_ms;
            request.end_limit = request.limit;
            if (connect_due_ms < request.due_ms) set_due(request, connect_due_ms, time_limit::connect);
        }
    } catch (const std::bad_alloc&) {
        known = transfer::without_memory();
    }
    if (known) finish(own, request, std::move(*known));
    return known.has_value();
}

bool driver::take_names(drivers_own& own) {
    if (own.nameless == 0) return false;
    const auto next = [this] {
        const std::lock_guard lock(mutex_);
        pending* const first = named_;
        if (first != nullptr) named_ = std::exchange(first->next_named, nullptr);
        return first;
    };
    bool ran = false;
    while (pending* request = next()) {
        std::optional<answer> known = take_name(own, *request);
        if (!known) continue;
        finish(own, *request, std::move(*known));
        ran = true;
    }
    return ran;
}

// Returns the result of a transfer that cannot continue, or nullopt.
std::optional<answer> driver::take_name(drivers_own& own, pending& request) {
    request.waits_for_name = false;
    --own.nameless;
    set_due(request, request.end_ms, request.end_limit);
    const std::shared_ptr<const std::string> addresses = std::move(request.addresses);
    if (!addresses) return transfer::without_memory();
    if (addresses->empty()) return request.way.unresolved(own.pool.defaults());
    try {
        own.curl.add(
            request.way.resume(*addresses, request.began_ms + request.way.connect_limit_ms() - steady_now_ms()));
    } catch (const std::bad_alloc&) {
        return transfer::without_memory();
    }
    return std::nullopt;
}

void driver::look_at_names(drivers_own& own) {
    own.names_due_ms = -1;
    if (own.nameless == 0) return;
    const std::int64_t left_ms = names_->start_due();
    if (left_ms >= 0) own.names_due_ms = steady_now_ms() + left_ms;
}

// Called by the resolver.  The driver still exists: it calls leave() before its destruction.
void driver::name_came(pending& request, std::shared_ptr<const std::string> found) noexcept {
    {
        const std::lock_guard lock(mutex_);
        request.addresses = std::move(found);
        request.next_named = std::exchange(named_, &request);
    }
    own_.shared().curl.wake();  // also for a host that waits on the descriptor itself
}

void driver::leave_name(drivers_own& own, pending& request) {
    names_->leave(request);
    request.waits_for_name = false;
    --own.nameless;
    const std::lock_guard lock(mutex_);
    for (pending** link = &named_; *link != nullptr; link = &(*link)->next_named) {
        if (*link != &request) continue;
        *link = std::exchange(request.next_named, nullptr);
        return;
    }
}

void driver::set_due(pending& request, std::int64_t due_ms, time_limit limit) {
    const std::lock_guard lock(mutex_);
    auto entry = due_.extract({request.due_ms, request.id});
    entry.value().first = request.due_ms = due_ms;
    request.limit = limit;
    due_.insert(std::move(entry));
}

}  // namespace gputide::http
