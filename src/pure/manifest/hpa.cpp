// Reads a HorizontalPodAutoscaler into a spec: its behavior, and the annotations with the sources of its metrics.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "manifest/names.hpp"
#include "manifest/scalers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::manifest {

std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported) {
    std::string out = "Unsupported value: " + in_quotes(value);
    const char* separator = ": supported values: ";
    for (const std::string_view name : supported) {
        out += separator + in_quotes(name);
        separator = ", ";
    }
    return out;
}

namespace {

constexpr std::int32_t max_window_s = 3600;
constexpr std::int32_t max_period_s = 1800;
constexpr std::array<std::string_view, 2> policy_types{"Percent", "Pods"};
constexpr std::array<std::string_view, 3> selections{"Disabled", "Max", "Min"};

class behavior_reader {
  public:
    behavior_reader(const controller_flags& controller, violations& refused, report& findings)
        : controller_(controller), refused_(refused), findings_(findings) {}

    // Replaces the defaults in `rules` by the members of the block, if there is one.
    void read(const std::optional<cursor>& block, const std::string& path, scaling_rules& rules) {
        if (!block) return check_window(rules.window_s, path);  // the controller's flag may be longer than an hour
        mapping fields(*block, findings_);
        rules.window_s = fields.integer("stabilizationWindowSeconds").value_or(rules.window_s);
        check_window(rules.window_s, path);
        if (const auto select = fields.text("selectPolicy")) {
            check_name(*select, selections, path + ".selectPolicy", "write Max, Min or Disabled");
            if (*select == "Min") rules.select = select_policy::min;
            if (*select == "Disabled") rules.select = select_policy::disabled;
        }
        const auto tolerance = fields.quantity("tolerance");
        if (const auto items = fields.list("policies")) read_policies(*items, path + ".policies", rules);
        if (tolerance) read_tolerance(*tolerance, path + ".tolerance", rules);
        fields.finish();
    }

  private:
    void refuse(const violation_path& path, std::string_view message, std::string_view remedy) {
        add_violation(refused_, path, message, remedy);
    }

    void check_name(const std::string& name, std::span<const std::string_view> names, const std::string& path,
                    const char* remedy) {
        if (std::ranges::find(names, name) == names.end()) refuse(path, unsupported_value(name, names), remedy);
    }

    void check_window(std::int32_t window_s, const std::string& path) {
        const violation_path at(path, ".stabilizationWindowSeconds");
        if (window_s < 0) refuse(at, "must be greater than or equal to zero", "write 0 to 3600");
        if (window_s > max_window_s) refuse(at, "must be less than or equal to 3600", "write 0 to 3600");
    }

    void read_policies(const std::vector<cursor>& items, const std::string& path, scaling_rules& rules) {
        rules.policies.clear();
        if (items.empty()) refuse(path, "must specify at least one Policy", "add a policy, or remove the empty list");
        for (const cursor& item : items) {
            const std::string here = format_text("{}[{}]", path, rules.policies.size());
            mapping fields(item, findings_);
            scaling_policy& policy = rules.policies.emplace_back();
            const std::string type = fields.text_or_empty("type");
            if (type == "Percent") policy.type = policy_type::percent;
            policy.value = fields.integer("value").value_or(0);
            policy.period_s = fields.integer("periodSeconds").value_or(0);
            fields.finish();
            check_name(type, policy_types, here + ".type", "write Pods or Percent");
            if (policy.value <= 0) refuse({here, ".value"}, "must be greater than zero", "write 1 or more");
            if (policy.period_s <= 0) refuse({here, ".periodSeconds"}, "must be greater than zero", "write 1 to 1800");
            if (policy.period_s > max_period_s)
                refuse({here, ".periodSeconds"}, "must be less than or equal to 1800", "write 1 to 1800");
        }
    }

    // A tolerance is a quantity; "-0.1" is a valid quantity, but below zero.  Releases before 1.35 ignore the field.
    void read_tolerance(const std::string& tolerance, const std::string& path, scaling_rules& rules) {
        const result<quantity> read = parse_quantity(tolerance);
        if (!read) {
            refuse(path, format_text("must be a quantity: {}", read.failure().message),
                   "write a number such as \"0.05\"");
        } else if (read->milli < 0) {
            refuse(path, "must be greater than or equal to 0", "write a number such as \"0.05\"");
        }
        if (!holds(version_rule::tolerance_of_behavior, controller_.versions)) return;
        if (const result<double> value = approximate_quantity(tolerance)) rules.tolerance = *value;
    }

    const controller_flags& controller_;
    violations& refused_;
    report& findings_;
};

}  // namespace

behavior read_behavior(const cursor& block, const std::string& path, const controller_flags& controller,
                       violations& refused, report& findings) {
    behavior out = default_behavior(controller);
    behavior_reader reader(controller, refused, findings);
    mapping both(block, findings);
    reader.read(both.object("scaleUp"), path + ".scaleUp", out.up);
    reader.read(both.object("scaleDown"), path + ".scaleDown", out.down);
    both.finish();
    return out;
}

