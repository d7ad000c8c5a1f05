// Runs one or two queries and joins them.
#include "source/prometheus/fetch.hpp"

#include "auth/asking.hpp"
#include "base/format_text.hpp"
#include "base/time.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/judge.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace gputide::source::prometheus {
namespace {

// What a plan makes of the answers to its one or two queries.
class joining {
  public:
    joining(std::shared_ptr<http::loop> loop, fetch_plan plan) : loop_(std::move(loop)), plan_(std::move(plan)) {}

    fetched outcome(const std::vector<result<auth::exchanged>>& answers) const {
        fetched value = value_of(answers.front());
        if (answers.size() == 1) return value;
        fetched out = aged(std::move(value), age_of(answers.back()), plan_.now_ms, plan_.max_age_ms);
        if (out.why.status != status::ok && out.why.where.empty()) out.why.where = named(plan_.reader->label());
        return out;
    }

  private:
    error say(error why, const auth::exchanged& answer) const {
        return auth::outward_error(std::move(why), plan_.reader->label(), answer.sent, loop_->wall_ms(),
                                   answer.retry_at_ms);
    }
    error say(error why) const {
        return auth::outward_error(std::move(why), plan_.reader->label(), {}, loop_->wall_ms(), 0);
    }

    fetched value_of(const result<auth::exchanged>& answer) const {
        if (!answer) return judge_failure(say(answer.failure()));
        fetched out = plan_.reader->judged(answer->answer, plan_.wanted);
        if (out.why.status != status::ok) out.why = say(std::move(out.why), *answer);
        return out;
    }

    result<numbers> age_of(const result<auth::exchanged>& answer) const {
        if (!answer) return say(answer.failure());
        auto out = plan_.reader->numbers_in(answer->answer);
        if (!out) return say(std::move(out).failure(), *answer);
        return out;
    }

    std::shared_ptr<http::loop> loop_;
    fetch_plan plan_;
};

// The oldest time that an age query gave, in milliseconds.
std::optional<std::int64_t> oldest_ms(const numbers& numbers) {
    const formats::reduced oldest = formats::reduce(numbers.newest, "min");
    return oldest.used > 0 ? formats::query_api::milliseconds(oldest.value) : std::nullopt;
}

}  // namespace

std::shared_ptr<http::exchange> run_fetch(const std::shared_ptr<http::loop>& loop,
                                          const auth::authenticator& authenticator, fetch_plan plan,
                                          result<http::request> value, std::optional<result<http::request>> age,
                                          std::int64_t deadline_ms, std::function<void(fetched)> done) {
    std::vector<http::starter<result<auth::exchanged>>> parts;
    const auto add = [&](result<http::request> request) {
        parts.emplace_back([&loop, &authenticator, request = std::move(request), deadline_ms](auto one) {
            return auth::send_question(loop, authenticator, request, deadline_ms, std::move(one));
        });
    };
    add(std::move(value));
    if (age) add(*std::move(age));
    return http::all<result<auth::exchanged>>(
        *loop, parts,
        [plan = joining(loop, std::move(plan)),
         done = std::move(done)](const std::vector<result<auth::exchanged>>& answers) { done(plan.outcome(answers)); });
}

fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms) {
    if (value.sample.state != sample_state::ok || value.sample.null_as_zero) return value;
    if (!age) {
        error why = age.failure();
        why.message = "the value came, but how old it is could not be read: " + why.message;
        fetched out = judge_failure(std::move(why));
        out.reading = std::move(value.reading);
        return out;
    }
    const auto sampled_ms = oldest_ms(*age);
    value.sample.time_ms = sampled_ms.value_or(0);
    if (!sampled_ms) return stale(std::move(value), "the age query gave no time, so the value counts as too old");
    if (now_ms - *sampled_ms > max_age_ms) {
        return stale(std::move(value),
                     format_text("the oldest sample behind the value is {} old, {} are allowed "
                                 "(gputide.io/max-sample-age); check the exporter and its scrape",
                                 format_duration_ms(now_ms - *sampled_ms), format_duration_ms(max_age_ms)));
    }
    return value;
}

}  // namespace gputide::source::prometheus
