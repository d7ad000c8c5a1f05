#include "http/middle/sharing.hpp"

#include "http/middle/sender.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gputide::http {
namespace {

constexpr std::size_t max_kept_bytes = std::size_t{16} << 20;  // of responses kept for later requests

bool worth_keeping(const answer& reply) { return reply.arrived() && reply.response.status == 200; }

}  // namespace

sharing::sharing(std::shared_ptr<loop> behind, std::int64_t window_ms)
    : relay(std::move(behind)), window_ms_(window_ms) {}

ticket sharing::send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) {
    const std::lock_guard hold(lock_);
    ++stats_.asked;
    forget_old(behind_->steady_ms());
    const std::size_t hash = request_hash(request);
    group* with = find(hash, request);
    if (with != nullptr) ++stats_.shared;
    if (with != nullptr && with->reply) {
        return behind_->after(0, [got = with->reply, done = std::move(done)] { done(*got); });
    }
    const bool first = with == nullptr;
    if (first) {
        auto made = std::make_unique<group>();
        made->request = request;
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
    const auto found =
        std::find_if(from, to, [&](const auto& entry) { return same_request(entry.second->request, request); });
    return found == to ? nullptr : found->second.get();
}

void sharing::drop(group* shared) {
    const auto [from, to] = groups_.equal_range(request_hash(shared->request));
    const auto found = std::find_if(from, to, [&](const auto& entry) { return entry.second.get() == shared; });
    if (found != to) groups_.erase(found);
}

void sharing::forget_old(std::int64_t now_ms) {
    while (!kept_.empty() && (kept_.front()->until_ms <= now_ms || stats_.kept_bytes > max_kept_bytes)) {
        stats_.kept_bytes -= kept_.front()->reply->response.body.size();
        drop(kept_.front());
        kept_.pop_front();
    }
}

void sharing::landed(group* shared, answer reply) {
    std::vector<waiter> waiters;
    {
        const std::lock_guard hold(lock_);
        waiters.swap(shared->waiting);
        for (const waiter& waiting : waiters) waiters_.erase(waiting.id);
        if (worth_keeping(reply)) {
            shared->reply = std::make_shared<const answer>(reply);
            shared->until_ms = behind_->steady_ms() + window_ms_;
            kept_.push_back(shared);
            stats_.kept_bytes += reply.response.body.size();
        } else {
            drop(shared);
        }
    }
    for (std::size_t i = 0; i + 1 < waiters.size(); ++i) waiters[i].done(reply);
    if (!waiters.empty()) waiters.back().done(std::move(reply));
}

void sharing::cancel(ticket id) {
    callback<void(answer)> dropped;  // destroyed after the lock is released
    const std::lock_guard hold(lock_);
    const auto found = waiters_.find(id);
    if (found == waiters_.end()) return relay::cancel(id);  // a timer, or a kept response that is being delivered
    group* shared = found->second;
    waiters_.erase(found);
    const auto place = std::find_if(shared->waiting.begin(), shared->waiting.end(),
                                    [&](const waiter& waiting) { return waiting.id == id; });
    dropped = std::move(place->done);
    shared->waiting.erase(place);
    if (!shared->waiting.empty()) return;
    behind_->cancel(shared->inner);
    drop(shared);
}

sharing_stats sharing::stats() const {
    const std::lock_guard hold(lock_);
    return stats_;
}

}  // namespace gputide::http
