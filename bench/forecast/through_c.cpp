// Measures what a forecast costs a host through libgputide.so alone: a slot, a pass, ten thousand scalers that forecast beside as many that do
// not, and the states of a thousand.  Prints a JSON array of results.
#include "allocations.hpp"
#include "forecast/series.hpp"
#include "measure.hpp"

#include <cstdio>
#include <cstdlib>
#include <gputide/plan.h>
#include <string>
#include <vector>

namespace gputide::bench {
namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t pass_ms = 15'000;
constexpr std::int64_t passes = 400'000;
constexpr std::int64_t passes_a_day = 5'760;
constexpr std::size_t fleet_size = 10'000;

void demand(gputide_status status, const gputide_error& error) {
    if (status == GPUTIDE_OK) return;
    std::fprintf(stderr, "forecast_door: %s\n", error.message);
    std::exit(1);
}

gputide_error fresh_error() {
    gputide_error out{};
    out.struct_size = sizeof out;
    return out;
}

gputide_floor empty_floor() {
    gputide_floor out{};
    out.struct_size = sizeof out;
    return out;
}

// Handles are left to the end of the program: freeing them is not what is measured.
struct alone {
    alone() { demand(gputide_forecast_open("", 0, &handle, &error), error); }

    void pass(std::int64_t at_ms) {
        const double load = loads[static_cast<std::size_t>(at_ms / minute_ms) % loads.size()];
        demand(gputide_forecast_add(handle, forecast_series::start_ms + at_ms, load, &error), error);
        demand(gputide_forecast_floor(handle, 5, 10, 10, 100, &floor, &error), error);
        demand(gputide_forecast_charge(handle, floor.replicas, 10, &error), error);
    }

    gputide_forecast* handle = nullptr;
    gputide_error error = fresh_error();
    gputide_floor floor = empty_floor();
    std::vector<double> loads = forecast_series::office(7);
};

line cost_of(const char* name, std::int64_t each_ms, const std::string& note) {
    alone scaler;
    for (std::int64_t i = 0; i < 100; ++i) scaler.pass(i * minute_ms);
    const std::int64_t before = so_far().count;
    const double cost =
        nanoseconds_per_call(passes, [&](std::int64_t i) { scaler.pass(100 * minute_ms + i * each_ms); });
    const std::int64_t allocated = so_far().count - before;
    return {name, cost, "ns", "", 0, note + std::to_string(allocated) + " allocations in 400,000"};
}

std::string manifest(const std::string& annotations) {
    return R"json({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"web","annotations":{)json" +
           annotations +
           R"json(}},"spec":{"scaleTargetRef":{"name":"web"},"pollingInterval":15,"minReplicaCount":1,"maxReplicaCount":100,
           "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://prometheus:9090","query":"sum(queue)",
           "threshold":"5"}}]}})json";
}

// Scalers of one manifest, decided in turn every 15 s.
class fleet {
  public:
    explicit fleet(const std::string& annotations) {
        const std::string text = manifest(annotations);
        demand(gputide_policy_open(text.data(), static_cast<std::int64_t>(text.size()), nullptr, &policy_, &error_),
               error_);
        sample_.struct_size = sizeof sample_;
        sample_.state = GPUTIDE_SAMPLE_OK;
        seen_.struct_size = sizeof seen_;
        seen_.sample_count = 1;
        seen_.sample_size = sizeof sample_;
        seen_.samples = &sample_;
        decision_.struct_size = sizeof decision_;
        add();
    }

    void add() {
        states_.emplace_back();
        replicas_.push_back(4);
        demand(gputide_state_new(policy_, 0, &states_.back(), &error_), error_);
    }

    // All of them, at that pass.
    void sweep(std::int64_t at) {
        for (std::size_t i = 0; i < states_.size(); ++i) decide(i, at);
    }

