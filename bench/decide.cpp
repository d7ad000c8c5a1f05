// Measures what a decision costs: fresh, in steady state, with a formula; how large a state is; how fast it is saved and loaded.
// Prints a JSON array of results.  This program links the module itself; what a host pays is decide_door.cpp's.
#include "decide/decide.hpp"

#include "allocations.hpp"
#include "decide/state/text.hpp"
#include "textbook.hpp"

#include <array>
#include <cstdio>

namespace gputide::bench {
namespace {

using namespace gputide::decide;

manifest::behavior usual_behavior() {
    manifest::behavior out;
    out.up.policies = {{manifest::policy_type::pods, 4, 15}, {manifest::policy_type::percent, 100, 15}};
    out.down.window_s = 300;
    out.down.policies = {{manifest::policy_type::percent, 100, 15}};
    return out;
}

manifest::scaling usual_spec() {
    manifest::scaling out;
    out.name = out.target_name = "web";
    out.min = 1;
    out.max = 20;
    out.polling_interval_s = 15;  // both halves on every tick
    out.behavior = usual_behavior();
    return out;
}

metric_policy trigger(const std::string& name) {
    metric_policy out;
    out.name = "s-" + name;
    out.user_name = name;
    out.target_milli = 5000;
    return out;
}

policy one_trigger() { return *make_policy(usual_spec(), {trigger("a")}); }

policy three_triggers_with_formula() {
    manifest::scaling spec = usual_spec();
    spec.modifiers = manifest::scaling_modifiers{"a > 50 ? max([a, b, c]) : (a + b + c) / 3", "5", "",
                                                 manifest::target_type::average_value};
    return *make_policy(spec, {trigger("a"), trigger("b"), trigger("c")});
}

// Ticks a scaler through time and applies what it wants.
struct scaler {
    explicit scaler(policy from) : by(std::move(from)), with(make_state(by)) {
        for (sample& sample : samples) sample.state = sample_state::ok;
    }

    void tick(std::int64_t) {
        for (std::size_t i = 0; i < by.metrics.size(); ++i)
            samples[i].value = load_at(at + static_cast<std::int64_t>(i));
        observation seen;
        seen.now_ms = start_ms + at * poll_ms;
        seen.spec_replicas = replicas;
        seen.samples = {samples.data(), by.metrics.size()};
        decision made = decide::decide(by, with, seen);
        keep(made);
        replicas = made.desired_replicas;
        record_applied(by, with, made, seen.now_ms);
        ++at;
    }

    policy by;
    state with;
    std::array<sample, 3> samples;
    std::int32_t replicas = 3;
    std::int64_t at = 0;
};

// One decision from numbers alone: a new state, a policy without behavior.
line fresh() {
    manifest::scaling spec = usual_spec();
    spec.behavior.reset();
    const policy by = *make_policy(spec, {trigger("a")});
    const double ours = nanoseconds_per_call(calls, [&](std::int64_t i) {
        state with = make_state(by);
        sample value;
        value.state = sample_state::ok;
        value.value = load_at(i);
        observation seen;
        seen.now_ms = start_ms;
        seen.spec_replicas = 3;
        seen.samples = {&value, 1};
        keep(decide::decide(by, with, seen));
    });
    const double theirs = nanoseconds_per_call(calls, [&](std::int64_t i) {
        textbook_scaler other({"s-a"});
        other.at = i;
        other.tick(i);
    });
    return {"decide_numbers", ours, "ns", baseline_name, theirs, "new state, both halves, no behavior"};
}

line steady(const char* name, scaler ours, textbook_scaler theirs, const std::string& what) {
    const double cost = steady_cost(ours);
    const std::int64_t before = so_far().count;
    for (std::int64_t i = 0; i < 10'000; ++i) ours.tick(i);
    const std::int64_t made = so_far().count - before;
    return {name,
            cost,
            "ns",
            baseline_name,
            steady_cost(theirs),
            what + ", both halves, decisions applied; " + std::to_string(made) + " allocations in 10000 ticks"};
}

std::vector<line> state_costs() {
    scaler of(one_trigger());
    const policy by = one_trigger();
    const std::int64_t at = so_far().bytes;
    const state fresh_state = make_state(by);
    const double bytes = static_cast<double>(sizeof fresh_state) + static_cast<double>(so_far().bytes - at);
    for (std::int64_t i = 0; i < 1000; ++i) of.tick(i);
    const std::string text = save_state(of.by, of.with);
    const double save = nanoseconds_per_call(20'000, [&](std::int64_t) { keep(save_state(of.by, of.with)); });
    const double load = nanoseconds_per_call(20'000, [&](std::int64_t) { keep(load_state(of.by, text)); });
    const std::string size = std::to_string(text.size()) + " bytes of text";
    return {{"state_bytes", bytes, "bytes", "", 0.0, "struct and heap, 300 s window, 15 s polls, one trigger"},
            {"state_save", save, "ns", "", 0.0, size},
            {"state_load", load, "ns", "", 0.0, size}};
}

}  // namespace
}  // namespace gputide::bench

int main() {
    using namespace gputide::bench;
    std::vector<line> lines = {
        fresh(),
        steady("decide_steady", scaler(one_trigger()), textbook_scaler({"s-a"}), "behavior, 300 s window, one trigger"),
        steady("decide_formula3", scaler(three_triggers_with_formula()), textbook_scaler({"s-a", "s-b", "s-c"}),
               "three triggers and a formula (the baseline takes three metrics without one)")};
    for (line& state_cost : state_costs()) lines.push_back(std::move(state_cost));
    std::fputs(as_json(lines).c_str(), stdout);
}
