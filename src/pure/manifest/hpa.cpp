// Reads a HorizontalPodAutoscaler into a spec, and the annotations with the sources of its metrics.
#include "manifest/hpa.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "manifest/object_name.hpp"
#include "manifest/warnings.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::manifest {
namespace {

struct kind_name_pair {
    std::string_view type;
    std::string_view field;
    metric_kind kind;
};
constexpr kind_name_pair named(metric_kind kind, std::string_view field) {
    return {metric_kind_word(kind), field, kind};
}
constexpr std::array kinds{named(metric_kind::external, "external"), named(metric_kind::object, "object"),
                           named(metric_kind::pods, "pods"), named(metric_kind::resource, "resource"),
                           named(metric_kind::container_resource, "containerResource")};

std::int64_t milli_of(const std::string& written) {
    const result<quantity> read = parse_quantity(written);
    return read ? read->milli : 0;
}

// Uses the field that the controller uses: averageValue first (Object: the field that target.type names), then value, then
// utilization.
void set_target(const written_target& target, metric_kind kind, hpa_metric& metric) {
    const bool average = target.average_value && !(kind == metric_kind::object && target.type == "Value");
    if (average) {
        metric.type = target_type::average_value;
        metric.target_milli = milli_of(*target.average_value);
    } else if (target.value) {
        metric.type = target_type::value;
        metric.target_milli = milli_of(*target.value);
    } else {
        metric.type = target_type::utilization;
        metric.utilization_pct = target.average_utilization.value_or(0);
    }
}

hpa_metric to_metric(const written_metric& metric) {
    hpa_metric out;
    out.at = metric.at;
    for (const kind_name_pair& pair : kinds) {
        const auto source = metric.sources.find(std::string(pair.field));
        if (pair.type != metric.type || source == metric.sources.end()) continue;
        out.kind = pair.kind;
        out.name = source->second.name;
        static_cast<metric_subject&>(out) = source->second;
        set_target(source->second.target, pair.kind, out);
    }
    return out;
}

// The API server does not compare target.type with the field that is set, and the controller ignores target.type
// (kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go computeStatusForExternalMetric).
void warn_of_other_field(const written_metric& metric, report& findings) {
    const auto source = metric.sources.find("external");
    if (source == metric.sources.end() || metric.type != "External") return;
    const written_target& target = source->second.target;
    const bool is_divided = target.average_value.has_value();
    const std::string_view counted = is_divided ? "AverageValue" : "Value";
    if (is_divided == target.value.has_value() || target.type == counted || target.type == "Utilization") return;
    findings.add(severity::warning, "target-field-decides", metric.at,
                 format_text("the target's type is {}, and {} is set: it is used as {}", target.type,
                             is_divided ? "averageValue" : "value", counted),
                 format_text("write {} with that number, or type: {}", is_divided ? "value" : "averageValue", counted));
}

void note_zero_minimum(const written_hpa& written, const controller_flags& controller, const place& at,
                       report& findings) {
    if (written.min != 0 || controller.scale_to_zero || !controller.can_scale_to_zero()) return;
    findings.add(severity::note, "version-dependent", at,
                 "minReplicas 0 is accepted since Kubernetes 1.37; older clusters need the feature gate HPAScaleToZero",
                 "for an older cluster write 1, or set gputide.io/hpa-version and gputide.io/hpa-scale-to-zero");
}

bool wants_source(const hpa_metric& metric) { return is_one_number(metric.kind); }

// The text of a gputide.io/source annotation: a mapping in the form of a trigger.
class source_text {
  public:
    source_text(const std::string& key, const std::string& value, place place, const load_context& context)
        : at_(std::move(place)) {
        constexpr std::size_t max_bytes = 32'768;  // one text may serve many metrics
        if (value.size() > max_bytes) {
            context.findings.add(severity::error, "too-large", at_,
                                 format_text("{}: {} bytes, at most 32768 are read", key, value.size()),
                                 "shorten the query, or write a ScaledObject");
            return;
        }
        report inner;
        documents_ = read_documents(at_.file, value, inner);
        for (const finding& entry : inner.findings) {
            context.findings.add(severity::error, entry.code, at_,
                                 format_text("line {} of this annotation: {}", entry.at.line, entry.message),
                                 entry.remedy);
        }
        if (inner.findings.empty() && documents_.size() != 1) {
            context.findings.add(severity::error, "invalid-value", at_,
                                 key + ": expected one trigger, a mapping with type and metadata",
                                 "write type: prometheus, metadata: {...}");
        }
        if (documents_.size() != 1) return;
        move_lines(documents_.front().root);
        substitute(documents_.front().root, top(), context.host.environment, {}, context.findings);
    }