    std::string save(std::size_t which) {
        gputide_text text{};
        demand(gputide_state_save(policy_, states_[which], &text, &error_), error_);
        std::string out(text.data, static_cast<std::size_t>(text.size_bytes));
        gputide_text_free(&text);
        return out;
    }
    void load(std::size_t which, const std::string& text) {
        gputide_state_free(states_[which]);
        demand(gputide_state_load(policy_, text.data(), static_cast<std::int64_t>(text.size()), 0, &states_[which],
                                  &error_),
               error_);
    }

    // Until the second day is over, then as many as asked for, each with what the first has learned.
    void learn_and_grow(std::size_t count) {
        for (std::int64_t at = 0; at < 2 * passes_a_day; ++at) decide(0, at);
        const std::string text = save(0);
        while (states_.size() < count) {
            add();
            load(states_.size() - 1, text);
            replicas_.back() = replicas_.front();
        }
    }

    double nanoseconds_a_decision() {
        double best = 1e18;
        constexpr std::int64_t passes_a_round = 4;  // a minute: each slot ends once
        for (std::int64_t at = 2 * passes_a_day; at < 2 * passes_a_day + 100; at += passes_a_round) {
            const auto begin = std::chrono::steady_clock::now();
            for (std::int64_t i = 0; i < passes_a_round; ++i) sweep(at + i);
            const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
            best = std::min(best,
                            took.count() / static_cast<double>(passes_a_round) / static_cast<double>(states_.size()));
        }
        return best;
    }

  private:
    void decide(std::size_t which, std::int64_t at) {
        sample_.value = loads_[static_cast<std::size_t>(at * pass_ms / minute_ms) % loads_.size()];
        seen_.now_ms = forecast_series::start_ms + at * pass_ms;
        seen_.current_replicas = replicas_[which];
        demand(gputide_decide(policy_, states_[which], &seen_, &decision_, nullptr, &error_), error_);
        if (decision_.desired_replicas == replicas_[which]) return;
        demand(gputide_state_record(policy_, states_[which], &decision_, 1, seen_.now_ms, &error_), error_);
        replicas_[which] = decision_.desired_replicas;
    }

    gputide_policy* policy_ = nullptr;
    gputide_error error_ = fresh_error();
    gputide_sample sample_{};
    gputide_observation seen_{};
    gputide_decision decision_{};
    std::vector<gputide_state*> states_;
    std::vector<std::int32_t> replicas_;
    std::vector<double> loads_ = forecast_series::office(7);
};

constexpr char acting[] = R"("gputide.io/forecast":"act","gputide.io/forecast-warmup":"1h")";

line fleet_of_10k() {
    fleet plain("");
    plain.learn_and_grow(fleet_size);
    const double without = plain.nanoseconds_a_decision();
    fleet ahead(acting);
    ahead.learn_and_grow(fleet_size);
    const double with = ahead.nanoseconds_a_decision();
    const double percent =
        (with - without) * static_cast<double>(fleet_size) / (static_cast<double>(pass_ms) * 1e6) * 100;
    return {"forecast_fleet_10k",
            percent,
            "% of a core",
            "",
            0,
            "10,000 scalers, a pass every 15 s: " + std::to_string(with) + " ns a decision, " +
                std::to_string(without) + " without a forecast"};
}

// At a lead of an hour, which has the most rows.
line states_of_1k() {
    fleet scalers(std::string(acting) + R"(,"gputide.io/forecast-lead":"1h")");
    scalers.learn_and_grow(1);
    const std::string text = scalers.save(0);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1'000; ++i) {
        scalers.load(0, text);
        keep(scalers.save(0));
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    return {"forecast_states_1k",
            took.count(),
            "ms",
            "",
            0,
            "1,000 states of " + std::to_string(text.size()) + " bytes, loaded and saved; lead 1 h"};
}

}  // namespace
}  // namespace gputide::bench

int main() {
    using namespace gputide::bench;
    std::fputs(
        as_json({cost_of("forecast_door_slot", minute_ms, "step, ask and book, a slot that ends each; "),
                 cost_of("forecast_door_pass", pass_ms, "the same every 15 s; "), fleet_of_10k(), states_of_1k()})
            .c_str(),
        stdout);
}