namespace {

void check_bounds(mapping& body, const scaling& scaled) {
    const std::int32_t min = scaled.controller.can_scale_to_zero() ? 0 : 1;
    if (scaled.min && *scaled.min < min) {
        std::string remedy = format_text("write {} or more", min);
        if (*scaled.min == 0) remedy += ", or add the annotation gputide.io/hpa-scale-to-zero: \"true\"";
        body.error("minReplicas", "invalid-value", format_text("must be greater than or equal to {}", min), remedy);
    }
    if (scaled.max < 1)
        body.error("maxReplicas", "invalid-value", "must be greater than 0", "write maxReplicas: with 1 or more");
    if (scaled.min && scaled.max < *scaled.min) {
        body.error("maxReplicas", "invalid-value", "must be greater than or equal to `minReplicas`",
                   "raise maxReplicas or lower minReplicas");
    }
}

void note_zero_minimum(const scaling& scaled, const place& at, report& findings) {
    const controller_flags& controller = scaled.controller;
    if (scaled.min != 0 || controller.scale_to_zero || !controller.can_scale_to_zero()) return;
    findings.add(severity::note, "version-dependent", at,
                 "minReplicas 0 is accepted since Kubernetes 1.37; older clusters need the feature gate HPAScaleToZero",
                 "for an older cluster write 1, or set gputide.io/hpa-version and gputide.io/hpa-scale-to-zero");
}

bool wants_source(const hpa_metric& metric) { return is_one_number(metric.kind); }

// Sets the line of every node to the annotation's line: the place of the text in the file is unknown.
void move_lines(node& parent, const place& at) {
    parent.line = at.line;
    parent.column = at.column;
    for (node& child : parent.children) move_lines(child, at);
}

// Reads the text of a gputide.io/source annotation: a mapping in the form of a trigger.
std::optional<document> read_source_text(const std::string& key, const std::string& value, const place& at,
                                         const load_context& context) {
    constexpr std::size_t max_bytes = 32'768;  // one text may serve many metrics
    if (value.size() > max_bytes) {
        context.findings.add(severity::error, "too-large", at,
                             format_text("{}: {} bytes, at most 32768 are read", key, value.size()),
                             "shorten the query, or write a ScaledObject");
        return std::nullopt;
    }
    report inner;
    std::vector<document> documents = read_documents(at.file, value, inner);
    for (const finding& entry : inner.findings) {
        context.findings.add(severity::error, entry.code, at,
                             format_text("line {} of this annotation: {}", entry.at.line, entry.message), entry.remedy);
    }
    if (inner.findings.empty() && documents.size() != 1) {
        context.findings.add(severity::error, "invalid-value", at,
                             key + ": expected one trigger, a mapping with type and metadata",
                             "write type: prometheus, metadata: {...}");
    }
    if (documents.size() != 1) return std::nullopt;
    return std::move(documents.front());
}

void read_one_source(const std::string& key, const std::string& value, const place& place, const trigger_owner& owner,
                     std::size_t index, spec& spec, const load_context& context) {
    std::optional<document> text = read_source_text(key, value, place, context);
    if (!text) return;
    const cursor top{&text->root, &text->file, place.path};
    move_lines(text->root, place);
    substitute(text->root, top, context.host.environment, {}, context.findings);
    mapping fields(top, context.findings);
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
    scaled.min = body.integer("minReplicas");
    scaled.max = body.integer("maxReplicas").value_or(0);  // decodes as 0, which validation rejects
    metric_findings remarks;
    out.metrics = read_hpa_metrics(body, manifest.version, remarks, findings);
    violations of_behavior;
    if (manifest.version == "v2" || manifest.version == "v2beta2") {
        if (const auto block = body.object("behavior"))
            scaled.behavior = read_behavior(*block, "spec.behavior", own.controller, of_behavior, findings);
    } else if (manifest.version == "v2beta1") {
        body.misplaced("behavior", "apiVersion: autoscaling/v2");
    }
    body.misplaced("minReplicaCount", "minReplicas");
    body.misplaced("maxReplicaCount", "maxReplicas");
    body.misplaced("triggers", "metrics");
    body.finish();

    // In the order of the API server's checks.
    check_bounds(body, scaled);
    if (scaled.min == 0 && !remarks.scales_from_zero) {
        add_violation(remarks.refused, "spec.metrics",
                      "must specify at least one Object or External metric to support scaling to zero replicas",
                      "add such a metric, or write minReplicas: 1", "forbidden-value");
    }
    add_violations(findings, manifest.at, remarks.refused);
    add_violations(findings, manifest.at, of_behavior);
    note_zero_minimum(scaled, body.place_of("minReplicas"), findings);
    add_violations(findings, manifest.at, remarks.doubtful, severity::warning);

    for (hpa_metric& entry : out.metrics) entry.rules = own.trigger;
    read_sources(manifest.metadata,
                 {scaled.name_space, scaled.name, scaled.extra.profile == profile::strict, own.trigger}, out, context);
    warn_of_forecast(manifest.metadata, out, context.host.kinds, findings);
    return out;
}

}  // namespace gputide::manifest
