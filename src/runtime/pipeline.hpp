// From a spec to what works: the sources that read it and the policy that decides by it.  Nothing is sent.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "decide/policy.hpp"
#include "source/source.hpp"

#include <memory>
#include <vector>

namespace gputide::runtime {

struct pipeline {
    // One per metric of the policy, in manifest order; null where the host brings the value (Pods and Resource metrics, an
    // HPA's metric without a named source, unless the manifest says gputide.io/metrics-from: kubernetes).
    std::vector<std::shared_ptr<source::metric_source>> sources;
    decide::policy policy;
};

// services may be empty (all null) for a policy or a check.  Warnings go to findings (may be null).
result<pipeline> make_pipeline(const config::spec& from, const source::services& services, config::report* findings);

}  // namespace gputide::runtime
