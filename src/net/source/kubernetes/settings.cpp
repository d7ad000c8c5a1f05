// Reads and checks the settings of a kubernetes trigger.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "kube/endpoint.hpp"
#include "manifest/names.hpp"
#include "source/known_metrics.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/target.hpp"

#include <string_view>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

void read_api(trigger_reader& read, settings& settings) {
    const std::string word = read.text_of(keys["api"]);
    settings.api = word == "external" ? api::external : word == "resource" ? api::resource : api::custom;
    settings.version = read.text_of(keys["apiVersion"]);
    if (settings.version == "v1beta2" && settings.api != api::custom) {
        read.add_error("apiVersion: v1beta2 exists only for api: custom; remove it", "apiVersion");
    }
}

void check_segment(trigger_reader& read, std::string_view key, const std::string& value) {
    if (value.empty() || kube::is_path_segment(value)) return;
    read.add_unexpected(key, "a name without / and %", value);
}

// Rejects a key that only another API uses: it would be ignored silently.
void only_for(trigger_reader& read, text::text_key key, bool written, bool fits, std::string_view where) {
    if (!written || fits) return;
    const std::string name(key.name());
    read.add_error(format_text("{}: is only valid with api: {}; remove it", name, where), name);
}

// Reads "services/llm" or "deployments.apps/llm".
void read_object(trigger_reader& read, settings& settings) {
    const auto object = read.text(keys["object"]);
    settings.object.cluster_scoped = read.text_of(keys["scope"]) == "cluster";
    only_for(read, keys["object"], object.has_value(), settings.api == api::custom, "custom");
    only_for(read, keys["scope"], settings.object.cluster_scoped, settings.api == api::custom && object,
             "custom, together with object");
    if (!object) return;
    const std::size_t slash = object->find('/');
    settings.object.resource = lower(object->substr(0, slash));
    settings.object.name = slash == std::string::npos ? std::string() : object->substr(slash + 1);
    if (kube::is_path_segment(settings.object.resource) && kube::is_path_segment(settings.object.name)) return;
    read.add_unexpected("object", "<plural>[.<group>]/<name> such as services/llm or deployments.apps/llm", *object);
}

std::string selector(trigger_reader& read, const char* key, text::text_key row) {
    std::string out = read.text_of(row);
    if (const auto parsed = manifest::read_label_query(out); !parsed)
        read.add_error(format_text("{}: {}", key, parsed.failure().message), key);
    return out;
}

void read_selectors(trigger_reader& read, settings& settings) {
    settings.selector = selector(read, "selector", keys["selector"]);
    settings.metric_selector = selector(read, "metricSelector", keys["metricSelector"]);
    settings.container = read.text_of(keys["container"]);
    only_for(read, keys["metricSelector"], !settings.metric_selector.empty(), settings.api == api::custom,
             "custom (external series: selector)");
    only_for(read, keys["container"], !settings.container.empty(), settings.api == api::resource, "resource");
}

// Returns the HPA's way to combine several series: external series are added, pods are averaged.  An AverageValue target divides
// by the replicas itself, so its sum results in the average.
std::string usual_reducer(const settings& settings, manifest::target_type type) {
    return settings.api != api::external && type == manifest::target_type::value ? "avg" : "sum";
}

void read_reduction(trigger_reader& read, settings& settings) {
    // An adapter's rule may add or multiply series, so only values far above the maximum are certainly faulty.
    if (const known_metric* known = find_known_metric(settings.metric)) settings.reduction.max_value = known->max * 1e6;
    settings.is_usual_reducer = settings.reduction.reduce.empty();
    if (settings.is_usual_reducer) settings.reduction.reduce = usual_reducer(settings, read.trigger().metric_type);
    read.check_reducer(settings.reduction.reduce, "gputide.io/reduce");
}

bool chooses_pods(const settings& settings) { return settings.api == api::resource || settings.object.name == "*"; }

