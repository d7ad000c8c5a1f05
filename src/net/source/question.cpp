// Runs the question of question.hpp.
#include "source/question.hpp"

#include "auth/asking.hpp"
#include "source/judge.hpp"
#include "source/steps.hpp"

#include <utility>

namespace gputide::source {
namespace {

class question_source final : public metric_source, public std::enable_shared_from_this<question_source> {
  public:
    question_source(source::metric metric, const std::string& key, question question, auth::authenticator access,
                    std::shared_ptr<http::loop> loop)
        : metric_source(std::move(metric), key, std::move(access)),
          question_(std::move(question)),
          loop_(std::move(loop)) {}

    result<http::request> request(std::int64_t now_ms) const override { return prepared(question_.build(now_ms)); }

    result<source::reading> read(const http::answer& answer) const override { return question_.read(answer); }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        const times when{now_ms, deadline_ms};
        if (!question_.first || !question_.first->due(loop_->steady_ms()))
            return ask_value(when, std::move(done), wanted);
        auto both = std::make_shared<steps>();
        both->carry(auth::send_question(
            loop_, authenticator(), prepared(question_.first->build()), deadline_ms,
            [self = shared_from_this(), both, when, wanted,
             done = std::move(done)](const result<auth::exchanged>& exchanged) {
                if (error why = self->learn(exchanged); why.status != status::ok)
                    return done(judge_failure(std::move(why)));
                both->carry(self->ask_value(when, done, wanted));
            },
            question_.retry));
        return both;
    }

  private:
    struct times {
        std::int64_t now_ms = 0;
        std::int64_t deadline_ms = 0;
    };

    std::shared_ptr<http::exchange> ask_value(const times& when, std::function<void(fetched)> done, detail wanted) {
        return auth::send_question(
            loop_, authenticator(), request(when.now_ms), when.deadline_ms,
            [self = shared_from_this(), when, wanted,
             done = std::move(done)](const result<auth::exchanged>& exchanged) {
                fetched out = self->outcome(exchanged, when.now_ms);
                if (wanted == detail::value) out.reading.series.clear();
                done(std::move(out));
            },
            question_.retry);
    }

    // Status ok: the question itself may be asked.
    error learn(const result<auth::exchanged>& exchanged) const {
        const std::int64_t wall_ms = loop_->wall_ms();
        if (!exchanged) return auth::outward_error(exchanged.failure(), label(), {}, wall_ms, 0);
        auto learnt = question_.first->learn(exchanged->answer, loop_->steady_ms());
        if (learnt) return fail(status::ok, {});
        return auth::outward_error(std::move(learnt).failure(), label(), exchanged->sent, wall_ms,
                                   exchanged->retry_at_ms);
    }

    fetched outcome(const result<auth::exchanged>& exchanged, std::int64_t now_ms) const {
        const std::int64_t wall_ms = loop_->wall_ms();
        if (!exchanged) return judge_failure(auth::outward_error(exchanged.failure(), label(), {}, wall_ms, 0));
        fetched out = within_age(judge(read(exchanged->answer)), now_ms, question_.max_age_ms, question_.age_remedy);
        if (out.why.status != status::ok) {
            out.why =
                auth::outward_error(std::move(out.why), label(), exchanged->sent, wall_ms, exchanged->retry_at_ms);
        }
        return out;
    }

    const question question_;
    const std::shared_ptr<http::loop> loop_;
};

}  // namespace

result<std::shared_ptr<metric_source>> open_question(const description& described, const std::string& key,
                                                     question question, result<auth::authenticator> access,
                                                     std::shared_ptr<http::loop> loop) {
    if (!access) return std::move(access).failure();
    return std::shared_ptr<metric_source>(std::make_shared<question_source>(
        described, described.question + key, std::move(question), *std::move(access), std::move(loop)));
}

}  // namespace gputide::source
