// KEDA's contract with an external scaler (kedacore/keda pkg/scalers/externalscaler/externalscaler.proto): what is asked and
// what an answer holds.  Pure.  Unknown fields are passed over, absent ones are 0, false and "", the last of several counts.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::external {

struct scaled_object {
    std::string name;
    std::string name_space;
    std::map<std::string, std::string> metadata;
};

struct metric_spec {
    std::string name;
    std::int64_t target_milli = 0;  // as the HPA is given it; 0: none that an HPA takes
};

std::string scaled_object_message(const scaled_object& owner);
std::string metrics_message(std::string_view owner, std::string_view metric);  // owner: as above

// Errors: class shape.  Of a target and of a value the float counts where it is above 0, else the integer, as in KEDA.
result<std::vector<metric_spec>> read_specs(std::string_view message);
result<std::vector<double>> read_values(std::string_view message);
result<bool> read_activity(std::string_view message);

}  // namespace gputide::source::external
