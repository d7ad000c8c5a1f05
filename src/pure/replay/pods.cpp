#include "replay/pods.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::replay {
namespace {

constexpr std::int64_t long_ago_ms = 86'400'000;  // longer than a controller waits for a pod's first metrics
constexpr std::int64_t whole_request_milli = 100'000;

}  // namespace

bool is_per_pod(const decide::metric_policy& metric) noexcept { return !decide::is_one_number(metric.kind); }

bool has_per_pod(const decide::policy& policy) noexcept {
    return std::any_of(policy.metrics.begin(), policy.metrics.end(), &is_per_pod);
}

bool is_shared_by_replicas(const decide::metric_policy& metric) noexcept {
    return !is_per_pod(metric) && metric.type == config::target_type::average_value;
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
        const bool has_request = policy.metrics[at].type == config::target_type::utilization;
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

}  // namespace gputide::replay
