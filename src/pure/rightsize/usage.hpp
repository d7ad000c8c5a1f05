// The usage of one container of a workload: utilization and memory of its GPUs (for a VPA its cpu and memory) as two decaying
// histograms, the peaks of memory per window, and the text that saves them.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/aggregate_container_state.go, container.go.
#pragma once

#include "rightsize/estimate.hpp"
#include "rightsize/histogram.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::rightsize {

struct oom_rules {
    double ratio = 1.2;
    amount min_bytes = 100 * 1'048'576;
};

struct peak_rules {
    std::int64_t interval_ms = 86'400'000;
    oom_rules oom;
    // The VPA treats a window with peak 0 as a window without a sample, and therefore misses an increase of its memory.  A
    // GPU pod starts at 0, before the model is loaded: with this flag a peak of 0 counts.
    bool record_after_zero = false;
};

// Returns the memory to assume after an out-of-memory at this usage: max(used + min_bytes, used * ratio).  Examples: 1048576000
// bytes → 1258291200; 1048576 → 105906176.
amount needed_after_oom(const oom_rules& oom_rules, amount used);

struct peak_window {
    static constexpr std::int64_t none = INT64_MIN;

    std::int64_t end_ms = none;
    std::int64_t last_ms = none;  // of the last accepted sample
    amount usage = 0;             // the highest usage of this window
    amount after_oom = 0;         // memory assumed after an out-of-memory in this window

    bool started() const { return end_ms != none; }
    amount peak() const { return usage > after_oom ? usage : after_oom; }
};

// The changes of the histogram, both at the window's end with weight 1: first remove, then add.
struct peak_change {
    bool accepted = false;
    std::optional<amount> removed;
    std::optional<amount> added;
    std::int64_t time_ms = 0;
};

// Records a sample.  A negative sample, or one older than the last, is rejected.
peak_change take_sample(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount bytes);

// Records an out-of-memory with the requested memory (0: unknown).  The memory assumed after an earlier out-of-memory of the
// window does not count as usage, so that repeated ones do not grow without limit.  Rejected if older than the last sample by
// more than an interval.
peak_change take_oom(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount requested);

// ---- usage; allocates only for a new unit or new buckets

struct usage_rules {
    const layout* busy_buckets = &utilization_layout;  // percent of a GPU, or cores
    std::int64_t half_life_ms = 86'400'000;
    double sample_weight = 0.1;
    peak_rules peaks;
};

// A sample of one unit at one time: a GPU, a MIG instance or (for a VPA) a container of a pod, numbered over all replicas.
struct usage_sample {
    std::uint32_t unit = 0;
    std::int64_t time_ms = 0;
    std::optional<double> busy;          // percent, or cores; 0 or more and finite
    std::optional<amount> memory_bytes;  // 0 or more
};

inline constexpr std::uint32_t max_units = 4'096;

struct usage_unit {
    peak_window memory;
    std::int64_t last_busy_ms = peak_window::none;
};

struct usage {
    explicit usage(const usage_rules& usage_rules)
        : busy(*usage_rules.busy_buckets, usage_rules.half_life_ms), memory(memory_layout, usage_rules.half_life_ms) {}

    histogram busy;
    histogram memory;
    history seen;                     // of the samples of `busy`
    std::int64_t memory_samples = 0;  // accepted samples, peaks or not
    std::int64_t ooms = 0;
    std::int64_t last_oom_ms = peak_window::none;
    std::int64_t last_ms = peak_window::none;  // of any sample
    std::vector<usage_unit> units;
};

// The accepted parts of a sample.  Values below 0, NaN, and values older than the previous one (for `busy` also of equal
// time) are rejected.
struct usage_taken {
    bool busy = false;
    bool memory = false;
};

// Adds a sample; unit must be below max_units.
usage_taken add(usage& usage, const usage_rules& usage_rules, const usage_sample& sample);

// Records a reported out-of-memory, with the requested memory (0: unknown).  Needed because a CUDA out-of-memory raises no
// event in Kubernetes.  Returns false if it is too old.
bool add_oom(usage& usage, const usage_rules& usage_rules, std::uint32_t unit, std::int64_t time_ms, amount requested);

// A usage as text that survives a restart, at most 4 KiB for a GPU: the status of a VerticalPodAutoscalerCheckpoint, member
// by member, plus the open windows, which the VPA does not save, with a checksum.  A VPA's checkpoint can be loaded, too.
// Loaded completely or not at all.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/aggregate_container_state.go, status.version v3.

// Writes
// {"gputide_usage":1,"lastUpdateTime":…,"version":"v3","cpuHistogram":{…},"memoryHistogram":{…},"firstSampleStart":…,
// "lastSampleStart":…,"totalSamplesCount":…,"rules":[…],"units":[[…]],…,"crc32c":"…"}.
// cpuHistogram holds the GPU's utilization if that is measured.
std::string save_usage(const usage& usage, const usage_rules& usage_rules, std::int64_t now_ms);

// Parses the text of save_usage with the same half-life and buckets; or a VerticalPodAutoscalerCheckpoint or its status, JSON
// or YAML, of version v3, without a checksum.  Returns E_STATE with the reason for any other text.
result<usage> load_usage(std::string_view text, const usage_rules& usage_rules);

}  // namespace gputide::rightsize
