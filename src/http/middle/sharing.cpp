#include "http/middle/sharing.hpp"

#include "http/middle/sender.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gputide::http {
namespace {

constexpr std::size_t most_kept_bytes = std::size_t{16} << 20;  // of answers that wait for others to ask

bool worth_keeping(const answer& reply) { return reply.arrived() && reply.response.status == 200; }

}  // namespace

sharing::sharing(std::shared_ptr<loop> behind, std::int64_t window_ms)
    : relay(std::move(behind)), window_ms_(window_ms) {}

ticket sharing::send(outgoing request, std::int64_t deadline_ms, std::function<void(answer)> done) {
    const std::lock_guard hold(lock_);
    ++stats_.asked;
    forget_old(behind_->steady_ms());
    const std::size_t hash = request_hash(request);
    group* with = find(hash, request);
    if (with != nullptr) ++stats_.shared;
    if (with != nullptr && with->got) {
        return behind_->after(0, [got = with->got, done = std::move(done)] { done(*got); });
    }
    const bool first = with == nullptr;
    if (first) {
        auto made = std::make_unique<group>();
        made->what = request;
        with = groups_.emplace(hash, std::move(made))->second.get();
    }
    const ticket id = behind_->reserve();
    with->waiting.push_back({id, std::move(done)});
    waiters_.emplace(id, with);
    if (first) {
        with->inner = behind_->send(std::move(request), deadline_ms,
                                    [this, with](answer reply) { landed(with, std::move(reply)); });
        with->sent = true;
    }
    return id;
}

sharing::group* sharing::find(std::size_t hash, const request& request) {
    const auto [from, to] = groups_.equal_range(hash);
    const auto found = std::find_if(from, to, [&](const auto& one) { return same_request(one.second->what, request); });
    return found == to ? nullptr : found->second.get();
}

void sharing::drop(group* which) {
    const auto [from, to] = groups_.equal_range(request_hash(which->what));
    const auto found = std::find_if(from, to, [&](const auto& one) { return one.second.get() == which; });
    if (found != to) groups_.erase(found);
}

void sharing::forget_old(std::int64_t now_ms) {
    while (!kept_.empty() && (kept_.front()->until_ms <= now_ms || stats_.kept_bytes > most_kept_bytes)) {
        stats_.kept_bytes -= kept_.front()->got->response.body.size();
        drop(kept_.front());
        kept_.pop_front();
    }
}

void sharing::landed(group* which, answer reply) {
    std::vector<waiter> told;
    {
        const std::lock_guard hold(lock_);
        told.swap(which->waiting);
        for (const waiter& one : told) waiters_.erase(one.id);
        if (worth_keeping(reply)) {
            which->got = std::make_shared<const answer>(reply);
            which->until_ms = behind_->steady_ms() + window_ms_;
            kept_.push_back(which);
            stats_.kept_bytes += reply.response.body.size();
        } else {
            drop(which);
        }
    }
    for (std::size_t i = 0; i + 1 < told.size(); ++i) told[i].done(reply);
    if (!told.empty()) told.back().done(std::move(reply));
}

void sharing::cancel(ticket which) {
    std::function<void(answer)> dropped;  // destroyed after the lock is gone
    const std::lock_guard hold(lock_);
    const auto found = waiters_.find(which);
    if (found == waiters_.end()) return relay::cancel(which);  // a timer, or a kept answer on its way
    group* with = found->second;
    waiters_.erase(found);
    const auto place =
        std::find_if(with->waiting.begin(), with->waiting.end(), [&](const waiter& one) { return one.id == which; });
    dropped = std::move(place->done);
    with->waiting.erase(place);
    if (!with->waiting.empty()) return;
    behind_->cancel(with->inner);
    drop(with);
}

sharing_stats sharing::stats() const {
    const std::lock_guard hold(lock_);
    return stats_;
}

}  // namespace gputide::http
