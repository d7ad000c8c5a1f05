// Diagnoses one trigger: gathers the input of each step, up to the first that fails.
#pragma once

#include "base/sample.hpp"
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

struct trigger_diagnosis {
    trigger_report report;
    gputide::sample sample;  // for the decision; not_given if the host must provide it
    std::string read_error;
    std::shared_ptr<const pod_reading> pods;  // of Pods and Resource metrics
};

// `pushed`: the host's value for a trigger without a source.  is_hpa: the trigger is the source of an HPA's metric.
struct diagnosis_input {
    const examined_trigger& examined;
    const decide::metric_policy& metric;
    std::optional<gputide::sample> pushed;
    bool can_be_zero = false;
    bool is_hpa = false;
    bool is_variable = false;   // of scalingModifiers.formula
    bool is_from_host = false;  // the host provides the value
    // Opens a metric of the cluster's metrics APIs for which the manifest has no trigger.  Empty: the trigger is opened.
    std::function<result<std::shared_ptr<source::metric_source>>()> open;
};
trigger_diagnosis diagnose(const asker& asker, const diagnosis_input& input);

// Diagnoses a metric without a source: ok if the host provides the value.
trigger_diagnosis diagnose_unread(const decide::metric_policy& metric, std::size_t index,
                                  const std::optional<gputide::sample>& pushed, bool is_from_host);

}  // namespace gputide::doctor
