// The scripted loop: one ordered list of events, one lock around it, callbacks outside the lock.
#include "support/scripted_loop.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace gputide::testing {

scripted_answer scripted(std::int32_t status, std::string body, std::vector<http::response_header> headers) {
    scripted_answer out;
    out.what.response = {status, std::move(headers), std::move(body)};
    return out;
}

scripted_answer scripted_fault(http::fault what, std::string text) {
    scripted_answer out;
    out.what.fault = what;
    out.what.fault_text = text.empty() ? http::fault_name(what) : std::move(text);
    return out;
}

void scripted_loop::answer_next(scripted_answer what) {
    const std::lock_guard lock(mutex_);
    script_.push_back(std::move(what));
}

void scripted_loop::answer_with(std::function<scripted_answer(const http::request&)> handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
}

void scripted_loop::set_steady_ms(std::int64_t now) {
    const std::lock_guard lock(mutex_);
    steady_ms_ = now;
}

void scripted_loop::set_wall_ms(std::int64_t now) {
    const std::lock_guard lock(mutex_);
    wall_ms_ = now;
}

void scripted_loop::set_uniform(double value) {
    const std::lock_guard lock(mutex_);
    uniform_ = value;
}

void scripted_loop::freeze_clocks(bool frozen) {
    const std::lock_guard lock(mutex_);
    frozen_ = frozen;
}

void scripted_loop::advance(std::int64_t ms) {
    const std::int64_t until = steady_ms() + ms;
    while (run_one(until)) {
    }
    const std::lock_guard lock(mutex_);
    wall_ms_ += until - steady_ms_;
    steady_ms_ = until;
}

std::size_t scripted_loop::run_until_idle() {
    std::size_t count = 0;
    while (run_one(std::numeric_limits<std::int64_t>::max())) ++count;
    return count;
}

bool scripted_loop::run_until(const std::function<bool()>& finished) {
    while (!finished()) {
        if (!run_one(std::numeric_limits<std::int64_t>::max())) return finished();
    }
    return true;
}

bool scripted_loop::run_while_others_send(const std::function<bool()>& finished, std::int64_t timeout_ms) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (!run_until(finished)) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::unique_lock lock(mutex_);
        more_.wait_for(lock, std::chrono::milliseconds(1), [this] { return !events_.empty(); });
    }
    return true;
}

// Takes the earliest event that is due by then, moves the clocks to it and runs it.
bool scripted_loop::run_one(std::int64_t until_ms) {
    callback<void()> run;
    {
        const std::lock_guard lock(mutex_);
        if (events_.empty() || events_.begin()->first.first > until_ms) return false;
        const auto first = events_.extract(events_.begin());
        due_.erase(first.key().second);
        const std::int64_t step = std::max<std::int64_t>(0, first.key().first - steady_ms_);
        if (!frozen_) {
            steady_ms_ += step;
            wall_ms_ += step;
        }
        run = std::move(first.mapped());
    }
    run();
    return true;
}

scripted_answer scripted_loop::next_answer(const http::request& what) {
    if (auto refused = http::refused_unsent(what)) return {std::move(*refused), 0};
    requests_.push_back({what, steady_ms_, 0});
    if (handler_) return handler_(what);
    if (script_.empty())
        return scripted_fault(http::fault::other, "no scripted answer for " + what.method + " " + what.url);
    scripted_answer out = std::move(script_.front());
    script_.pop_front();
    return out;
}

http::ticket scripted_loop::send(http::outgoing what, std::int64_t deadline_ms, callback<void(http::answer)> done) {
    const std::lock_guard lock(mutex_);
    const std::size_t before = requests_.size();
    scripted_answer next = deadline_ms < steady_ms_ ? scripted_fault(http::fault::deadline) : next_answer(what);
    if (requests_.size() > before) requests_[before].deadline_ms = deadline_ms;
    // A late answer is what the real transport makes of it: the earlier of the two limits.
    const std::int64_t limit = std::min(what->attempt_timeout_ms, std::max<std::int64_t>(0, deadline_ms - steady_ms_));
    std::vector<http::ticket> pieces = add_pieces(what, next, std::min(next.delay_ms, limit));
    if (next.delay_ms > limit) {
        const bool attempt = what->attempt_timeout_ms == limit;
        next = scripted_fault(attempt ? http::fault::timeout : http::fault::deadline, "timed out");
        next.delay_ms = limit;
    }
    const http::ticket id =
        add(steady_ms_ + next.delay_ms,
            [got = std::move(next.what), done = std::move(done)]() mutable { done(std::move(got)); });
    if (!pieces.empty()) pieces_.emplace(id, std::move(pieces));
    return id;
}

// The body of a streamed 200, and what comes before its end.
std::vector<http::ticket> scripted_loop::add_pieces(const http::request& to, scripted_answer& from,
                                                    std::int64_t end_ms) {
    std::vector<http::ticket> out;
    if (!to.stream || from.what.response.status != 200) return out;
    from.later.emplace(from.later.begin(), 0, std::exchange(from.what.response.body, {}));
    for (auto& [after_ms, bytes] : from.later) {
        if (after_ms > end_ms) break;
        out.push_back(
            add(steady_ms_ + after_ms, [stream = to.stream, bytes = std::move(bytes)] { feed(bytes, *stream); }));
    }
    return out;
}

// In pieces that end wherever they end.
void scripted_loop::feed(std::string_view body, const std::function<void(std::string_view)>& to) {
    constexpr std::size_t piece = 7;
    for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) to(body.substr(0, piece));
}

http::ticket scripted_loop::after(std::int64_t delay_ms, callback<void()> fire) {
    const std::lock_guard lock(mutex_);
    delays_.push_back(delay_ms);
    return add(steady_ms_ + std::max<std::int64_t>(0, delay_ms), std::move(fire));
}

http::ticket scripted_loop::add(std::int64_t due_ms, callback<void()> run) {
    const http::ticket id = ++last_;
    due_.emplace(id, due_ms);
    events_.emplace(moment{due_ms, id},
                    std::move(run));  // last: where memory ends, nothing runs without a ticket
    more_.notify_all();
    return id;
}

http::ticket scripted_loop::reserve() {
    const std::lock_guard lock(mutex_);
    return ++last_;
}

void scripted_loop::cancel(http::ticket which) {
    callback<void()> dropped;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    if (const auto pieces = pieces_.extract(which); !pieces.empty()) {
        for (const http::ticket piece : pieces.mapped()) cancel(piece);
    }
    const auto found = due_.find(which);
    if (found == due_.end()) return;
    auto node = events_.extract(moment{found->second, which});
    dropped = std::move(node.mapped());
    due_.erase(found);
}

std::vector<recorded_request> scripted_loop::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

std::vector<std::int64_t> scripted_loop::delays() const {
    const std::lock_guard lock(mutex_);
    return delays_;
}

std::size_t scripted_loop::pending() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
}

std::size_t scripted_loop::unused_answers() const {
    const std::lock_guard lock(mutex_);
    return script_.size();
}

std::int64_t scripted_loop::steady_ms() const {
    const std::lock_guard lock(mutex_);
    return steady_ms_;
}

std::int64_t scripted_loop::wall_ms() const {
    const std::lock_guard lock(mutex_);
    return wall_ms_;
}

double scripted_loop::uniform() {
    const std::lock_guard lock(mutex_);
    return uniform_;
}

}  // namespace gputide::testing
