// Rows that the tables of several sources have alike.
#pragma once

#include "base/result.hpp"
#include "manifest/parameters.hpp"
#include "manifest/spec.hpp"
#include "source/description.hpp"
#include "text/field.hpp"

#include <string_view>

namespace gputide::source {

using text::origin;
using text::value_type;

inline constexpr auto threshold_keys = text::fields({
    {.names = {"threshold"}, .type = value_type::number, .required = true, .meaning = "the target"},
    {.names = {"activationThreshold"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

inline constexpr auto target_value_keys = text::fields({
    {.names = {"targetValue"},
     .type = value_type::number,
     .otherwise = "required",
     .range = "not 0",
     .meaning = "the target"},
    {.names = {"activationTargetValue"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

// For sources that make one number of several values themselves.
inline constexpr auto reduce_keys = text::fields({
    {.names = {"reduce"},
     .otherwise = "`gputide.io/reduce`, else `avg`",
     .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
     .meaning = "how values become the trigger's number"},
});

// The metric spec that KEDA hands to the HPA for a trigger (kedacore/keda pkg/scalers/scaler.go, GetMetricSpecForScaling).

// External metric `s<index>-<name>`; the threshold as a quantity, rounded to the nearest milli, negatives as 0.
// index 12, "prometheus", 0.1875 → s12-prometheus, 188 milli.  Utilization is refused, as KEDA refuses it.
result<target> external_target(const manifest::trigger& trigger, std::string_view name, double threshold,
                               double activation_threshold);

// "s0-a-b" from "a.b": KEDA replaces / . : % ( ) by a hyphen.
std::string metric_name(std::int32_t index, std::string_view name);

// Warns of metadata keys that the source's table does not have, with the nearest known one: KEDA ignores them without a
// word.  Keys of our own (gputide.io/...) are config's to check.
void warn_unknown_keys(const manifest::trigger& trigger, const manifest::parameters& read, text::report* findings);

// A reducer by name: what is written, else what `into` holds; an unknown word is an error of the key.
void read_reducer(manifest::parameters& parameters, text::text_key key, std::string& into);

// The key is written, and is an error: a warning about the value in its place would be wrong.
bool is_refused(const manifest::trigger& trigger, const manifest::parameters& read, std::string_view key);

// Ends the reading of a trigger's keys.  Errors of an address or a credential alone go to `lacking` where that is given; the
// settings are good for the target then.
result<void> finish(const manifest::parameters& read, std::string_view prefix, const manifest::trigger& trigger,
                    error* lacking);

// The most pointed error of a trigger: placed at its label.
error at_trigger(error error, const manifest::trigger& trigger);

}  // namespace gputide::source
