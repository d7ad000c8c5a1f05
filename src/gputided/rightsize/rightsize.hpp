// Usage samples of containers, from files, a Prometheus or this machine's GPUs.
#pragma once

#include "common/options.hpp"
#include "gputide/gputide.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

// A container with its samples.  Their member `container` is set when its index is known.
struct container_samples {
    std::map<std::string, std::uint32_t> units;  // by name in the files: a GPU, a pod, or both
    std::vector<gputide_usage_sample> samples;   // not yet given to the library
    std::string saved;                           // the library's saved text, for --state
};
using samples_by_container = std::map<std::string, container_samples>;

// The meaning of a value (percent of a GPU, cores, or memory), and the factor to percent, cores or bytes.
enum class usage { busy, memory };
struct usage_meaning {
    usage value = usage::busy;
    double factor = 1.0;
};

// Reads a value per line: time,container,value or time,container,unit,value.  Skips a heading, blank lines, and lines that begin
// with #. Throws usage_error with file and line.
void read_long_csv(const std::string& path, const usage_meaning& meaning, samples_by_container& samples);

// Reads a page of dcgm-exporter: DCGM_FI_DEV_FB_USED (MiB), and DCGM_FI_PROF_GR_ENGINE_ACTIVE or else DCGM_FI_DEV_GPU_UTIL.
// Skips GPUs without a workload.
void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& samples);

struct rightsize_options {
    shared_options shared;            // files: settings, GpuCatalogue, VerticalPodAutoscaler
    std::vector<std::string> busy;    // CSV: utilization in percent, or cores
    std::vector<std::string> memory;  // CSV: memory in bytes
    std::vector<std::string> pages;   // /metrics of dcgm-exporter, one scrape per file, newest last
    std::string page_step = "30s";    // time between two pages
    std::string memory_unit = "bytes";
    // URL, or @FILE with an entry of a ScaledObject's triggers and the objects that it references; "": none
    std::string server;
    std::string from = "-8d";                             // this and the next five: of the server's past
    std::string to;                                       // "": now
    std::optional<std::string> busy_query, memory_query;  // replace the default queries; "": no query
    std::int32_t timeout_ms = 60'000;                     // per query
    std::string step = "1m";                              // also of nvml
    bool nvml = false;
    std::string nvml_for = "10m";
    std::string container;  // only this container
    std::string at;         // RFC 3339 or Unix milliseconds; "": the newest sample's time
    std::string state;      // checkpoints; read if the file exists, then replaced
    bool patch = false;
    std::string html;

    // Returns the bytes of a memory_unit.
    double memory_factor() const {
        return memory_unit == "MiB" ? 1'048'576.0 : memory_unit == "GiB" ? 1'073'741'824.0 : 1.0;
    }
};

// Runs both queries over the past in steps of step_ms, in time windows, oldest first.  Calls `taken`, which empties `samples`,
// after each window.  `profile` (gpu, vpa) selects the default queries.  Throws usage_error and gputide::failure.
void read_usage_past(const rightsize_options& options, const std::string& profile, std::int64_t step_ms,
                     samples_by_container& samples, const std::function<void()>& taken);

// Samples this machine's GPUs with NVML for for_ms, all as one container without a name.  Throws gputide::failure without a
// driver.
void sample_nvml(std::int64_t for_ms, std::int64_t step_ms, samples_by_container& samples);

}  // namespace gputided
