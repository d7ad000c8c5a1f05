// ScaledObjects and ScaledJobs as specs: their manifests in, specs with every default and findings out.
#pragma once

#include "manifest/scaled_job.hpp"
#include "manifest/trigger_reader.hpp"

#include <vector>

namespace gputide::manifest {

spec read_scaled_object(const manifest& manifest, const load_context& context);

// Returns what KEDA's webhook and reconciler refuse (kedacore/keda apis/keda/v1alpha1/scaledobject_types.go, ..._webhook.go), with
// its words.  Pure; paths below the manifest's root, codes are KEDA's reason labels.
std::vector<violation> validate_scaled_object(const spec& written);

// advanced.scalingModifiers alone: formula and target present, target a number above 0.  The formula's own grammar is
// checked where it is compiled.
std::vector<violation> validate_modifiers(const scaling_modifiers& modifiers);

// autoscaling.keda.sh/ annotations.  A boolean is Go's ParseBool; any other text counts as true, also an empty one.
pause read_pause(const texts& annotations);

// A ScaledJob's manifest, field by field: what the API server's schema, KEDA's webhook and its reconciler refuse, each with its
// place (kedacore/keda config/crd/bases/keda.sh_scaledjobs.yaml, apis/keda/v1alpha1/scaledjob_webhook.go).

// Origin of a refusal: findings of the reader itself are the schema's.
inline constexpr char webhook_code[] = "incorrect-triggers";
inline constexpr char reconciler_code[] = "metric-type";
inline constexpr char own_code[] = "not-runnable";  // KEDA accepts it and then can do nothing with it

written_scaled_job read_scaled_job(const manifest& manifest, const load_context& context);

}  // namespace gputide::manifest
