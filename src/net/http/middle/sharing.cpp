#include "http/middle/sharing.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace gputide::http {

namespace {

bool same_signing(const aws_signing* a, const aws_signing* b) {
    if (a == b) return true;
    if (a == nullptr || b == nullptr) return false;
    return a->region == b->region && a->service == b->service && a->access_key_id == b->access_key_id &&
           a->secret_access_key.reveal() == b->secret_access_key.reveal();
}

bool same_header(const header& a, const header& b) { return a.name == b.name && a.value.reveal() == b.value.reveal(); }

std::size_t mixed(std::size_t seed, std::string_view text) { return seed * 31 + std::hash<std::string_view>()(text); }

}  // namespace

bool same_credential(const request& a, const request& b) {
    return a.allow_plain_http == b.allow_plain_http && a.only_verified == b.only_verified &&
           a.use_proxy == b.use_proxy && a.carries_credential == b.carries_credential &&
           same_settings(a.tls.get(), b.tls.get()) && same_signing(a.signing.get(), b.signing.get()) &&
           std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(), same_header);
}

bool same_sender(const request& a, const request& b) {
    return a.connect_timeout_ms == b.connect_timeout_ms && a.attempt_timeout_ms == b.attempt_timeout_ms &&
           same_credential(a, b);
}

std::size_t sender_hash(const request& request) {
    std::size_t out = static_cast<std::size_t>(request.attempt_timeout_ms);
    for (const header& header : request.headers) out = mixed(out, header.value.reveal());
    if (request.signing) out = mixed(out, request.signing->access_key_id);
    if (request.tls) out = mixed(mixed(out, request.tls->ca_pem), request.tls->client_certificate_pem.reveal());
    return out;
}

bool same_request(const request& a, const request& b) {
    return a.method == b.method && a.url == b.url && a.body.reveal() == b.body.reveal() && a.max_bytes == b.max_bytes &&
           same_credential(a, b);
}

std::size_t request_hash(const request& request) { return mixed(mixed(0, request.url), request.body.reveal()); }

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
    const auto place = std::ranges::find_if(shared->waiting, [&](const waiter& waiting) { return waiting.id == id; });
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
