#include "runtime/reads.hpp"

#include <mutex>
#include <utility>

namespace gputide::runtime {
namespace {

std::shared_ptr<const error> told(error why) {
    return why.status == status::ok ? nullptr : std::make_shared<const error>(std::move(why));
}

// Several reads as one exchange: done when the last of them is.
class reads_under_way final : public http::exchange, public std::enable_shared_from_this<reads_under_way> {
  public:
    // asked: how many of the `metrics` will be; the others are given.
    reads_under_way(http::loop& on, std::size_t metrics, std::size_t asked,
                    std::function<void(std::vector<last_read>)> done)
        : on_(on), started_ms_(on.steady_ms()), done_(std::move(done)), reads_(metrics), open_(asked) {
        parts_.reserve(asked);
    }

    void ask(std::size_t metric, const std::shared_ptr<source::metric_source>& from, const read_plan& how) {
        keep(from->fetch(how.now_ms, how.deadline_ms,
                         [self = shared_from_this(), from, metric, now_ms = how.now_ms](source::fetched got) {
                             const std::int64_t took_ms = self->on_.steady_ms() - self->started_ms_;
                             self->give(metric, {got.sample, told(std::move(got.why)), now_ms, took_ms, got.pods});
                             self->finish_one();
                         }));
    }

    void give(std::size_t metric, last_read read) {
        const std::lock_guard hold(guard_);
        reads_[metric] = std::move(read);
    }

    void finish_one() {
        std::function<void(std::vector<last_read>)> done;
        std::vector<last_read> reads;
        {
            const std::lock_guard hold(guard_);
            if (open_ > 0 && --open_ > 0) return;
            done = std::exchange(done_, nullptr);
            reads.swap(reads_);
        }
        if (done) done(std::move(reads));
    }

    void cancel() override {
        std::function<void(std::vector<last_read>)> dropped;
        std::vector<std::shared_ptr<http::exchange>> parts;
        {
            const std::lock_guard hold(guard_);
            dropped.swap(done_);
            parts.swap(parts_);
        }
        for (const auto& part : parts) part->cancel();
    }

  private:
    // cancel() may have been faster.
    void keep(std::shared_ptr<http::exchange> part) {
        {
            const std::lock_guard hold(guard_);
            if (done_) {
                parts_.push_back(std::move(part));
                return;
            }
        }
        part->cancel();
    }

    http::loop& on_;
    const std::int64_t started_ms_;

    std::mutex guard_;
    std::function<void(std::vector<last_read>)> done_;  // empty: finished or cancelled
    std::vector<last_read> reads_;
    std::vector<std::shared_ptr<http::exchange>> parts_;
    std::size_t open_;
};

bool is_given(const read_plan& how, std::size_t metric) {
    return metric < how.given.size() && how.given[metric].state != sample_state::not_read;
}

}  // namespace

std::shared_ptr<http::exchange> read_metrics(http::loop& on,
                                             const std::vector<std::shared_ptr<source::metric_source>>& from,
                                             const read_plan& how, std::function<void(std::vector<last_read>)> done) {
    std::size_t asked = 0;
    for (std::size_t i = 0; i < from.size(); ++i) asked += from[i] != nullptr && !is_given(how, i) ? 1U : 0U;
    auto all = std::make_shared<reads_under_way>(on, from.size(), asked, std::move(done));
    // What is given first: the last of those asked may end it all, on another thread, before this call does.
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (is_given(how, i)) {
            all->give(i, {how.given[i], told(fail(how.given[i].status, {})), how.now_ms, 0, nullptr});
        }
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != nullptr && !is_given(how, i)) all->ask(i, from[i], how);
    }
    if (asked == 0) on.after(0, [all] { all->finish_one(); });
    return all;
}

}  // namespace gputide::runtime
