// What the samples come to: bounds for what was counted, and of them what to run the workload on: so many GPUs, another
// machine, a MIG profile, or several replicas on one GPU.  Pure in (usage, settings, now).
#pragma once

#include "rightsize/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::rightsize {

// One resource, step by step.
struct estimate {
    bounds percentiles;  // as the histogram reads, before anything else
    bounds with_margin;
    bounds with_confidence;  // lower and upper widened by what is not known yet
    bounds uncapped;         // not below the pod's minimum, in whole steps
    bounds final;            // within min and max
    caps policy_caps;
};

// How the memory may be read.
enum class memory_signal : std::uint8_t {
    usage,         // it is what the workload needs
    preallocated,  // a runtime holds a fixed share of the card: it says nothing of the need
    none,          // nobody told it
};
const char* memory_signal_name(memory_signal one) noexcept;

enum class option_kind : std::uint8_t {
    keep,   // what runs now
    gpus,   // another number of the same GPUs
    sku,    // another machine
    mig,    // a slice of each GPU
    share,  // several replicas on one GPU
};
const char* option_kind_name(option_kind one) noexcept;

struct option {
    option_kind kind = option_kind::keep;
    std::int32_t gpus = 0;  // whole ones that are asked for; of mig and share: units
    std::int32_t uncapped_gpus = 0;
    double whole_gpus = 0.0;  // the same in whole GPUs: 4 units of seven → 0.57
    std::string sku;          // "" where no machine is named
    std::int32_t nodes = 0;
    std::string mig_profile;
    std::int32_t units_per_gpu = 1;        // MIG instances or replicas
    std::optional<double> price_per_hour;  // of all of them
    rightsize::bound_by bound = bound_by::compute;
};

enum class verdict : std::uint8_t {
    change,   // `best` is better than what runs
    keep,     // what runs is the best
    hold,     // too little is known
    nothing,  // nothing in the list holds it
    report,   // bounds alone: profile vpa
};
const char* verdict_name(verdict one) noexcept;

struct recommendation {
    rightsize::verdict verdict = verdict::hold;
    double confidence = 0.0;
    bool after_oom = false;  // an out-of-memory was reported: less confidence is enough
    rightsize::memory_signal signal = memory_signal::none;
    estimate busy;    // percent, or millicores
    estimate memory;  // bytes
    gpu_need need;    // what the options were chosen by
    std::optional<option> now;
    std::vector<option> options;  // the best one first
    bool expired = false;         // nothing was heard for 8 intervals: the usage may be dropped
};

recommendation recommend(const usage& usage, const settings& settings, std::int64_t now_ms);

// The options alone, for a need that somebody knows: the best one first.
std::vector<option> options_for(const gpu_need& need, const settings& settings);

// What runs now; nothing where neither its GPU nor its machine is known.
std::optional<option> present_option(const settings& settings);

}  // namespace gputide::rightsize
