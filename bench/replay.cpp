// Measures what a replay costs: a year at 15 s with behavior rules, and candidate-days of a tuning run, on one core.  The baseline is
// the same number of bare decide() calls.  Prints a JSON array of results.
#include "measure.hpp"
#include "replay/run.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gputide::bench {
namespace {

constexpr std::int64_t start_ms = 1'795'168'800'000;
constexpr std::int64_t step_ms = 15'000;
constexpr std::int64_t steps_of_a_day = 5'760;
constexpr std::int64_t steps_of_a_year = 365 * steps_of_a_day;

decide::policy usual_policy() {
    decide::policy out;
    out.scaling.name = out.scaling.target_name = "web";
    out.scaling.min = 1;
    out.scaling.max = 40;
    manifest::behavior behavior;
    behavior.up.policies = {{manifest::policy_type::pods, 4, 15}, {manifest::policy_type::percent, 100, 15}};
    behavior.down.window_s = 300;
    behavior.down.policies = {{manifest::policy_type::percent, 10, 60}};
    out.scaling.behavior = behavior;
    decide::metric_policy metric;
    metric.name = "s0-prometheus";
    metric.type = manifest::target_type::value;
    metric.target_milli = 60'000;
    out.metrics = {metric};
    return out;
}

// A day's wave with noise.
double value_at(std::int64_t i) {
    const double wave =
        std::sin(static_cast<double>(i % steps_of_a_day) / static_cast<double>(steps_of_a_day) * 6.2831853);
    return 45.0 + 35.0 * wave + static_cast<double>((i * 2'654'435'761) % 97) * 0.12;
}

replay::recording recorded(std::int64_t steps) {
    replay::recording out;
    for (std::int64_t i = 0; i < steps; ++i) (void)replay::add_point(out, 0, start_ms + i * step_ms, value_at(i));
    (void)replay::tidy(out);
    return out;
}

double seconds_of(const replay::recording& over, const replay::settings& how) {
    const auto begin = std::chrono::steady_clock::now();
    auto made = replay::replayer::make(usual_policy(), how, {replay::source_rules{}});
    if (!made || !replay::run(*made, over)) std::abort();
    keep(made->sums());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double bare_seconds(std::int64_t steps) {
    const decide::policy by = usual_policy();
    decide::state with = decide::make_state(by);
    std::int32_t size = 4;
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < steps; ++i) {
        sample sample;
        sample.state = sample_state::ok;
        sample.value = value_at(i);
        decide::observation seen;
        seen.now_ms = start_ms + i * step_ms;
        seen.spec_replicas = size;
        seen.samples = {&sample, 1};
        decide::decision made = decide::decide(by, with, seen);
        size = made.desired_replicas;
        decide::record_applied(by, with, made, seen.now_ms);
    }
    keep(size);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Work>
double best_of(int rounds, Work work) {
    double best = 1e9;
    for (int i = 0; i < rounds; ++i) best = std::min(best, work());
    return best;
}

line year() {
    const char* const asked = std::getenv("GPUTIDE_BENCH_QUICK");
    const bool quick = asked != nullptr && *asked == '1';
    const replay::recording over = recorded(steps_of_a_year);
    const double ours = best_of(quick ? 1 : 3, [&] { return seconds_of(over, {}); });
    const double bare = best_of(quick ? 1 : 3, [] { return bare_seconds(steps_of_a_year); });
    return {
        "replay_year", ours, "s", "bare decide() in a loop", bare, "2,102,400 steps, open loop, events and chart kept"};
}

// As tune does it: closed loop with start-up and lags, a policy made for each candidate, no events, no chart.
line candidate_days() {
    constexpr int days = 7;
    replay::recording over = recorded(days * steps_of_a_day);
    replay::settings how;
    how.model = replay::model::closed;
    how.startup_ms = {60'000, 120'000, 240'000};
    how.recorded_replicas = 8;
    how.events = how.chart_points = 0;
    int threshold = 50;
    const double seconds = best_of(10, [&] {
        how.changes = replay::read_settings("{\"set\":{\"threshold\":" + std::to_string(++threshold) + "}}")->changes;
        return seconds_of(over, how);
    });
    line out{"tune_candidate_days", days / seconds, "days/s", "goal", 1'000, "one core, closed loop, 15 s steps"};
    out.more_is_better = true;
    return out;
}

}  // namespace
}  // namespace gputide::bench

int main() {
    std::fputs(gputide::bench::as_json({gputide::bench::year(), gputide::bench::candidate_days()}).c_str(), stdout);
}