    bool ok() const { return documents_.size() == 1; }
    cursor top() const { return {&documents_.front().root, &at_.file, at_.path}; }

  private:
    // Sets the line of every node to the annotation's line: the place of the text in the file is unknown.
    void move_lines(node& parent) {
        parent.line = at_.line;
        parent.column = at_.column;
        for (node& child : parent.children) move_lines(child);
    }

    place at_;
    std::vector<document> documents_;
};

void read_one_source(const std::string& key, const std::string& value, const place& place, const trigger_owner& owner,
                     std::size_t index, spec& spec, const load_context& context) {
    const source_text text(key, value, place, context);
    if (!text.ok()) return;
    mapping fields(text.top(), context.findings);
    trigger read = take_trigger(fields, static_cast<std::int32_t>(index), owner, context);
    fields.finish();
    hpa_metric& metric = spec.metrics[index];
    const trigger_kind* kind = context.host.kinds.trigger(read.type);
    const std::string wanted(kind != nullptr ? kind->target_key : trigger_kind().target_key);
    if (read.metadata.emplace(wanted, shortest(static_cast<double>(metric.target_milli) / 1000.0)).second) {
        read.metadata_places.emplace(wanted, place);
    }
    read.metric_type = metric.type;
    metric.rules = read.rules;
    metric.source = std::move(read);
}

void read_sources(const object_metadata& metadata, const trigger_owner& owner, spec& spec,
                  const load_context& context) {
    std::vector<std::string_view> names;
    for (const hpa_metric& metric : spec.metrics) {
        if (wants_source(metric)) names.push_back(metric.name);
    }
    for (const auto& [key, value] : metadata.annotations) {
        if (key.compare(0, source_prefix.size(), source_prefix) != 0) continue;
        const std::string_view name = std::string_view(key).substr(source_prefix.size());
        const place& at = metadata.annotation_places.at(key);
        bool used = false;
        for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
            if (spec.metrics[i].name != name || !wants_source(spec.metrics[i])) continue;
            read_one_source(key, value, at, owner, i, spec, context);
            used = true;
        }
        if (used) continue;
        const auto same =
            std::ranges::find_if(spec.metrics, [&](const hpa_metric& metric) { return metric.name == name; });
        if (same != spec.metrics.end()) {
            context.findings.add(severity::error, "unknown-setting", at,
                                 format_text("{}: {} is a {} metric, but only External and Object metrics can have "
                                             "a source",
                                             key, in_quotes(name), metric_kind_word(same->kind)),
                                 "make it an External metric and let the query give the total, or add "
                                 "gputide.io/metrics-from: kubernetes");
            continue;
        }
        const std::string_view meant = nearest(name, names);
        context.findings.add(
            severity::error, "unknown-setting", at,
            format_text("{}: no External or Object metric of this HorizontalPodAutoscaler has the name {}", key,
                        in_quotes(name)),
            meant.empty() ? "name one of spec.metrics" : format_text("did you mean {}?", in_quotes(meant)));
    }
    for (const hpa_metric& entry : spec.metrics) {
        if (spec.metrics_from_cluster || spec.metrics_from_host) break;
        if (entry.source || entry.name.empty() || entry.kind == metric_kind::unknown) continue;
        context.findings.add(severity::warning, "missing-source", entry.at, unfed_text(entry.kind, entry.name),
                             unfed_remedy(entry.kind, entry.name));
    }
}

