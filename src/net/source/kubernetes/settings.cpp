// Reads and checks the settings of a kubernetes trigger.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "kube/endpoint.hpp"
#include "manifest/label_query.hpp"
#include "source/known_metrics.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pods.hpp"
#include "source/target.hpp"

#include <string_view>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

using manifest::parameters;

std::string text(parameters& parameters, text::text_key key) { return parameters.text(key).value_or(""); }

void read_api(parameters& parameters, settings& settings) {
    const std::string word = text(parameters, keys["api"]);
    settings.api = word == "external" ? api::external : word == "resource" ? api::resource : api::custom;
    settings.version = text(parameters, keys["apiVersion"]);
    if (settings.version == "v1beta2" && settings.api != api::custom) {
        parameters.add_error("apiVersion: v1beta2 exists only for api: custom; remove it", "apiVersion");
    }
}

void check_segment(parameters& parameters, std::string_view key, const std::string& value) {
    if (value.empty() || kube::is_path_segment(value)) return;
    parameters.add_error(format_text("{}: expected a name without / and %, got {}", key, gputide::in_quotes(value)),
                         key);
}

// Rejects a key that only another API uses: it would be ignored silently.
void only_for(parameters& parameters, text::text_key key, bool written, bool fits, std::string_view where) {
    if (!written || fits) return;
    const std::string name(key.name());
    parameters.add_error(format_text("{}: is only valid with api: {}; remove it", name, where), name);
}

// Reads "services/llm" or "deployments.apps/llm".
void read_object(parameters& parameters, settings& settings) {
    const auto object = parameters.text(keys["object"]);
    settings.object.cluster_scoped = text(parameters, keys["scope"]) == "cluster";
    only_for(parameters, keys["object"], object.has_value(), settings.api == api::custom, "custom");
    only_for(parameters, keys["scope"], settings.object.cluster_scoped, settings.api == api::custom && object,
             "custom, together with object");
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

std::string selector(parameters& parameters, const char* key, text::text_key row) {
    std::string out = text(parameters, row);
    if (const auto read = manifest::read_label_query(out); !read)
        parameters.add_error(format_text("{}: {}", key, read.failure().message), key);
    return out;
}

void read_selectors(parameters& parameters, settings& settings) {
    settings.selector = selector(parameters, "selector", keys["selector"]);
    settings.metric_selector = selector(parameters, "metricSelector", keys["metricSelector"]);
    settings.container = text(parameters, keys["container"]);
    only_for(parameters, keys["metricSelector"], !settings.metric_selector.empty(), settings.api == api::custom,
             "custom (external series: selector)");
    only_for(parameters, keys["container"], !settings.container.empty(), settings.api == api::resource, "resource");
}

// Returns the HPA's way to combine several series: external series are added, pods are averaged.  An AverageValue target divides
// by the replicas itself, so its sum results in the average.
std::string usual_reducer(const settings& settings, manifest::target_type type) {
    return settings.api != api::external && type == manifest::target_type::value ? "avg" : "sum";
}

void read_reduction(parameters& parameters, const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                    settings& settings) {
    settings.reduction.ignore_null = false;
    // An adapter's rule may add or multiply series, so only values far above the maximum are certainly faulty.
    if (const known_metric* known = find_known_metric(settings.metric)) settings.reduction.max_value = known->max * 1e6;
    settings.is_usual_reducer = rules.reduce.empty();
    settings.reduction.reduce = settings.is_usual_reducer ? usual_reducer(settings, trigger.metric_type) : rules.reduce;
    if (formats::known_reducer(settings.reduction.reduce)) return;
    parameters.add_error("gputide.io/reduce: expected avg, max, min, sum, count or pNN (p0 to p100), got " +
                             gputide::in_quotes(settings.reduction.reduce),
                         "gputide.io/reduce");
}

bool chooses_pods(const settings& settings) { return settings.api == api::resource || settings.object.name == "*"; }

void warn_about(const manifest::trigger& trigger, const settings& settings, text::report* findings) {
    if (findings == nullptr || settings.api == api::external || !chooses_pods(settings) || !settings.selector.empty())
        return;
    findings->add(
        text::severity::warning, "no-selector", trigger.at,
        trigger.label() + ": without selector, every pod of the namespace counts, including those of other workloads",
        "write selector: with the labels of the workload's pods, such as app=llm");
}

}  // namespace

result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               text::report* findings) {
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
        return at_trigger(finished.take_failure(), trigger);
    }
    auto target = external_target(trigger, "kubernetes-" + out.metric, threshold, activation);
    if (!target) return target.take_failure();
    out.target = *std::move(target);
    warn_about(trigger, out, findings);
    return out;
}

namespace {

pods_query about_target(const manifest::scaling& scaling, const std::string& metric) {
    pods_query out;
    out.label = "metric " + metric;
    out.name_space = scaling.name_space;
    out.target_api_version = scaling.target_api_version.empty() ? "apps/v1" : scaling.target_api_version;
    out.target_kind = scaling.target_kind;
    out.target_name = scaling.target_name;
    out.metric = metric;
    return out;
}

pods_query pods_of(const manifest::spec& spec, const manifest::hpa_metric& metric) {
    pods_query out = about_target(spec.scaling, metric.name);
    out.is_resource = metric.kind != manifest::metric_kind::pods;
    out.metric_selector = metric.selector;
    out.container = metric.container;
    return out;
}

// Returns "services/llm" or "deployments.apps/llm".
std::string object_path(const manifest::hpa_metric& metric) {
    const std::string group = kube::group_of(metric.object_api_version);
    return format_text("{}{}/{}", kube::resource_of_kind(metric.object_kind), group.empty() ? "" : "." + group,
                       metric.object_name);
}

}  // namespace

manifest::trigger trigger_of(const manifest::spec& spec, std::size_t index) {
    const manifest::hpa_metric& metric = spec.metrics[index];
    manifest::trigger out;
    out.index = static_cast<std::int32_t>(index);
    out.type = "kubernetes";
    out.name_space = spec.scaling.name_space;
    out.metric_type = metric.type;
    out.at = metric.at;
    out.metadata = {{"metric", metric.name},
                    {"threshold", shortest(static_cast<double>(metric.target_milli) / thousandths)}};
    if (metric.kind == manifest::metric_kind::external) {
        out.metadata["api"] = "external";
        out.metadata["selector"] = metric.selector;
    } else if (metric.kind == manifest::metric_kind::object) {
        out.metadata["api"] = "custom";
        out.metadata["object"] = object_path(metric);
        out.metadata["metricSelector"] = metric.selector;
    }
    return out;
}

result<description> describe_hpa_metric(const manifest::spec& spec, std::size_t index,
                                        const manifest::trigger_rules& rules, text::report* findings) {
    const manifest::hpa_metric& metric = spec.metrics[index];
    if (!manifest::is_one_number(metric.kind)) {
        return describe_pods(pods_of(spec, metric));
    }
    return source::describe(trigger_of(spec, index), rules, spec.scaling.extra.profile, findings);
}

description describe_resource(const manifest::scaling& scaling, const source::target& target) {
    pods_query asked = about_target(scaling, target.resource);
    asked.is_resource = true;
    asked.container = target.container;
    return describe_pods(asked);
}

}  // namespace gputide::source::kubernetes
