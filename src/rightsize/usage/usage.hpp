// What one workload's container used: how busy and how full its GPUs (or, for a VPA, its cpu and memory) were, as two decaying
// histograms.  Samples in; allocates only for a unit or a stretch of buckets that is new.
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

// At one time, of one unit: a GPU, a MIG instance or (for a VPA) a container of one pod, numbered over all replicas.
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
    std::int64_t memory_samples = 0;  // taken, whether or not they were a peak
    std::int64_t ooms = 0;
    std::int64_t last_oom_ms = peak_window::none;
    std::int64_t last_ms = peak_window::none;  // of any sample
    std::vector<usage_unit> units;
};

// Which halves of a sample counted; what is below 0, no number, or older than the one before (a repetition of `busy`, too)
// does not.
struct usage_taken {
    bool busy = false;
    bool memory = false;
};

// unit below most_units.
usage_taken add(usage& usage, const usage_rules& usage_rules, const usage_sample& sample);

// An out-of-memory that somebody reported, with what was requested then (0: unknown): CUDA's raises no event in Kubernetes.
// False: too old.
bool add_oom(usage& usage, const usage_rules& usage_rules, std::uint32_t unit, std::int64_t time_ms, amount requested);

}  // namespace gputide::rightsize
