// Reads metrics[] and targets of each autoscaling version in the form of v2, with the validation rules of the API server.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "manifest/names.hpp"
#include "manifest/scalers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gputide::manifest {
namespace {

// Fields with the sources of a metric, in the order of metric_kind.
constexpr std::array<std::string_view, 5> source_fields{"external", "object", "pods", "resource", "containerResource"};
constexpr std::array alphabetical{metric_kind::container_resource, metric_kind::external, metric_kind::object,
                                  metric_kind::pods, metric_kind::resource};

constexpr std::string_view field_of(metric_kind kind) { return source_fields[static_cast<std::size_t>(kind)]; }

constexpr bool is_resource(metric_kind kind) {
    return kind == metric_kind::resource || kind == metric_kind::container_resource;
}

// The source of one kind.
struct written_source {
    hpa_metric metric;
    std::string type;                          // of the target: Utilization, Value, AverageValue
    std::optional<std::string> value;          // quantity
    std::optional<std::string> average_value;  // quantity
    std::optional<std::int32_t> average_utilization;
};

std::int64_t milli_of(const std::string& written) {
    const result<quantity> read = parse_quantity(written);
    return read ? read->milli : 0;
}

void read_described_object(mapping& fields, std::string_view key, hpa_metric& metric, report& findings) {
    const auto at = fields.object(key);
    if (!at) return;
    mapping object(*at, findings);
    metric.object_kind = object.required_text("kind");
    metric.object_name = object.required_text("name");
    metric.object_api_version = object.text_or_empty("apiVersion");
    object.finish();
}

// Reports keys of older versions, which the API server drops or rejects under v2.
void refuse_old_keys(mapping& fields) {
    fields.misplaced("targetAverageValue", "target: {type: AverageValue, averageValue: ...}");
    fields.misplaced("targetValue", "target: {type: Value, value: ...}");
    fields.misplaced("targetAverageUtilization", "target: {type: Utilization, averageUtilization: ...}");
    fields.misplaced("metricName", "metric: {name: ...}");
    fields.misplaced("metricSelector", "metric: {selector: ...}");
}

// Reads a source of v2 and v2beta2.
void read_source(mapping& fields, metric_kind kind, written_source& out, report& findings) {
    if (is_resource(kind)) {
        out.metric.name = fields.text_or_empty("name");
        if (kind == metric_kind::container_resource) out.metric.container = fields.text_or_empty("container");
    } else if (const auto metric = fields.object("metric")) {
        mapping identifier(*metric, findings);
        out.metric.name = identifier.text_or_empty("name");
        if (const auto selector = identifier.object("selector"))
            out.metric.selector = read_label_selector(*selector, findings);
        identifier.finish();
    }
    if (kind == metric_kind::object) read_described_object(fields, "describedObject", out.metric, findings);
    if (const auto wanted = fields.object("target")) {
        mapping target(*wanted, findings);
        out.type = target.text_or_empty("type");
        out.value = target.quantity("value");
        out.average_value = target.quantity("averageValue");
        out.average_utilization = target.integer("averageUtilization");
        refuse_old_keys(target);
        target.finish();
    }
    refuse_old_keys(fields);
}

// Reads a source of v2beta1: the target is in the metric itself, and the field that is set determines its type
// (kubernetes/kubernetes pkg/apis/autoscaling/v2beta1/conversion.go).
void read_beta1_source(mapping& fields, metric_kind kind, written_source& out, report& findings) {
    const bool is_object = kind == metric_kind::object;
    out.metric.name = fields.text(is_resource(kind) ? "name" : "metricName").value_or("");
    if (kind == metric_kind::container_resource) out.metric.container = fields.text_or_empty("container");
    if (const auto selector = fields.object(kind == metric_kind::external ? "metricSelector" : "selector"))
        out.metric.selector = read_label_selector(*selector, findings);
    if (is_object) read_described_object(fields, "target", out.metric, findings);
    if (is_resource(kind)) out.average_utilization = fields.integer("targetAverageUtilization");
    if (is_one_number(kind)) out.value = fields.quantity("targetValue");
    out.average_value = fields.quantity(is_object ? "averageValue" : "targetAverageValue");
    // An Object's averageValue has precedence over its targetValue, which v2beta1 requires.
    if (is_object && out.average_value) out.value.reset();
    out.type = out.average_utilization ? "Utilization" : out.value ? "Value" : "AverageValue";
    fields.misplaced("metric", "metricName: <name>, or apiVersion: autoscaling/v2");
}

// Uses the field that the controller uses: averageValue first (Object: the field that target.type names), then value, then
// utilization.
void set_target(const written_source& source, hpa_metric& metric) {
    if (source.average_value && !(metric.kind == metric_kind::object && source.type == "Value")) {
        metric.type = target_type::average_value;
        metric.target_milli = milli_of(*source.average_value);
    } else if (source.value) {
        metric.type = target_type::value;
        metric.target_milli = milli_of(*source.value);
    } else {
        metric.type = target_type::utilization;
        metric.utilization_pct = source.average_utilization.value_or(0);
    }
}

// The rules for one metric, at its path.
class metric_validator {
  public:
    metric_validator(const std::string& path, metric_findings& remarks) : path_(path), remarks_(remarks) {}

