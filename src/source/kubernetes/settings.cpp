// Reads and checks the settings of a kubernetes trigger.
#include "source/kubernetes/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "source/kubernetes/keys.hpp"
#include "source/target.hpp"

#include <optional>
#include <string_view>

namespace gputide::source::kubernetes {
namespace {

using config::parameters;

std::string text(parameters& from, config::text_key what) { return from.text(what).value_or(""); }

void read_api(parameters& from, settings& into) {
    const std::string word = text(from, keys["api"]);
    into.api = word == "external" ? api::external : word == "resource" ? api::resource : api::custom;
    into.version = text(from, keys["apiVersion"]);
    if (into.version == "v1beta2" && into.api != api::custom) {
        from.add_error("apiVersion: v1beta2 exists for api: custom alone; remove it", "apiVersion");
    }
}

void check_segment(parameters& from, std::string_view key, const std::string& value) {
    if (value.empty() || is_path_segment(value)) return;
    from.add_error(format_text("{}: expected a name without / and %, got {}", key, gputide::in_quotes(value)), key);
}

// A key that only another api has a use for would be left out without a word.
void only_for(parameters& from, config::text_key what, bool written, bool fits, std::string_view where) {
    if (!written || fits) return;
    const std::string name(what.name());
    from.add_error(format_text("{}: belongs to api: {}; remove it", name, where), name);
}

// "services/llm", "deployments.apps/llm".
void read_object(parameters& from, settings& into) {
    const auto object = from.text(keys["object"]);
    into.object.cluster_scoped = text(from, keys["scope"]) == "cluster";
    only_for(from, keys["object"], object.has_value(), into.api == api::custom, "custom");
    only_for(from, keys["scope"], into.object.cluster_scoped, into.api == api::custom && object,
             "custom, beside object");
    if (!object) return;
    const std::size_t slash = object->find('/');
    into.object.resource = lower(object->substr(0, slash));
    into.object.name = slash == std::string::npos ? std::string() : object->substr(slash + 1);
    if (is_path_segment(into.object.resource) && is_path_segment(into.object.name)) return;
    from.add_error("object: expected <plural>[.<group>]/<name> such as services/llm or deployments.apps/llm, got " +
                       gputide::in_quotes(*object),
                   "object");
}

void read_selectors(parameters& from, settings& into) {
    into.selector = text(from, keys["selector"]);
    into.metric_selector = text(from, keys["metricSelector"]);
    into.container = text(from, keys["container"]);
    only_for(from, keys["metricSelector"], !into.metric_selector.empty(), into.api == api::custom,
             "custom (external series: selector)");
    only_for(from, keys["container"], !into.container.empty(), into.api == api::resource, "resource");
}

// Several series become what the HPA makes of them: external ones are added up, pods are averaged.  An AverageValue target
// divides by the replicas itself, so that a sum is the average there.
std::string usual_reducer(const settings& of, config::target_type type) {
    return of.api != api::external && type == config::target_type::value ? "avg" : "sum";
}

void read_reduction(parameters& from, const config::trigger& trigger, const config::trigger_rules& rules,
                    settings& into) {
    into.reduction.ignore_null = false;
    into.is_usual_reducer = rules.reduce.empty();
    into.reduction.reduce = into.is_usual_reducer ? usual_reducer(into, trigger.metric_type) : rules.reduce;
    if (formats::known_reducer(into.reduction.reduce)) return;
    from.add_error("gputide.io/reduce: expected avg, max, min, sum, count or pNN (p0 to p100), got " +
                       gputide::in_quotes(into.reduction.reduce),
                   "gputide.io/reduce");
}

bool chooses_pods(const settings& of) { return of.api == api::resource || of.object.name == "*"; }

void warn_about(const config::trigger& from, const settings& got, config::report* findings) {
    if (findings == nullptr || got.api == api::external || !chooses_pods(got) || !got.selector.empty()) return;
    findings->add(config::severity::warning, "no-selector", from.at,
                  from.label() + ": without selector every pod of the namespace counts, of other workloads too",
                  "write selector: with the labels of the workload's pods, such as app=llm");
}

}  // namespace

result<settings> read_settings(const config::trigger& from, const config::trigger_rules& rules,
                               config::report* findings) {
    parameters read(from, keys.all());
    settings out;
    read_api(read, out);
    out.metric = text(read, keys["metric"]);
    out.name_space = read.text(keys["namespace"]).value_or(from.name_space);
    check_segment(read, "metric", out.metric);
    check_segment(read, "namespace", out.name_space);
    read_object(read, out);
    read_selectors(read, out);
    const double threshold = read.number(keys["threshold"]).value_or(0.0);
    const double activation = read.number(keys["activationThreshold"]).value_or(0.0);
    read_reduction(read, from, rules, out);
    out.max_age_ms = rules.max_age_ms;
    if (auto finished = read.finish("error parsing kubernetes metadata"); !finished) {
        return at_trigger(std::move(finished).failure(), from);
    }
    auto target = external_target(from, "kubernetes-" + out.metric, threshold, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    warn_about(from, out, findings);
    return out;
}

}  // namespace gputide::source::kubernetes
