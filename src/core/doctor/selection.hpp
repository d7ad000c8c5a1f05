// A selector of a trigger's query, with its series or, if there are none, similar series: the input of step `series`.  Also steps
// `series` and `value` of a metric of pods.  Pure.
#pragma once

#include "base/pattern/pattern.hpp"
#include "base/sample.hpp"
#include "decide/policy.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::doctor {

// A metric that is read for each pod (Pods, Resource, ContainerResource).
struct pods {
    const decide::metric_policy& metric;
    const pod_reading& read;
};

step judge_pods(const pods& seen);
step check_usage(const pods& seen);

struct matcher {
    std::string label;
    std::string sign;  // = != =~ !~
    std::string value;
    std::optional<gputide::pattern> pattern;

    // Tells whether the labels match.  A missing label is "", as in PromQL.
    bool takes(const source::labels& labels, match_budget& budget) const;
    std::string text() const;  // deployment="my-gpu-workload"
};

struct selection {
    std::string metric;  // "": the selector names none
    std::vector<matcher> matchers;
    std::vector<source::labels> found;

    // Only if `found` is empty.
    std::vector<source::labels> nearby;      // series of the metric without one or without all of the matchers
    std::vector<std::string> metrics_alike;  // names that begin alike: DCGM_..., vllm:...
    std::vector<std::string> targets_down;   // targets that Prometheus cannot scrape: "dcgm-exporter at 10.0.0.3:9400"
    bool looked = false;                     // similar series were searched; false: only the page or response is known

    std::string text() const;
    std::string text_without(std::size_t matcher) const;  // the same selector without that matcher
};

// Parses `DCGM_FI_DEV_GPU_UTIL{deployment="x",gpu=~"0|1"}`; returns nullopt for a text that is not a selector.
std::optional<selection> read_selector(std::string_view text);

// Returns the value of a label; "" if absent.
std::string_view label_value(const source::labels& labels, std::string_view name);

// Returns the label with the workload's pod.  If Prometheus scrapes without honorLabels, `pod` is the exporter's own pod and
// `exported_pod` the workload's.
std::string_view pod_label_of(const std::vector<source::labels>& series);

// Tells whether a shared GPU has its own series and one for each pod (dcgm-exporter since 4.5.3-4.8.2).
bool mixes_devices_and_pods(std::string_view metric, const std::vector<source::labels>& series);

// Returns the label names of all series, without __name__, sorted.
std::vector<std::string> label_names(const std::vector<source::labels>& labels);

// Returns the distinct values of a label, sorted, without "".
std::vector<std::string> label_values(const std::vector<source::labels>& labels, std::string_view name);

}  // namespace gputide::doctor
