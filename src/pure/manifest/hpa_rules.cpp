// Validation rules of the API server for a HorizontalPodAutoscaler (kubernetes/kubernetes
// pkg/apis/autoscaling/validation/validation.go), with its texts.  Pure.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "manifest/behavior.hpp"
#include "manifest/hpa.hpp"

#include <array>
#include <utility>

namespace gputide::manifest {
namespace {

struct source_rule {
    std::string_view type;
    std::string_view field;
    void (*check)(const written_source&, const std::string& path, violations&);
};

void check_quantity(const std::optional<std::string>& written, const std::string& path, violations& out) {
    if (!written) return;
    const result<quantity> read = parse_quantity(*written);
    if (!read) {
        add_violation(out, path, format_text("must be a quantity: {}", read.failure().message),
                      "write a number such as 5 or \"100m\"");
    } else if (read->milli <= 0) {
        add_violation(out, path, "must be positive", "write a number above 0");
    }
}

void check_target(const written_target& target, const std::string& path, violations& out) {
    if (target.type.empty()) {
        add_violation(out, {path, ".type"}, "must specify a metric target type",
                      "write Utilization, Value or AverageValue");
    }
    if (target.type != "Utilization" && target.type != "Value" && target.type != "AverageValue") {
        add_violation(out, {path, ".type"}, "must be either Utilization, Value, or AverageValue",
                      "write Utilization, Value or AverageValue");
    }
    check_quantity(target.value, path + ".value", out);
    check_quantity(target.average_value, path + ".averageValue", out);
    if (target.average_utilization && *target.average_utilization < 1) {
        add_violation(out, {path, ".averageUtilization"}, "must be greater than 0", "write a percentage of 1 or more");
    }
}

void check_identifier(const written_source& source, const std::string& path, violations& out) {
    if (source.name.empty())
        add_violation(out, {path, ".metric.name"}, "must specify a metric name", "add metric: {name: ...}");
    check_target(source.target, path + ".target", out);
}

void check_external(const written_source& source, const std::string& path, violations& out) {
    check_identifier(source, path, out);
    const written_target& target = source.target;
    if (!target.value && !target.average_value) {
        add_violation(out, {path, ".target.averageValue"},
                      "must set either a target value for metric or a per-pod target", "add averageValue or value");
    }
    if (target.value && target.average_value) {
        add_violation(out, {path, ".target.value"}, "may not set both a target value for metric and a per-pod target",
                      "remove one of the two");
    }
}

// The controller uses the field that target.type names; the API server does not check that it is present.
void check_object(const written_source& source, const std::string& path, violations& out) {
    check_identifier(source, path, out);
    const written_target& target = source.target;
    if (!target.value && !target.average_value) {
        add_violation(out, {path, ".target.averageValue"}, "must set either a target value or averageValue",
                      "add averageValue or value");
        return;
    }
    if (target.type == "Value" && !target.value) {
        add_violation(out, {path, ".target.type"}, "is Value, but only averageValue is set",
                      "write type: AverageValue");
    }
    if (target.type == "AverageValue" && !target.average_value) {
        add_violation(out, {path, ".target.type"}, "is AverageValue, but only value is set", "write type: Value");
    }
    if (source.object_kind.empty() || source.object_name.empty()) {
        add_violation(out, {path, ".describedObject"}, "must name the described object", "add kind and name");
    }
}

void check_pods(const written_source& source, const std::string& path, violations& out) {
    check_identifier(source, path, out);
    const std::optional<std::string>& wanted = source.target.average_value;
    const result<quantity> read = parse_quantity(wanted.value_or(""));
    if (!wanted || !read || read->milli <= 0) {
        add_violation(out, {path, ".target.averageValue"}, "must specify a positive target averageValue",
                      "add averageValue, a number above 0");
    }
}

void check_resource(const written_source& source, const std::string& path, violations& out) {
    if (source.name.empty()) add_violation(out, {path, ".name"}, "must specify a resource name", "write cpu or memory");
    check_target(source.target, path + ".target", out);
    const written_target& target = source.target;
    if (!target.average_utilization && !target.average_value) {
        add_violation(out, {path, ".target.averageUtilization"},
                      "must set either a target raw value or a target utilization",
                      "add averageUtilization or averageValue");
    }
    if (target.average_utilization && target.average_value) {
        add_violation(out, {path, ".target.averageValue"},
                      "may not set both a target raw value and a target utilization", "remove one of the two");
    }
}

void check_container_resource(const written_source& source, const std::string& path, violations& out) {
    if (source.container.empty()) {
        add_violation(out, {path, ".container"}, "must specify a container", "add container: <name>");
    }
    check_resource(source, path, out);
}

// In the order of the API server's checks; if several sources are set, it uses the first.
constexpr std::array<source_rule, 5> rules{{{"Object", "object", &check_object},
                                            {"External", "external", &check_external},
                                            {"Pods", "pods", &check_pods},
                                            {"Resource", "resource", &check_resource},
                                            {"ContainerResource", "containerResource", &check_container_resource}}};

void check_metric(const written_metric& metric, const std::string& path, violations& out) {
    const source_rule* named = nullptr;
    bool first = true;
    for (const source_rule& rule : rules) {
        if (rule.type == metric.type) named = &rule;
        const auto source = metric.sources.find(std::string(rule.field));
        if (source == metric.sources.end()) continue;
        if (first) rule.check(source->second, format_text("{}.{}", path, rule.field), out);
        first = false;
    }
    if (metric.type.empty()) {
        add_violation(out, {path, ".type"}, "must specify a metric source type",
                      "write External, Object, Pods or Resource");
    }
    if (named == nullptr) {
        constexpr std::array<std::string_view, 5> types{"ContainerResource", "External", "Object", "Pods", "Resource"};
        add_violation(out, {path, ".type"}, unsupported_value(metric.type, types),
                      "write ContainerResource, External, Object, Pods or Resource");
        return;
    }
    if (metric.sources.count(std::string(named->field)) == 0) {
        add_violation(out, joined_path(path, named->field), "must populate information for the given metric source",
                      format_text("add {}: or correct type", named->field));
    }
    if (metric.sources.size() == 1) return;
    for (const auto& [field, source] : metric.sources) {
        if (field == named->field) continue;
        add_violation(out, joined_path(path, field), "must populate the given metric source only",
                      "remove it or correct type");
    }
}

void check_bounds(const written_hpa& hpa, bool scale_to_zero, violations& out) {
    const std::int32_t least = scale_to_zero ? 0 : 1;
    if (hpa.min && *hpa.min < least) {
        std::string remedy = format_text("write {} or more", least);
        if (*hpa.min == 0) remedy += ", or add the annotation gputide.io/hpa-scale-to-zero: \"true\"";
        add_violation(out, "spec.minReplicas", format_text("must be greater than or equal to {}", least), remedy);
    }
    if (hpa.max < 1) {
        add_violation(out, "spec.maxReplicas", "must be greater than 0", "write maxReplicas: with 1 or more");
    }
    if (hpa.min && hpa.max < *hpa.min) {
        add_violation(out, "spec.maxReplicas", "must be greater than or equal to `minReplicas`",
                      "raise maxReplicas or lower minReplicas");
    }
}

}  // namespace

violations validate_hpa(const written_hpa& written, bool scale_to_zero) {
    violations out;
    check_bounds(written, scale_to_zero, out);
    bool whole = false;  // a metric that does not depend on pods
    for (std::size_t i = 0; i < written.metrics.size(); ++i) {
        const written_metric& metric = written.metrics[i];
        check_metric(metric, format_text("spec.metrics[{}]", i), out);
        whole = whole || metric.type == "External" || metric.type == "Object";
    }
    if (written.min && *written.min == 0 && !whole) {
        add_violation(out, "spec.metrics",
                      "must specify at least one Object or External metric to support scaling to zero replicas",
                      "add such a metric, or write minReplicas: 1", "forbidden-value");
    }
    if (written.behavior) {
        for (violation& refused : validate_behavior(*written.behavior, "spec.behavior"))
            out.push_back(std::move(refused));
    }
    return out;
}

}  // namespace gputide::manifest
