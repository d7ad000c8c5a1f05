#include "kubernetes/api/objects.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kube/endpoint.hpp"

#include <algorithm>
#include <limits>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::array_of;
using formats::for_each_object;
using formats::object_of;
using formats::text_in;
using formats::text_of;
using simdjson::SUCCESS;

constexpr std::size_t max_condition_bytes = 300;  // of a condition's message
constexpr std::int64_t ms_per_s = 1'000;
constexpr const char* failing_word = "Failing";

void copy_member(json_writer& writer, dom::object object, std::string_view name) {
    dom::element value;
    if (object[name].get(value) == SUCCESS) writer.key(name).raw(simdjson::minify(value));
}

constexpr std::string_view annotations_path = "metadata/annotations";
constexpr std::string_view applied_annotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view keda_finalizer = "finalizer.keda.sh";  // on every object that KEDA has reconciled

// Copies the annotations except gputide's own, kubectl's copy of the whole manifest and `omitted`.
void copy_annotations(json_writer& writer, dom::object object, std::string_view omitted) {
    const auto annotations = object_of(object, annotations_path);
    if (!annotations) return;
    writer.key("annotations").begin_object();
    for (const auto& [name, value] : *annotations) {
        std::string_view text;
        if (name == applied_annotation || name == owner_annotation || name == handover_annotation || name == omitted)
            continue;
        if (value.get(text) != SUCCESS) continue;
        writer.member(name, text);
    }
    writer.end_object();
}

std::string manifest_of(dom::object object, std::string_view api_version, manifest::document_kind kind,
                        std::initializer_list<std::string_view> members, std::string_view omitted_annotation = {},
                        std::initializer_list<std::string_view> more_metadata = {}) {
    json_writer out;
    out.begin_object()
        .member("apiVersion", api_version)
        .member("kind", manifest::kind_text(kind))
        .key("metadata")
        .begin_object();
    if (const auto metadata = object_of(object, "metadata")) {
        copy_member(out, *metadata, "name");
        copy_member(out, *metadata, "namespace");
        copy_member(out, *metadata, "creationTimestamp");
        for (const std::string_view member : more_metadata) copy_member(out, *metadata, member);
        copy_annotations(out, object, omitted_annotation);
    }
    out.end_object();
    for (const std::string_view member : members) copy_member(out, object, member);
    return out.end_object().take();
}

target_reference read_target(dom::object object) {
    target_reference out;
    const auto target = object_of(object, "spec/scaleTargetRef");
    if (!target) return out;
    if (const auto version = text_of(*target, "apiVersion"); version && !version->empty()) out.api_version = *version;
    if (const auto kind = text_of(*target, "kind"); kind && !kind->empty()) out.kind = *kind;
    out.name = text_in(*target, "name");
    return out;
}

