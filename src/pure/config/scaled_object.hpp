// A KEDA ScaledObject (keda.sh/v1alpha1) as a spec.  In: its manifest.  Out: a spec with every default, and findings.
#pragma once

#include "config/trigger_reader.hpp"

#include <vector>

namespace gputide::config {

spec read_scaled_object(const manifest& manifest, const load_context& context);

// What KEDA's webhook and reconciler refuse (kedacore/keda apis/keda/v1alpha1/scaledobject_types.go, ..._webhook.go), with
// its words.  Pure; paths below the manifest's root, codes are KEDA's reason labels.
std::vector<violation> validate_scaled_object(const spec& written);

// advanced.scalingModifiers alone: formula and target present, target a number above 0.  The formula's own grammar is
// checked where it is compiled.
std::vector<violation> validate_modifiers(const scaling_modifiers& modifiers);

// autoscaling.keda.sh/ annotations.  A boolean is Go's ParseBool; any other text counts as true, also an empty one.
pause read_pause(const texts& annotations);

}  // namespace gputide::config
