#include "replay/workload.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::replay {

namespace {

// Limits memory, since max may be 2147483647: a large increase draws one delay per group of replicas, and a long list adds
// new replicas to its last entry.
constexpr std::int32_t max_draws = 256;
constexpr std::size_t max_batches = 4'096;

}  // namespace

std::uint64_t draws::next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

std::int32_t workload::ready(std::int64_t now_ms) noexcept {
    std::size_t done = 0;
    for (; done < waiting_.size() && waiting_[done].ready_ms <= now_ms; ++done) {
        ready_ += waiting_[done].count;
        starting_ -= waiting_[done].count;
    }
    if (done > 0) waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
    return ready_;
}

void workload::resize(std::int32_t to, std::int64_t now_ms) {
    ready(now_ms);
    const std::int32_t change = to - replicas();
    if (change > 0) start(change, now_ms);
    if (change < 0) stop(-change);
}

void workload::start(std::int32_t count, std::int64_t now_ms) {
    if (startup_ms_.empty()) {
        ready_ += count;
        return;
    }
    starting_ += count;
    const std::int32_t each = (count - 1) / max_draws + 1;
    while (count > 0) {
        const std::int32_t now = std::min(each, count);
        count -= now;
        if (waiting_.size() >= max_batches) {
            waiting_.back().count += now;
            continue;
        }
        const batch entry{now_ms + startup_ms_[static_cast<std::size_t>(draws_.below(startup_ms_.size()))], now};
        const auto at = std::upper_bound(waiting_.begin(), waiting_.end(), entry,
                                         [](const batch& a, const batch& b) { return a.ready_ms < b.ready_ms; });
        waiting_.insert(at, entry);
    }
}

void workload::stop(std::int32_t count) {
    while (count > 0 && !waiting_.empty()) {
        batch& last = waiting_.back();
        const std::int32_t now = std::min(count, last.count);
        last.count -= now;
        starting_ -= now;
        count -= now;
        if (last.count == 0) waiting_.pop_back();
    }
    ready_ -= std::min(count, ready_);
}

namespace {

constexpr std::int64_t long_ago_ms = 86'400'000;  // longer than a controller waits for the first metrics of a pod
constexpr std::int64_t whole_request_milli = 100'000;

}  // namespace

bool is_per_pod(const decide::metric_policy& metric) noexcept { return !decide::is_one_number(metric.kind); }

bool has_per_pod(const decide::policy& policy) noexcept { return std::ranges::any_of(policy.metrics, &is_per_pod); }

bool is_shared_by_replicas(const decide::metric_policy& metric) noexcept {
    return !is_per_pod(metric) && metric.type == manifest::target_type::average_value;
}

void pod_view::look(const decide::policy& policy, std::span<const sample> metrics, std::int32_t ready,
                    std::int32_t starting, std::int64_t now_ms) {
    pods.clear();
    samples.clear();
    for (std::int32_t i = 0; i < ready + starting; ++i) {
        decide::pod& pod = pods.emplace_back();
        pod.readiness = i < ready ? decide::readiness::yes : decide::readiness::no;
        pod.start_time_ms = i < ready ? now_ms - long_ago_ms : now_ms;
        pod.ready_change_time_ms = pod.start_time_ms;
    }
    for (std::size_t at = 0; at < policy.metrics.size(); ++at) {
        if (!is_per_pod(policy.metrics[at]) || metrics[at].state != sample_state::ok) continue;
        const bool has_request = policy.metrics[at].type == manifest::target_type::utilization;
        for (std::int32_t i = 0; i < (has_request ? ready + starting : ready); ++i) {
            decide::pod_sample& sample = samples.emplace_back();
            sample.metric = static_cast<std::int32_t>(at);
            sample.pod = i;
            sample.value_milli = i < ready ? std::llround(metrics[at].value * 1000.0) : decide::absent;
            sample.time_ms = now_ms;
            if (has_request) sample.request_milli = whole_request_milli;
        }
    }
}

void metric_path::record(const sample& now, std::int64_t time_ms, std::int32_t recorded_replicas) noexcept {
    recorded = {now.state, now.value, time_ms, -1.0};
    if (now.state != sample_state::ok) return;
    recorded.load = signal == signal::total ? now.value : now.value * std::max(recorded_replicas, 1);
}

measured metric_path::simulated(std::int32_t serving, std::int64_t now_ms) const noexcept {
    measured out = recorded;
    out.time_ms = now_ms;
    if (!fresh(now_ms)) {
        out.state = sample_state::empty;
        out.value = 0.0;
        out.load = -1.0;
    }
    if (out.state != sample_state::ok || signal == signal::total) return out;
    if (serving <= 0 && signal == signal::utilization) {
        out.state = sample_state::empty;
        out.value = 0.0;
        return out;
    }
    out.value = out.load / std::max(serving, 1);
    if (signal == signal::utilization) out.value = std::min(out.value, saturation);
    return out;
}

}  // namespace gputide::replay
