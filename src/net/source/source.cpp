// The common part of sources: key, authentication, errors, and polls with one round.
#include "source/source.hpp"

#include "auth/crypto/digest.hpp"
#include "base/format_text.hpp"
#include "source/judge.hpp"
#include "source/poll.hpp"

#include <algorithm>
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
    if (!answer) return failed(answer.failure(), poll);
    fetched out = sample_of(answer->answer, poll);
    if (out.why.status != status::ok) out.why = outward(std::move(out.why), poll, *answer);
    return out;
}

error metric_source::outward(error why, const poll& poll) const {
    return auth::outward_error(std::move(why), label(), {}, poll.wall_ms, 0);
}

error metric_source::outward(error why, const poll& poll, const auth::exchanged& answer) const {
    return auth::outward_error(std::move(why), label(), answer.sent, poll.wall_ms, answer.retry_at_ms);
}

fetched metric_source::failed(error why, const poll& poll) const {
    return judge_failure(outward(std::move(why), poll));
}

fetched metric_source::failed(error why, const poll& poll, const auth::exchanged& answer) const {
    return judge_failure(outward(std::move(why), poll, answer));
}

std::shared_ptr<http::exchange> metric_source::fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                                     callback<void(fetched)> done, detail wanted) {
    std::vector<source_poll> alone;
    alone.push_back({shared_from_this(), {.now_ms = now_ms, .wanted = wanted}});
    return send_polls(*loop_, std::move(alone), deadline_ms, [done = std::move(done)](std::vector<polled> outcome) {
        done(std::move(outcome.front().outcome));
    });
}

std::shared_ptr<http::exchange> metric_source::fetch_range(const time_range& range, std::int64_t deadline_ms,
                                                           callback<void(result<source::reading>)> done) {
    if (!metric_.traits->keeps_past) return nullptr;
    std::vector<source_poll> alone;
    alone.push_back({shared_from_this(), {.wanted = detail::everything, .range = range}});
    return send_polls(*loop_, std::move(alone), deadline_ms, [done = std::move(done)](std::vector<polled> outcome) {
        done(reading_of(std::move(outcome.front().outcome)));
    });
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

}  // namespace gputide::source