    void check_source(const written_source& source, metric_kind kind) {
        const std::string path = format_text("{}.{}", path_, field_of(kind));
        if (kind == metric_kind::container_resource && source.metric.container.empty())
            refuse({path, ".container"}, "must specify a container", "add container: <name>");
        if (source.metric.name.empty() && is_resource(kind)) {
            refuse({path, ".name"}, "must specify a resource name", "write cpu or memory");
        } else if (source.metric.name.empty()) {
            refuse({path, ".metric.name"}, "must specify a metric name", "add metric: {name: ...}");
        }
        const std::string target = path + ".target";
        check_target(source, target);
        if (kind == metric_kind::external) check_external(source, target);
        if (kind == metric_kind::object) check_object(source, path, target);
        if (kind == metric_kind::pods && (!source.average_value || milli_of(*source.average_value) <= 0)) {
            refuse({target, ".averageValue"}, "must specify a positive target averageValue",
                   "add averageValue, a number above 0");
        }
        if (is_resource(kind)) check_resource(source, target);
    }

    void check_type(const std::string& type, const std::array<std::optional<written_source>, 5>& sources) {
        const auto has_source = [&](metric_kind kind) { return sources[static_cast<std::size_t>(kind)].has_value(); };
        if (type.empty()) {
            refuse({path_, ".type"}, "must specify a metric source type", "write External, Object, Pods or Resource");
        }
        std::array<std::string_view, alphabetical.size()> words;
        std::ranges::transform(alphabetical, words.begin(), metric_kind_word);
        const auto* const named = std::ranges::find(words, type);
        if (named == words.end()) {
            refuse({path_, ".type"}, unsupported_value(type, words),
                   "write ContainerResource, External, Object, Pods or Resource");
            return;
        }
        const metric_kind wanted = alphabetical[static_cast<std::size_t>(named - words.begin())];
        if (!has_source(wanted)) {
            refuse(joined_path(path_, field_of(wanted)), "must populate information for the given metric source",
                   format_text("add {}: or correct type", field_of(wanted)));
        }
        if (std::ranges::count_if(alphabetical, has_source) == 1) return;
        for (const metric_kind kind : alphabetical) {
            if (kind == wanted || !has_source(kind)) continue;
            refuse(joined_path(path_, field_of(kind)), "must populate the given metric source only",
                   "remove it or correct type");
        }
    }

    // The API server does not compare target.type with the field that is set, and the controller ignores target.type
    // (kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go computeStatusForExternalMetric).
    void check_other_field(const written_source& source) {
        const bool is_divided = source.average_value.has_value();
        const std::string_view counted = is_divided ? "AverageValue" : "Value";
        constexpr std::string_view code = "target-field-decides";
        if (is_divided == source.value.has_value() || source.type == counted || source.type == "Utilization") return;
        add_violation(
            remarks_.doubtful, path_,
            format_text("the target's type is {}, and {} is set: it is used as {}", source.type,
                        is_divided ? "averageValue" : "value", counted),
            format_text("write {} with that number, or type: {}", is_divided ? "value" : "averageValue", counted),
            code);
    }

  private:
    void refuse(const violation_path& path, std::string_view message, std::string_view remedy) {
        add_violation(remarks_.refused, path, message, remedy);
    }

    void check_quantity(const std::optional<std::string>& written, const violation_path& path) {
        if (!written) return;
        const result<quantity> read = parse_quantity(*written);
        if (!read) {
            refuse(path, format_text("must be a quantity: {}", read.failure().message),
                   "write a number such as 5 or \"100m\"");
        } else if (read->milli <= 0) {
            refuse(path, "must be positive", "write a number above 0");
        }
    }

    void check_target(const written_source& source, const std::string& path) {
        if (source.type.empty()) {
            refuse({path, ".type"}, "must specify a metric target type", "write Utilization, Value or AverageValue");
        }
        if (source.type != "Utilization" && source.type != "Value" && source.type != "AverageValue") {
            refuse({path, ".type"}, "must be either Utilization, Value, or AverageValue",
                   "write Utilization, Value or AverageValue");
        }
        check_quantity(source.value, {path, ".value"});
        check_quantity(source.average_value, {path, ".averageValue"});
        if (source.average_utilization && *source.average_utilization < 1)
            refuse({path, ".averageUtilization"}, "must be greater than 0", "write a percentage of 1 or more");
    }

    void check_external(const written_source& source, const std::string& target) {
        if (!source.value && !source.average_value) {
            refuse({target, ".averageValue"}, "must set either a target value for metric or a per-pod target",
                   "add averageValue or value");
        }
        if (source.value && source.average_value) {
            refuse({target, ".value"}, "may not set both a target value for metric and a per-pod target",
                   "remove one of the two");
        }
    }

