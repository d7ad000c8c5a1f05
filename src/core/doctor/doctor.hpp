// Diagnoses one manifest: the steps of each trigger up to the first that fails, then the decision.  Reads the network, the environment and token files as the triggers would; changes nothing.
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
    const decide::observation* seen = nullptr;  // null: now, with as many replicas as the manifest's minimum
    std::int64_t deadline_ms = 0;               // on the client's steady clock
    const http::cancel_flag* cancel = nullptr;
};

// Returns an error for a manifest that cannot be read (status::invalid, with its places), for several scalers without a
// chosen name, and for a cancel.  Problems of a trigger are in the report.
result<report> examine(const std::vector<manifest::text_file>& files, const pipeline::host_options& host,
                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
