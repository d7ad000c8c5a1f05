// Transfers that wait for a name lookup.  Such a transfer is outside the multi handle, but its time limits apply.  It
// starts again when the resolver has called back; nothing of it has been sent before.
#include "http/driver.hpp"

#include <new>
#include <utility>

namespace gputide::http {

// `one` has stopped in libcurl because a name is missing.  True: it is finished.
bool driver::want_name(drivers_own& own, pending& one, CURLcode code) {
    own.curl.remove(one.way.handle());
    const std::int64_t connect_due_ms = one.began_ms + one.way.connect_limit_ms();
    std::optional<answer> known;
    try {
        const std::optional<std::string> name = one.way.wanted_name(code);
        if (!name) {
            known = one.way.unresolved(own.pool.defaults());
        } else if (name->empty()) {
            own.curl.add(one.way.resume({}, connect_due_ms - steady_now_ms()));
        } else {
            names_->ask(one, *name);
            one.waits_for_name = true;
            ++own.nameless;
            one.end_ms = one.due_ms;
            one.end_limit = one.limit;
            if (connect_due_ms < one.due_ms) set_due(one, connect_due_ms, time_limit::connect);
        }
    } catch (const std::bad_alloc&) {
        known = transfer::without_memory();
    }
    if (known) finish(own, one, std::move(*known));
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
    while (pending* one = next()) {
        std::optional<answer> known = take_name(own, *one);
        if (!known) continue;
        finish(own, *one, std::move(*known));
        ran = true;
    }
    return ran;
}

// Returns the result of a transfer that cannot continue.
std::optional<answer> driver::take_name(drivers_own& own, pending& one) {
    one.waits_for_name = false;
    --own.nameless;
    set_due(one, one.end_ms, one.end_limit);
    const std::shared_ptr<const std::string> addresses = std::move(one.addresses);
    if (!addresses) return transfer::without_memory();
    if (addresses->empty()) return one.way.unresolved(own.pool.defaults());
    try {
        own.curl.add(one.way.resume(*addresses, one.began_ms + one.way.connect_limit_ms() - steady_now_ms()));
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

// The driver still exists: it unregisters before its destruction.
void driver::name_came(pending& one, std::shared_ptr<const std::string> found) noexcept {
    {
        const std::lock_guard lock(mutex_);
        one.addresses = std::move(found);
        one.next_named = std::exchange(named_, &one);
    }
    own_.shared().curl.wake();  // also for a host that waits on the descriptor itself
}

void driver::leave_name(drivers_own& own, pending& one) {
    names_->leave(one);
    one.waits_for_name = false;
    --own.nameless;
    const std::lock_guard lock(mutex_);
    for (pending** link = &named_; *link != nullptr; link = &(*link)->next_named) {
        if (*link != &one) continue;
        *link = std::exchange(one.next_named, nullptr);
        return;
    }
}

void driver::set_due(pending& one, std::int64_t due_ms, time_limit limit) {
    const std::lock_guard lock(mutex_);
    auto entry = due_.extract({one.due_ms, one.id});
    entry.value().first = one.due_ms = due_ms;
    one.limit = limit;
    due_.insert(std::move(entry));
}

}  // namespace gputide::http
