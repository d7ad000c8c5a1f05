#include "runtime/reads.hpp"

#include <mutex>
#include <utility>

namespace gputide::runtime {
namespace {

std::shared_ptr<const error> told(error why) {
    return why.status == status::ok ? nullptr : std::make_shared<const error>(std::move(why));
}

// Several reads as one exchange: done when the last of them is.
class reads_under_way final : public http::exchange {
  public:
    reads_under_way(http::loop& on, const std::vector<std::shared_ptr<source::metric_source>>& from,
                    std::function<void(std::vector<last_read>)> done)
        : on_(on), from_(from), done_(std::move(done)), reads_(from.size()) {}

    // The read of `metric` by its source; `self` is this.
    void ask(const std::shared_ptr<reads_under_way>& self, std::size_t metric, const read_plan& how) {
        expect();
        keep(
            from_[metric]->fetch(how.now_ms, how.deadline_ms, [self, metric, now_ms = how.now_ms](source::fetched got) {
                const std::int64_t took_ms = self->on_.steady_ms() - self->started_ms_;
                self->give(metric, {got.sample, told(std::move(got.why)), now_ms, took_ms, std::move(got.pods)});
                self->finish_one();
            }));
    }

    void expect() {
        const std::lock_guard hold(guard_);
        ++open_;
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
            if (--open_ > 0) return;
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
    const std::vector<std::shared_ptr<source::metric_source>> from_;
    const std::int64_t started_ms_ = on_.steady_ms();

    std::mutex guard_;
    std::function<void(std::vector<last_read>)> done_;  // empty: finished or cancelled
    std::vector<last_read> reads_;
    std::vector<std::shared_ptr<http::exchange>> parts_;
    std::size_t open_ = 0;
};

}  // namespace

std::shared_ptr<http::exchange> read_metrics(http::loop& on,
                                             const std::vector<std::shared_ptr<source::metric_source>>& from,
                                             const read_plan& how, std::function<void(std::vector<last_read>)> done) {
    auto all = std::make_shared<reads_under_way>(on, from, std::move(done));
    all->expect();  // this call itself, so that nothing finishes before everything has started
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (i < how.given.size() && how.given[i].state != sample_state::not_read) {
            all->give(i, {how.given[i], told(fail(how.given[i].status, {})), how.now_ms, 0, nullptr});
        } else if (from[i] != nullptr) {
            all->ask(all, i, how);
        }
    }
    on.after(0, [all] { all->finish_one(); });
    return all;
}

}  // namespace gputide::runtime
