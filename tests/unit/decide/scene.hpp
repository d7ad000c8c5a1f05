// Policies, samples and ticks for the tests of this module, in few words.
#pragma once

#include "decide/decide.hpp"
#include "decide/decision.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::decide::scene {

inline constexpr std::int64_t start_ms = 1'800'000'000'000;

inline metric_policy metric(std::string name, std::int64_t target_milli,
                            manifest::target_type type = manifest::target_type::average_value) {
    metric_policy out;
    out.name = std::move(name);
    out.type = type;
    out.target_milli = target_milli;
    return out;
}

// A ScaledObject with one Prometheus trigger, threshold 5, 1..20 unless said.
inline policy scaled_object(std::int32_t min = 1, std::int32_t max = 20, std::int64_t target_milli = 5000) {
    policy out;
    out.scaling.name = "web";
    out.scaling.target_name = "web";
    out.scaling.min = min;
    out.scaling.max = max;
    out.metrics = {metric("s0-prometheus", target_milli)};
    return out;
}

inline policy hpa(std::int32_t min = 1, std::int32_t max = 20, std::int64_t target_milli = 5000) {
    policy out = scaled_object(min, max, target_milli);
    out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    return out;
}

inline manifest::behavior default_behavior() {
    manifest::behavior out;
    out.up.policies = {{manifest::policy_type::pods, 4, 15}, {manifest::policy_type::percent, 100, 15}};
    out.down.window_s = 300;
    out.down.policies = {{manifest::policy_type::percent, 100, 15}};
    return out;
}

inline sample value(double number, std::int64_t time_ms = 0) {
    sample out;
    out.state = sample_state::ok;
    out.value = number;
    out.time_ms = time_ms;
    return out;
}

inline sample no_value(sample_state state) {
    sample out;
    out.state = state;
    out.status = status::unavailable;
    return out;
}

// A scaler that is driven through time; what it wants is applied at once.
struct driven {
    explicit driven(policy from, std::int32_t size = 1) : by(std::move(from)), with(make_state(by)), replicas(size) {}

    decision look(std::int64_t at_ms, const std::vector<sample>& samples, trace* why = nullptr) {
        observation seen;
        seen.now_ms = start_ms + at_ms;
        seen.spec_replicas = replicas;
        seen.ready_replicas = ready;
        seen.samples = samples;
        seen.executor_is_called = executor_is_called;
        seen.startable_replicas = startable;
        seen.asks_back = asks_back;
        seen.no_capacity = "gpunp is at its maximum of 2";
        return decide(by, with, seen, why);
    }
    decision tick(std::int64_t at_ms, const std::vector<sample>& samples) {
        decision made = look(at_ms, samples);
        replicas = made.desired_replicas;
        record_applied(by, with, made, start_ms + at_ms);
        return made;
    }

    policy by;
    state with;
    std::int32_t replicas;
    std::int32_t ready = -1;
    bool executor_is_called = false;
    std::int32_t startable = -1;
    bool asks_back = false;
};

inline reason reason_of(const decision& made, condition_type type) {
    return condition_of(made.conditions, type).reason;
}
inline truth truth_of(const decision& made, condition_type type) { return condition_of(made.conditions, type).truth; }

}  // namespace gputide::decide::scene
