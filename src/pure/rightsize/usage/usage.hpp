// The usage of one workload's container: utilization and memory of its GPUs (or, for a VPA, its cpu and memory), as two
// decaying histograms.  Samples in; allocates only for a new unit or new buckets.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/aggregate_container_state.go.
#pragma once

#include "rightsize/estimate/bounds.hpp"
#include "rightsize/histogram/decaying.hpp"
#include "rightsize/usage/peaks.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gputide::rightsize {

struct usage_rules {
    const layout* busy_buckets = &utilisation_layout;  // percent of a GPU, or cores
    std::int64_t half_life_ms = 86'400'000;
    double sample_weight = 0.1;
    peak_rules peaks;
};

// A sample of one unit at one time: a GPU, a MIG instance or (for a VPA) a container of one pod, numbered over all
// replicas.
struct usage_sample {
    std::uint32_t unit = 0;
    std::int64_t time_ms = 0;
    std::optional<double> busy;          // percent, or cores; 0 or more and finite
    std::optional<amount> memory_bytes;  // 0 or more
};

inline constexpr std::uint32_t most_units = 4'096;

struct usage_unit {
    peak_window memory;
    std::int64_t last_busy_ms = peak_window::none;
};

struct usage {
    explicit usage(const usage_rules& usage_rules)
        : busy(*usage_rules.busy_buckets, usage_rules.half_life_ms), memory(memory_layout, usage_rules.half_life_ms) {}

    decaying_histogram busy;
    decaying_histogram memory;
    history seen;                     // of the samples of `busy`
    std::int64_t memory_samples = 0;  // accepted, whether or not they were a peak
    std::int64_t ooms = 0;
    std::int64_t last_oom_ms = peak_window::none;
    std::int64_t last_ms = peak_window::none;  // of any sample
    std::vector<usage_unit> units;
};

// Tells which halves of a sample were accepted; values below 0, NaN, or older than the previous one (also an equal time
// of `busy`) are not.
struct usage_taken {
    bool busy = false;
    bool memory = false;
};

// requires unit below most_units.
usage_taken add(usage& usage, const usage_rules& usage_rules, const usage_sample& sample);

// Records a reported out-of-memory, with the requested memory (0: unknown): CUDA's raises no event in Kubernetes.
// False: too old.
bool add_oom(usage& usage, const usage_rules& usage_rules, std::uint32_t unit, std::int64_t time_ms, amount requested);

}  // namespace gputide::rightsize
