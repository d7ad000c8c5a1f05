// Endpoints with their queues and breakers.  The lock guards the tables.  The inner loop is called under the lock (its callbacks
// never run inside a call); the callers' callbacks are not.
#include "http/middle/traffic.hpp"

#include "base/format_text.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <utility>

namespace gputide::http {
namespace {

constexpr std::size_t max_listed = 100;                            // endpoints in the statistics
constexpr std::int64_t proxy_kept_ms = std::int64_t{15} * 60'000;  // after the last response

// Returns scheme, host and port as written: as a part of `url`, or in `buffer` if user information has to be removed.
std::string_view endpoint_name(std::string_view url, std::string& buffer) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return "?";
    const std::size_t begin = scheme + 3;
    std::size_t end = begin;
    std::size_t host = begin;
    for (; end < url.size() && url[end] != '/' && url[end] != '?' && url[end] != '#'; ++end) {
        if (url[end] == '@') host = end + 1;
    }
    if (host == begin) return url.substr(0, end);
    buffer = url.substr(0, begin);
    return buffer.append(url.substr(host, end - host));
}

}  // namespace

traffic::traffic(std::shared_ptr<loop> behind, const traffic_limits& limits)
    : relay(std::move(behind)), limits_(limits) {}

ticket traffic::send(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) {
    const std::lock_guard hold(lock_);
    return enter(std::move(request), deadline_ms, std::move(done));
}

ticket traffic::enter(outgoing request, std::int64_t deadline_ms, callback<void(answer)> done) {
    endpoint& to = endpoint_of(request->url);
    // Requests never overtake a queue, and a trial is for the first request in it.
    const std::int64_t now_ms = behind_->steady_ms();
    const bool alone = to.waiting == 0 && has_capacity(to);
    if (alone ? to.circuits.admit(*request, now_ms) != circuits::passage::free : to.circuits.holds(*request, now_ms)) {
        ++to.held;
        ++held_;
        return behind_->after(0, [done = std::move(done), got = to.circuits.held_answer(*request, now_ms)]() mutable {
            done(std::move(got));
        });
    }
    const ticket id = behind_->reserve();
    pending& added =
        pending_.emplace(id, pending{&to, std::move(request), deadline_ms, std::move(done), 0, false}).first->second;
    alone ? start_or_forget(id, added) : line_up(id, added);
    return id;
}

traffic::endpoint& traffic::endpoint_of(const std::string& url) {
    std::string buffer;
    const std::string_view name = endpoint_name(url, buffer);
    if (const auto found = endpoints_.find(name); found != endpoints_.end()) return *found->second;
    if (endpoints_.size() >= forget_at_) forget_idle();
    auto made = std::make_unique<endpoint>();
    made->name = name;
    return *endpoints_.emplace(std::string(name), std::move(made)).first->second;
}

void traffic::forget_idle() {
    const std::int64_t now_ms = behind_->steady_ms();
    for (auto at = endpoints_.begin(); at != endpoints_.end();) {
        const endpoint& peer = *at->second;
        const bool idle = peer.in_flight == 0 && peer.waiting == 0 && !peer.in_round && peer.circuits.idle(now_ms);
        at = idle ? endpoints_.erase(at) : std::next(at);
    }
    forget_at_ = std::max<std::size_t>(256, 2 * endpoints_.size());
}

bool traffic::has_capacity(const endpoint& peer) const {
    return in_flight_ < limits_.max_in_flight && peer.in_flight < limits_.max_per_endpoint;
}

void traffic::start(ticket id, pending& entry) {
    const ticket inner =
        behind_->send(entry.request, entry.deadline_ms, [this, id](answer&& reply) { landed(id, std::move(reply)); });
    entry.inner = inner;
    entry.sent = true;
    ++entry.to->in_flight;
    ++entry.to->sent;
    ++in_flight_;
    ++sent_;
}

void traffic::start_or_forget(ticket id, pending& entry) {
    try {
        start(id, entry);
    } catch (...) {
        entry.to->circuits.given_up(*entry.request);
        pending_.erase(id);
        throw;
    }
}

void traffic::line_up(ticket id, pending& entry) {
    endpoint& to = *entry.to;
    if (!to.in_round) {
        round_.push_back(&to);
        to.in_round = true;
    }
    to.line.push_back(id);
    entry.inner = behind_->after(entry.deadline_ms - behind_->steady_ms(), [this, id] { too_late(id); });
    ++to.waiting;
}

// Updates the counters; the caller removes the entry from the table.
void traffic::leave(pending& entry) {
    endpoint& peer = *entry.to;
    if (entry.sent) {
        --peer.in_flight;
        --in_flight_;
    } else {
        --peer.waiting;
    }
}

void traffic::landed(ticket id, answer&& reply) {
    std::vector<outcome> outcomes;
    {
        const std::lock_guard hold(lock_);
        auto node = pending_.extract(id);
        if (node.empty()) return;
        leave(node.mapped());
        endpoint& peer = *node.mapped().to;
        // A request that did not arrive may have failed before the choice of a proxy.
        if (reply.arrived() || !proxy_of(reply).empty()) peer.proxy = proxy_of(reply);
        peer.landed_ms = behind_->steady_ms();
        if (peer.circuits.judge(*node.mapped().request, reply, limits_.breaker, peer.landed_ms, behind_->wall_ms(),
                                behind_->uniform())) {
            ++peer.failed;
        }
        outcomes.push_back({std::move(node.mapped().done), std::move(reply)});
        if (peer.circuits.of_all_senders().state() == circuit::open) admit_one(peer, outcomes);
        admit_more(outcomes);
    }
    hand_out(outcomes);
}

