// Shared responses, and what makes requests equal.  Declared in traffic.hpp.
#include "http/middle/traffic.hpp"

#include <algorithm>
#include <functional>
#include <memory>
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

bool same_credential(const request& a, const request& b) {
    return a.allow_plain_http == b.allow_plain_http && a.only_verified == b.only_verified &&
           a.use_proxy == b.use_proxy && a.carries_credential == b.carries_credential &&
           same_settings(a.tls.get(), b.tls.get()) && same_signing(a.signing.get(), b.signing.get()) &&
           std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(), same_header);
}

}  // namespace

bool same_sender::operator()(const request& a, const request& b) const {
    return a.connect_timeout_ms == b.connect_timeout_ms && a.attempt_timeout_ms == b.attempt_timeout_ms &&
           same_credential(a, b);
}

std::size_t sender_hash::operator()(const request& request) const {
    std::size_t out = static_cast<std::size_t>(request.attempt_timeout_ms);
    for (const header& header : request.headers) out = mixed(out, header.value.reveal());
    if (request.signing) out = mixed(out, request.signing->access_key_id);
    if (request.tls) out = mixed(mixed(out, request.tls->ca_pem), request.tls->client_certificate_pem.reveal());
    return out;
}

bool same_request::operator()(const request& a, const request& b) const {
    return a.method == b.method && a.url == b.url && a.body.reveal() == b.body.reveal() && a.max_bytes == b.max_bytes &&
           same_credential(a, b);
}

std::size_t request_hash::operator()(const request& request) const {
    return mixed(mixed(0, request.url), request.body.reveal());
}

namespace {

constexpr std::size_t max_kept_bytes = std::size_t{16} << 20;  // of responses kept for later requests

bool worth_keeping(const answer& reply) { return reply.arrived() && reply.response.status == 200; }

}  // namespace

ticket traffic::send_shared(const outgoing& request, std::int64_t deadline_ms, callback<void(answer)> done) {
    const std::lock_guard hold(lock_);
    forget_old_replies();
    const auto [at, is_first] = groups_.try_emplace(request);
    group& with = at->second;
    if (!is_first) ++shared_;
    if (with.reply) return behind_->after(0, [got = with.reply, done = std::move(done)] { done(answer(*got)); });
    ticket id = 0;
    try {
        id = behind_->reserve();
        with.waiting.push_back({id, std::move(done)});
        waiters_.emplace(id, request);
        if (!is_first) return id;
        with.inner =
            enter(request, deadline_ms, [this, request](answer&& reply) { landed_shared(request, std::move(reply)); });
    } catch (...) {
        // Later equal requests would wait in the group for a request that was not sent.
        waiters_.erase(id);
        std::erase_if(with.waiting, [id](const waiter& each) { return each.id == id; });
        if (is_first) groups_.erase(at);
        throw;
    }
    return id;
}

void traffic::forget_old_replies() {
    const std::int64_t now_ms = behind_->steady_ms();
    while (!kept_.empty()) {
        const auto oldest = groups_.find(kept_.front());
        if (oldest->second.until_ms > now_ms && kept_bytes_ <= max_kept_bytes) return;
        kept_bytes_ -= oldest->second.reply->response.body.size();
        groups_.erase(oldest);
        kept_.pop_front();
    }
}

void traffic::landed_shared(const outgoing& request, answer&& reply) {
    std::vector<waiter> waiters;
    {
        const std::lock_guard hold(lock_);
        const auto found = groups_.find(request);
        if (found == groups_.end() || found->second.reply) return;  // every waiter has left meanwhile
        waiters.swap(found->second.waiting);
        for (const waiter& waiting : waiters) waiters_.erase(waiting.id);
        if (worth_keeping(reply)) {
            found->second.reply = std::make_shared<const answer>(reply);
            found->second.until_ms = behind_->steady_ms() + limits_.share_window_ms;
            kept_.push_back(found->first);
            kept_bytes_ += reply.response.body.size();
        } else {
            groups_.erase(found);
        }
    }
    for (std::size_t i = 0; i + 1 < waiters.size(); ++i) waiters[i].done(answer(reply));
    if (!waiters.empty()) waiters.back().done(std::move(reply));
}

// Removes a waiter from its group.  Returns the ticket to cancel: that of the request if the last waiter has left, 0 if others wait,
// or the given one if it is not a waiter's.
ticket traffic::leave_group(ticket id, callback<void(answer)>& dropped) {
    const auto found = waiters_.find(id);
    if (found == waiters_.end()) return id;
    const auto at = groups_.find(found->second);
    waiters_.erase(found);
    std::vector<waiter>& waiting = at->second.waiting;
    const auto place = std::ranges::find(waiting, id, &waiter::id);
    dropped = std::move(place->done);
    waiting.erase(place);
    if (!waiting.empty()) return 0;
    const ticket inner = at->second.inner;
    groups_.erase(at);
    return inner;
}

}  // namespace gputide::http
