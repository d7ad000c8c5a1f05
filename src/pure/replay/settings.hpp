// The settings of a replay: the model, the delays, the start-up of replicas, and changes of the policy.
// Parsed from JSON text (docs/replay.md); used by run.hpp.
#pragma once

#include "base/result.hpp"
#include "decide/policy.hpp"
#include "text/setting.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gputide::replay {

enum class model : std::int32_t {
    open = 0,    // the metric is as recorded, independent of the replayed size
    closed = 1,  // the metric is computed from the offered load and the replicas that serve it
};

// The kind of metric, for the closed loop.
enum class signal : std::int32_t {
    utilization = 0,  // mean over the serving replicas, limited to the saturation: load above it is not visible
    queue = 1,        // mean over the serving replicas, unlimited
    total = 2,        // the offered load itself; replicas do not change it
};

// The hops of a metric from the workload to the scaler; each holds the last value until its next update.  0: no such hop.
// The periods of the executor and the HPA are those of the policy (polling interval 30 s, sync period 15 s).
//   exporter  dcgm-exporter collects every 30 s (metrics-wire: collect interval 30,000 ms in every tag from 2.2.9 to 4.5.3)
//   scrape    its Helm chart's ServiceMonitor scrapes every 15 s
// Both are 0 for an open loop: a series from Prometheus already has these delays.
struct hops {
    std::int64_t exporter_ms = 0;
    std::int64_t scrape_ms = 0;
};
inline constexpr hops closed_loop_hops{30'000, 15'000};

// A policy that changes are applied to.
struct policy_edit {
    decide::policy policy;
    bool has_up_policy = false;  // a change gave a scaling policy of this direction
    bool has_down_policy = false;
    bool has_threshold = false;  // a change gave one
};

// A change of the policy, varied by compare and tune.
struct change {
    void (*apply)(policy_edit& to, const text::setting_value& value) = nullptr;
    text::setting_value value;
};

struct settings {
    replay::model model = replay::model::open;
    std::vector<replay::signal> signals;  // per metric; the last one applies to all further metrics; empty: utilization
    double saturation = 100.0;            // limit of utilization
    std::optional<hops> lag;              // absent: the default of the model
    std::vector<std::int64_t> startup_ms;  // each new replica draws one of these; empty: ready immediately
    std::int64_t node_ms = 0;              // part of each start-up delay that is spent waiting for a node
    std::uint64_t seed = 1;
    std::int64_t hold_ms = 0;  // how long a recorded value is valid; 0: 1.5 steps of the series, or 5 min
    std::int64_t from_ms = 0;  // 0: the bounds of the series
    std::int64_t to_ms = 0;
    std::int32_t initial_replicas = -1;   // -1: as recorded, else the policy's minimum
    std::int32_t recorded_replicas = -1;  // the workload's constant size, if the series has no sizes
    std::vector<double> above;            // per metric: the level of "above target"; empty: target and tolerance
    std::int64_t flap_window_ms = 600'000;
    std::int32_t events = 1'000;        // number of events kept with their reasons; further events are only counted
    std::int32_t chart_points = 1'500;  // maximum; 0: no chart
    bool verify = false;                // follow the sizes of a run log and compare its decisions
    std::vector<change> changes;        // of the policy; what no change names is as in the manifest
};

// One row per setting, with its range and default: the members of a JSON text, and the table of docs/replay.md.
using setting_row = text::setting<settings>;
std::span<const setting_row> setting_rows();

// Parses {"model":"closed","signal":["utilization"],"startup_ms":[60000,120000],"set":{"threshold":60}}.  An unknown member
// is an error; durations are in milliseconds and at most a day.
result<settings> read_settings(std::string_view json);

std::string_view model_name(model model) noexcept;
std::string_view signal_name(signal signal) noexcept;

inline signal signal_of(const settings& settings, std::size_t metric) {
    if (settings.signals.empty()) return signal::utilization;
    return settings.signals[metric < settings.signals.size() ? metric : settings.signals.size() - 1];
}

// Returns the policy with the changes; E_INVALID if they contradict each other (min above max, a threshold of 0).
result<decide::policy> changed(decide::policy policy, std::span<const change> changes);

}  // namespace gputide::replay
