// Reads metrics[] and targets of each autoscaling version into the form of v2.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/hpa.hpp"

#include <array>
#include <utility>

namespace gputide::manifest {
namespace {

struct source_field {
    std::string_view type;
    std::string_view field;
};
constexpr std::array source_fields{source_field{"External", "external"}, source_field{"Object", "object"},
                                   source_field{"Pods", "pods"}, source_field{"Resource", "resource"},
                                   source_field{"ContainerResource", "containerResource"}};

void read_described_object(mapping& fields, std::string_view key, written_source& source, report& findings) {
    const auto at = fields.object(key);
    if (!at) return;
    mapping object(*at, findings);
    source.object_kind = object.required_text("kind");
    source.object_name = object.required_text("name");
    source.object_api_version = object.text_or_empty("apiVersion");
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
written_source read_source(const cursor& cursor, std::string_view field, report& findings) {
    mapping fields(cursor, findings);
    written_source out;
    const bool resource = field == "resource" || field == "containerResource";
    if (resource) {
        out.name = fields.text_or_empty("name");
        if (field == "containerResource") out.container = fields.text_or_empty("container");
    } else if (const auto metric = fields.object("metric")) {
        mapping identifier(*metric, findings);
        out.name = identifier.text_or_empty("name");
        if (const auto selector = identifier.object("selector"))
            out.selector = read_label_selector(*selector, findings);
        identifier.finish();
    }
    if (field == "object") read_described_object(fields, "describedObject", out, findings);
    if (const auto wanted = fields.object("target")) {
        mapping target(*wanted, findings);
        out.target.type = target.text_or_empty("type");
        out.target.value = target.quantity("value");
        out.target.average_value = target.quantity("averageValue");
        out.target.average_utilization = target.integer("averageUtilization");
        refuse_old_keys(target);
        target.finish();
    }
    refuse_old_keys(fields);
    fields.finish();
    return out;
}

// Reads a source of v2beta1: the target is in the metric itself, and the field that is set determines its type
// (kubernetes/kubernetes pkg/apis/autoscaling/v2beta1/conversion.go).
written_source read_beta1_source(const cursor& cursor, std::string_view field, report& findings) {
    mapping fields(cursor, findings);
    written_source out;
    const bool resource = field == "resource" || field == "containerResource";
    out.name = fields.text(resource ? "name" : "metricName").value_or("");
    if (field == "containerResource") out.container = fields.text_or_empty("container");
    if (const auto selector = fields.object(field == "external" ? "metricSelector" : "selector")) {
        out.selector = read_label_selector(*selector, findings);
    }
    if (field == "object") read_described_object(fields, "target", out, findings);
    if (resource) out.target.average_utilization = fields.integer("targetAverageUtilization");
    if (field == "external" || field == "object") out.target.value = fields.quantity("targetValue");
    out.target.average_value = fields.quantity(field == "object" ? "averageValue" : "targetAverageValue");
    // An Object's averageValue has precedence over its targetValue, which v2beta1 requires.
    if (field == "object" && out.target.average_value) out.target.value.reset();
    out.target.type = out.target.average_utilization ? "Utilization" : out.target.value ? "Value" : "AverageValue";
    fields.misplaced("metric", "metricName: <name>, or apiVersion: autoscaling/v2");
    fields.finish();
    return out;
}

written_metric read_metric(const cursor& cursor, bool beta1, report& findings) {
    mapping fields(cursor, findings);
    written_metric out;
    out.at = cursor.where();
    out.type = fields.text_or_empty("type");
    for (const source_field& row : source_fields) {
        const auto source = fields.object(row.field);
        if (!source) continue;
        out.sources[std::string(row.field)] =
            beta1 ? read_beta1_source(*source, row.field, findings) : read_source(*source, row.field, findings);
    }
    fields.finish();
    return out;
}

written_metric cpu_metric(std::int32_t utilization_pct, place place) {
    written_metric out;
    out.type = "Resource";
    out.at = std::move(place);
    written_source& source = out.sources["resource"];
    source.name = "cpu";
    source.target.type = "Utilization";
    source.target.average_utilization = utilization_pct;
    return out;
}

void read_metrics(mapping& body, const std::string& version, written_hpa& hpa, report& findings) {
    constexpr std::int32_t default_cpu_pct = 80;
    if (version == "v1") {
        const std::optional<std::int32_t> pct = body.integer("targetCPUUtilizationPercentage");
        hpa.metrics.push_back(
            cpu_metric(pct.value_or(default_cpu_pct), body.place_of("targetCPUUtilizationPercentage")));
        body.misplaced("metrics", "apiVersion: autoscaling/v2");
        body.misplaced("behavior", "apiVersion: autoscaling/v2");
        return;
    }
    body.misplaced("targetCPUUtilizationPercentage", "metrics: with a Resource metric of cpu");
    if (const auto items = body.list("metrics")) {
        if (items->size() > limits::triggers) {
            body.error("metrics", "too-many-metrics",
                       format_text("{} metrics, at most {} are read", items->size(), limits::triggers),
                       "split the HorizontalPodAutoscaler", error_class::limit);
            return;
        }
        for (const cursor& item : *items) hpa.metrics.push_back(read_metric(item, version == "v2beta1", findings));
    }
    if (hpa.metrics.empty()) {
        hpa.metrics.push_back(cpu_metric(default_cpu_pct, body.place_of("metrics")));
        findings.add(severity::note, "default-metric", body.place_of("metrics"),
                     "no metrics are given: cpu at 80 percent average utilization, the default of the API server");
    }
}

}  // namespace

written_hpa read_hpa_spec(mapping& body, const std::string& version, const controller_flags& controller,
                          report& findings) {
    written_hpa out;
    out.min = body.integer("minReplicas");
    out.max = body.integer("maxReplicas").value_or(0);
    read_metrics(body, version, out, findings);
    const bool has_behavior = version == "v2" || version == "v2beta2";
    if (has_behavior) {
        if (const auto written = body.object("behavior")) {
            out.behavior = with_defaults(read_behavior(*written, findings), controller.downscale_window_s);
        }
    } else if (version == "v2beta1") {
        body.misplaced("behavior", "apiVersion: autoscaling/v2");
    }
    body.misplaced("minReplicaCount", "minReplicas");
    body.misplaced("maxReplicaCount", "maxReplicas");
    body.misplaced("triggers", "metrics");
    return out;
}

}  // namespace gputide::manifest
