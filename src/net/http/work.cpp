// The driving thread's work: starts transfers, ends and aborts them, fires timers, waits.  A callback is removed from the tables
// under the lock and runs outside it, so that a canceled callback cannot run and a running one may add more.
#include "base/debug_log.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/driver.hpp"
#include "http/loop.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <utility>

namespace gputide::http {

namespace {

constexpr std::size_t longest_path = 200;  // of a debug line

// Returns "GET https://prometheus:9090/api/v1/query with a credential: HTTP 200, 812 bytes, 12 ms".  Omits the query, which may
// contain a key.
std::string line_of(const transfer& transfer, const answer& reply, std::int64_t took_ms) {
    const url_parts& to = transfer.url();
    const char* credential = transfer.asked().carries_credential ? " with a credential" : "";
    std::string came(reply.arrived() ? "canceled" : fault_name(reply.fault));
    if (reply.arrived() && reply.response.status != 0)
        came = format_text("HTTP {}, {} bytes", reply.response.status, reply.response.body.size());
    return format_text("{} {}://{}{}{}: {}, {} ms", transfer.asked().method, to.scheme, host_and_port(to.host, to.port),
                       cut_utf8(to.path, longest_path), credential, came, took_ms);
}

}  // namespace

bool driver::work(const lead& lead) {
    drivers_own& own = own_.with(lead);
    bool ran = begin_new(own);
    stop_cancelled(own);
    ran |= take_names(own);
    const bool good = own.curl.move();
    ran |= reap(own);
    if (!good) ran |= give_up_started(own);
    ran |= fire_due(own);
    look_at_names(own);
    return ran;
}

bool driver::begin_new(drivers_own& own) {
    if (own.begun == own.beginning.size()) {
        own.beginning.clear();
        own.begun = 0;
        const std::lock_guard lock(mutex_);
        own.beginning.swap(new_);
    }
    bool ran = false;
    while (own.begun < own.beginning.size()) {
        pending* request = nullptr;
        {
            const std::lock_guard lock(mutex_);
            const auto found = transfers_.find(own.beginning[own.begun++]);
            if (found == transfers_.end()) continue;  // canceled
            request = found->second.get();
            request->started = true;
        }
        ran |= begin(own, *request);
    }
    return ran;
}

// Starts a transfer.  Returns true if it is finished.
bool driver::begin(drivers_own& own, pending& request) {
    std::optional<answer> known = std::move(request.early);
    try {
        request.began_ms = steady_now_ms();
        if (!known) own.curl.add(request.way.start(own.pool, &request));
    } catch (const std::bad_alloc&) {
        known = transfer::without_memory();
    }
    if (known) finish(own, request, std::move(*known));
    return known.has_value();
}

void driver::stop_cancelled(drivers_own& own) {
    const auto next = [this] {
        const std::lock_guard lock(mutex_);
        return cancelled_;
    };
    while (pending* request = next()) finish(own, *request, {});
}

bool driver::reap(drivers_own& own) {
    bool ran = false;
    while (const auto over = own.curl.next_ended()) {
        void* owner = nullptr;
        curl_easy_getinfo(over->handle, CURLINFO_PRIVATE, &owner);
        auto& ended = *static_cast<pending*>(owner);
        if (ended.way.wants_name()) {
            ran |= want_name(own, ended, over->code);
            continue;
        }
        finish(own, ended, ended.way.conclude(over->code, own.pool.defaults()));
        ran = true;
    }
    return ran;
}

bool driver::give_up_started(drivers_own& own) {
    const auto next = [this]() -> pending* {
        const std::lock_guard lock(mutex_);
        const auto found =
            std::ranges::find_if(transfers_, [](const auto& transfer) { return transfer.second->started; });
        return found == transfers_.end() ? nullptr : found->second.get();
    };
    bool ran = false;
    for (; pending* request = next(); ran = true) finish(own, *request, transfer::without_memory());
    return ran;
}

// Fires the timers that are due now.  Timers that a callback adds run later, because a repeated timer of 0 ms would otherwise
// never end.
bool driver::fire_due(drivers_own& own) {
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
        if (late == nullptr) continue;
        CURL* handle = late->way.handle();
        if (handle != nullptr && !late->waits_for_name) own.curl.end_if_silent(handle, late->began_ms);
        finish(own, *late,
               late->limit == time_limit::connect ? late->way.conclude(CURLE_OPERATION_TIMEDOUT, own.pool.defaults())
                                                  : late->way.out_of_time(late->limit));
    }
}

std::unique_ptr<driver::pending> driver::forget(pending& request) {
    const std::lock_guard lock(mutex_);
    due_.erase({request.due_ms, request.id});
    if (request.cancelled) {
        pending** link = &cancelled_;
        while (*link != &request) link = &(*link)->next_cancelled;
        *link = request.next_cancelled;
    }
    auto node = transfers_.extract(request.id);
    return std::move(node.mapped());
}

void driver::finish(drivers_own& own, pending& request, answer reply) {
    if (reply.fault == fault::no_memory) note_failed_allocation();
    if (request.waits_for_name) leave_name(own, request);
    if (CURL* handle = request.way.handle()) {
        own.curl.remove(handle);
        own.pool.give_back(request.way.take_handle());
    }
    const std::unique_ptr<pending> over = forget(request);
    debug_log::write([&] { return line_of(over->way, reply, steady_now_ms() - over->began_ms); });
    if (over->done) over->done(std::move(reply));
}

std::int64_t driver::work_at_once(const lead& lead) {
    multi& curl = own_.with(lead).curl;
    constexpr int max_rounds = 16;  // a callback may add more work, but not endlessly
    bool ran = true;
    for (int round = 0; ran && round < max_rounds; ++round) {
        curl.wait(0);
        ran = work(lead);
    }
    std::int64_t next_ms = next_due_ms();
    for (const std::int64_t at_ms : {curl.settle(), own_.with(lead).names_due_ms}) {
        if (at_ms < 0) continue;
        const std::int64_t left_ms = std::max<std::int64_t>(0, at_ms - steady_now_ms());
        next_ms = next_ms < 0 ? left_ms : std::min(next_ms, left_ms);
    }
    return next_ms;
}

bool driver::wait(const lead& lead, std::int64_t max_ms) {
    std::int64_t wait_ms = std::max<std::int64_t>(0, max_ms);
    const std::int64_t names_due_ms = own_.with(lead).names_due_ms;
    if (names_due_ms >= 0) wait_ms = std::clamp<std::int64_t>(names_due_ms - steady_now_ms(), 0, wait_ms);
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(woken_, false)) return true;
        if (!new_.empty() || cancelled_ != nullptr || named_ != nullptr) return false;
        if (!due_.empty()) wait_ms = std::clamp<std::int64_t>(due_.begin()->first - steady_now_ms(), 0, wait_ms);
        waiting_ = true;
    }
    own_.with(lead).curl.wait(wait_ms);
    const std::lock_guard lock(mutex_);
    waiting_ = false;
    return std::exchange(woken_, false);
}

namespace {

std::atomic<std::uint64_t> count{0};

}  // namespace

void note_failed_allocation() noexcept { ++count; }

std::uint64_t failed_allocations() noexcept { return count; }

}  // namespace gputide::http
