// A trigger as its source understands it before it is opened: its target, its query, and how a reading becomes a sample.  Pure:
// no I/O, no access to credentials.
#pragma once

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/sample.hpp"
#include "formats/reduce.hpp"
#include "manifest/parameters.hpp"
#include "manifest/spec.hpp"
#include "source/query_shape.hpp"
#include "text/report.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::source {

// The formats in which servers respond.
using formats::histogram;
using formats::labels;
using formats::numbers;
using formats::point;
using formats::reading;
using formats::series;

// Rules that reduce a reading to one number.
struct reduction {
    std::string reduce;       // avg, max, min, sum, count, pNN; "": exactly one series
    bool ignore_null = true;  // empty, NaN and infinities read as 0 (KEDA's ignoreNullValues)
    bool accept_partial = false;
    // Maximum valid value of one series.  A larger number marks a fault, such as DCGM's blank values, and is ignored.
    double max_value = std::numeric_limits<double>::infinity();

    // Tells whether a value is plausible.  Allows 1 % above max_value for rounding.
    bool is_plausible(double value) const { return !(value > max_value * 1.01); }
};

// The names of manifest::target_type, in its order.
inline constexpr std::array<std::string_view, 3> target_type_names{"AverageValue", "Value", "Utilization"};

// The target in a trigger's metadata, for any source.
struct target {
    std::string metric_name;        // "s0-prometheus"
    std::int64_t target_milli = 0;  // threshold as a quantity
    double threshold = 0.0;
    double activation_threshold = 0.0;
    manifest::target_type type = manifest::target_type::average_value;

    // For cpu and memory triggers, which the HPA reads itself: Resource, or ContainerResource if a container is named.
    std::string resource;  // "cpu", "memory"; "": an External metric
    std::string container;
    std::int32_t utilization_pct = 0;  // type utilization
};

struct fetched {
    source::reading reading;
    gputide::sample sample;                   // without a value, its state says why
    error why;                                // ok if sample.state is ok
    std::shared_ptr<const pod_reading> pods;  // for Pods and Resource metrics; otherwise null
};

// The way in which the doctor can inspect a trigger's value.
enum class inquiry : std::int32_t {
    opaque = 0,  // a value that the server computes; its series cannot be listed
    query = 1,   // a PromQL query
    page = 2,    // series selected from exporters' pages
};

// An Azure role that lets an identity read, and the scope of its assignment: "Monitoring Reader" on "the resource of the metric".
struct azure_role {
    std::string_view name;
    std::string_view scope;
};

// Properties of all triggers of a type, from the type's row in registry.cpp.
struct traits {
    bool is_pushed = false;     // the host provides the value; fetch() returns an error that says so
    bool takes_pushed = false;  // can be fetched, but a value that the host provides takes precedence
    bool keeps_past = false;    // supports range queries
    bool pushes = false;        // the server also reports activity changes over an open stream
    source::inquiry inquiry = source::inquiry::opaque;
    azure_role role = {};                    // required Azure role; empty if the endpoint is not always Azure
    bool is_granted_by_cluster = false;      // a Kubernetes API server responds, and its RBAC grants the reading
    std::string_view alternative_hint = {};  // hint: another way to read the same values, if unsupported here
};

// A metric, with or without a source that reads it.
struct metric {
    std::string label;  // label of the trigger, for errors: "trigger 0 (prometheus)"
    std::string asks;   // query or metric for display, a preset's included; "": does not apply
    source::target target;
    const source::traits* traits = nullptr;            // never null in a result of describe()
    std::function<fetched(const reading&)> to_sample;  // applies the trigger's rules; pure

    // Converts a reading to a sample and keeps the reading with it.  A failure becomes a sample without a value.
    fetched judge(result<source::reading> reading) const;
};

// The result of describe(), and the input of open().
struct description : metric {
    std::string type;                       // of the trigger
    std::vector<std::string> series_names;  // for metric pages: the metric's names there, the current name first
    bool is_rate = false;                   // the rate of a counter: the first reading gives no value
    query_shape shape;                      // the meaning of the value, as far as the settings show it
    bool is_per_pod = false;                // an average over the pods: AverageValue does not divide it again
    // Equal texts mean the same query to the same address: all that a request depends on except time and caller.  Never shown,
    // because it can contain customHeaders.
    std::string question;
    std::vector<manifest::parameter_value> settings;
    // Why open() will fail: a missing or invalid address or credential.  Status ok: no error is known so far.
    error lacking{status::ok};
    // The settings that describe() read, of the type's own class, for the type's open().
    std::shared_ptr<const void> typed_settings;

