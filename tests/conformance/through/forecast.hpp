// Helpers that both sides of the forecast cases share.
#pragma once

#include "frame/check.hpp"

namespace conformance {

// Only the members that `expect` names, within the case's own tolerance: |want - got| <= tol * max(1, |want|, |got|).
differences forecast_differences(const json& object, const json& expect, const json& got);

}  // namespace conformance
