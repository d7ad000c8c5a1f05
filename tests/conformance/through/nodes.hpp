// Reads the cases of node-estimate in this library's own spelling (docs/json.md has what comes back, docs/nodes.md what goes
// in).  Cases count in seconds; a moment of theirs is that many seconds after `case_epoch_ms`.
#pragma once

#include "frame/check.hpp"

#include <cstdint>

namespace conformance {

inline constexpr std::int64_t case_epoch_ms = 1'800'000'000'000;

std::int64_t case_time_ms(const json& seconds);

json own_pod(const json& object, std::int64_t now_ms);
json own_shape(const json& object);

// A `scale_up` case as a host would hand it over.
json own_snapshot(const json& input);

// expect against what came, as the case's `match` and `tol` say.
differences compare_case(const json& test_case, const json& actual);

}  // namespace conformance
