// What one trigger read of each GPU at its last poll, so that the next value stands for the time in between.
#pragma once

#include "base/sample.hpp"
#include "source/gpu/calls.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::nvml {

// One state of a GPU's counters; triggers that poll together share it.
struct gpm_sample {
    std::shared_ptr<gpm_sample_type> handle;  // freed with the last holder; keeps the library loaded
    std::int64_t steady_ms = 0;
};

struct energy_state {
    std::uint64_t millijoules = 0;
    std::int64_t steady_ms = 0;
};

struct past_reading {
    std::shared_ptr<const gpm_sample> before;  // the poll before the last: for a poll too soon after the last one
    std::shared_ptr<const gpm_sample> last;
    std::uint64_t sample_us = 0;  // the newest of the driver's samples that was counted; 0: none
    std::optional<energy_state> energy;
    std::uint64_t process_us = 0;
};

// Of one trigger, by UUID.
using past_readings = std::map<std::string, past_reading>;

using extra_labels = std::vector<std::pair<std::string, std::string>>;

// One number of one GPU, instance or process.
struct measured_value {
    code said = ok;
    double value = 0.0;
    gputide::read_by read_by = gputide::read_by::unsaid;
    std::int64_t interval_ms = 0;
    std::string note;  // what a reader of the number must know
    extra_labels labels;
};

}  // namespace gputide::source::nvml
