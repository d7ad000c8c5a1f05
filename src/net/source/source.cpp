// The common part of sources: key, authentication, errors, and polls.
#include "source/source.hpp"

#include "auth/authenticator.hpp"
#include "auth/crypto/digest.hpp"
#include "base/format_text.hpp"
#include "source/description.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gputide::source {

metric_source::metric_source(source::metric metric, std::string_view question,
                             std::optional<auth::authenticator> access, std::shared_ptr<http::loop> loop)
    : metric_(std::move(metric)), access_(std::move(access)), loop_(std::move(loop)) {
    const std::string digest = auth::sha256(format_text("{}\n{}", question, access_ ? access_->key() : std::string()));
    std::copy_n(digest.begin(), query_key_.size(), query_key_.begin());
}

error metric_source::at_label(error why) const {
    if (why.where.empty()) why.where = named(label());
    return why;
}

result<http::request> metric_source::prepared(result<http::request> request) const {
    if (!request) return at_label(request.take_failure());
    if (auto ready = access_->prepare(*request); !ready) return at_label(ready.take_failure());
    return request;
}

step metric_source::begin(poll& poll) {
    queries out;
    for (result<http::request>& request : requests(poll.now_ms)) out.push_back({std::move(request), retry()});
    return out;
}

step metric_source::next(poll& poll, const std::vector<answered>& answers) {
    const answered& answer = answers.front();
    if (!answer) return failed(answer.failure(), poll, answer);
    fetched out = sample_of(answer->answer, poll);
    if (out.why.status != status::ok) out.why = outward(std::move(out.why), poll, answer);
    return out;
}

error metric_source::outward(error why, const poll& poll, const answered& answer) const {
    if (!answer) return auth::outward_error(std::move(why), label(), {}, poll.wall_ms, 0);
    return auth::outward_error(std::move(why), label(), answer->sent, poll.wall_ms, answer->retry_at_ms);
}

fetched metric_source::failed(error why, const poll& poll, const answered& answer) const {
    return judge_failure(outward(std::move(why), poll, answer));
}

namespace {

class request_source final : public metric_source {
  public:
    request_source(const description& described, request_parts parts, auth::authenticator access,
                   std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::move(access), std::move(loop)), parts_(std::move(parts)) {}

    result<http::request> request(std::int64_t now_ms) const override { return prepared(parts_.request(now_ms)); }
    result<source::reading> read(const http::answer& answer) const override { return parts_.read(answer); }

  protected:
    fetched sample_of(const http::answer& answer, const poll& poll) const override {
        return within_age(judge(read(answer)), poll.now_ms, parts_.max_age_ms, parts_.age_remedy);
    }
    http::retry_rule retry() const override { return parts_.retry; }

  private:
    const request_parts parts_;
};

}  // namespace

std::shared_ptr<metric_source> make_request_source(const description& described, request_parts parts,
                                                   auth::authenticator access, std::shared_ptr<http::loop> loop) {
    return std::make_shared<request_source>(described, std::move(parts), std::move(access), std::move(loop));
}

local_source::local_source(const description& described, std::shared_ptr<http::loop> loop, std::string_view why)
    : metric_source(described, described.question, std::nullopt, std::move(loop)),
      no_endpoint_(fail_at(error_class::unavailable, described.label, std::string(why))) {}

// Polls.

namespace {

// One poll of one source: its rounds, one after another.
class poll_rounds final : public http::operation<polled> {
  public:
    poll_rounds(http::loop& loop, source_poll what, std::int64_t deadline_ms, callback<void(polled)> done)
        : operation(loop, deadline_ms, std::move(done)),
          source_(std::move(what.source)),
          poll_(std::move(what.poll)),
          began_ms_(loop.steady_ms()) {}

    void start() {
        set_clocks();
        go_on(source_->begin(poll_), true);
    }

  private:
    std::shared_ptr<poll_rounds> self() { return std::static_pointer_cast<poll_rounds>(shared_from_this()); }

    void set_clocks() {
        poll_.wall_ms = loop().wall_ms();
        poll_.steady_ms = loop().steady_ms();
    }

    void go_on(step next, bool is_first) {
        if (auto* round = std::get_if<queries>(&next)) {
            if (!round->empty()) return send(std::move(*round));
            next = judge_failure(fail(status::bug, "the source sends no request"));
        }
        if (const auto* read = std::get_if<local_read>(&next)) {
            return carry((*read)(deadline_ms(), [self = self()](fetched&& outcome) {
                self->finish(self->concluded(std::move(outcome)));
            }));
        }
        polled out = concluded(std::get<fetched>(std::move(next)));
        is_first ? finish_soon(std::move(out)) : finish(std::move(out));
    }

    void send(queries round) {
        std::vector<http::starter<answered>> parts;
        parts.reserve(round.size());
        for (query& each : round) {
            parts.emplace_back([this, &each](callback<void(answered)> done) {
                const auth::authenticator* access = source_->access();
                return auth::send_authenticated(source_->loop(), access == nullptr ? auth::authenticator() : *access,
                                                std::move(each.request), deadline_ms(), std::move(done),
                                                std::move(each.retry));
            });
        }
        carry(http::all<answered>(loop(), parts, [self = self()](const std::vector<answered>& answers) {
            self->set_clocks();
            self->go_on(self->source_->next(self->poll_, answers), false);
        }));
    }

    polled concluded(fetched outcome) const {
        if (outcome.why.status != status::ok) outcome.why = source_->at_label(std::move(outcome.why));
        if (poll_.wanted == detail::value) outcome.reading.series.clear();
        return {std::move(outcome), loop().steady_ms() - began_ms_};
    }

    const std::shared_ptr<metric_source> source_;
    source::poll poll_;
    const std::int64_t began_ms_;
};

std::shared_ptr<http::exchange> start_poll(http::loop& loop, source_poll what, std::int64_t deadline_ms,
                                           callback<void(polled)> done) {
    auto out = std::make_shared<poll_rounds>(loop, std::move(what), deadline_ms, std::move(done));
    out->start();
    return out;
}

}  // namespace

std::shared_ptr<http::exchange> send_polls(http::loop& loop, std::vector<source_poll> polls, std::int64_t deadline_ms,
                                           callback<void(std::vector<polled>)> done) {
    std::vector<http::starter<polled>> parts;
    parts.reserve(polls.size());
    for (source_poll& poll : polls) {
        parts.emplace_back([&loop, &poll, deadline_ms](callback<void(polled)> take) {
            return start_poll(loop, std::move(poll), deadline_ms, std::move(take));
        });
    }
    return http::all<polled>(loop, parts, std::move(done));
}

std::shared_ptr<http::exchange> metric_source::fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                                     callback<void(fetched)> done, detail wanted) {
    return start_poll(*loop_, {shared_from_this(), {.now_ms = now_ms, .wanted = wanted}}, deadline_ms,
                      [done = std::move(done)](polled&& poll) { done(std::move(poll.outcome)); });
}

std::shared_ptr<http::exchange> metric_source::fetch_range(const time_range& range, std::int64_t deadline_ms,
                                                           callback<void(result<source::reading>)> done) {
    if (!metric_.traits->keeps_past) return nullptr;
    return start_poll(*loop_, {shared_from_this(), {.wanted = detail::everything, .range = range}}, deadline_ms,
                      [done = std::move(done)](polled&& poll) { done(reading_of(std::move(poll.outcome))); });
}

result<reading> reading_of(fetched outcome) {
    if (outcome.why.status != status::ok) return std::move(outcome.why);
    return std::move(outcome.reading);
}

}  // namespace gputide::source