    // The controller uses the field that target.type names; the API server does not check that it is present.
    void check_object(const written_source& source, const std::string& path, const std::string& target) {
        if (!source.value && !source.average_value) {
            refuse({target, ".averageValue"}, "must set either a target value or averageValue",
                   "add averageValue or value");
            return;
        }
        if (source.type == "Value" && !source.value)
            refuse({target, ".type"}, "is Value, but only averageValue is set", "write type: AverageValue");
        if (source.type == "AverageValue" && !source.average_value)
            refuse({target, ".type"}, "is AverageValue, but only value is set", "write type: Value");
        if (source.metric.object_kind.empty() || source.metric.object_name.empty())
            refuse({path, ".describedObject"}, "must name the described object", "add kind and name");
    }

    void check_resource(const written_source& source, const std::string& target) {
        if (!source.average_utilization && !source.average_value) {
            refuse({target, ".averageUtilization"}, "must set either a target raw value or a target utilization",
                   "add averageUtilization or averageValue");
        }
        if (source.average_utilization && source.average_value) {
            refuse({target, ".averageValue"}, "may not set both a target raw value and a target utilization",
                   "remove one of the two");
        }
    }

    const std::string& path_;
    metric_findings& remarks_;
};

hpa_metric read_metric(const cursor& item, const std::string& path, bool is_beta1, metric_findings& remarks,
                       report& findings) {
    mapping fields(item, findings);
    metric_validator rules(path, remarks);
    hpa_metric out;
    const std::string type = fields.text_or_empty("type");
    std::array<std::optional<written_source>, source_fields.size()> sources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto at = fields.object(source_fields[i]);
        if (!at) continue;
        mapping source(*at, findings);
        const auto kind = static_cast<metric_kind>(i);
        (is_beta1 ? read_beta1_source : read_source)(source, kind, sources[i].emplace(), findings);
        source.finish();
    }
    fields.finish();
    // The API server checks the first source of several; an Object is the first of them.
    for (const metric_kind kind : {metric_kind::object, metric_kind::external, metric_kind::pods, metric_kind::resource,
                                   metric_kind::container_resource}) {
        const std::optional<written_source>& source = sources[static_cast<std::size_t>(kind)];
        if (!source) continue;
        rules.check_source(*source, kind);
        break;
    }
    rules.check_type(type, sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto kind = static_cast<metric_kind>(i);
        if (type != metric_kind_word(kind)) continue;
        remarks.scales_from_zero = remarks.scales_from_zero || is_one_number(kind);
        if (!sources[i]) continue;
        out = std::move(sources[i]->metric);
        out.kind = kind;
        set_target(*sources[i], out);
        if (kind == metric_kind::external) rules.check_other_field(*sources[i]);
    }
    out.at = item.where();
    return out;
}

hpa_metric cpu_metric(std::int32_t utilization_pct, place place, metric_findings& remarks) {
    written_source source;
    source.metric.kind = metric_kind::resource;
    source.metric.name = "cpu";
    source.metric.at = std::move(place);
    source.type = "Utilization";
    source.average_utilization = utilization_pct;
    metric_validator("spec.metrics[0]", remarks).check_source(source, metric_kind::resource);
    set_target(source, source.metric);
    return std::move(source.metric);
}

}  // namespace

std::vector<hpa_metric> read_hpa_metrics(mapping& body, const std::string& version, metric_findings& remarks,
                                         report& findings) {
    constexpr std::int32_t default_cpu_pct = 80;
    std::vector<hpa_metric> out;
    if (version == "v1") {
        const std::optional<std::int32_t> pct = body.integer("targetCPUUtilizationPercentage");
        out.push_back(
            cpu_metric(pct.value_or(default_cpu_pct), body.place_of("targetCPUUtilizationPercentage"), remarks));
        body.misplaced("metrics", "apiVersion: autoscaling/v2");
        body.misplaced("behavior", "apiVersion: autoscaling/v2");
        return out;
    }
    body.misplaced("targetCPUUtilizationPercentage", "metrics: with a Resource metric of cpu");
    if (const auto items = body.list("metrics")) {
        if (items->size() > limits::triggers) {
            body.error("metrics", "too-many-metrics",
                       format_text("{} metrics, at most {} are read", items->size(), limits::triggers),
                       "split the HorizontalPodAutoscaler", error_class::limit);
            return out;
        }
        for (const cursor& item : *items) {
            const std::string path = format_text("spec.metrics[{}]", out.size());
            out.push_back(read_metric(item, path, version == "v2beta1", remarks, findings));
        }
    }
    if (out.empty()) {
        out.push_back(cpu_metric(default_cpu_pct, body.place_of("metrics"), remarks));
        findings.add(severity::note, "default-metric", body.place_of("metrics"),
                     "no metrics are given: cpu at 80 percent average utilization, the default of the API server");
    }
    return out;
}

}  // namespace gputide::manifest