// v1 stores other metrics and the behavior in annotations; reading the rest without them would change the scaling.
void refuse_v1_annotations(const manifest& manifest, report& findings) {
    for (const char* key : {"autoscaling.alpha.kubernetes.io/metrics", "autoscaling.alpha.kubernetes.io/behavior"}) {
        const auto at = manifest.metadata.annotation_places.find(key);
        if (at == manifest.metadata.annotation_places.end()) continue;
        if (manifest.version !=
            "v1") {  // kubernetes/kubernetes pkg/apis/autoscaling/annotations.go: dropped from v2 on
            findings.add(severity::warning, "unknown-annotation", at->second,
                         std::string(key) + " belongs to autoscaling/v1 and has no effect here", "write it below spec");
            continue;
        }
        findings.add(severity::error, "unsupported-annotation", at->second,
                     std::string(key) + " of autoscaling/v1 is not read",
                     "write the manifest as autoscaling/v2: kubectl get hpa.v2.autoscaling NAME -o yaml");
    }
}

void note_old_version(const manifest& manifest, report& findings) {
    if (manifest.version == "v1" || manifest.version == "v2") return;
    findings.add(severity::note, "old-version", manifest.at.where(),
                 format_text("autoscaling/{} is no longer served (since Kubernetes {}), read as autoscaling/v2",
                             manifest.version, manifest.version == "v2beta1" ? "1.25" : "1.26"),
                 "write apiVersion: autoscaling/v2");
}

void read_hpa_target(mapping& body, scaling& scaling, report& findings) {
    const auto at = body.object("scaleTargetRef");
    if (!at) {
        body.error("scaleTargetRef", "missing-field", "scaleTargetRef is required",
                   "add scaleTargetRef: with apiVersion, kind and name");
        return;
    }
    mapping target(*at, findings);
    scaling.target_kind = target.required_text("kind");
    scaling.target_name = target.required_text("name");
    scaling.target_api_version = target.text_or_empty("apiVersion");
    check_dns_subdomain(target, "name", scaling.target_name);
    check_target_type(target, scaling.target_api_version, scaling.target_kind);
    target.finish();
}

}  // namespace

spec read_horizontal_pod_autoscaler(const manifest& manifest, const load_context& context) {
    report& findings = context.findings;
    spec out;
    scaling& scaled = out.scaling = scaling_of(manifest);
    note_old_version(manifest, findings);
    refuse_v1_annotations(manifest, findings);

    const own_rules own = take_own_rules(manifest, context, out);

    mapping top(manifest.at, findings);
    top.ignore({"apiVersion", "kind", "metadata", "status"});
    const auto at = top.object("spec");
    top.finish();
    if (!at) {
        top.error("spec", "missing-field", "spec is required",
                  "add spec: with scaleTargetRef, maxReplicas and metrics");
        return out;
    }
    mapping body(*at, findings);
    read_hpa_target(body, scaled, findings);
    const written_hpa written = read_hpa_spec(body, manifest.version, own.controller, findings);
    body.finish();
    add_violations(findings, manifest.at, validate_hpa(written, own.controller.can_scale_to_zero()));

    note_zero_minimum(written, own.controller, body.place_of("minReplicas"), findings);

    scaled.min = written.min;
    scaled.max = written.max;
    if (written.behavior) scaled.behavior = to_behavior(*written.behavior, own.controller);
    for (const written_metric& metric : written.metrics) {
        warn_of_other_field(metric, findings);
        out.metrics.push_back(to_metric(metric));
    }
    for (hpa_metric& entry : out.metrics) entry.rules = own.trigger;
    read_sources(manifest.metadata,
                 {scaled.name_space, scaled.name, scaled.extra.profile == profile::strict, own.trigger}, out, context);
    warn_of_forecast(manifest.metadata, out, context.host.kinds, findings);
    return out;
}

}  // namespace gputide::manifest
