// Usage samples that are asked for: the past that a Prometheus keeps, and what this machine's GPUs do now.
#pragma once

#include "common/shared_options.hpp"
#include "rightsize/samples.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gputided {

struct usage_past {
    std::string
        server;  // URL, or @FILE with an entry of a ScaledObject's triggers and the documents that it names; "": none
    std::string from = "-8d";
    std::string to;                                       // "": now
    std::optional<std::string> busy_query, memory_query;  // instead of the usual ones; "": not asked for
    double memory_factor = 1.0;                           // from what memory_query gives to bytes
    std::int32_t timeout_ms = 60'000;                     // of one query
};

// Both queries over the past in steps of step_ms, one window after the other, the oldest first; `taken` empties `samples` after each.
// `profile` (gpu, vpa) says which queries are the usual ones.  Throws usage_error, gputide::failure.
void read_usage_past(const usage_past& options, const shared_options& shared, const std::string& profile,
                     std::int64_t step_ms, samples_by_container& samples, const std::function<void()>& taken);

// The machine's own GPUs by NVML, all of them as of one container without a name, for so long.  Throws gputide::failure where
// there is no driver.
void sample_nvml(std::int64_t for_ms, std::int64_t step_ms, samples_by_container& samples);

}  // namespace gputided
