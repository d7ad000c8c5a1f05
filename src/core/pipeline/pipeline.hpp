// From a spec to what works: the sources that read it and the policy that decides by it.  Nothing is sent.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "decide/policy.hpp"
#include "source/source.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace gputide::pipeline {

struct opened {
    // One per metric of the policy, in manifest order; null where the host brings the value (Pods and Resource metrics, an
    // HPA's metric without a named source, unless the manifest says gputide.io/metrics-from: kubernetes).
    std::vector<std::shared_ptr<source::metric_source>> sources;
    decide::policy policy;
};

// What a manifest scales by, without anything to ask: no address and no credential is looked at.
struct described {
    // As opened::sources; nothing where the host brings the value.
    std::vector<std::optional<source::description>> metrics;
    decide::policy policy;

    // The first of what its metrics lack to be opened; status ok: nothing.
    error lacking() const;
};

// Pure.  Warnings go to findings (may be null).
result<described> describe(const config::spec& spec, config::report* findings);

result<opened> open(described described, const source::services& services);

}  // namespace gputide::pipeline
