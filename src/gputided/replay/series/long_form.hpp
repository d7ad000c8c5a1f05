// Series of containers in long form, a line each, as exporters and traces have them: time,container,value.  They become one series
// with the number of containers as the recorded size.  Text in, text out.
#pragma once

#include <string>

namespace gputided {

// How the values of one moment become one.
enum class reducer { mean, sum, most, least };

// Whether the heading has three columns, the first one the time and one of the others `container`, `pod`, `instance`, `replica` or
// `gpu`.
bool is_long_form(const std::string& text);

// time,value,replicas.  Moments are as far apart as one container's lines usually are; of two lines of a container in one of them
// the last counts; a container whose value is empty, null or NaN counts as a replica alone.  Throws usage_error with the line.
std::string joined_form(const std::string& text, reducer rule);

}  // namespace gputided
