#include "runtime/pipeline.hpp"

#include "source/kubernetes/hpa_metric.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

decide::metric_policy metric_of_trigger(const std::string& scaled_object, const config::trigger& from,
                                        const source::target& target) {
    decide::metric_policy out;
    out.name = target.metric_name;
    out.selector = "scaledobject.keda.sh/name=" + scaled_object;  // as KEDA asks the external metrics API
    out.user_name = from.name;
    out.use_cached = from.use_cached_metrics;
    out.rules = from.rules;
    out.type = target.type;
    out.target_milli = target.target_milli;
    out.activation_threshold = target.activation_threshold;
    if (target.resource.empty()) return out;
    out.kind = target.container.empty() ? decide::metric_kind::resource : decide::metric_kind::container_resource;
    out.resource = target.resource;
    out.container = target.container;
    out.utilization_pct = target.utilization_pct;
    out.decides_activity = false;
    return out;
}

decide::metric_policy metric_of_hpa(const config::hpa_metric& from) {
    decide::metric_policy out;
    out.name = from.name;
    out.kind = from.kind;
    out.type = from.type;
    out.target_milli = from.target_milli;
    out.utilization_pct = from.utilization_pct;
    if (from.kind == config::metric_kind::resource || from.kind == config::metric_kind::container_resource) {
        out.resource = from.name;
    }
    out.container = from.container;
    out.object_kind = from.object_kind;
    out.selector = from.selector;
    out.rules = from.rules;
    return out;
}

// Null: the host brings the pods' use.
result<std::shared_ptr<source::metric_source>> resource_source(const config::spec& from, const source::target& what,
                                                               const source::services& services,
                                                               config::report* findings) {
    if (!from.metrics_from_cluster) return std::shared_ptr<source::metric_source>();
    return source::kubernetes::open_resource(from.scaling, what, services, findings);
}

result<void> add_triggers(const config::spec& from, const source::services& services, config::report* findings,
                          std::vector<decide::metric_policy>& metrics, pipeline& out) {
    for (std::size_t i = 0; i < from.triggers.size(); ++i) {
        const config::trigger& trigger = from.triggers[i];
        auto opened = source::open(trigger, trigger.rules, from.scaling.extra.profile, services, findings);
        if (!opened) return std::move(opened).failure();
        const bool is_resource = !(*opened)->target().resource.empty();
        metrics.push_back(metric_of_trigger(from.scaling.name, trigger, (*opened)->target()));
        if (is_resource) opened = resource_source(from, (*opened)->target(), services, findings);
        if (!opened) return std::move(opened).failure();
        out.sources.push_back(std::move(*opened));
    }
    return {};
}

result<void> add_hpa_metrics(const config::spec& from, const source::services& services, config::report* findings,
                             std::vector<decide::metric_policy>& metrics, pipeline& out) {
    for (std::size_t i = 0; i < from.metrics.size(); ++i) {
        const config::hpa_metric& metric = from.metrics[i];
        metrics.push_back(metric_of_hpa(metric));
        out.sources.emplace_back();
        if (!metric.source && !from.metrics_from_cluster) continue;
        auto opened = metric.source
                          ? source::open(*metric.source, metric.rules, from.scaling.extra.profile, services, findings)
                          : source::kubernetes::open_hpa_metric(from, i, metric.rules, services, findings);
        if (!opened) return std::move(opened).failure();
        out.sources.back() = std::move(*opened);
    }
    return {};
}

}  // namespace

result<pipeline> make_pipeline(const config::spec& from, const source::services& services, config::report* findings) {
    pipeline out;
    std::vector<decide::metric_policy> metrics;
    result<void> added = from.scaling.kind == config::manifest_kind::scaled_object
                             ? add_triggers(from, services, findings, metrics, out)
                             : add_hpa_metrics(from, services, findings, metrics, out);
    if (!added) return std::move(added).failure();
    result<decide::policy> policy = decide::make_policy(from.scaling, std::move(metrics));
    if (!policy) return std::move(policy).failure();
    out.policy = std::move(*policy);
    return out;
}

}  // namespace gputide::runtime
