#include "source/poll.hpp"

#include "auth/asking.hpp"
#include "source/judge.hpp"

#include <optional>
#include <utility>

namespace gputide::source {
namespace {

class poll_driver final : public http::exchange, public std::enable_shared_from_this<poll_driver> {
  public:
    poll_driver(http::loop& loop, std::vector<source_poll> polls, std::int64_t deadline_ms,
                callback<void(std::vector<polled>)> done)
        : loop_(loop), deadline_ms_(deadline_ms), done_(std::move(done)), open_(polls.size()) {
        entries_.reserve(polls.size());
        for (source_poll& poll : polls) entries_.push_back({std::move(poll.source), std::move(poll.poll), {}, {}, 0});
        outcomes_.resize(entries_.size());
    }

    void start() {
        began_ms_ = loop_.steady_ms();
        is_starting_ = true;
        try {
            for (std::size_t i = 0; i < entries_.size(); ++i) {
                set_clocks(i);
                go_on(i, entries_[i].source->begin(entries_[i].poll));
            }
            is_starting_ = false;
            if (open_ == 0) turn_ = loop_.after(0, [self = shared_from_this()] { self->finish(); });
        } catch (...) {
            cancel();
            throw;
        }
    }

    void cancel() override {
        const auto dropped = std::exchange(done_, nullptr);
        if (turn_ != 0) loop_.cancel(turn_);
        for (source_rounds& entry : entries_) {
            for (const auto& sent : std::exchange(entry.sent, {})) {
                if (sent) sent->cancel();
            }
        }
    }

  private:
    // A source with its poll, and the requests of the current round.
    struct source_rounds {
        std::shared_ptr<metric_source> source;
        source::poll poll;
        std::vector<std::shared_ptr<http::exchange>> sent;
        std::vector<std::optional<answered>> answers;
        std::size_t missing = 0;
    };

    void set_clocks(std::size_t index) {
        source::poll& poll = entries_[index].poll;
        poll.wall_ms = loop_.wall_ms();
        poll.steady_ms = loop_.steady_ms();
    }

    void go_on(std::size_t index, step next) {
        if (auto* outcome = std::get_if<fetched>(&next)) return end(index, std::move(*outcome));
        if (auto* requests = std::get_if<queries>(&next)) return send(index, std::move(*requests));
        source_rounds& entry = entries_[index];
        entry.sent.assign(1, nullptr);
        entry.sent[0] = std::get<local_read>(next)(deadline_ms_, [self = shared_from_this(), index](fetched outcome) {
            self->end(index, std::move(outcome));
        });
    }

    void send(std::size_t index, queries round) {
        if (round.empty()) return end(index, judge_failure(fail(status::bug, "the source sends no request")));
        source_rounds& entry = entries_[index];
        const auth::authenticator* access = entry.source->access();
        entry.sent.assign(round.size(), nullptr);
        entry.answers.assign(round.size(), std::nullopt);
        entry.missing = round.size();
        for (std::size_t i = 0; i < round.size(); ++i) {
            entry.sent[i] = auth::send_authenticated(
                entry.source->loop(), access == nullptr ? auth::authenticator() : *access, std::move(round[i].request),
                deadline_ms_,
                [self = shared_from_this(), index, i](answered answer) { self->take(index, i, std::move(answer)); },
                std::move(round[i].retry));
        }
    }

    void take(std::size_t index, std::size_t request, answered answer) {
        source_rounds& entry = entries_[index];
        entry.answers[request] = std::move(answer);
        entry.sent[request] = nullptr;
        if (--entry.missing > 0) return;
        std::vector<answered> answers;
        answers.reserve(entry.answers.size());
        for (auto& each : entry.answers) answers.push_back(*std::move(each));
        set_clocks(index);
        go_on(index, entry.source->next(entry.poll, answers));
    }

    void end(std::size_t index, fetched outcome) {
        const source_rounds& entry = entries_[index];
        if (outcome.why.status != status::ok) outcome.why = entry.source->at_label(std::move(outcome.why));
        if (entry.poll.wanted == detail::value) outcome.reading.series.clear();
        outcomes_[index] = {std::move(outcome), loop_.steady_ms() - began_ms_};
        if (--open_ == 0 && !is_starting_) finish();
    }

    void finish() {
        turn_ = 0;
        const auto done = std::exchange(done_, nullptr);
        for (source_rounds& entry : entries_) entry.sent.clear();
        if (done) done(std::move(outcomes_));
    }

    http::loop& loop_;
    const std::int64_t deadline_ms_;
    callback<void(std::vector<polled>)> done_;  // empty: finished
    std::vector<source_rounds> entries_;
    std::vector<polled> outcomes_;
    std::size_t open_;  // entries without an outcome
    std::int64_t began_ms_ = 0;
    bool is_starting_ = false;
    http::ticket turn_ = 0;
};

}  // namespace

std::shared_ptr<http::exchange> send_polls(http::loop& loop, std::vector<source_poll> polls, std::int64_t deadline_ms,
                                           callback<void(std::vector<polled>)> done) {
    auto out = std::make_shared<poll_driver>(loop, std::move(polls), deadline_ms, std::move(done));
    out->start();
    return out;
}

result<reading> reading_of(fetched outcome) {
    if (outcome.why.status != status::ok) return std::move(outcome.why);
    return std::move(outcome.reading);
}

}  // namespace gputide::source
