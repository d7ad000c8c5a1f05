// The pieces of a Prometheus text page: families of samples with their labels.
#pragma once

#include <functional>
#include <string>

namespace gputided {

using labelled = std::function<void(const std::string& labels, double value)>;

// name="value", escaped.
std::string label(const char* name, const std::string& value);

// # HELP and # TYPE, and then what samples(add) adds.
void family(std::string& out, const char* name, const char* type, const char* help,
            const std::function<void(const labelled&)>& samples);

}  // namespace gputided
