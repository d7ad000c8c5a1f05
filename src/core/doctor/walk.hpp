// One trigger, step by step, up to the first that fails.  Gathers what the steps judge.
#pragma once

#include "base/pod.hpp"
#include "decide/policy.hpp"
#include "doctor/asker.hpp"
#include "doctor/lookup.hpp"
#include "doctor/step.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gputide::doctor {

struct walked {
    trigger_report report;
    gputide::sample sample;  // for the decision; not_given where the host must bring it
    std::string read_error;
    std::shared_ptr<const pod_reading> pods;  // of Pods and Resource metrics
};

// `pushed` is the host's value of a trigger that cannot be asked.  is_hpa: the trigger is the source of an HPA's metric.
struct way {
    const patient& whose;
    const decide::metric_policy& metric;
    std::optional<gputide::sample> pushed;
    bool can_be_zero = false;
    bool is_hpa = false;
    bool is_brought = false;  // the host brings it, as the manifest says or the observation shows
    // Opens what no trigger names: a metric of the cluster's own.  Empty: the trigger is opened.
    std::function<result<std::shared_ptr<source::metric_source>>()> open;
};
walked walk(const asker& asker, const way& along);

// A metric that the manifest names and nobody is asked for: well where the host brings it.
walked walk_unfed(const decide::metric_policy& metric, std::size_t index, const std::optional<gputide::sample>& pushed,
                  bool is_brought);

}  // namespace gputide::doctor
