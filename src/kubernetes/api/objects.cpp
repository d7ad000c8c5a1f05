#include "kubernetes/api/objects.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
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

void copy_member(json_writer& writer, dom::object object, std::string_view name) {
    dom::element value;
    if (object[name].get(value) == SUCCESS) writer.key(name).raw(simdjson::minify(value));
}

constexpr std::string_view applied_annotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view keda_finalizer = "finalizer.keda.sh";  // on every object that KEDA has reconciled

std::string annotation(dom::object object, std::string_view name) {
    const auto metadata = object_of(object, "metadata");
    const auto all = metadata ? object_of(*metadata, "annotations") : std::nullopt;
    return all ? text_in(*all, name) : std::string();
}

// Copies the annotations except gputide's own, kubectl's copy of the whole manifest and `omitted`.
void copy_annotations(json_writer& writer, dom::object metadata, std::string_view omitted) {
    const auto annotations = object_of(metadata, "annotations");
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
        copy_annotations(out, *metadata, omitted_annotation);
    }
    out.end_object();
    for (const std::string_view member : members) copy_member(out, object, member);
    return out.end_object().take();
}

target_reference read_target(dom::object spec) {
    target_reference out;
    const auto target = object_of(spec, "scaleTargetRef");
    if (!target) return out;
    if (const auto version = text_of(*target, "apiVersion"); version && !version->empty()) out.api_version = *version;
    if (const auto kind = text_of(*target, "kind"); kind && !kind->empty()) out.kind = *kind;
    out.name = text_in(*target, "name");
    return out;
}

std::int32_t count_in(std::optional<dom::object> object, std::string_view name, std::int32_t otherwise) {
    const auto value = object ? formats::integer_of(*object, name) : std::nullopt;
    if (!value || *value < 0 || *value > std::numeric_limits<std::int32_t>::max()) return otherwise;
    return static_cast<std::int32_t>(*value);
}

std::string owner_of(dom::object object) {
    std::string out;
    const auto metadata = object_of(object, "metadata");
    if (!metadata) return out;
    for_each_object(*metadata, "ownerReferences", [&](dom::object owner) {
        if (text_of(owner, "kind") == "ScaledObject") out = text_in(owner, "name");
    });
    return out;
}

std::vector<std::string> finalizers_of(dom::object object) {
    std::vector<std::string> out;
    const auto metadata = object_of(object, "metadata");
    const auto all = metadata ? array_of(*metadata, "finalizers") : std::nullopt;
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

bool asks_for_restoring(dom::object spec) {
    const auto advanced = object_of(spec, "advanced");
    bool out = false;
    return advanced && (*advanced)["restoreToOriginalReplicaCount"].get(out) == SUCCESS && out;
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
    out.owner = annotation(object, owner_annotation);
    const bool is_ours = !us.empty() && out.owner == us;
    out.manifest = manifest_of(object, "keda.sh/v1alpha1", kind, {"spec"},
                               is_ours ? paused_annotation : std::string_view(), more_metadata);
    out.finalizers = finalizers_of(object);
    out.is_kedas = contains(out.finalizers, keda_finalizer);
    const std::string paused = annotation(object, paused_annotation);
    out.is_paused = !paused.empty() && parse_go_bool(paused).value_or(true);
    out.status = read_status(object);
    const auto spec = object_of(object, "spec");
    if (!spec) return out;
    for_each_object(*spec, "triggers", [&](dom::object trigger) {
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
    const auto spec = object_of(object, "spec");
    if (!spec) return out;
    out.target = read_target(*spec);
    out.restores = asks_for_restoring(*spec);
    out.cooldown_s = count_in(spec, "cooldownPeriod", out.cooldown_s);
    return out;
}

scaled_object read_scaled_job(dom::object object, std::string_view us) {
    scaled_object out = read_scaler(object, us, manifest::document_kind::scaled_job, {"uid", "generation", "labels"});
    const auto spec = object_of(object, "spec");
    const auto target = spec ? object_of(*spec, "jobTargetRef") : std::nullopt;
    if (target) out.job_target = simdjson::minify(*target);
    return out;
}

namespace {

std::vector<std::string> names_in(dom::object spec, std::string_view list, std::string_view member = "name") {
    std::vector<std::string> out;
    for_each_object(spec, list, [&](dom::object object) { out.push_back(text_in(object, member)); });
    return out;
}

// Adds the Secret name of {valueFrom: {secretKeyRef: {name, key}}} below a member of a block.
void add_secret_of(std::optional<dom::object> block, std::string_view member, std::vector<std::string>& out) {
    for (const std::string_view name : {member, std::string_view("valueFrom"), std::string_view("secretKeyRef")}) {
        if (block) block = object_of(*block, name);
    }
    if (!block) return;
    if (std::string name = text_in(*block, "name"); !name.empty()) out.push_back(std::move(name));
}

std::vector<std::string> secrets_in(dom::object spec) {
    std::vector<std::string> out = names_in(spec, "secretTargetRef");
    add_secret_of(object_of(spec, "oauth2"), "clientSecret", out);
    const auto principal = object_of(spec, "azureServicePrincipal");
    for (const char* member : {"clientSecret", "clientCertificate", "clientCertificatePassword"})
        add_secret_of(principal, member, out);
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
    const auto spec = object_of(object, "spec");
    if (!spec) return out;
    out.secrets = secrets_in(*spec);
    out.config_maps = each_once(names_in(*spec, "configMapTargetRef"));
    out.accounts = each_once(names_in(*spec, "boundServiceAccountToken", "serviceAccountName"));
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
    const auto status = object_of(object, "status");
    target_size out;
    out.uid = facts.uid;
    out.resource_version = facts.resource_version;
    out.spec = count_in(object_of(object, "spec"), "replicas", 1);
    out.status = count_in(status, "replicas", 0);
    out.ready = count_in(status, "readyReplicas", 0);
    return out;
}

autoscaler read_autoscaler(dom::object object) {
    autoscaler out;
    out.facts = read_facts(object);
    out.owner = owner_of(object);
    if (const auto spec = object_of(object, "spec")) out.target = read_target(*spec);
    const auto status = object_of(object, "status");
    if (!status) return out;
    if (formats::integer_of(*status, "desiredReplicas")) out.desired = count_in(status, "desiredReplicas", 0);
    for_each_object(*status, "conditions", [&](dom::object condition) {
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
