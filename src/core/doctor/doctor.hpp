// Diagnoses one manifest: the steps of each trigger up to the first that fails, then the decision.  Reads the network, the
// environment and token files like the triggers; changes nothing.
#pragma once

#include "base/result.hpp"
#include "decide/observation.hpp"
#include "doctor/step.hpp"
#include "http/client.hpp"
#include "manifest/load.hpp"
#include "pipeline/host.hpp"

#include <cstdint>
#include <vector>

namespace gputide::doctor {

struct circumstances {
    const decide::observation* seen = nullptr;  // null: now, with the manifest's minimum of replicas
    std::int64_t deadline_ms = 0;               // on the client's steady clock
    const http::cancel_flag* cancel = nullptr;
};

// Returns an error for an invalid manifest (status::invalid, with its places), for several scalers without a chosen name, and for
// a cancellation.  Problems of triggers are in the report.
result<report> examine(const std::vector<manifest::text_file>& files, const pipeline::host_options& host,
                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
