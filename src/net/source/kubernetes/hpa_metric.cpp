// From the metrics of a manifest to questions to the cluster.
#include "source/kubernetes/hpa_metric.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "kube/endpoint.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pods.hpp"

#include <utility>

namespace gputide::source::kubernetes {
namespace {

pods_question about_target(const config::scaling& scaling, const std::string& metric) {
    pods_question out;
    out.label = "metric " + metric;
    out.name_space = scaling.name_space;
    out.target_api_version = scaling.target_api_version.empty() ? "apps/v1" : scaling.target_api_version;
    out.target_kind = scaling.target_kind;
    out.target_name = scaling.target_name;
    out.metric = metric;
    return out;
}

pods_question pods_of(const config::spec& spec, const config::hpa_metric& metric) {
    pods_question out = about_target(spec.scaling, metric.name);
    out.is_resource = metric.kind != config::metric_kind::pods;
    out.metric_selector = metric.selector;
    out.container = metric.container;
    return out;
}

// "services/llm", "deployments.apps/llm".
std::string object_path(const config::hpa_metric& metric) {
    const std::string group = kube::group_of(metric.object_api_version);
    return format_text("{}{}/{}", kube::resource_of_kind(metric.object_kind), group.empty() ? "" : "." + group,
                       metric.object_name);
}

}  // namespace

config::trigger trigger_of(const config::spec& spec, std::size_t index) {
    const config::hpa_metric& metric = spec.metrics[index];
    config::trigger out;
    out.index = static_cast<std::int32_t>(index);
    out.type = "kubernetes";
    out.name_space = spec.scaling.name_space;
    out.metric_type = metric.type;
    out.at = metric.at;
    out.metadata = {{"metric", metric.name},
                    {"threshold", shortest(static_cast<double>(metric.target_milli) / thousandths)}};
    if (metric.kind == config::metric_kind::external) {
        out.metadata["api"] = "external";
        out.metadata["selector"] = metric.selector;
    } else if (metric.kind == config::metric_kind::object) {
        out.metadata["api"] = "custom";
        out.metadata["object"] = object_path(metric);
        out.metadata["metricSelector"] = metric.selector;
    }
    return out;
}

result<description> describe_hpa_metric(const config::spec& spec, std::size_t index, const config::trigger_rules& rules,
                                        config::report* findings) {
    const config::hpa_metric& metric = spec.metrics[index];
    if (!config::is_one_number(metric.kind)) {
        return describe_pods(pods_of(spec, metric));
    }
    return source::describe(trigger_of(spec, index), rules, spec.scaling.extra.profile, findings);
}

description describe_resource(const config::scaling& scaling, const source::target& target) {
    pods_question asked = about_target(scaling, target.resource);
    asked.is_resource = true;
    asked.container = target.container;
    return describe_pods(asked);
}

}  // namespace gputide::source::kubernetes
