#include "runtime/sharing.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::size_t most_kept_bytes = std::size_t{16} << 20;  // of answers that wait for others to ask
constexpr http::ticket own_tickets = std::uint64_t{1} << 62U;

std::size_t hash_of(const http::request& what) {
    const std::hash<std::string_view> of;
    return of(what.url) * 31 + of(what.body.reveal());
}

bool same_tls(const http::tls_settings* a, const http::tls_settings* b) {
    if (a == b) return true;
    if (a == nullptr || b == nullptr) return false;
    return a->ca_pem == b->ca_pem && a->ca_file == b->ca_file && a->verify == b->verify &&
           a->server_name == b->server_name && a->connect_to == b->connect_to &&
           a->client_certificate_pem.reveal() == b->client_certificate_pem.reveal() &&
           a->client_key_pem.reveal() == b->client_key_pem.reveal();
}

bool same_header(const http::header& a, const http::header& b) {
    return a.name == b.name && a.value.reveal() == b.value.reveal();
}

bool same_request(const http::request& a, const http::request& b) {
    return a.method == b.method && a.url == b.url && a.body.reveal() == b.body.reveal() &&
           a.allow_plain_http == b.allow_plain_http && a.use_proxy == b.use_proxy &&
           a.carries_credential == b.carries_credential && a.most_bytes == b.most_bytes &&
           same_tls(a.tls.get(), b.tls.get()) &&
           std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(), same_header);
}

bool worth_keeping(const http::answer& got) { return got.arrived() && got.response.status == 200; }

}  // namespace

sharing::sharing(std::shared_ptr<http::loop> on, std::int64_t window_ms)
    : relay(std::move(on)), window_ms_(window_ms) {}

http::ticket sharing::send(http::outgoing what, std::int64_t deadline_ms, std::function<void(http::answer)> done) {
    const std::lock_guard hold(lock_);
    ++stats_.asked;
    forget_old(on_->steady_ms());
    const std::size_t hash = hash_of(what);
    group* with = find(hash, what);
    if (with != nullptr) ++stats_.shared;
    if (with != nullptr && with->got) {
        return on_->after(0, [got = with->got, done = std::move(done)] { done(*got); });
    }
    const bool first = with == nullptr;
    if (first) {
        auto made = std::make_unique<group>();
        made->what = what;
        with = groups_.emplace(hash, std::move(made))->second.get();
    }
    const http::ticket id = ++last_;
    with->waiting.push_back({id, std::move(done)});
    waiters_.emplace(id, with);
    if (first) {
        with->inner =
            on_->send(std::move(what), deadline_ms, [this, with](http::answer got) { landed(with, std::move(got)); });
        with->sent = true;
    }
    return id;
}

sharing::group* sharing::find(std::size_t hash, const http::request& what) {
    const auto [from, to] = groups_.equal_range(hash);
    const auto found = std::find_if(from, to, [&](const auto& one) { return same_request(one.second->what, what); });
    return found == to ? nullptr : found->second.get();
}

void sharing::drop(group* which) {
    const auto [from, to] = groups_.equal_range(hash_of(which->what));
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

void sharing::landed(group* which, http::answer got) {
    std::vector<waiter> told;
    {
        const std::lock_guard hold(lock_);
        told.swap(which->waiting);
        for (const waiter& one : told) waiters_.erase(one.id);
        if (worth_keeping(got)) {
            which->got = std::make_shared<const http::answer>(got);
            which->until_ms = on_->steady_ms() + window_ms_;
            kept_.push_back(which);
            stats_.kept_bytes += got.response.body.size();
        } else {
            drop(which);
        }
    }
    for (std::size_t i = 0; i + 1 < told.size(); ++i) told[i].done(got);
    if (!told.empty()) told.back().done(std::move(got));
}

void sharing::cancel(http::ticket which) {
    if (which < own_tickets || which >= 2 * own_tickets) return on_->cancel(which);
    std::function<void(http::answer)> dropped;  // destroyed after the lock is gone
    const std::lock_guard hold(lock_);
    const auto found = waiters_.find(which);
    if (found == waiters_.end()) return;
    group* with = found->second;
    waiters_.erase(found);
    const auto place =
        std::find_if(with->waiting.begin(), with->waiting.end(), [&](const waiter& one) { return one.id == which; });
    dropped = std::move(place->done);
    with->waiting.erase(place);
    if (!with->waiting.empty()) return;
    on_->cancel(with->inner);
    drop(with);
}

sharing_stats sharing::stats() const {
    const std::lock_guard hold(lock_);
    return stats_;
}

}  // namespace gputide::runtime
