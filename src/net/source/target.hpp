// Keys that several sources have in common, and the target that they describe.
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

// For sources that reduce several values to one number themselves.
inline constexpr auto reduce_keys = text::fields({
    {.names = {"reduce"},
     .otherwise = "`gputide.io/reduce`, else `avg`",
     .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
     .meaning = "how values are combined to the trigger's value"},
});

// The metric spec that KEDA passes to the HPA for a trigger (kedacore/keda pkg/scalers/scaler.go, GetMetricSpecForScaling).

// Returns the External metric `s<index>-<name>` with the threshold as a quantity: rounded to the nearest milli, a negative one as
// 0. (12, "prometheus", 0.1875) → s12-prometheus, 188 milli.  Metric type Utilization is an error, as in KEDA.
result<target> external_target(const manifest::trigger& trigger, std::string_view name, double threshold,
                               double activation_threshold);

// Returns "s0-a-b" for (0, "a.b"): like KEDA, replaces / . : % ( ) by a hyphen.
std::string metric_name(std::int32_t index, std::string_view name);

// Warns of metadata keys that the source's table does not have and suggests the nearest one: KEDA silently ignores them.  The
// module manifest checks keys that begin with gputide.io/.
void warn_unknown_keys(const manifest::trigger& trigger, const manifest::parameters& read, text::report* findings);

// Reads a reducer's name into `into`; if the key is missing, keeps the value of `into`.  An unknown name is an error of the key.
void read_reducer(manifest::parameters& parameters, text::text_key key, std::string& into);

// Tells whether the key is set and has an error: a warning about its default would then be wrong.
bool is_refused(const manifest::trigger& trigger, const manifest::parameters& read, std::string_view key);

// Ends the parsing of a trigger's keys.  If all errors concern the address or the credential and `lacking` is not null, writes
// the error to `lacking` and succeeds: the target can be used.
result<void> finish(const manifest::parameters& read, std::string_view prefix, const manifest::trigger& trigger,
                    error* lacking);

// Places the trigger's error at the most specific place, its label.
error at_trigger(error error, const manifest::trigger& trigger);

}  // namespace gputide::source
