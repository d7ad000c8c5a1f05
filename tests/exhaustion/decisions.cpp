// Scenarios without a network: manifests, policies, states, scalers that are given their numbers; and what needs no manifest.

#include "scenario.hpp"

#include <array>

namespace exhaustion {
namespace {

// Two triggers, a formula, behavior, a forecast: each has memory of its own.
constexpr char manifest[] = R"yaml(apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo, annotations: {gputide.io/forecast: act}}
spec:
  scaleTargetRef: {name: demo}
  minReplicaCount: 1
  maxReplicaCount: 20
  fallback: {failureThreshold: 3, replicas: 4}
  advanced:
    scalingModifiers: {formula: "max(one, two)",
               target : "5"
}
    horizontalPodAutoscalerConfig:
      behavior:
        scaleDown:
          stabilizationWindowSeconds: 120
          policies: [{type: Percent, value: 50, periodSeconds: 60}]
  triggers:
    - {type: values, name: one, metadata: {threshold: "5"}}
    - {type: values, name: two, metadata: {threshold: "5", activationThreshold: "2"}}
)yaml";

// More metrics than a tick handles without an allocation.
constexpr char manifest_of_nine[] = R"yaml(apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  minReplicaCount: 1
  maxReplicaCount: 20
  triggers:
    - {type: values, name: one, metadata: {threshold: "5"}}
    - {type: values, name: two, metadata: {threshold: "5"}}
    - {type: values, name: three, metadata: {threshold: "5"}}
    - {type: values, name: four, metadata: {threshold: "5"}}
    - {type: values, name: five, metadata: {threshold: "5"}}
    - {type: values, name: six, metadata: {threshold: "5"}}
    - {type: values, name: seven, metadata: {threshold: "5"}}
    - {type: values, name: eight, metadata: {threshold: "5"}}
    - {type: values, name: nine, metadata: {threshold: "5"}}
)yaml";

struct given {
    std::array<gputide_sample, 9> samples;
    gputide_observation seen = sized<gputide_observation>();

    explicit given(std::uint32_t count) {
        for (gputide_sample& sample : samples) {
            sample = sized<gputide_sample>();
            sample.state = GPUTIDE_SAMPLE_OK;
            sample.value = 42.5;
        }
        seen.now_ms = start_ms;
        seen.current_replicas = 3;
        seen.samples = samples.data();
        seen.sample_count = count;
        seen.sample_size = sizeof(gputide_sample);
    }
};

gputide_status check() {
    text report, lines;
    return GPUTIDE(manifest_check, manifest, GPUTIDE_TEXT, nullptr, &report.value, &lines.value, nullptr);
}

gputide_status check_with_findings() {
    text report, lines;
    auto why = sized<gputide_error>();
    const gputide_status found = GPUTIDE(manifest_check, "kind: ScaledObject\nspec: {maxReplicaCont: a, triggers: 7}\n",
                                         GPUTIDE_TEXT, nullptr, &report.value, &lines.value, &why);
    return found == GPUTIDE_E_INVALID ? GPUTIDE_OK : found;
}

gputide_status policy() {
    gputide_policy* policy = nullptr;
    text json;
    steps all;
    all.then([&] { return GPUTIDE(policy_open, manifest, GPUTIDE_TEXT, nullptr, &policy, nullptr); })
        .then([&] { return GPUTIDE(policy_describe, policy, &json.value, nullptr); })
        .then([&] { return GPUTIDE(policy_metric_count, policy) == 2 ? GPUTIDE_OK : GPUTIDE_E_BUG; })
        .then([&] { return GPUTIDE(policy_metric_name, policy, 0) != nullptr ? GPUTIDE_OK : GPUTIDE_E_BUG; });
    GPUTIDE(policy_free, policy);
    return all.status();
}

