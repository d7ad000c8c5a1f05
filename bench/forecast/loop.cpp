#include "forecast/loop.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace forecast_loop {
namespace {

namespace manifest = gputide::manifest;
namespace decide = gputide::decide;

constexpr std::int64_t pass_ms = 15'000;
constexpr std::int64_t age_ms = 30'000;
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t day_ms = 86'400'000;

decide::policy policy_of(const plan& plan) {
    manifest::scaling spec;
    spec.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    spec.name = spec.target_name = "loop";
    spec.min = 1;
    spec.max = 100'000;
    spec.extra.sync_period_ms = pass_ms;
    if (plan.forecast) spec.extra.forecast.mode = manifest::forecast_mode::act;
    spec.extra.forecast.lead_ms = plan.lead_ms;
    spec.extra.forecast.budget_percent = plan.budget_percent;
    decide::metric_policy metric;
    metric.name = "load";
    metric.target_milli = std::llround(plan.target * (1 - plan.headroom) * 1000);
    return *decide::make_policy(spec, {metric});
}

// Replicas that start, oldest first; a smaller size takes the youngest away.
class workload {
  public:
    workload(std::int32_t size, std::int64_t lead_ms) : serving_(size), lead_ms_(lead_ms) {}

    void scale(std::int32_t size, std::int64_t now_ms) {
        while (this->size() < size) starting_.push_back(now_ms + lead_ms_);
        while (this->size() > size && !starting_.empty()) starting_.pop_back();
        serving_ = std::min(serving_, size);
    }
    std::int32_t serving(std::int64_t now_ms) {
        while (!starting_.empty() && starting_.front() <= now_ms) {
            starting_.pop_front();
            ++serving_;
        }
        return serving_;
    }
    std::int32_t size() const { return serving_ + static_cast<std::int32_t>(starting_.size()); }

  private:
    std::int32_t serving_;
    std::int64_t lead_ms_;
    std::deque<std::int64_t> starting_;
};

double load_at(const plan& plan, std::int64_t at_ms) {
    const std::int64_t last = static_cast<std::int64_t>(plan.loads.size()) - 1;
    return plan.loads[static_cast<std::size_t>(std::clamp<std::int64_t>(at_ms / minute_ms, 0, last))];
}

gputide::sample sample_of(double load, std::int64_t time_ms) {
    gputide::sample out;
    out.state = std::isnan(load) ? gputide::sample_state::failed : gputide::sample_state::ok;
    out.value = std::isnan(load) ? 0.0 : load;
    out.time_ms = time_ms;
    return out;
}

void count(figures& out, const plan& plan, double load, std::int32_t serving, std::int32_t size) {
    constexpr double of_a_minute = static_cast<double>(pass_ms) / minute_ms;
    out.minutes += of_a_minute;
    out.replica_hours += size * of_a_minute / 60;
    if (load > 1.1 * plan.target * serving) out.under_minutes += of_a_minute;
}

}  // namespace

figures run(const plan& plan) {
    const decide::policy by = policy_of(plan);
    decide::state with = decide::make_state(by);
    workload replicas(std::max(1, static_cast<std::int32_t>(std::ceil(plan.loads.front() / plan.target))),
                      plan.lead_ms);
    figures out;
    const std::int64_t end_ms = static_cast<std::int64_t>(plan.loads.size()) * minute_ms;
    for (std::int64_t at_ms = 0; at_ms < end_ms; at_ms += pass_ms) {
        const std::int64_t now_ms = plan.start_ms + at_ms;
        const gputide::sample read = sample_of(load_at(plan, at_ms - age_ms), now_ms - age_ms);
        decide::observation seen;
        seen.now_ms = now_ms;
        seen.spec_replicas = replicas.size();
        seen.ready_replicas = replicas.serving(now_ms);
        seen.samples = {&read, 1};
        decide::decision made = decide::decide(by, with, seen);
        if (made.limited_by == decide::limit::forecast) ++out.raises;
        replicas.scale(made.desired_replicas, now_ms);
        decide::record_applied(by, with, made, now_ms);
        out.sizes.push_back(made.desired_replicas);
        if (at_ms >= day_ms) count(out, plan, load_at(plan, at_ms), replicas.serving(now_ms), replicas.size());
    }
    return out;
}

comparison compare(plan plan) {
    comparison out;
    plan.forecast = false;
    out.without = run(plan);
    plan.forecast = true;
    out.with = run(plan);
    if (out.without.under_minutes > 0)
        out.under_percent = 100 * (out.with.under_minutes / out.without.under_minutes - 1);
    out.extra_percent = 100 * (out.with.replica_hours / out.without.replica_hours - 1);
    return out;
}

double headroom_percent(plan plan, double extra_percent) {
    plan.forecast = false;
    plan.headroom = 0;
    const figures plain = run(plan);
    double least = 0.0;
    double most = 0.5;
    figures best = plain;
    for (int i = 0; i < 10; ++i) {
        plan.headroom = (least + most) / 2;
        const figures tried = run(plan);
        const bool dear = 100 * (tried.replica_hours / plain.replica_hours - 1) > extra_percent;
        (dear ? most : least) = plan.headroom;
        if (!dear) best = tried;
    }
    return plain.under_minutes > 0 ? 100 * (best.under_minutes / plain.under_minutes - 1) : 0.0;
}

}  // namespace forecast_loop
