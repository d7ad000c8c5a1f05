// Which ScaledObject is handed over, to whom, as text and as a value.  Pure.
#pragma once

#include "base/result.hpp"
#include "kubernetes/api/objects.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::kubernetes {

enum class handover_side : std::int32_t { gputide = 0, keda };
const char* handover_side_name(handover_side handover_side) noexcept;

struct handover_change {
    object_key object;
    handover_side to = handover_side::gputide;
    std::string owner = "gputide";  // the value of gputide.io/owner
    std::int64_t write_ms = 3'000;  // the longest that a write of that owner's is under way
    bool dry = true;                // read and compare, write nothing
};

// {"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","lease_s":15,"dry":false}; JSON or YAML.  Errors name the
// member, its line and path.
result<handover_change> read_handover_change(std::string_view text);

}  // namespace gputide::kubernetes
