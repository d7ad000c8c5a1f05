// Runs the question of question.hpp.
#include "source/question.hpp"

#include "source/exchange.hpp"
#include "source/reduce.hpp"
#include "source/steps.hpp"

#include <utility>

namespace gputide::source {
namespace {

class question_source final : public metric_source, public std::enable_shared_from_this<question_source> {
  public:
    question_source(question what, auth::authenticator by, services with)
        : what_(std::move(what)), by_(std::move(by)), with_(std::move(with)) {}

    const source::target& target() const override { return what_.target; }

    const auth::authenticator* access() const override { return &by_; }

    std::string query_key() const override { return what_.key + "\n" + by_.key(); }

    result<http::request> request(std::int64_t now_ms) const override { return prepared(what_.build(now_ms)); }

    result<source::reading> read(const http::answer& got) const override { return what_.read(got); }

    fetched judge(result<source::reading> got) const override {
        if (!got) return judge_failure(std::move(got).failure());
        fetched out = what_.judge(*got);
        out.reading = *std::move(got);
        return out;
    }

    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted) override {
        const moment when{now_ms, deadline_ms};
        if (!what_.first || !what_.first->due(with_.loop->steady_ms())) return ask_value(when, std::move(done), wanted);
        auto both = std::make_shared<steps>();
        both->carry(ask(
            with_.loop, by_, prepared(what_.first->build()), deadline_ms,
            [self = shared_from_this(), both, when, wanted, done = std::move(done)](const result<exchanged>& got) {
                if (error why = self->learn(got); why.status != status::ok) return done(judge_failure(std::move(why)));
                both->carry(self->ask_value(when, done, wanted));
            },
            what_.retry));
        return both;
    }

  private:
    struct moment {
        std::int64_t now_ms = 0;
        std::int64_t deadline_ms = 0;
    };

    std::shared_ptr<http::exchange> ask_value(const moment& when, std::function<void(fetched)> done, detail wanted) {
        return ask(
            with_.loop, by_, request(when.now_ms), when.deadline_ms,
            [self = shared_from_this(), when, wanted, done = std::move(done)](const result<exchanged>& got) {
                fetched out = self->outcome(got, when.now_ms);
                if (wanted == detail::value) out.reading.series.clear();
                done(std::move(out));
            },
            what_.retry);
    }

    result<http::request> prepared(result<http::request> what) const {
        if (!what) return placed(std::move(what).failure());
        if (auto ready = by_.prepare(*what); !ready) return placed(std::move(ready).failure());
        return what;
    }

    // Status ok: the question itself may be asked.
    error learn(const result<exchanged>& got) const {
        const std::int64_t wall_ms = with_.loop->wall_ms();
        if (!got) return told(got.failure(), what_.label, {}, wall_ms, 0);
        auto learnt = what_.first->learn(got->got, with_.loop->steady_ms());
        if (learnt) return fail(status::ok, {});
        return told(std::move(learnt).failure(), what_.label, got->sent, wall_ms, got->retry_at_ms);
    }

    error placed(error why) const {
        if (why.where.empty()) why.where = named(what_.label);
        return why;
    }

    fetched outcome(const result<exchanged>& got, std::int64_t now_ms) const {
        const std::int64_t wall_ms = with_.loop->wall_ms();
        if (!got) return judge_failure(told(got.failure(), what_.label, {}, wall_ms, 0));
        fetched out = within_age(judge(read(got->got)), now_ms, what_.max_age_ms, what_.age_remedy);
        if (out.why.status != status::ok) {
            out.why = told(std::move(out.why), what_.label, got->sent, wall_ms, got->retry_at_ms);
        }
        return out;
    }

    const question what_;
    const auth::authenticator by_;
    const services with_;
};

}  // namespace

std::shared_ptr<metric_source> made(question what, auth::authenticator by, services with) {
    return std::make_shared<question_source>(std::move(what), std::move(by), std::move(with));
}

}  // namespace gputide::source
