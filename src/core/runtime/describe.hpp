// Describes what a scaler has read, as JSON and as text, for hosts that display it.
#pragma once

#include "decide/trace/texts.hpp"
#include "runtime/scaler.hpp"

#include <cstdint>
#include <string>

namespace gputide::runtime {

// Returns one object per metric: the last value with its age at now_ms, its state, the duration of the read, and the error of a
// failed read.
std::string reads_json(const scaler& scaler, std::int64_t now_ms);

// Returns the source's message about the failed metric, for the texts of conditions.  Valid until the next fetch.
decide::text_details details_of(const scaler& scaler, const decide::decision& decision);

}  // namespace gputide::runtime