void traffic::too_late(ticket id) {
    std::vector<outcome> outcomes;
    {
        const std::lock_guard hold(lock_);
        auto node = pending_.extract(id);
        if (node.empty()) return;
        leave(node.mapped());
        const endpoint& to = *node.mapped().to;
        std::string why =
            format_text("the deadline passed while {} requests to {} were in progress, which is the maximum",
                        to.in_flight, to.name);
        outcomes.push_back({std::move(node.mapped().done), answer(fault::deadline, std::move(why))});
    }
    hand_out(outcomes);
}

void traffic::hand_out(std::vector<outcome>& all) {
    for (outcome& outcome : all) {
        if (outcome.done) outcome.done(std::move(outcome.reply));
    }
}

void traffic::cancel(ticket id) {
    std::vector<outcome> outcomes;
    decltype(pending_)::node_type gone;  // both are destroyed after the lock is released
    callback<void(answer)> dropped;
    {
        const std::lock_guard hold(lock_);
        id = leave_group(id, dropped);
        if (id == 0) return;  // others wait for the same response
        gone = pending_.extract(id);
        if (!gone.empty()) {
            pending& entry = gone.mapped();
            leave(entry);
            if (entry.sent) entry.to->circuits.given_up(*entry.request);
            behind_->cancel(entry.inner);
            admit_more(outcomes);
        }
    }
    if (gone.empty()) return relay::cancel(id);  // a timer, or a response that is being delivered
    // The loop delivers the refusals, because this call may be on any thread.
    for (outcome& refused : outcomes) {
        behind_->after(
            0, [done = std::move(refused.done), got = std::move(refused.reply)]() mutable { done(std::move(got)); });
    }
}

// Starts waiting requests; endpoints with a queue take turns.
void traffic::admit_more(std::vector<outcome>& outcomes) {
    for (std::size_t idle = 0; idle < round_.size() && in_flight_ < limits_.max_in_flight;) {
        endpoint& next = *round_.front();
        round_.pop_front();
        idle = admit_one(next, outcomes) ? 0 : idle + 1;
        if (next.waiting > 0) {
            round_.push_back(&next);
        } else {
            next.in_round = false;
            next.line.clear();
        }
    }
}

// Starts the first request in the queue, if allowed.  If the breaker is open, refuses all of them.
bool traffic::admit_one(endpoint& peer, std::vector<outcome>& outcomes) {
    while (!peer.line.empty()) {
        const ticket id = peer.line.front();
        const auto found = pending_.find(id);
        if (found == pending_.end()) {  // canceled
            peer.line.pop_front();
            continue;
        }
        pending& entry = found->second;
        const std::int64_t now_ms = behind_->steady_ms();
        auto passage = circuits::passage::held;
        if (!peer.circuits.holds(*entry.request, now_ms)) {
            if (!has_capacity(peer)) return false;
            passage = peer.circuits.admit(*entry.request, now_ms);
            if (passage == circuits::passage::waiting) return false;
        }
        peer.line.pop_front();
        behind_->cancel(entry.inner);
        --peer.waiting;
        if (passage == circuits::passage::free) {
            start_or_forget(id, entry);
            return true;
        }
        ++peer.held;
        ++held_;
        outcomes.push_back({std::move(entry.done), peer.circuits.held_answer(*entry.request, now_ms)});
        pending_.erase(found);
    }
    return false;
}

traffic_stats traffic::stats() const {
    const std::lock_guard hold(lock_);
    traffic_stats out;
    out.in_flight = in_flight_;
    out.sent = sent_;
    out.held = held_;
    out.shared = shared_;
    out.kept_bytes = kept_bytes_;
    out.endpoint_count = endpoints_.size();
    const std::int64_t now_ms = behind_->steady_ms();
    std::vector<const endpoint*> all;
    all.reserve(endpoints_.size());
    for (const auto& [name, peer] : endpoints_) {
        out.waiting += peer->waiting;
        all.push_back(peer.get());
    }
    const auto matters_more = [](const endpoint* a, const endpoint* b) {
        const bool a_shut = a->circuits.of_all_senders().state() != circuit::closed;
        const bool b_shut = b->circuits.of_all_senders().state() != circuit::closed;
        if (a_shut != b_shut) return a_shut;
        return a->sent != b->sent ? a->sent > b->sent : a->name < b->name;
    };
    const std::size_t count = std::min(all.size(), max_listed);
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), matters_more);
    all.resize(count);
    for (const endpoint* peer : all) {
        const breaker& shut = peer->circuits.of_all_senders();
        const bool open = shut.state() == circuit::open;
        const std::int64_t left_ms = open ? std::max<std::int64_t>(0, shut.until_ms() - now_ms) : 0;
        const bool is_recent = now_ms - peer->landed_ms < proxy_kept_ms;
        out.endpoints.push_back({peer->name, peer->in_flight, peer->waiting, shut.state(), left_ms,
                                 is_recent ? peer->proxy : std::string(), peer->circuits.failing_senders(), peer->sent,
                                 peer->failed, peer->held, shut.openings()});
    }
    return out;
}

}  // namespace gputide::http
