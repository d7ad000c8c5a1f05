// Reads ScaledObjects and ScaledJobs into specs with all defaults, and findings.
#pragma once

#include "manifest/authentication.hpp"
#include "manifest/scaled_job.hpp"

#include <vector>

namespace gputide::manifest {

spec read_scaled_object(const manifest& manifest, const load_context& context);

// Returns the errors of KEDA's webhook and reconciler (kedacore/keda apis/keda/v1alpha1/scaledobject_types.go,
// ..._webhook.go), with their texts.  Pure; paths are below the manifest's root, codes are KEDA's reason labels.
violations validate_scaled_object(const spec& written);

// Validates advanced.scalingModifiers: formula and target must be present, the target a number above 0.  The compiler checks
// the formula's syntax.
violations validate_modifiers(const scaling_modifiers& modifiers);

// Reads the annotations autoscaling.keda.sh/. A boolean is parsed like Go's ParseBool; any other text counts as true, also an
// empty one.
pause read_pause(const texts& annotations);
inline constexpr char paused_replicas_key[] = "autoscaling.keda.sh/paused-replicas";

// A ScaledJob's manifest: reports the errors of the API server's schema, of KEDA's webhook and of its reconciler, each with
// its place (kedacore/keda config/crd/bases/keda.sh_scaledjobs.yaml, apis/keda/v1alpha1/scaledjob_webhook.go).

// Codes by the origin of an error; errors of the schema have the reader's codes.
inline constexpr char webhook_code[] = "incorrect-triggers";
inline constexpr char reconciler_code[] = "metric-type";
inline constexpr char own_code[] = "not-runnable";  // KEDA accepts the manifest, but cannot run its Jobs

written_scaled_job read_scaled_job(const manifest& manifest, const load_context& context);

}  // namespace gputide::manifest
