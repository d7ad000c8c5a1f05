// Drives transfers and timers.  A callback is taken out of the tables under the lock and run outside it, so that a
// cancelled one cannot run and a running one may ask for more.
#include "http/driver.hpp"

#include "http/gate.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <sys/resource.h>

namespace gputide::http {

namespace {

constexpr std::int64_t most_cached_connections = 10'000;

// Idle connections cost the host program file descriptors; at least half of them are left to it.
long cached_connections(const client_options& options) {
    if (options.most_connections > 0) return options.most_connections;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return most_cached_connections;
    const auto half = static_cast<std::int64_t>(std::min<rlim_t>(files.rlim_cur / 2, most_cached_connections));
    return static_cast<long>(std::max<std::int64_t>(16, half));
}

std::int64_t later(std::int64_t now_ms, std::int64_t delay_ms) {
    const std::int64_t room = std::numeric_limits<std::int64_t>::max() - now_ms;
    return now_ms + std::clamp<std::int64_t>(delay_ms, 0, room);
}

}  // namespace

driver::driver(const client_options& options, trust_defaults trust)
    : multi_({cached_connections(options), options.most_connections, options.most_per_host}),
      pool_(std::move(trust), [this](CURL* fresh) {
          multi_.prepare(fresh);
          transfer::prepare(fresh);
      }) {}

driver::~driver() { end_transfers(); }

void driver::end_transfers() {
    for (const auto& [id, one] : transfers_) {
        if (one->way.handle() != nullptr) multi_.remove(one->way.handle());
    }
}

void driver::close() {
    // Destroyed after the lock is gone: what a callback holds may call back here when it goes.
    decltype(transfers_) transfers;
    decltype(timers_) timers;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    end_transfers();
    transfers.swap(transfers_);
    timers.swap(timers_);
    due_.clear();
    new_.clear();
    cancelled_ = nullptr;
    beginning_.clear();
    begun_ = 0;
}

ticket driver::send(outgoing request, std::int64_t deadline_ms, std::function<void(answer)> done) {
    const std::int64_t now = steady_now_ms();
    const std::int64_t attempt_end = later(now, request->attempt_timeout_ms);
    auto url = parse_url(request->url);
    auto refused = refused_unsent(*request, url);
    auto one = std::make_unique<pending>(std::move(request), std::move(url).value_or(url_parts{}));
    one->limit = deadline_ms <= attempt_end ? time_limit::deadline : time_limit::attempt;
    one->due_ms = std::min(deadline_ms, attempt_end);
    one->early = std::move(refused);
    if (!one->early && one->due_ms <= now) one->early = one->way.out_of_time(one->limit);

    decltype(transfers_)::node_type refused_entry;  // destroyed after the lock is gone
    const std::lock_guard lock(mutex_);
    const ticket id = one->id = ++last_;
    if (closed_) return id;
    pending& added = *transfers_.emplace(id, std::move(one)).first->second;
    try {
        due_.emplace(added.due_ms, id);
        new_.push_back(id);
    } catch (const std::bad_alloc&) {
        due_.erase({added.due_ms, id});
        refused_entry = transfers_.extract(id);
        throw;
    }
    added.done = std::move(done);  // last: what a callback holds may call back here when it goes
    wake_locked();
    return id;
}

ticket driver::after(std::int64_t delay_ms, std::function<void()> fire) {
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
    // Destroyed after the lock is gone: what a callback holds may call back here when it goes.
    std::function<void()> dropped_timer;
    std::function<void(answer)> dropped_done;
    std::unique_ptr<pending> dropped;
    const std::lock_guard lock(mutex_);
    if (auto node = timers_.extract(id); !node.empty()) {
        due_.erase({node.mapped().due_ms, id});
        dropped_timer = std::move(node.mapped().fire);
        return;
    }
    const auto found = transfers_.find(id);
    if (found == transfers_.end()) return;
    pending& one = *found->second;
    if (one.started) {
        if (std::exchange(one.cancelled, true)) return;
        dropped_done.swap(one.done);
        one.next_cancelled = std::exchange(cancelled_, &one);
        wake_locked();
    } else {
        due_.erase({one.due_ms, id});
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
    if (waiting_) multi_.wake();
}

std::int64_t driver::next_due_ms() const {
    const std::lock_guard lock(mutex_);
    if (!new_.empty() || cancelled_ != nullptr) return 0;
    if (due_.empty()) return -1;
    return std::max<std::int64_t>(0, due_.begin()->first - steady_now_ms());
}

bool driver::work() {
    bool ran = begin_new();
    stop_cancelled();
    const bool good = multi_.move();
    ran |= reap();
    if (!good) ran |= give_up_started();
    ran |= fire_due();
    return ran;
}

bool driver::begin_new() {
    if (begun_ == beginning_.size()) {
        beginning_.clear();
        begun_ = 0;
        const std::lock_guard lock(mutex_);
        beginning_.swap(new_);
    }
    bool ran = false;
    while (begun_ < beginning_.size()) {
        pending* one = nullptr;
        {
            const std::lock_guard lock(mutex_);
            const auto found = transfers_.find(beginning_[begun_++]);
            if (found == transfers_.end()) continue;  // cancelled
            one = found->second.get();
            one->started = true;
        }
        ran |= begin(*one);
    }
    return ran;
}

// True: it is over.
bool driver::begin(pending& one) {
    std::optional<answer> known = std::move(one.early);
    try {
        if (!known) multi_.add(one.way.start(pool_, &one));
    } catch (const std::bad_alloc&) {
        known = transfer::without_memory();
    }
    if (known) finish(one, std::move(*known));
    return known.has_value();
}

void driver::stop_cancelled() {
    const auto next = [this] {
        const std::lock_guard lock(mutex_);
        return cancelled_;
    };
    while (pending* one = next()) finish(*one, {});
}

bool driver::reap() {
    bool ran = false;
    while (const auto over = multi_.next_ended()) {
        void* owner = nullptr;
        curl_easy_getinfo(over->handle, CURLINFO_PRIVATE, &owner);
        auto& one = *static_cast<pending*>(owner);
        finish(one, one.way.conclude(over->code, pool_.defaults()));
        ran = true;
    }
    return ran;
}

bool driver::give_up_started() {
    const auto next = [this]() -> pending* {
        const std::lock_guard lock(mutex_);
        const auto found =
            std::find_if(transfers_.begin(), transfers_.end(), [](const auto& one) { return one.second->started; });
        return found == transfers_.end() ? nullptr : found->second.get();
    };
    bool ran = false;
    for (; pending* one = next(); ran = true) finish(*one, transfer::without_memory());
    return ran;
}

// What has fallen due by now; what a callback adds has its turn later, or a timer of 0 ms would never let go.
bool driver::fire_due() {
    const std::int64_t now = steady_now_ms();
    std::pair<std::int64_t, ticket> at{std::numeric_limits<std::int64_t>::min(), 0};
    bool ran = false;
    ticket last = 0;
    {
        const std::lock_guard lock(mutex_);
        last = last_;
    }
    for (;;) {
        decltype(timers_)::node_type fired;
        pending* late = nullptr;
        {
            const std::lock_guard lock(mutex_);
            const auto next = due_.upper_bound(at);
            if (next == due_.end() || next->first > now) return ran;
            at = *next;
            if (at.second > last) continue;
            fired = timers_.extract(at.second);
            if (!fired.empty()) due_.erase(next);
            const auto found = transfers_.find(at.second);
            if (found != transfers_.end() && found->second->started) late = found->second.get();
        }
        ran = true;
        if (!fired.empty()) fired.mapped().fire();
        if (late != nullptr) finish(*late, late->way.out_of_time(late->limit));
    }
}

std::unique_ptr<driver::pending> driver::forget(pending& one) {
    const std::lock_guard lock(mutex_);
    due_.erase({one.due_ms, one.id});
    if (one.cancelled) {
        pending** link = &cancelled_;
        while (*link != &one) link = &(*link)->next_cancelled;
        *link = one.next_cancelled;
    }
    auto node = transfers_.extract(one.id);
    return std::move(node.mapped());
}

void driver::finish(pending& one, answer reply) {
    if (CURL* handle = one.way.handle()) {
        multi_.remove(handle);
        pool_.give_back(one.way.take_handle());
    }
    const std::unique_ptr<pending> over = forget(one);
    if (over->done) over->done(std::move(reply));
}

std::int64_t driver::look() {
    constexpr int most_rounds = 16;  // a callback may ask for more at once, but not for ever
    bool ran = true;
    for (int round = 0; ran && round < most_rounds; ++round) {
        multi_.wait(0);
        ran = work();
    }
    multi_.settle();
    const std::int64_t due_ms = next_due_ms();
    if (multi_.timer_ms() < 0) return due_ms;
    const std::int64_t timer_ms = std::max<std::int64_t>(0, multi_.timer_ms() - steady_now_ms());
    return due_ms < 0 ? timer_ms : std::min(due_ms, timer_ms);
}

bool driver::wait(std::int64_t most_ms) {
    std::int64_t wait_ms = std::max<std::int64_t>(0, most_ms);
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(woken_, false)) return true;
        if (!new_.empty() || cancelled_ != nullptr) return false;
        if (!due_.empty()) wait_ms = std::clamp<std::int64_t>(due_.begin()->first - steady_now_ms(), 0, wait_ms);
        waiting_ = true;
    }
    multi_.wait(wait_ms);
    const std::lock_guard lock(mutex_);
    waiting_ = false;
    return std::exchange(woken_, false);
}

}  // namespace gputide::http
