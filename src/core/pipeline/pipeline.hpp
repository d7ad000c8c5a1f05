// From a spec to what works: the sources that read it and the policy that decides by it.  Nothing is sent.
#pragma once

#include "base/pod.hpp"
#include "base/result.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gputide::pipeline {

struct opened {
    // One per metric of the policy, in manifest order; null where the host brings the value (Pods and Resource metrics, an
    // HPA's metric without a named source, unless the manifest says gputide.io/metrics-from: kubernetes).
    std::vector<std::shared_ptr<source::metric_source>> sources;
    decide::policy policy;
};

// A compiled manifest without its sources: no address and no credential is looked at.
struct described {
    // As opened::sources; nothing where the host brings the value.
    std::vector<std::optional<source::description>> metrics;
    decide::policy policy;

    // The first of what its metrics lack to be opened; status ok: nothing.
    error lacking() const;
};

// Pure.  Warnings go to findings (may be null).
result<described> describe(const manifest::spec& spec, text::report* findings);

result<opened> open(described described, const source::services& services);

// The pods that the reads of Pods and Resource metrics have brought, as decide/ takes them.

// Names lie in the reads, which must outlive this.
struct read_pods {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;
    bool is_listed = false;  // a read brought a list of pods, which can be empty
};

// The pods of the first metric that has some; values of the other metrics join them by name.  One read a metric, in the
// policy's order; null: it brought none.
read_pods pods_of(std::span<const pod_reading* const> reads);

// Numbers that distinguish the states of one process, and those of two processes (decide/state/state.hpp).

// Another one with each call, of the first 2^32 in a process; where they begin is drawn, and a forked child begins elsewhere.
// Any thread.
std::uint32_t fresh_seed() noexcept;

}  // namespace gputide::pipeline
