// From each trigger's read to the two facts that the executor needs: is the object active, is anything in
// error. Pure.  Source: kedacore/keda pkg/scaling/scale_handler.go.
#pragma once

#include "decide/keda/composite.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

struct activity {
    bool active = false;
    bool error = false;
};

// A trigger is active where its fallback is, or its raw value is above its activation threshold; never with
// an error. cpu and memory triggers say nothing, but where there are no others and no error the object is
// active. With scalingModifiers the composite alone decides, and any error means inactive. `combined` is used
// only where the policy has a formula.
activity activity_of(const policy& policy, std::span<const passed_metric> metrics, const composite& combined);

}  // namespace gputide::decide
