// Usage samples of containers, by file, from a Prometheus or from this machine's GPUs, and the forms of a right-sizing report.
#pragma once

#include "common/json.hpp"
#include "common/options.hpp"
#include "gputide/gputide.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

// The samples' own member `container` is set once its number is known.
struct container_samples {
    std::map<std::string, std::uint32_t> units;  // by their names in the files: a GPU, a pod, or both
    std::vector<gputide_usage_sample> samples;
};
using samples_by_container = std::map<std::string, container_samples>;

// The meaning of a value (percent of a GPU or cores, or memory), and the factor to percent, cores or bytes.
enum class usage { busy, memory };
struct usage_meaning {
    usage value = usage::busy;
    double factor = 1.0;
};

// Adds one value of a unit.  A value that is not finite, below 0 or larger than 64 bits is ignored later.  Throws usage_error if
// the container has more than 4,096 units.
void add_usage(samples_by_container& samples, const std::string& container, const std::string& unit,
               std::int64_t time_ms, const usage_meaning& meaning, double value);

// The workload that a series of dcgm-exporter or cAdvisor belongs to, by its labels.
struct usage_owner {
    std::string container;  // namespace/container, as far as known; "": unknown
    std::string unit;       // which GPU of which pod
};
usage_owner owner_of(const json& labels);

// Reads one value per line: time,container,value or time,container,unit,value.  A heading, lines that begin with # and blank lines
// are skipped.  Throws usage_error with the file and the line.
void read_long_csv(const std::string& path, const usage_meaning& meaning, samples_by_container& samples);

// Reads a page of dcgm-exporter: DCGM_FI_DEV_FB_USED (MiB), and DCGM_FI_PROF_GR_ENGINE_ACTIVE or else DCGM_FI_DEV_GPU_UTIL.  GPUs
// without a workload are skipped.
void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& samples);

struct usage_past {
    std::string
        server;  // URL, or @FILE with an entry of a ScaledObject's triggers and the documents that it names; "": none
    std::string from = "-8d";
    std::string to;                                       // "": now
    std::optional<std::string> busy_query, memory_query;  // instead of the usual ones; "": no query
    double memory_factor = 1.0;                           // from the result of memory_query to bytes
    std::int32_t timeout_ms = 60'000;                     // per query
};

// Runs both queries over the past in steps of step_ms, window by window, oldest first; `taken` empties `samples` after each.
// `profile` (gpu, vpa) selects the usual queries.  Throws usage_error, gputide::failure.
void read_usage_past(const usage_past& options, const shared_options& shared, const std::string& profile,
                     std::int64_t step_ms, samples_by_container& samples, const std::function<void()>& taken);

// Samples this machine's GPUs by NVML for for_ms, all as one container without a name.  Throws gputide::failure without a driver.
void sample_nvml(std::int64_t for_ms, std::int64_t step_ms, samples_by_container& samples);

std::string rightsize_text(const json& report);

// Returns what kubectl patch takes for a Deployment's container, with the reason above it; "" if nothing is to be changed.
std::string rightsize_patch(const json& report);

// Returns all reports (an array, one per container) as one HTML file.  settings: as the library describes them.
std::string rightsize_page(const json& settings, json reports);

}  // namespace gputided