std::optional<std::int32_t> count_of(dom::object object, std::string_view path) {
    const auto value = formats::integer_of(object, path);
    if (!value || *value < 0 || *value > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<std::int32_t>(*value);
}

std::vector<std::string> finalizers_of(dom::object object) {
    std::vector<std::string> out;
    const auto all = array_of(object, "metadata/finalizers");
    if (!all) return out;
    for (const dom::element element : *all) {
        std::string_view text;
        if (element.get(text) == SUCCESS) out.emplace_back(text);
    }
    return out;
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
    return std::ranges::find(list, text) != list.end();
}

bool asks_for_restoring(dom::object object) {
    const auto advanced = object_of(object, "spec/advanced");
    bool out = false;
    return advanced && (*advanced)["restoreToOriginalReplicaCount"].get(out) == SUCCESS && out;
}

// {"s0-prometheus":{"numberOfFailures":3,"status":"Failing"}}
void read_health(dom::object all, std::map<std::string, metric_health>& into) {
    for (const auto& [metric, value] : all) {
        dom::object object;
        if (value.get(object) != SUCCESS) continue;
        into[std::string(metric)] = {count_of(object, "numberOfFailures").value_or(0),
                                     text_in(object, "status") == failing_word};
    }
}

void add_once(std::string& list, const std::string& name) {
    if (("," + list + ",").find("," + name + ",") != std::string::npos) return;
    append_item(list, name, ",");
}

bool is_version_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

manifest::object_identity authentication::identity() const {
    const bool is_cluster_wide = facts.key.name_space.empty();
    return {is_cluster_wide ? manifest::document_kind::cluster_trigger_authentication
                            : manifest::document_kind::trigger_authentication,
            facts.key.name_space, facts.key.name};
}

bool scaled_object::has_restore_finalizer() const { return contains(finalizers, restore_finalizer); }

bool is_same_target(const target_reference& a, const target_reference& b) {
    return a.name == b.name && a.kind == b.kind && kube::group_of(a.api_version) == kube::group_of(b.api_version);
}

object_facts read_facts(dom::object object) {
    object_facts out;
    const auto metadata = object_of(object, "metadata");
    if (!metadata) return out;
    out.key = {text_in(*metadata, "namespace"), text_in(*metadata, "name")};
    out.uid = text_in(*metadata, "uid");
    out.resource_version = text_in(*metadata, "resourceVersion");
    out.deleting = text_of(*metadata, "deletionTimestamp").has_value();
    return out;
}

scaled_object_status read_status(dom::object scaled_object) {
    scaled_object_status out;
    const auto status = object_of(scaled_object, "status");
    if (!status) return out;
    if (const auto target = object_of(*status, "scaleTargetGVKR")) {
        out.target = {text_in(*target, "group"), text_in(*target, "version"), text_in(*target, "kind"),
                      text_in(*target, "resource")};
    }
    out.original_replicas = count_of(*status, "originalReplicaCount");
    const auto active_ms = parse_rfc3339(text_in(*status, "lastActiveTime"));
    if (active_ms) out.last_active_s = *active_ms / ms_per_s;
    out.trigger_types = text_in(*status, "triggersTypes");
    if (const auto health = object_of(*status, "health")) read_health(*health, out.health);
    for_each_object(*status, "conditions", [&out](dom::object condition) {
        out.conditions.push_back({text_in(condition, "type"), text_in(condition, "status"),
                                  text_in(condition, "reason"), text_in(condition, "message")});
    });
    return out;
}

std::string status_patch(const scaled_object_status& wanted) {
    json_writer out;
    out.begin_object().key("status").begin_object();
    if (const resource& target = wanted.target; !target.plural.empty()) {
        out.member("scaleTargetKind", target.kind_text()).key("scaleTargetGVKR").begin_object();
        out.member("group", target.group).member("version", target.version);
        out.member("kind", target.kind).member("resource", target.plural).end_object();
    }
    if (wanted.original_replicas) out.member("originalReplicaCount", *wanted.original_replicas);
    if (wanted.last_active_s != 0) out.member("lastActiveTime", format_rfc3339_s(wanted.last_active_s * ms_per_s));
    out.member("triggersTypes", wanted.trigger_types).key("conditions").begin_array();
    for (const status_condition& condition : wanted.conditions) {
        out.begin_object().member("type", condition.type).member("status", condition.status);
        out.member("reason", condition.reason).member("message", condition.message).end_object();
    }
    out.end_array();
    if (!wanted.health.empty()) {
        out.key("health").begin_object();
        for (const auto& [metric, value] : wanted.health) {
            out.key(metric).begin_object().member("numberOfFailures", value.failures);
            out.member("status", value.is_failing ? failing_word : "Happy").end_object();
        }
        out.end_object();
    }
    return out.end_object().end_object().take();
}

namespace {

template <class Name>
std::vector<Name> each_once(std::vector<Name> names) {
    sort_stably(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

// Reads the members that ScaledObjects and ScaledJobs have in common.
scaled_object read_scaler(dom::object object, std::string_view us, manifest::document_kind kind,
                          std::initializer_list<std::string_view> more_metadata) {
    scaled_object out;
    out.kind = kind;
    out.facts = read_facts(object);
    out.owner = text_in(object, annotations_path, owner_annotation);
    const bool is_ours = !us.empty() && out.owner == us;
    out.manifest = manifest_of(object, "keda.sh/v1alpha1", kind, {"spec"},
                               is_ours ? paused_annotation : std::string_view(), more_metadata);
    out.finalizers = finalizers_of(object);
    out.is_kedas = contains(out.finalizers, keda_finalizer);
    const std::string paused = text_in(object, annotations_path, paused_annotation);
    out.is_paused = !paused.empty() && parse_go_bool(paused).value_or(true);
    out.status = read_status(object);
    for_each_object(object, "spec/triggers", [&](dom::object trigger) {
        add_once(out.trigger_types, text_in(trigger, "type"));
        const auto reference = object_of(trigger, "authenticationRef");
        if (!reference) return;
        out.authentications.push_back(
            {text_in(*reference, "name"), text_of(*reference, "kind") == "ClusterTriggerAuthentication"});
    });
    out.authentications = each_once(std::move(out.authentications));
    return out;
}

}  // namespace

std::string anothers_text(std::string_view owner, std::string_view us) {
    return format_text("{} is {}: another gputide owns this object; this gputide is {}", owner_annotation, owner, us);
}

scaled_object read_scaled_object(dom::object object, std::string_view us) {
    scaled_object out = read_scaler(object, us, manifest::document_kind::scaled_object, {});
    out.target = read_target(object);
    out.restores = asks_for_restoring(object);
    out.cooldown_s = count_of(object, "spec/cooldownPeriod").value_or(out.cooldown_s);
    return out;
}

scaled_object read_scaled_job(dom::object object, std::string_view us) {
    scaled_object out = read_scaler(object, us, manifest::document_kind::scaled_job, {"uid", "generation", "labels"});
    if (const auto target = object_of(object, "spec/jobTargetRef")) out.job_target = simdjson::minify(*target);
    return out;
}

namespace {

std::vector<std::string> names_in(dom::object object, std::string_view list, std::string_view member = "name") {
    std::vector<std::string> out;
    for_each_object(object, list, [&](dom::object entry) { out.push_back(text_in(entry, member)); });
    return each_once(std::move(out));
}

std::vector<std::string> secrets_in(dom::object object) {
    std::vector<std::string> out = names_in(object, "spec/secretTargetRef");
    for (const char* block :
         {"oauth2/clientSecret", "azureServicePrincipal/clientSecret", "azureServicePrincipal/clientCertificate",
          "azureServicePrincipal/clientCertificatePassword"}) {
        std::string name = text_in(object, format_text("spec/{}/valueFrom/secretKeyRef", block), "name");
        if (!name.empty()) out.push_back(std::move(name));
    }
    return each_once(std::move(out));
}

}  // namespace

authentication read_authentication(dom::object object, bool is_cluster_wide) {
    authentication out;
    out.facts = read_facts(object);
    out.manifest = manifest_of(object, "keda.sh/v1alpha1",
                               is_cluster_wide ? manifest::document_kind::cluster_trigger_authentication
                                               : manifest::document_kind::trigger_authentication,
                               {"spec"});
    out.secrets = secrets_in(object);
    out.config_maps = names_in(object, "spec/configMapTargetRef");
    out.accounts = names_in(object, "spec/boundServiceAccountToken", "serviceAccountName");
    return out;
}

result<std::string> store_manifest(const std::string& body, manifest::document_kind kind) {
    formats::scratch_use own(body);
    dom::object root;
    if (own->parse(body, root) != SUCCESS) {
        return fail(error_class::not_json, "{}: the response is not a JSON object", manifest::kind_text(kind));
    }
    return manifest_of(root, "v1", kind, {"data", "binaryData"});
}

target_size read_target_size(dom::object object) {
    const object_facts facts = read_facts(object);
    target_size out;
    out.uid = facts.uid;
    out.resource_version = facts.resource_version;
    out.spec = count_of(object, "spec/replicas").value_or(1);
    out.status = count_of(object, "status/replicas").value_or(0);
    out.ready = count_of(object, "status/readyReplicas").value_or(0);
    return out;
}

autoscaler read_autoscaler(dom::object object) {
    autoscaler out;
    out.facts = read_facts(object);
    for_each_object(object, "metadata/ownerReferences", [&](dom::object owner) {
        if (text_of(owner, "kind") == "ScaledObject") out.owner = text_in(owner, "name");
    });
    out.target = read_target(object);
    if (formats::integer_of(object, "status/desiredReplicas"))
        out.desired = count_of(object, "status/desiredReplicas").value_or(0);
    for_each_object(object, "status/conditions", [&](dom::object condition) {
        const std::string type = text_in(condition, "type");
        if (type == "ScalingActive" && text_of(condition, "status") == "False") out.is_active = false;
        append_item(out.reasons,
                    type + " " + text_in(condition, "reason") + ": " +
                        std::string(cut_utf8(text_of(condition, "message").value_or(""), max_condition_bytes)),
                    "; ");
    });
    out.reasons = redact(out.reasons);
    return out;
}

bool is_older(std::string_view version, std::string_view than) {
    if (!is_version_number(version) || !is_version_number(than)) return false;
    if (version.size() != than.size()) return version.size() < than.size();
    return version < than;
}

}  // namespace gputide::kubernetes