void warn_about(const trigger_reader& read, const settings& settings) {
    if (settings.api == api::external || !chooses_pods(settings) || !settings.selector.empty()) return;
    constexpr std::string_view no_key;  // the place is the trigger
    read.warn(no_key, "no-selector",
              "without selector, every pod of the namespace counts, including those of other workloads",
              "write selector: with the labels of the workload's pods, such as app=llm");
}

}  // namespace

result<settings> read_settings(trigger_reader& read) {
    auto out = read.begin<settings>();
    read_api(read, out);
    out.metric = read.text_of(keys["metric"]);
    out.name_space = read.text(keys["namespace"]).value_or(read.trigger().name_space);
    check_segment(read, "metric", out.metric);
    check_segment(read, "namespace", out.name_space);
    read_object(read, out);
    read_selectors(read, out);
    read.read_threshold();
    read_reduction(read, out);
    const std::string name = "kubernetes-" + out.metric;
    auto ended = read.end("error parsing kubernetes metadata", name, std::move(out));
    if (ended) warn_about(read, *ended);
    return ended;
}

namespace {

// Returns the settings for a metric of the pods of the manifest's target.
settings about_pods(const manifest::scaling& scaling, const std::string& metric, api api) {
    settings out;
    out.name_space = scaling.name_space;
    out.pods_of = {scaling.target_api_version.empty() ? "apps/v1" : scaling.target_api_version, scaling.target_kind,
                   scaling.target_name};
    out.api = api;
    out.metric = metric;
    return out;
}

// Returns "services/llm" or "deployments.apps/llm".
std::string object_path(const manifest::hpa_metric& metric) {
    const std::string group = kube::group_of(metric.object_api_version);
    return format_text("{}{}/{}", kube::resource_of_kind(metric.object_kind), group.empty() ? "" : "." + group,
                       metric.object_name);
}

}  // namespace

}  // namespace gputide::source::kubernetes

// Metrics of HPAs that the cluster's metrics APIs serve, as the HPA controller reads them.
namespace gputide::source {

manifest::trigger trigger_of_cluster_metric(const manifest::spec& spec, std::size_t index) {
    const manifest::hpa_metric& metric = spec.metrics[index];
    manifest::trigger out;
    out.index = static_cast<std::int32_t>(index);
    out.type = "kubernetes";
    out.name_space = spec.scaling.name_space;
    out.metric_type = metric.type;
    out.at = metric.at;
    out.metadata = {{"metric", metric.name},
                    {"threshold", shortest(static_cast<double>(metric.target_milli) / kubernetes::thousandths)}};
    if (metric.kind == manifest::metric_kind::external) {
        out.metadata["api"] = "external";
        out.metadata["selector"] = metric.selector.query;
    } else if (metric.kind == manifest::metric_kind::object) {
        out.metadata["api"] = "custom";
        out.metadata["object"] = kubernetes::object_path(metric);
        out.metadata["metricSelector"] = metric.selector.query;
    }
    return out;
}

result<description> describe_cluster_metric(const manifest::spec& spec, std::size_t index,
                                            const manifest::trigger_rules& rules, text::report* findings) {
    const manifest::hpa_metric& metric = spec.metrics[index];
    if (manifest::is_one_number(metric.kind))
        return describe(trigger_of_cluster_metric(spec, index), rules, spec.scaling.extra.profile, findings);
    using kubernetes::api;
    const bool is_custom = metric.kind == manifest::metric_kind::pods;
    auto wanted = kubernetes::about_pods(spec.scaling, metric.name, is_custom ? api::custom : api::resource);
    wanted.metric_selector = metric.selector.query;
    wanted.container = metric.container;
    return kubernetes::describe_pods(std::move(wanted));
}

description describe_cluster_resource(const manifest::scaling& scaling, const target& target) {
    auto wanted = kubernetes::about_pods(scaling, target.resource, kubernetes::api::resource);
    wanted.container = target.container;
    return kubernetes::describe_pods(std::move(wanted));
}

}  // namespace gputide::source