    template <class Settings>
    std::shared_ptr<const Settings> settings_as() const {
        return std::static_pointer_cast<const Settings>(typed_settings);
    }
};

// Parses a trigger's metadata by its type's rules.  Errors name the trigger, the key and its place; warnings go to `findings`
// (may be null).  The threshold is required.  A missing or invalid address or credential is reported in `lacking`.  The strict
// profile parses and decides like KEDA, defects included (keda-semantics.md 11).
result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

// Returns {"type":"prometheus","metric":"s0-prometheus","target":{"type":"AverageValue","value_milli":5000,"threshold":5,
// "activation_threshold":0},"asks":"up","pushed":false,"keeps_past":true,"settings":{"query":"up","ignoreNullValues":true},
// "report":{"errors":0,"warnings":0,"findings":[]}}.
// Settings have the keys' own names and include defaults: numbers and flags as such, durations in milliseconds, pairs as an
// object, lists as a list, secrets as "***", URLs without their password.
std::string describe_json(const description& described, const text::report& findings);

// Describes an HPA metric that the cluster's metrics APIs serve, as the HPA controller reads it.  `index`: position in the
// manifest's metrics.
result<description> describe_cluster_metric(const manifest::spec& spec, std::size_t index,
                                            const manifest::trigger_rules& rules, text::report* findings);

// Returns the trigger for the same metric, as a gputide.io/source annotation would define it.  Pods and Resource metrics have no
// such trigger: the returned trigger has only their name and cannot be opened.
manifest::trigger trigger_of_cluster_metric(const manifest::spec& spec, std::size_t index);

// Describes the usage of a resource ("cpu", "memory") by the scaled pods.
description describe_cluster_resource(const manifest::scaling& scaling, const target& target);

// Returns the table row of every trigger type, for the manifest parser.
std::span<const manifest::trigger_kind> trigger_kinds();

// Returns the trigger types that describe() accepts.
std::vector<std::string_view> known_types();

// Returns the keys of a type's metadata and authentication, for documentation; empty: unknown type.
std::span<const text::field> keys_of(std::string_view type);

// Reduces numbers to one sample by the rules of a trigger.  Pure; shared by all sources.

// A source's messages for a result without one valid number.  Complete sentences; judge_numbers() appends the remedies.
struct judge_texts {
    std::string empty;       // the result is empty
    std::string no_float;    // series without a number: "the value list is empty"
    std::string several;     // "prometheus query up returned multiple elements"
    std::string not_finite;  // "prometheus query returns"; the value follows
};

// Tells whether there is exactly one number, finite, which is used unchanged; no message is needed then.
bool is_plain_value(const numbers& numbers, const reduction& rule);

// Returns the value that `rule` makes of the numbers, or the reason in the sample's state: partial, empty, ambiguous (several
// without a reducer) or not finite.
fetched judge_numbers(const numbers& numbers, const reduction& rule, const judge_texts& say);

// Returns a sample without a value for an error.  The error's status determines the sample's state.
fetched judge_failure(error why);

// Returns the error of a read that is incomplete because `failed` of `all` parts failed, the first of them with `why`.  `parts`:
// "GPUs have no value".
error partial_error(error why, std::size_t failed, std::size_t all, std::string_view parts);

// Returns the reading without its value, which is too old.  The sample keeps its time.
fetched stale(fetched value, std::string text);
// `what`: "the value".  `remedy`: what to check.
fetched stale(fetched value, std::int64_t age_ms, std::int64_t max_age_ms, std::string_view what,
              std::string_view remedy);

// Returns stale() if the value is older than max_age_ms (0: no limit).  A value without a time is never stale.
fetched within_age(fetched value, std::int64_t now_ms, std::int64_t max_age_ms, std::string_view remedy);

}  // namespace gputide::source
