// Reads and checks the settings of a kubernetes trigger.
#include "source/kubernetes/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "source/known_metrics.hpp"
#include "source/kubernetes/keys.hpp"
#include "source/target.hpp"

#include <optional>
#include <string_view>

namespace gputide::source::kubernetes {
namespace {

using config::parameters;

std::string text(parameters& parameters, config::text_key key) { return parameters.text(key).value_or(""); }

void read_api(parameters& parameters, settings& settings) {
    const std::string word = text(parameters, keys["api"]);
    settings.api = word == "external" ? api::external : word == "resource" ? api::resource : api::custom;
    settings.version = text(parameters, keys["apiVersion"]);
    if (settings.version == "v1beta2" && settings.api != api::custom) {
        parameters.add_error("apiVersion: v1beta2 exists for api: custom alone; remove it", "apiVersion");
    }
}

void check_segment(parameters& parameters, std::string_view key, const std::string& value) {
    if (value.empty() || kube::is_path_segment(value)) return;
    parameters.add_error(format_text("{}: expected a name without / and %, got {}", key, gputide::in_quotes(value)),
                         key);
}

// A key that only another api has a use for would be left out without a word.
void only_for(parameters& parameters, config::text_key key, bool written, bool fits, std::string_view where) {
    if (!written || fits) return;
    const std::string name(key.name());
    parameters.add_error(format_text("{}: belongs to api: {}; remove it", name, where), name);
}

// "services/llm", "deployments.apps/llm".
void read_object(parameters& parameters, settings& settings) {
    const auto object = parameters.text(keys["object"]);
    settings.object.cluster_scoped = text(parameters, keys["scope"]) == "cluster";
    only_for(parameters, keys["object"], object.has_value(), settings.api == api::custom, "custom");
    only_for(parameters, keys["scope"], settings.object.cluster_scoped, settings.api == api::custom && object,
             "custom, beside object");
    if (!object) return;
    const std::size_t slash = object->find('/');
    settings.object.resource = lower(object->substr(0, slash));
    settings.object.name = slash == std::string::npos ? std::string() : object->substr(slash + 1);
    if (kube::is_path_segment(settings.object.resource) && kube::is_path_segment(settings.object.name)) return;
    parameters.add_error(
        "object: expected <plural>[.<group>]/<name> such as services/llm or deployments.apps/llm, got " +
            gputide::in_quotes(*object),
        "object");
}

void read_selectors(parameters& parameters, settings& settings) {
    settings.selector = text(parameters, keys["selector"]);
    settings.metric_selector = text(parameters, keys["metricSelector"]);
    settings.container = text(parameters, keys["container"]);
    only_for(parameters, keys["metricSelector"], !settings.metric_selector.empty(), settings.api == api::custom,
             "custom (external series: selector)");
    only_for(parameters, keys["container"], !settings.container.empty(), settings.api == api::resource, "resource");
}

// Several series become what the HPA makes of them: external ones are added up, pods are averaged.  An AverageValue target
// divides by the replicas itself, so that a sum is the average there.
std::string usual_reducer(const settings& settings, config::target_type type) {
    return settings.api != api::external && type == config::target_type::value ? "avg" : "sum";
}

void read_reduction(parameters& parameters, const config::trigger& trigger, const config::trigger_rules& rules,
                    settings& settings) {
    settings.reduction.ignore_null = false;
    // An adapter's rule may add series up or multiply them, so that only numbers far beyond the range are faults for sure.
    if (const known_metric* known = find_known_metric(settings.metric)) settings.reduction.max_value = known->max * 1e6;
    settings.is_usual_reducer = rules.reduce.empty();
    settings.reduction.reduce = settings.is_usual_reducer ? usual_reducer(settings, trigger.metric_type) : rules.reduce;
    if (formats::known_reducer(settings.reduction.reduce)) return;
    parameters.add_error("gputide.io/reduce: expected avg, max, min, sum, count or pNN (p0 to p100), got " +
                             gputide::in_quotes(settings.reduction.reduce),
                         "gputide.io/reduce");
}

bool chooses_pods(const settings& settings) { return settings.api == api::resource || settings.object.name == "*"; }

void warn_about(const config::trigger& trigger, const settings& settings, config::report* findings) {
    if (findings == nullptr || settings.api == api::external || !chooses_pods(settings) || !settings.selector.empty())
        return;
    findings->add(config::severity::warning, "no-selector", trigger.at,
                  trigger.label() + ": without selector every pod of the namespace counts, of other workloads too",
                  "write selector: with the labels of the workload's pods, such as app=llm");
}

}  // namespace

result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules,
                               config::report* findings) {
    parameters read(trigger, keys.all());
    settings out;
    read_api(read, out);
    out.metric = text(read, keys["metric"]);
    out.name_space = read.text(keys["namespace"]).value_or(trigger.name_space);
    check_segment(read, "metric", out.metric);
    check_segment(read, "namespace", out.name_space);
    read_object(read, out);
    read_selectors(read, out);
    const double threshold = read.number(keys["threshold"]).value_or(0.0);
    const double activation = read.number(keys["activationThreshold"]).value_or(0.0);
    read_reduction(read, trigger, rules, out);
    out.max_age_ms = rules.max_age_ms;
    if (auto finished = read.finish("error parsing kubernetes metadata"); !finished) {
        return at_trigger(std::move(finished).failure(), trigger);
    }
    auto target = external_target(trigger, "kubernetes-" + out.metric, threshold, activation);
    if (!target) return std::move(target).failure();
    out.target = *std::move(target);
    warn_about(trigger, out, findings);
    return out;
}

}  // namespace gputide::source::kubernetes
