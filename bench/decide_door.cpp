// Measures what a decision costs a host: through libgputide.so alone, as any program calls it.  Prints a JSON array of results.
#include "allocations.hpp"
#include "textbook.hpp"

#include <cstdio>
#include <cstdlib>
#include <gputide/gputide.h>
#include <string>

namespace gputide::bench {
namespace {

std::string manifest(const std::string& advanced) {
    return "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"web\"},\"spec\":{"
           "\"scaleTargetRef\":{\"name\":\"web\"},\"pollingInterval\":15,\"minReplicaCount\":1,\"maxReplicaCount\":"
           "20," +
           advanced +
           "\"triggers\":[{\"type\":\"prometheus\",\"metadata\":{\"serverAddress\":\"http://"
           "prometheus:9090\",\"query\":"
           "\"sum(queue)\",\"threshold\":\"5\"}}]}}";
}

const char* const behavior = "\"advanced\":{\"horizontalPodAutoscalerConfig\":{\"behavior\":{}}},";

void demand(gputide_status status, const gputide_error& error) {
    if (status == GPUTIDE_OK) return;
    std::fprintf(stderr, "decide_door: %s\n", error.message);
    std::exit(1);
}

// Handles are left to the end of the program: freeing them is not what is measured.
struct host_policy {
    explicit host_policy(const std::string& text) {
        error.struct_size = sizeof error;
        demand(gputide_policy_open(text.data(), static_cast<std::int64_t>(text.size()), nullptr, &policy, &error),
               error);
        demand(gputide_state_new(policy, 0, &state, &error), error);
        sample.struct_size = sizeof sample;
        sample.state = GPUTIDE_SAMPLE_OK;
        seen.struct_size = sizeof seen;
        seen.sample_count = 1;
        seen.sample_size = sizeof sample;
        decision.struct_size = sizeof decision;
    }

    void decide(gputide_text* report = nullptr) {
        sample.value = load_at(at);
        seen.now_ms = start_ms + at * poll_ms;
        seen.current_replicas = replicas;
        seen.samples = &sample;
        demand(gputide_decide(policy, state, &seen, &decision, report, &error), error);
    }

    // Decides and says what was applied, as a host does.
    void tick(std::int64_t) {
        decide();
        if (decision.desired_replicas != replicas) {
            demand(gputide_state_record(policy, state, &decision, 1, seen.now_ms, &error), error);
        }
        replicas = decision.desired_replicas;
        ++at;
    }

    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_error error{};
    gputide_sample sample{};
    gputide_observation seen{};
    gputide_decision decision{};
    std::int32_t replicas = 3;
    std::int64_t at = 0;
};

line fresh() {
    host_policy ours(manifest(""));
    const double cost = nanoseconds_per_call(calls, [&](std::int64_t i) {
        gputide_state_free(ours.state);
        demand(gputide_state_new(ours.policy, 0, &ours.state, &ours.error), ours.error);
        ours.at = i;
        ours.decide();
    });
    const double baseline = nanoseconds_per_call(calls, [&](std::int64_t i) {
        textbook_scaler other({"s-a"});
        other.at = i;
        other.tick(i);
    });
    return {"decide_door_numbers", cost, "ns", baseline_name, baseline, "new state, both halves, no behavior"};
}

std::string allocations_in(std::int64_t ticks, std::int64_t count) {
    return std::to_string(count) + " allocations in " + std::to_string(ticks) + " ticks";
}

line steady(double baseline) {
    host_policy ours(manifest(behavior));
    const double cost = steady_cost(ours);
    const std::int64_t before = so_far().count;
    for (std::int64_t i = 0; i < 10'000; ++i) ours.tick(i);
    const std::int64_t count = so_far().count - before;
    const std::string note = "behavior, 300 s window, one trigger, both halves, decisions applied; ";
    return {"decide_door_steady", cost, "ns", baseline_name, baseline, note + allocations_in(10'000, count)};
}

line reported(double baseline) {
    host_policy ours(manifest(behavior));
    for (std::int64_t i = 0; i < 1'000; ++i) ours.tick(i);
    std::int64_t bytes = 0;
    const auto report_once = [&](std::int64_t) {
        gputide_text text{};
        ours.decide(&text);
        bytes = static_cast<std::int64_t>(text.size_bytes);
        gputide_text_free(&text);
        ours.replicas = ours.decision.desired_replicas;
        ++ours.at;
    };
    const double cost = nanoseconds_per_call(20'000, report_once);
    const std::int64_t before = so_far().count;
    for (std::int64_t i = 0; i < 1'000; ++i) report_once(i);
    const std::int64_t count = so_far().count - before;
    return {"decide_door_report",
            cost,
            "ns",
            baseline_name,
            baseline,
            "the same with a report of " + std::to_string(bytes) + " bytes; " + allocations_in(1'000, count)};
}

}  // namespace
}  // namespace gputide::bench

int main() {
    using namespace gputide::bench;
    textbook_scaler textbook({"s-a"});
    const double baseline = steady_cost(textbook);
    std::fputs(as_json({fresh(), steady(baseline), reported(baseline)}).c_str(), stdout);
}
