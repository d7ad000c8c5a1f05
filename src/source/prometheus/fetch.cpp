// Runs one or two queries and joins them.
#include "source/prometheus/fetch.hpp"

#include "base/time.hpp"
#include "source/exchange.hpp"
#include "source/prometheus/parse.hpp"
#include "source/reduce.hpp"

#include <array>
#include <cmath>
#include <mutex>
#include <utility>

namespace gputide::source::prometheus {
namespace {

class fetching final : public http::exchange, public std::enable_shared_from_this<fetching> {
  public:
    fetching(std::shared_ptr<http::loop> on, fetch_plan plan, bool asks_age, std::function<void(fetched)> done)
        : on_(std::move(on)), plan_(std::move(plan)), asks_age_(asks_age), done_(std::move(done)) {}

    void start(const auth::authenticator& by, result<http::request> value, std::optional<result<http::request>> age,
               std::int64_t deadline_ms) {
        std::array<std::shared_ptr<http::exchange>, 2> parts;
        parts[0] =
            ask(on_, by, std::move(value), deadline_ms, [self = shared_from_this()](const result<exchanged>& got) {
                self->finish(&fetching::value_, self->value_of(got));
            });
        if (age) {
            parts[1] =
                ask(on_, by, *std::move(age), deadline_ms, [self = shared_from_this()](const result<exchanged>& got) {
                    self->finish(&fetching::age_, self->age_of(got));
                });
        }
        const std::lock_guard hold(guard_);
        if (done_) parts_ = std::move(parts);
    }

    void cancel() override {
        std::array<std::shared_ptr<http::exchange>, 2> parts;
        {
            const std::lock_guard hold(guard_);
            done_ = nullptr;
            parts = std::exchange(parts_, {});
        }
        for (const auto& part : parts) {
            if (part) part->cancel();
        }
    }

  private:
    error say(error why, const exchanged& by) const {
        return told(std::move(why), plan_.reader->label(), by.sent, on_->wall_ms(), by.retry_at_ms);
    }
    error say(error why) const { return told(std::move(why), plan_.reader->label(), {}, on_->wall_ms(), 0); }

    fetched value_of(const result<exchanged>& got) const {
        if (!got) return judge_failure(say(got.failure()));
        fetched out = plan_.reader->judged(got->got, plan_.wanted);
        if (out.why.status != status::ok) out.why = say(std::move(out.why), *got);
        return out;
    }

    result<numbers> age_of(const result<exchanged>& got) const {
        if (!got) return say(got.failure());
        auto out = plan_.reader->numbers_in(got->got);
        if (!out) return say(std::move(out).failure(), *got);
        return out;
    }

    // One part is there; the last one to come ends the fetch.
    template <class Part>
    void finish(std::optional<Part> fetching::*part, Part outcome) {
        std::function<void(fetched)> done;
        {
            const std::lock_guard hold(guard_);
            this->*part = std::move(outcome);
            if (!value_ || (asks_age_ && !age_)) return;
            done = std::exchange(done_, nullptr);
            parts_ = {};
        }
        if (done) done(joined());
    }

    fetched joined() {
        if (!age_) return *std::move(value_);
        fetched out = aged(*std::move(value_), *age_, plan_.now_ms, plan_.max_age_ms);
        if (out.why.status != status::ok && out.why.where.empty()) out.why.where = named(plan_.reader->label());
        return out;
    }

    const std::shared_ptr<http::loop> on_;
    const fetch_plan plan_;
    const bool asks_age_;

    std::mutex guard_;
    std::function<void(fetched)> done_;  // empty: finished or cancelled
    std::array<std::shared_ptr<http::exchange>, 2> parts_;
    std::optional<fetched> value_;
    std::optional<result<numbers>> age_;
};

// The oldest time that an age query gave, in milliseconds.
std::optional<std::int64_t> oldest_ms(const numbers& from) {
    const reduced oldest = reduce(from.newest, "min");
    return oldest.used > 0 ? milliseconds(oldest.value) : std::nullopt;
}

}  // namespace

std::shared_ptr<http::exchange> run_fetch(std::shared_ptr<http::loop> on, const auth::authenticator& by,
                                          fetch_plan plan, result<http::request> value,
                                          std::optional<result<http::request>> age, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done) {
    auto out = std::make_shared<fetching>(std::move(on), std::move(plan), age.has_value(), std::move(done));
    out->start(by, std::move(value), std::move(age), deadline_ms);
    return out;
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
                     "the oldest sample behind the value is " + format_duration_ms(now_ms - *sampled_ms) + " old, " +
                         format_duration_ms(max_age_ms) +
                         " are allowed (gputide.io/max-sample-age); check the exporter and its scrape");
    }
    return value;
}

}  // namespace gputide::source::prometheus
