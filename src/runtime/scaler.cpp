#include "runtime/scaler.hpp"

#include "runtime/log.hpp"

#include <utility>

namespace gputide::runtime {
namespace {

// Several reads as one exchange: done when the last of them is.
class reads_under_way final : public http::exchange, public std::enable_shared_from_this<reads_under_way> {
  public:
    reads_under_way(std::size_t metrics, std::function<void(std::vector<sample>)> done)
        : samples_(metrics), done_(std::move(done)) {}

    void expect() { ++open_; }
    void give(std::size_t metric, const sample& value) { samples_[metric] = value; }
    void keep(std::shared_ptr<http::exchange> part) { parts_.push_back(std::move(part)); }

    void finish_one() {
        if (--open_ == 0 && done_) std::exchange(done_, nullptr)(std::move(samples_));
    }

    void cancel() override {
        done_ = nullptr;
        for (const auto& part : parts_) part->cancel();
    }

  private:
    std::vector<sample> samples_;
    std::function<void(std::vector<sample>)> done_;
    std::vector<std::shared_ptr<http::exchange>> parts_;
    std::size_t open_ = 0;
};

void log_failure(const decide::policy& by, std::size_t metric, const error& why) {
    if (!log_wants(log_level::warning)) return;
    log(log_level::warning, by.spec.name_space + "/" + by.spec.name + ": " + by.metrics[metric].name + ": " +
                                status_name(why.status) + ": " + why.message);
}

}  // namespace

scaler::scaler(pipeline of, std::shared_ptr<http::loop> on, std::int64_t created_ms)
    : pipeline_(std::move(of)),
      loop_(std::move(on)),
      state_(decide::make_state(pipeline_.policy, created_ms)),
      reads_(pipeline_.policy.metrics.size()) {}

void scaler::set_state(decide::state next) {
    state_ = std::move(next);
    next_due_ms_ = 0;  // the state knows when its halves ran; the next call asks it
}

std::shared_ptr<http::exchange> scaler::fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                              std::span<const sample> given,
                                              std::function<void(std::vector<sample>)> done) {
    const std::size_t metrics = pipeline_.sources.size();
    auto all = std::make_shared<reads_under_way>(metrics, std::move(done));
    const std::int64_t started_ms = loop_->steady_ms();
    all->expect();  // this call itself, so that nothing finishes before everything has started
    for (std::size_t i = 0; i < metrics; ++i) {
        if (i < given.size() && given[i].state != sample_state::not_read) {
            all->give(i, given[i]);
            reads_[i] = {given[i], {}, now_ms, 0};
            reads_[i].why.status = given[i].status;
            continue;
        }
        if (pipeline_.sources[i] == nullptr) continue;
        all->expect();
        all->keep(
            pipeline_.sources[i]->fetch(now_ms, deadline_ms, [this, all, i, now_ms, started_ms](source::fetched got) {
                if (got.sample.state != sample_state::ok) log_failure(pipeline_.policy, i, got.why);
                all->give(i, got.sample);
                reads_[i] = {got.sample, std::move(got.why), now_ms, loop_->steady_ms() - started_ms};
                all->finish_one();
            }));
    }
    loop_->after(0, [all] { all->finish_one(); });
    return all;
}

decide::decision scaler::decide(const decide::observation& seen, decide::trace* why) {
    last_ = decide::decide(pipeline_.policy, state_, seen, why);
    next_due_ms_ = last_.next_due_ms;
    return last_;
}

void scaler::record(decide::decision& made, bool applied, std::int64_t now_ms) {
    if (applied) {
        decide::record_applied(pipeline_.policy, state_, made, now_ms);
    } else {
        decide::record_failed(pipeline_.policy, state_, made, now_ms);
    }
    last_ = made;
}

}  // namespace gputide::runtime
