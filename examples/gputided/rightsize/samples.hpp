// Usage samples by the name of their container, whatever file they came from.
#pragma once

#include "gputide/gputide.hpp"

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

// One value, of a unit that is known or new.  Throws usage_error where a container has more than 4,096 of them.
gputide_usage_sample& add_sample(samples_by_container& to, const std::string& container, const std::string& unit,
                                 std::int64_t time_ms);

// In long form, one value a line: time,container,value or time,container,unit,value; a heading, lines that begin with # and
// blank lines do not count.  Times as gputided replay reads them.  Throws usage_error with the file and the line.
enum class csv_value { busy, memory };
struct csv_meaning {
    csv_value value = csv_value::busy;
    double factor = 1.0;  // to percent, cores or bytes
};
void read_long_csv(const std::string& path, const csv_meaning& meaning, samples_by_container& to);

// A page of dcgm-exporter: DCGM_FI_DEV_FB_USED (MiB), and of DCGM_FI_PROF_GR_ENGINE_ACTIVE, else DCGM_FI_DEV_GPU_UTIL.  By the
// labels namespace, pod, container; those of GPUs that nobody uses are left out.
void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& to);

}  // namespace gputided
