// Texts of metrics and passes; condition_texts.cpp has those of conditions.
#include "decide/trace/texts.hpp"

#include "base/format_text.hpp"
#include "manifest/names.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

namespace {

const metric_policy* metric_at(const policy& policy, std::int32_t metric) noexcept {
    if (metric < 0 || static_cast<std::size_t>(metric) >= policy.metrics.size()) return nullptr;
    return &policy.metrics[static_cast<std::size_t>(metric)];
}

std::string_view api_of(metric_kind kind) noexcept {
    switch (kind) {
        case metric_kind::external:
            return "external";
        case metric_kind::resource:
        case metric_kind::container_resource:
            return "resource";
        default:
            return "custom";
    }
}

// Returns the attempted read with its error.  Before 1.37 the arguments of an Object metric were in the wrong order.
std::string attempt_text(const policy& policy, const metric_policy& metric, const std::string& why) {
    const std::string& name_space = policy.scaling.name_space;
    switch (metric.kind) {
        case metric_kind::external:
            return format_text("unable to get external metric {}/{}/{}: {}", name_space, metric.name,
                               selector_of(policy, metric, &manifest::label_selector::shown), why);
        case metric_kind::object:
            if (manifest::holds(manifest::version_rule::names_metrics_object, policy.scaling.controller.versions)) {
                return format_text("unable to get metric {} on {} {}/{}: {}", metric.name, metric.about().object_kind,
                                   name_space, metric.about().object_name, why);
            }
            return format_text("unable to get metric {}: {} on {} {}/{}", metric.name, metric.about().object_kind,
                               name_space, metric.about().object_name, why);
        case metric_kind::pods:
            return format_text("unable to get metric {}: {}", metric.name, why);
        default:
            return format_text("unable to get metrics for resource {}: {}", metric.name, why);
    }
}

// Returns the error in the condition: for a resource with the purpose of the read, for all others only the inner error.
std::string conditions_error(const metric_policy& metric, const std::string& inner) {
    if (!metric.is_resource()) return inner;
    const bool utilization = metric.type == manifest::target_type::utilization;
    return format_text("failed to get {} {}: {}", metric.name, utilization ? "utilization" : "usage", inner);
}

// Returns the error of the pass: the inner error with the pass's own wrapping.
std::string passes_error(const metric_policy& metric, const std::string& inner) {
    const bool average = metric.type == manifest::target_type::average_value;
    switch (metric.kind) {
        case metric_kind::external:
            if (average) {
                return format_text("failed to get {} external metric value: failed to get {} external metric: {}",
                                   metric.name, metric.name, inner);
            }
            return format_text("failed to get {} external metric value: failed to get external metric {}: {}",
                               metric.name, metric.name, inner);
        case metric_kind::object:
            if (average) {
                return format_text("failed to get object metric value: failed to get {} object metric: {}", metric.name,
                                   inner);
            }
            return "failed to get object metric value: " + inner;
        case metric_kind::pods:
            return "failed to get pods metric value: " + inner;
        case metric_kind::container_resource:
            return format_text("failed to get {} container metric value: {}", metric.about().container,
                               conditions_error(metric, inner));
        default:
            return format_text("failed to get {} resource metric value: {}", metric.name,
                               conditions_error(metric, inner));
    }
}

// kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go calculatePodRequestsFromContainers @v1.37.2.
std::string request_text(const metric_policy& metric, const text_details& details) {
    const std::string_view named = metric.about().container;
    const std::string_view container = named.empty() ? details.container : named;
    std::string out = "missing request for " + metric.name;
    if (!container.empty()) out.append(" in container ").append(container);
    if (!details.pod_name.empty()) out.append(" of Pod ").append(details.pod_name);
    return out;
}

std::string no_target_text(const metric_policy& metric) {
    if (metric.is_resource()) {
        return "invalid resource metric source: neither an average utilization target nor an average value (usage) "
               "target was set";
    }
    return format_text("invalid {} metric source: neither a value target nor an average value target was set",
                       metric.kind == metric_kind::object ? "object" : "external");
}

std::string read_error(const policy& policy, const metric_policy& metric, const decision& decision,
                       const text_details& details) {
    const std::string_view reason =
        details.read_error.empty() ? sample_state_text(decision.failed_state) : details.read_error;
    return attempt_text(policy, metric,
                        format_text("unable to fetch metrics from {} metrics API: {}", api_of(metric.kind), reason));
}

std::string no_data_text(const metric_policy& metric, const decision& decision) {
    const bool fallback = metric.rules.no_data == manifest::no_data_rule::fallback;
    return format_text("{}, and gputide.io/no-data is {}", sample_state_text(decision.failed_state),
                       fallback ? "fallback but no valid fallback is configured" : "error");
}

std::string inner_error(const policy& policy, const metric_policy& metric, const decision& decision,
                        const text_details& details) {
    switch (decision.failure) {
        case metric_failure::none:
            return {};
        case metric_failure::read:
            return read_error(policy, metric, decision, details);
        case metric_failure::no_metrics:
            return attempt_text(policy, metric,
                                format_text("no metrics returned from {} metrics API", api_of(metric.kind)));
        case metric_failure::no_usable_pods:
            return "did not receive metrics for targeted pods (pods might be unready)";
        case metric_failure::no_pods:
            return format_text("{}no pods returned by selector while calculating replica count",
                               is_one_number(metric.kind) ? "unable to calculate ready pods: " : "");
        case metric_failure::no_known_pods:
            return "no metrics returned matched known pods";
        case metric_failure::missing_request:
            return request_text(metric, details);
        case metric_failure::no_target:
            return no_target_text(metric);
        case metric_failure::unknown_type:
            return format_text("unknown metric source type \"{}\"", metric.name);
        case metric_failure::fallback:
            return "error performing fallback: no ready pod to divide a Value target by";
        case metric_failure::formula:
            return "the scalingModifiers formula gave no value";
        case metric_failure::no_data_rule:
            return no_data_text(metric, decision);
    }
    return {};
}

// Tells whether only the forecast raises the size, because the metrics alone would keep it.
bool is_raised_by_forecast(const policy& policy, const decision& decision) {
    return policy.forecast && policy.forecast->settings.mode == forecast::mode::act &&
           decision.proposed_replicas <= decision.current_replicas &&
           decision.forecast_need > decision.current_replicas;
}

}  // namespace

