// Sentences of metrics and passes; those of conditions are in condition_texts.cpp.
#include "decide/trace/texts.hpp"

namespace gputide::decide {

namespace {

const metric_policy* metric_at(const policy& by, std::int32_t metric) noexcept {
    if (metric < 0 || static_cast<std::size_t>(metric) >= by.metrics.size()) return nullptr;
    return &by.metrics[static_cast<std::size_t>(metric)];
}

std::string resource_of(const metric_policy& of) { return of.resource.empty() ? of.name : of.resource; }

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

// What was attempted, before ": ERR".
std::string attempt_text(const policy& by, const metric_policy& of) {
    const std::string& name_space = by.scaling.name_space;
    switch (of.kind) {
        case metric_kind::external:
            return "unable to get external metric " + name_space + "/" + of.name + "/" + of.selector;
        case metric_kind::object:
            return "unable to get metric " + of.name + " on " + of.object_kind;
        case metric_kind::pods:
            return "unable to get metric " + of.name;
        default:
            return "unable to get metrics for resource " + resource_of(of);
    }
}

// The HPA's own wrapping of an attempt.
std::string wrapped(const metric_policy& of, const std::string& inner) {
    const bool average = of.type == config::target_type::average_value;
    switch (of.kind) {
        case metric_kind::external:
            if (average) {
                return "failed to get " + of.name + " external metric value: failed to get " + of.name +
                       " external metric: " + inner;
            }
            return "failed to get " + of.name + " external metric value: failed to get external metric " + of.name +
                   ": " + inner;
        case metric_kind::object:
            return "failed to get object metric value: " + inner;
        case metric_kind::pods:
            return "failed to get pods metric value: " + inner;
        case metric_kind::container_resource:
            return "failed to get " + resource_of(of) + " container metric value: " + inner;
        default:
            return "failed to get " + resource_of(of) + " resource metric value: " + inner;
    }
}

std::string request_text(const metric_policy& of, const text_details& details) {
    std::string out = "missing request for " + resource_of(of);
    if (!of.container.empty()) out += " in container " + of.container;
    if (!details.pod_name.empty()) out += " of Pod " + std::string(details.pod_name);
    return out;
}

std::string no_target_text(const metric_policy& of) {
    if (of.kind == metric_kind::resource || of.kind == metric_kind::container_resource) {
        return "invalid resource metric source: neither an average utilization target nor an average value (usage) "
               "target "
               "was set";
    }
    return "invalid " + std::string(of.kind == metric_kind::object ? "object" : "external") +
           " metric source: neither a value target nor an average value target was set";
}

std::string read_error(const policy& by, const metric_policy& of, const decision& made, const text_details& details) {
    const std::string_view said =
        details.read_error.empty() ? sample_state_text(made.failed_state) : details.read_error;
    return attempt_text(by, of) + ": unable to fetch metrics from " + std::string(api_of(of.kind)) +
           " metrics API: " + std::string(said);
}

std::string no_data_text(const metric_policy& of, const decision& made) {
    const bool fallback = of.rules.no_data == config::no_data_rule::fallback;
    return std::string(sample_state_text(made.failed_state)) +
           (fallback ? ", and gputide.io/no-data says fallback but no valid fallback is configured"
                     : ", and gputide.io/no-data says that this is an error");
}

std::string inner_error(const policy& by, const metric_policy& of, const decision& made, const text_details& details) {
    switch (made.failure) {
        case metric_failure::none:
            return {};
        case metric_failure::read:
            return read_error(by, of, made, details);
        case metric_failure::no_metrics:
            return attempt_text(by, of) + ": no metrics returned from " + std::string(api_of(of.kind)) + " metrics API";
        case metric_failure::no_usable_pods:
            return "did not receive metrics for targeted pods (pods might be unready)";
        case metric_failure::no_pods:
            return "unable to calculate ready pods: no pods returned by selector while calculating replica count";
        case metric_failure::no_known_pods:
            return "no metrics returned matched known pods";
        case metric_failure::missing_request:
            return request_text(of, details);
        case metric_failure::no_target:
            return no_target_text(of);
        case metric_failure::unknown_type:
            return "unknown metric source type \"" + of.name + "\"";
        case metric_failure::fallback:
            return "error performing fallback: no ready pod to divide a Value target by";
        case metric_failure::formula:
            return "the scalingModifiers formula gave no value";
        case metric_failure::no_data_rule:
            return no_data_text(of, made);
    }
    return {};
}

}  // namespace

std::string_view metric_name(const policy& by, std::int32_t metric) noexcept {
    if (metric == composite_metric) return "composite-metric";
    const metric_policy* of = metric_at(by, metric);
    return of == nullptr ? std::string_view{} : std::string_view(of->name);
}

std::string metric_text(const policy& by, std::int32_t metric) {
    const metric_policy* of = metric_at(by, metric);
    if (of == nullptr) return metric == composite_metric ? "external metric composite-metric()" : "";
    const bool utilization = of->type == config::target_type::utilization;
    switch (of->kind) {
        case metric_kind::object:
            if (of->type == config::target_type::value) return of->object_kind + " metric " + of->name;
            [[fallthrough]];
        case metric_kind::external:
            return "external metric " + of->name + "(" + of->selector + ")";
        case metric_kind::pods:
            return "pods metric " + of->name;
        case metric_kind::resource:
            return resource_of(*of) + (utilization ? " resource utilization (percentage of request)" : " resource");
        case metric_kind::container_resource:
            return resource_of(*of) +
                   (utilization ? " container resource utilization (percentage of request)" : " container resource");
        case metric_kind::unknown:
            break;
    }
    return of->name;
}

std::string metric_error_text(const policy& by, const decision& made, const text_details& of) {
    if (made.failure == metric_failure::none) return {};
    const metric_policy* metric = metric_at(by, made.failed_metric);
    if (metric == nullptr)
        return "failed to get composite-metric external metric value: the scalingModifiers formula gave no value";
    const std::string inner = inner_error(by, *metric, made, of);
    const bool bare = made.failure == metric_failure::unknown_type || made.failure == metric_failure::no_target;
    return bare ? inner : wrapped(*metric, inner);
}

std::string pass_error_text(const policy& by, const decision& made, const text_details& of) {
    if (made.failed_count == 0) return {};
    std::string all = "invalid metrics (" + std::to_string(made.failed_count) + " invalid out of " +
                      std::to_string(made.metric_count) + "), first error is: " + metric_error_text(by, made, of);
    if (made.winner != -1) return all;  // the metrics that work decided
    return "failed to compute desired number of replicas based on listed metrics for " + by.scaling.target_kind + "/" +
           by.scaling.name_space + "/" + by.scaling.target_name + ": " + all;
}

std::string rescale_reason(const policy& by, const decision& made) {
    if (made.origin == origin::executor)
        return made.event == event::activated ? "triggers are active" : "triggers are not active";
    if (made.winner == -1) {
        return made.desired_replicas < made.current_replicas ? "Current number of replicas above Spec.MaxReplicas"
                                                             : "Current number of replicas below Spec.MinReplicas";
    }
    if (made.desired_replicas > made.current_replicas) return metric_text(by, made.winner) + " above target";
    return "All metrics below target";
}

std::string_view sample_state_text(sample_state state) noexcept {
    switch (state) {
        case sample_state::ok:
            return "a value";
        case sample_state::empty:
            return "the query answered and matched nothing";
        case sample_state::not_a_number:
            return "the value is NaN or infinite";
        case sample_state::stale:
            return "the value is older than the allowed age";
        case sample_state::partial:
            return "the peer marked its answer as incomplete";
        case sample_state::ambiguous:
            return "several values and no reducer";
        case sample_state::auth:
            return "the credentials were refused";
        case sample_state::timeout:
            return "no answer within the deadline";
        case sample_state::failed:
            return "the read failed";
        case sample_state::not_given:
            return "nobody has read it yet";
    }
    return "unknown";
}

}  // namespace gputide::decide
