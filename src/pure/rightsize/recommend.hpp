// Computes a recommendation from samples: bounds for the measured resources, and the hardware for the workload: a number of
// GPUs, another machine, a MIG profile, or several replicas per GPU. Pure: depends only on usage, settings and now.
#pragma once

#include "rightsize/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::rightsize {

// The estimate of one resource, step by step.
struct estimate {
    bounds percentiles;  // from the histogram, before the other steps
    bounds with_margin;
    bounds with_confidence;  // lower and upper widened for a short history
    bounds uncapped;         // at least the pod's minimum, in whole steps
    bounds final;            // after min and max
    caps policy_caps;
};

// The meaning of the measured memory.
enum class memory_signal : std::uint8_t {
    usage,         // the memory that the workload needs
    preallocated,  // a runtime allocates a fixed share of the memory: the need is unknown
    none,          // not measured
};
const char* memory_signal_name(memory_signal signal) noexcept;

// A workload's need per GPU, margins included.
struct gpu_need {
    amount memory_bytes = 0;
    double util_percent = 0.0;
};

// Returns the part of a GPU's memory that a workload can use: driver and context use the rest.
amount usable_bytes(amount gpu_memory_bytes);

enum class bound_by : std::uint8_t { compute, memory };
const char* bound_by_name(bound_by side) noexcept;

enum class option_kind : std::uint8_t {
    keep,   // the present hardware
    gpus,   // another number of the same GPUs
    sku,    // another machine
    mig,    // a MIG instance of each GPU
    share,  // several replicas on one GPU
};
const char* option_kind_name(option_kind kind) noexcept;

struct option {
    option_kind kind = option_kind::keep;
    std::int32_t gpus = 0;           // after min_gpus and max_gpus
    std::int32_t uncapped_gpus = 0;  // before max_gpus
    double whole_gpus = 0.0;         // the number in whole GPUs: 4 units of one seventh → 0.57
    std::string sku;                 // "" if the machine has no name
    std::int32_t nodes = 0;
    std::string mig_profile;
    std::int32_t units_per_gpu = 1;        // MIG instances or replicas
    std::optional<double> price_per_hour;  // of all of them
    rightsize::bound_by bound = bound_by::compute;
};

enum class verdict : std::uint8_t {
    change,   // `best` is better than the present hardware
    keep,     // the present hardware is the best option
    hold,     // not enough history
    nothing,  // no option in the list is sufficient
    report,   // only bounds: profile vpa
};
const char* verdict_name(verdict verdict) noexcept;

struct recommendation {
    rightsize::verdict verdict = verdict::hold;
    double confidence = 0.0;
    bool after_oom = false;  // an out-of-memory was reported: less history is sufficient
    rightsize::memory_signal signal = memory_signal::none;
    estimate busy;    // percent, or millicores
    estimate memory;  // bytes
    gpu_need need;    // the input for selecting options
    std::optional<option> now;
    std::vector<option> options;  // the best first
    bool expired = false;         // no sample for 8 intervals: the usage may be dropped
};

recommendation recommend(const usage& usage, const settings& settings, std::int64_t now_ms);

// Returns the options for a known need, the best first.  The number of GPUs of a machine, and the price of its nodes:
//   compute  n_c = max(1, ceil(gpus * min(util, 100)/100 / speed / (goal/100) - 1e-9))
//   memory   n_m = max(1, ceil(memory * gpus / usable)) if the model may be split over GPUs, else 1 if each GPU is a
//            separate replica, else the present number; usable = trunc(0.95 * the GPU's memory)
// Example: 4 GPUs at 90 % with a goal of 80: 4.5 → 5 of the same speed, 3 of twice the speed.
std::vector<option> options_for(const gpu_need& need, const settings& settings);

// Returns the present hardware; nothing if neither its GPU nor its machine is known.
std::optional<option> present_option(const settings& settings);

// Writes a recommendation as JSON: the choice, the evidence, the runner-up, the cost, and a sentence for people.  Members:
// docs/json.md.  Equal input gives equal text.

// The subject and the time of a report.
struct report_of {
    std::string_view container;  // "": from the settings
    std::int64_t now_ms = 0;
};
std::string report_json(const recommendation& recommendation, const usage& usage, const settings& settings,
                        const report_of& subject);

// Writes {"need":{…},"now":{…},"options":[…],"sku":{…}|null,"mig":{…}|null}: the options for a known need.
std::string options_json(const gpu_need& need, const settings& settings);

// Writes the settings with all defaults, and their warnings.
std::string settings_json(const settings& settings, const text::report& findings);

// Returns "2 GPUs", "1 of 4 instances of 1g.20gb", "1 of 3 replicas on a GPU".
std::string option_text(const option& option);

}  // namespace gputide::rightsize
