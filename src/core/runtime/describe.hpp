// What a scaler has read, as JSON and as texts, for hosts that show it.
#pragma once

#include "decide/trace/texts.hpp"
#include "runtime/scaler.hpp"

#include <cstdint>
#include <string>

namespace gputide::runtime {

// One object per metric: the last value with its age at now_ms, its state, how long it took, and the error where it failed.
std::string reads_json(const scaler& scaler, std::int64_t now_ms);

// What the source said of the metric that failed, for the texts of the conditions.  Valid until the next fetch.
decide::text_details details_of(const scaler& scaler, const decide::decision& decision);

}  // namespace gputide::runtime
