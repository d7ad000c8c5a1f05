// The metric spec that KEDA hands to the HPA for a trigger (kedacore/keda pkg/scalers/scaler.go, GetMetricSpecForScaling).
#pragma once

#include "base/result.hpp"
#include "config/parameters.hpp"
#include "config/spec.hpp"
#include "source/description.hpp"

#include <string_view>

namespace gputide::source {

// External metric `s<index>-<name>`; the threshold as a quantity, rounded to the nearest milli, negatives as 0.
// index 12, "prometheus", 0.1875 → s12-prometheus, 188 milli.  Utilization is refused, as KEDA refuses it.
result<target> external_target(const config::trigger& trigger, std::string_view name, double threshold,
                               double activation_threshold);

// "s0-a-b" from "a.b": KEDA replaces / . : % ( ) by a hyphen.
std::string metric_name(std::int32_t index, std::string_view name);

// Warns of metadata keys that the source's table does not have, with the nearest known one: KEDA ignores them without a
// word.  Keys of our own (gputide.io/...) are config's to check.
void warn_unknown_keys(const config::trigger& trigger, const config::parameters& read, config::report* findings);

// A reducer by name: what is written, else what `into` holds; an unknown word is an error of the key.
void read_reducer(config::parameters& parameters, config::text_key key, std::string& into);

// The key is written, and is an error: what stands in for its value is no reason to warn.
bool is_refused(const config::trigger& trigger, const config::parameters& read, std::string_view key);

// Ends the reading of a trigger's keys.  Errors of an address or a credential alone go to `lacking` where that is given; the
// settings are good for the target then.
result<void> finish(const config::parameters& read, std::string_view prefix, const config::trigger& trigger,
                    error* lacking);

// The most pointed error of a trigger: placed at its label.
error at_trigger(error error, const config::trigger& trigger);

}  // namespace gputide::source
