// A ScaledJob's manifest, field by field: what the API server's schema, KEDA's webhook and its reconciler refuse, each with its
// place (kedacore/keda config/crd/bases/keda.sh_scaledjobs.yaml, apis/keda/v1alpha1/scaledjob_webhook.go).
#pragma once

#include "config/scaled_job.hpp"
#include "config/trigger_reader.hpp"

namespace gputide::config {

// Who refuses: findings of the reader itself are the schema's.
inline constexpr char webhook_code[] = "incorrect-triggers";
inline constexpr char reconciler_code[] = "metric-type";
inline constexpr char own_code[] = "not-runnable";  // KEDA accepts it and then can do nothing with it

written_scaled_job read_scaled_job(const manifest& manifest, const load_context& context);

}  // namespace gputide::config