gputide_status state() {
    gputide_policy* policy = nullptr;
    gputide_state *state = nullptr, *loaded = nullptr;
    given input(2);
    auto next = sized<gputide_decision>();
    text report, lines, saved, json;
    const std::array values{42.5, 7.0};
    steps all;
    all.then([&] { return GPUTIDE(policy_open, manifest, GPUTIDE_TEXT, nullptr, &policy, nullptr); })
        .then([&] { return GPUTIDE(state_new, policy, start_ms, &state, nullptr); })
        .then([&] { return GPUTIDE(decide, policy, state, &input.seen, &next, &report.value, nullptr); })
        .then([&] { return GPUTIDE(report_render, report.value.data, GPUTIDE_TEXT, &lines.value, nullptr); })
        .then([&] { return GPUTIDE(state_record, policy, state, &next, 1, start_ms, nullptr); })
        .then([&] { return GPUTIDE(state_save, policy, state, &saved.value, nullptr); })
        .then([&] { return GPUTIDE(state_describe, policy, state, &json.value, nullptr); })
        .then([&] { return GPUTIDE(state_load, policy, saved.value.data, GPUTIDE_TEXT, 0, &loaded, nullptr); })
        .then([&] {
            return GPUTIDE(decide_values, policy, loaded, start_ms + 60'000, 6, values.data(), 2, &next, nullptr);
        });
    GPUTIDE(state_free, loaded);
    GPUTIDE(state_free, state);
    GPUTIDE(policy_free, policy);
    return all.status();
}

// A decision that fails changes no state: the next one with the same numbers decides what the first would have.
gputide_status nine_metrics() {
    constexpr std::int32_t doubled = 6;  // 3 replicas, of which one pass makes at most twice as many
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    given input(9);
    auto next = sized<gputide_decision>();
    const auto decide = [&] { return GPUTIDE(decide, policy, state, &input.seen, &next, nullptr, nullptr); };
    steps all;
    all.then([&] { return GPUTIDE(policy_open, manifest_of_nine, GPUTIDE_TEXT, nullptr, &policy, nullptr); })
        .then([&] { return GPUTIDE(state_new, policy, start_ms, &state, nullptr); })
        .then([&] {
            const gputide_status first = decide();
            const bool is_decided = first == GPUTIDE_OK || decide() == GPUTIDE_OK;
            return is_decided && next.desired_replicas != doubled ? GPUTIDE_E_BUG : first;
        });
    GPUTIDE(state_free, state);
    GPUTIDE(policy_free, policy);
    return all.status();
}

gputide_status scaler() {
    gputide_scaler* scaler = nullptr;
    given input(2);
    auto next = sized<gputide_decision>();
    text report, json, saved;
    steps all;
    all.then([&] { return GPUTIDE(scaler_open, manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr); })
        .then([&] { return GPUTIDE(scaler_tick, scaler, &input.seen, 60'000, nullptr, &next, &report.value, nullptr); })
        .then([&] { return GPUTIDE(scaler_record, scaler, &next, 1, start_ms, nullptr); })
        .then([&] { return GPUTIDE(scaler_describe, scaler, &json.value, nullptr); })
        .then([&] { return GPUTIDE(scaler_save, scaler, &saved.value, nullptr); })
        .then([&] { return GPUTIDE(scaler_load, scaler, saved.value.data, GPUTIDE_TEXT, nullptr); });
    GPUTIDE(scaler_free, scaler);
    return all.status();
}

}  // namespace

void add_decisions(std::vector<scenario>& all) {
    all.insert(all.end(), {{"manifest check", check},
                           {"manifest check with findings", check_with_findings},
                           {"policy", policy},
                           {"state", state},
                           {"nine metrics", nine_metrics},
                           {"scaler", scaler}});
}

// Words, texts, logs, cancel flags, quantities, tokens' claims: what needs no manifest.

namespace {

gputide_status words() {
    const bool known = GPUTIDE(version) != nullptr && GPUTIDE(abi_version) > 0 &&
                       GPUTIDE(api, GPUTIDE_ABI_VERSION, nullptr) != nullptr &&
                       GPUTIDE(plan_api, GPUTIDE_ABI_VERSION, nullptr) != nullptr &&
                       GPUTIDE(kubernetes_api, GPUTIDE_ABI_VERSION, nullptr) != nullptr && GPUTIDE(features) != 0 &&
                       GPUTIDE(build_info) != nullptr && GPUTIDE(status_name, 0) != nullptr &&
                       GPUTIDE(action_name, 0) != nullptr && GPUTIDE(sample_state_name, GPUTIDE_SAMPLE_OK) != nullptr &&
                       GPUTIDE(limit_name, 0) != nullptr && GPUTIDE(condition_name, 0) != nullptr &&
                       GPUTIDE(reason_name, 1) != nullptr && GPUTIDE(event_name, 1) != nullptr &&
                       GPUTIDE(event_kind_name, 1) != nullptr && GPUTIDE(forecast_state_name, 0) != nullptr &&
                       GPUTIDE(floor_reason_name, 0) != nullptr;
    return known ? GPUTIDE_OK : GPUTIDE_E_BUG;
}

gputide_status log_lines() {
    gputide_log_reader* reader = nullptr;
    text line;
    std::int32_t level = 0;
    steps all;
    all.then([&] { return GPUTIDE(log_open, GPUTIDE_LOG_DEBUG, &reader, nullptr); }).then([&] {
        const gputide_status next = GPUTIDE(log_next, reader, 0, nullptr, &line.value, &level, nullptr);
        return next == GPUTIDE_E_NO_DATA ? GPUTIDE_OK : next;
    });
    GPUTIDE(log_close, reader);
    GPUTIDE(log_free, reader);
    return all.status();
}

void write_line(void*, std::int32_t, const char*) {}

gputide_status log_sink() {
    auto sink = sized<gputide_log_sink>();
    sink.level = GPUTIDE_LOG_DEBUG;
    sink.write = write_line;
    const gputide_status set = GPUTIDE(set_log, &sink, nullptr);
    const gputide_status unset = GPUTIDE(set_log, nullptr, nullptr);
    return set != GPUTIDE_OK ? set : unset;
}

// Texts have been given by now, so it is too late for another allocator.
gputide_status allocator() {
    const gputide_status late = GPUTIDE(set_allocator, nullptr, nullptr);
    return late == GPUTIDE_E_STATE ? GPUTIDE_OK : late;
}

gputide_status cancel_flag() {
    gputide_cancel* cancel = nullptr;
    const gputide_status made = GPUTIDE(cancel_new, &cancel, nullptr);
    if (made == GPUTIDE_OK) GPUTIDE(cancel_fire, cancel);
    GPUTIDE(cancel_free, cancel);
    return made;
}

gputide_status quantity() {
    std::int64_t milli = 0;
    return GPUTIDE(quantity, "1500m", GPUTIDE_TEXT, &milli, nullptr);
}

gputide_status claims() {
    text json;
    return GPUTIDE(token_claims, "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSIsImF1ZCI6WyJhIiwiYiJdLCJleHAiOjF9.x", GPUTIDE_TEXT,
                   &json.value, nullptr);
}

}  // namespace

void add_values(std::vector<scenario>& all) {
    all.insert(all.end(), {{"words", words},
                           {"log lines", log_lines},
                           {"log sink", log_sink},
                           {"allocator", allocator},
                           {"cancel flag", cancel_flag},
                           {"quantity", quantity},
                           {"token claims", claims}});
}

}  // namespace exhaustion