failed_pod_names failed_pod_of(const observation& observation, const decision& decision) noexcept {
    const std::int32_t at = decision.failed_pod;
    if (at < 0 || static_cast<std::size_t>(at) >= observation.pods.size()) return {};
    const auto sample = std::ranges::find_if(observation.pod_samples, [&](const pod_sample& pod_value) {
        return pod_value.metric == decision.failed_metric && pod_value.pod == at;
    });
    return {observation.pods[static_cast<std::size_t>(at)].name,
            sample == observation.pod_samples.end() ? std::string_view() : sample->container};
}

std::string_view trigger_name(const policy& policy, std::int32_t metric) noexcept {
    if (metric == composite_metric) return "composite-metric";
    const metric_policy* found = metric_at(policy, metric);
    if (found == nullptr) return {};
    return found->label();
}

void append_metric_text(std::string& out, const policy& policy, std::int32_t metric, selector_form form) {
    const metric_policy* found = metric_at(policy, metric);
    if (found == nullptr) {
        if (metric != composite_metric) return;
        out += "external metric composite-metric(";
        manifest::append_keda_selector(out, policy.scaling.name, form);
        out += ')';
        return;
    }
    const bool utilization = found->type == manifest::target_type::utilization;
    switch (found->kind) {
        case metric_kind::object:
            if (found->type == manifest::target_type::value) {
                out.append(found->about().object_kind).append(" metric ").append(found->name);
                return;
            }
            [[fallthrough]];
        case metric_kind::external:
            out.append("external metric ").append(found->name).append("(");
            append_selector(out, policy, *found, form);
            out += ')';
            return;
        case metric_kind::pods:
            out.append("pods metric ").append(found->name);
            return;
        case metric_kind::resource:
            out.append(found->name).append(" resource");
            break;
        case metric_kind::container_resource:  // with averageValue the HPA's text is that of a resource
            out.append(found->name).append(utilization ? " container resource" : " resource");
            break;
        case metric_kind::unknown:
            out += found->name;
            return;
    }
    if (utilization) out += " utilization (percentage of request)";
}

std::string metric_text(const policy& policy, std::int32_t metric) {
    std::string out;
    append_metric_text(out, policy, metric, &manifest::label_selector::query);
    return out;
}

namespace {

using wrapping = std::string (*)(const metric_policy& metric, const std::string& inner);

std::string error_text(const policy& policy, const decision& decision, const text_details& details, wrapping wrap) {
    if (decision.failure == metric_failure::none) return {};
    const metric_policy* metric = metric_at(policy, decision.failed_metric);
    if (metric == nullptr)
        return "failed to get composite-metric external metric value: the scalingModifiers formula gave no value";
    const std::string inner = inner_error(policy, *metric, decision, details);
    const bool bare = decision.failure == metric_failure::unknown_type || decision.failure == metric_failure::no_target;
    return bare ? inner : wrap(*metric, inner);
}

}  // namespace

std::string metric_error_text(const policy& policy, const decision& decision, const text_details& details) {
    return error_text(policy, decision, details, &passes_error);
}

std::string condition_error_text(const policy& policy, const decision& decision, const text_details& details) {
    return error_text(policy, decision, details, &conditions_error);
}

std::string pass_error_text(const policy& policy, const decision& decision, const text_details& details) {
    if (decision.failed_count == 0) return {};
    std::string all = format_text("invalid metrics ({} invalid out of {}), first error is: {}", decision.failed_count,
                                  decision.metric_count, metric_error_text(policy, decision, details));
    if (decision.winner != -1) return all;  // the metrics that did not fail decided
    return format_text("failed to compute desired number of replicas based on listed metrics for {}/{}/{}: {}",
                       policy.scaling.target_kind, policy.scaling.name_space, policy.scaling.target_name, all);
}

std::string rescale_reason(const policy& policy, const decision& decision) {
    if (decision.origin == origin::executor)
        return decision.event == event::activated ? "triggers are active" : "triggers are not active";
    if (decision.winner == -1) {
        return decision.desired_replicas < decision.current_replicas
                   ? "Current number of replicas above Spec.MaxReplicas"
                   : "Current number of replicas below Spec.MinReplicas";
    }
    if (decision.desired_replicas > decision.current_replicas) {
        return is_raised_by_forecast(policy, decision)
                   ? format_text("the forecast load needs {} replicas", decision.forecast_need)
                   : metric_text(policy, decision.winner) + " above target";
    }
    return "All metrics below target";
}

std::string_view sample_state_text(sample_state state) noexcept {
    static constexpr std::array<std::string_view, sample_state_names.size()> texts{
        "not read yet",
        "a value",
        "the query succeeded and matched nothing",
        "the value is NaN or infinite",
        "the value is older than the allowed age",
        "the peer marked its response as incomplete",
        "several values and no reducer",
        "the credentials were refused",
        "no response within the deadline",
        "the read failed",
    };
    const auto at = static_cast<std::size_t>(state);  // a negative number becomes a large one
    return at < texts.size() ? texts[at] : "unknown";
}

}  // namespace gputide::decide
