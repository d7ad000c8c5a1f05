// Compiles a spec to its sources and the policy that decides by them.  Sends nothing.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "jobs/demand.hpp"
#include "manifest/load.hpp"
#include "manifest/spec.hpp"
#include "pipeline/host.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::pipeline {

struct opened {
    // One per metric of the policy, in manifest order.  Null if the host provides the value (Pods and Resource metrics, an HPA's
    // metric without a named source, unless the manifest has gputide.io/metrics-from: kubernetes).
    std::vector<std::shared_ptr<source::metric_source>> sources;
    decide::policy policy;
};

// A compiled manifest without its sources: addresses and credentials are not checked.
struct described {
    // As opened::sources; nullopt if the host provides the value.
    std::vector<std::optional<source::description>> metrics;
    decide::policy policy;

    // Returns the first error that would prevent opening a metric; status ok: none.
    error lacking() const;
};

// Compiles a manifest.  Pure.  Warnings go to findings (may be null).
result<described> describe(const manifest::spec& spec, text::report* findings);

// Compiles a manifest for decisions only.
result<described> describe_targets(const std::vector<manifest::text_file>& files, const host_options& host);

result<opened> open(described described, const source::services& services);

// Reports what a manifest would do without doing it: parses it, applies the rules of each trigger, and warns of dangerous but
// valid settings.  No network.

struct checked {
    text::report report;
    std::vector<manifest::spec> specs;               // specs without an error
    std::vector<manifest::written_scaled_job> jobs;  // ScaledJobs without an error
};

checked check_manifest(const std::vector<manifest::text_file>& files, const host_options& host);

// Returns {"scalers":[{"name","namespace","kind","file"}],"jobs":[{"name","namespace","file","line"}],
// "report":{"errors":0,"warnings":1,"findings":[...]}}.
std::string checked_json(const checked& checked);

// Findings about a metric's value and its target: an average that is divided again, a total that is multiplied, a target in
// percent for a fraction, and a workload that may go to zero although only its own pods report the metric.  Each finding is
// derived from this manifest.  Pure.

inline constexpr std::string_view average_divided = "average-divided";

struct metric_finding {
    std::size_t metric = 0;   // index in the manifest
    std::string_view code;    // average-divided, total-multiplied, target-beyond-range, ...
    std::string message;      // what the manifest says, with the metric's label
    std::string consequence;  // the effect
    std::string remedy;
};

// Tells whether a ScaledObject without load ends at 0 replicas.
bool goes_to_zero(const manifest::scaling& scaling);

std::vector<metric_finding> find_metric_problems(const manifest::spec& spec, const described& described);

// Adds the findings of find_metric_problems() as warnings, each at the place of its metric.
void add_metric_findings(const manifest::spec& spec, const described& described, text::report& report);

// The pods from the reads of Pods and Resource metrics, in the form for decide/.

// Names point into the reads, which must live longer.
struct read_pods {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;
    bool is_listed = false;  // a read returned a list of pods, which can be empty
};

// Returns the pods of the first metric that has a list; values of the other metrics join them by name.  `reads` has one entry per
// metric, in the policy's order; null: no pods.
read_pods pods_of(std::span<const pod_reading* const> reads);

// Numbers that distinguish the states of one process and of different processes (decide/state/state.hpp).

// Returns a new number with each call, for the first 2^32 calls in a process.  The start is random, and a forked child starts
// elsewhere.  Thread-safe.
std::uint32_t fresh_seed() noexcept;

// Decides a ScaledJob once, from values that the host provides: manifest and observation as text in, decision as JSON out.  No
// I/O.

// `seen` is a JSON object: {"values":[42.5,null],"running":3,"pending":1} and more (docs/jobs.md); values are in the order of the
// triggers, null: the read failed.  Errors: status::invalid with the manifest's place or the member of `seen`; status::ambiguous
// if the text contains several ScaledJobs and host.scaler names none.
result<std::string> decide_scaled_job(const std::vector<manifest::text_file>& files, const host_options& host,
                                      std::string_view seen);

// Returns the reading of a trigger from its sample; without a value: the read failed.
jobs::trigger_reading reading_of(const source::target& target, const sample& sample);

// A metric's past: converts a source's range response to the samples that a scaler would have read at each step.  Pure; the
// response was fetched before.

// Returns one sample per step, with the step's time in time_ms: the trigger's own rules (reducer, NaN) applied to the series that
// have a point there. state empty: no series has one.  A response that cannot be reduced to one value (several series, native
// histograms) is an error.
result<std::vector<sample>> past_samples(const source::metric& metric, const source::reading& reading,
                                         const source::time_range& over);

// Returns the points of a saved response of Prometheus' query_range, which must contain one series.
result<std::vector<source::point>> saved_range(std::string_view answer);

// The scaler's samples for a missing value and for NaN: KEDA's ignoreNullValues makes both 0.  `metric` may be null.
struct null_samples {
    sample empty;
    sample not_a_number;
};
null_samples null_samples_of(const source::metric* metric);

// Writes a policy as JSON, and a decision's report as lines of text.

// Returns status::invalid for a text that is not a report of decide::decision_json().
result<std::string> render_report(std::string_view report);

// JSON for hosts that display a policy.

// Returns the policy in a canonical form with all defaults filled in.
std::string policy_json(const decide::policy& policy);

}  // namespace gputide::pipeline
