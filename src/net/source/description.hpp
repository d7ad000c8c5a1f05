// A trigger as its source understands it, before anything is opened: what it scales by, what it asks, how a reading becomes
// a sample.  Pure: no I/O, no credential is looked at.
#pragma once

#include "base/error.hpp"
#include "base/pod.hpp"
#include "base/result.hpp"
#include "base/sample.hpp"
#include "formats/reading.hpp"
#include "manifest/kinds.hpp"
#include "manifest/parameters.hpp"
#include "manifest/spec.hpp"
#include "source/query_shape.hpp"
#include "text/report.hpp"

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

// The content of answers in any format.
using formats::histogram;
using formats::labels;
using formats::numbers;
using formats::point;
using formats::reading;
using formats::series;

// The rules that make one number of a reading.
struct reduction {
    std::string reduce;       // avg, max, min, sum, count, pNN; "": exactly one series
    bool ignore_null = true;  // empty, NaN and infinities read as 0 (KEDA's ignoreNullValues)
    bool accept_partial = false;
    // The largest value that one series can have; above it a number is the mark of a fault, such as DCGM's blanks, and no value.
    double max_value = std::numeric_limits<double>::infinity();

    // With a hundredth for what rounding adds.
    bool can_be(double value) const { return !(value > max_value * 1.01); }
};

// The target that a trigger's metadata names, for any source.
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
    gputide::sample sample;                   // state says why there is no value
    error why;                                // status ok where sample.state is ok
    std::shared_ptr<const pod_reading> pods;  // of Pods and Resource metrics; else null
};

// The way to a trigger's number, for the doctor.
enum class inquiry : std::int32_t {
    opaque = 0,  // a figure of the peer's own: there are no series behind it
    query = 1,   // a PromQL query over a store of series
    page = 2,    // series that are picked from exporters' pages
};

// A role of Azure that lets an identity read, and on what it is granted: "Monitoring Reader" on "the resource of the
// metric".
struct azure_role {
    std::string_view name;
    std::string_view scope;
};

// Properties of all triggers of a type, from its row in registry.cpp.
struct traits {
    bool is_pushed = false;     // the host brings the number: there is nothing to ask, and a fetch says so
    bool takes_pushed = false;  // it can be asked, and a number that the host brings goes before
    bool keeps_past = false;    // a range can be asked for
    bool pushes = false;  // it also says by itself when it becomes active or idle, over a stream that is held open
    source::inquiry inquiry = source::inquiry::opaque;
    azure_role role = {};                // of types that query Azure alone; no name: the endpoint may be any
    bool is_granted_by_cluster = false;  // a Kubernetes API server answers, and its roles grant the reading
    std::string_view elsewhere = {};     // another way to the same numbers, if this machine does not have them
};

// A metric, with or without a source that reads it.
struct metric {
    std::string label;  // of the trigger, for errors: "trigger 0 (prometheus)"
    std::string asks;   // its query or metric, a preset's included, for people; "" where there is no such thing
    source::target target;
    const source::traits* traits = nullptr;            // never null in what describe() gives
    std::function<fetched(const reading&)> to_sample;  // by the trigger's rules; pure

    // Reading → one sample, with the reading beside it; a failure as a sample without a value.
    fetched judge(result<source::reading> reading) const;
};

// The result of describe(), which open() takes.
struct description : metric {
    std::string type;                       // of the trigger
    std::vector<std::string> series_names;  // of a page: what the metric is called there, today's name first
    bool is_rate = false;                   // of a counter: the first reading gives none
    query_shape shape;                      // what the number means, as far as the settings tell
    bool is_per_pod = false;                // the average of the pods' values: AverageValue does not divide it again
    // Equal texts mean the same query to the same address: all that a request depends on but time and caller.  It may
    // hold customHeaders as written, so it is never shown.
    std::string question;
    std::vector<manifest::parameter_value> settings;
    // Why open() will refuse: an address or a credential that is missing or wrong.  Status ok: nothing is known yet.
    error lacking{status::ok};
    // The settings that describe() read, of a class of the type's own.  The type's open() takes them.
    std::shared_ptr<const void> typed_settings;

    template <class Settings>
    std::shared_ptr<const Settings> settings_as() const {
        return std::static_pointer_cast<const Settings>(typed_settings);
    }
};

// Describes a trigger by the settings that were read: its target, and how a reading becomes a sample.
template <class Settings>
description description_of(std::shared_ptr<const Settings> settings,
                           fetched (*judge)(const reading&, const Settings&)) {
    description out;
    out.target = settings->target;
    out.to_sample = [settings, judge](const reading& whole) { return judge(whole, *settings); };
    out.typed_settings = std::move(settings);
    return out;
}

// Further rules of a type's settings.
template <class Settings>
struct settings_rules {
    fetched (*judge)(const reading&, const Settings&);
    std::string (*request_key)(const Settings&);  // description::question
    std::string Settings::*asks;
};

// The same for types that need nothing else.  `lacking` as read_settings() filled it.
template <class Settings>
result<description> description_of(result<Settings> read, const error& lacking, const settings_rules<Settings>& rules) {
    if (!read) return read.take_failure();
    const auto settings = std::make_shared<const Settings>(*std::move(read));
    description out = description_of(settings, rules.judge);
    out.asks = (*settings).*rules.asks;
    out.question = rules.request_key(*settings);
    out.lacking = lacking;
    return out;
}

// Reads a trigger's metadata by its type's rules.  Errors name the trigger, the key and its place; warnings go to
// `findings` (may be null).  A threshold must be there; what lacks of address and credentials is in `lacking`.
// The strict profile reads and judges as KEDA does, defects included (keda-semantics.md 11).
result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

// {"type":"prometheus","metric":"s0-prometheus","target":{"type":"AverageValue","value_milli":5000,"threshold":5,
// "activation_threshold":0},"asks":"up","pushed":false,"keeps_past":true,"settings":{"query":"up","ignoreNullValues":true},
// "report":{"errors":0,"warnings":0,"findings":[]}}.  Settings by the keys' own names, written ones and fallbacks: numbers
// and flags as such, durations in milliseconds, pairs as an object, lists as a list; secrets as "***", no password of a URL.
std::string describe_json(const description& described, const text::report& findings);

// A metric of a HorizontalPodAutoscaler as the cluster itself has it: what the HPA controller would read for it.  `index` among
// the manifest's metrics.
result<description> describe_cluster_metric(const manifest::spec& spec, std::size_t index,
                                            const manifest::trigger_rules& rules, text::report* findings);

// The trigger that asks for the same, as a gputide.io/source annotation would name it.  For Pods and Resource metrics there is
// none: this one has their name, and cannot be opened.
manifest::trigger trigger_of_cluster_metric(const manifest::spec& spec, std::size_t index);

// Describes the use of a resource ("cpu", "memory") by the pods that are scaled.
description describe_cluster_resource(const manifest::scaling& scaling, const target& target);

// The rows of all types, as the reading of manifests takes them.
std::span<const manifest::trigger_kind> trigger_kinds();

// The trigger types that describe() knows.
std::vector<std::string_view> known_types();

// The keys of a type's metadata and authentication, for documentation; empty: unknown type.
std::span<const text::field> keys_of(std::string_view type);

}  // namespace gputide::source
