// Usage samples by the name of their container, whatever file they came from.
#pragma once

#include "gputide/gputide.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gputided {

// The samples' own member `container` is given once its number is known.
struct container_samples {
    std::map<std::string, std::uint32_t> units;  // by their names in the files: a GPU, a pod, or both
    std::vector<gputide_usage_sample> samples;
};
using samples_by_container = std::map<std::string, container_samples>;

// What a value means: percent of a GPU or cores, or memory; and the factor that makes percent, cores or bytes of it.
enum class usage { busy, memory };
struct usage_meaning {
    usage value = usage::busy;
    double factor = 1.0;
};

// One value, of a unit that is known or new.  What is not finite, below 0 or larger than 64 bits hold does not count in the end.
// Throws usage_error where a container has more than 4,096 units.
void add_usage(samples_by_container& samples, const std::string& container, const std::string& unit,
               std::int64_t time_ms, const usage_meaning& meaning, double value);

// Whose a series of dcgm-exporter or cAdvisor is, by its labels.
struct usage_owner {
    std::string container;  // namespace/container, as far as it is known; "": nobody's
    std::string unit;       // which GPU of which pod
};
usage_owner owner_of(const nlohmann::json& labels);

// In long form, one value a line: time,container,value or time,container,unit,value; a heading, lines that begin with # and
// blank lines do not count.  Times as gputided replay reads them.  Throws usage_error with the file and the line.
void read_long_csv(const std::string& path, const usage_meaning& meaning, samples_by_container& samples);

// A page of dcgm-exporter: DCGM_FI_DEV_FB_USED (MiB), and of DCGM_FI_PROF_GR_ENGINE_ACTIVE, else DCGM_FI_DEV_GPU_UTIL.  GPUs
// that nobody uses are left out.
void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& samples);

}  // namespace gputided
