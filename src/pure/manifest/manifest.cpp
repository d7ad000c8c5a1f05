// Sorts documents by apiVersion and kind.
#include "manifest/manifest.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "manifest/names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gputide::manifest {
namespace {

struct accepted_kind {
    std::string_view group;  // "" is the core group
    std::array<std::string_view, 4> versions;
    document_kind means;
    std::vector<manifest> collection::*list;

    std::string_view kind() const { return kind_text(means); }
};

constexpr std::array accepted{
    accepted_kind{"keda.sh", {"v1alpha1"}, document_kind::scaled_object, &collection::scalers},
    accepted_kind{"autoscaling",
                  {"v2", "v2beta2", "v2beta1", "v1"},
                  document_kind::horizontal_pod_autoscaler,
                  &collection::scalers},
    accepted_kind{"keda.sh", {"v1alpha1"}, document_kind::scaled_job, &collection::jobs},
    accepted_kind{"keda.sh", {"v1alpha1"}, document_kind::trigger_authentication, &collection::authentications},
    accepted_kind{"keda.sh", {"v1alpha1"}, document_kind::cluster_trigger_authentication, &collection::authentications},
    accepted_kind{"", {"v1"}, document_kind::secret, &collection::stores},
    accepted_kind{"", {"v1"}, document_kind::config_map, &collection::stores},
    accepted_kind{"authentication.k8s.io", {"v1"}, document_kind::token_request, &collection::stores},
};

constexpr std::string_view accepted_text =
    "give a ScaledObject or a ScaledJob (keda.sh/v1alpha1), or a HorizontalPodAutoscaler (autoscaling/v2, v2beta2, "
    "v2beta1 or v1); TriggerAuthentication, ClusterTriggerAuthentication, Secret, ConfigMap and List are also read";

struct type_meta {
    std::string group;
    std::string version;
    std::string kind;
    std::string api_version;  // group and version as written
};

type_meta type_meta_of(const node& object) {
    type_meta out;
    if (const node* kind = object.find("kind")) out.kind = scalar_text(*kind).value_or("");
    if (const node* version = object.find("apiVersion")) out.api_version = scalar_text(*version).value_or("");
    const std::size_t slash = out.api_version.find('/');
    if (slash != std::string::npos) out.group = out.api_version.substr(0, slash);
    out.version = out.api_version.substr(slash == std::string::npos ? 0 : slash + 1);
    return out;
}

bool has_version(const accepted_kind& kind, std::string_view version) {
    return !version.empty() && std::ranges::find(kind.versions, version) != kind.versions.end();
}

std::string versions_of(const accepted_kind& kind) {
    std::string out;
    for (const std::string_view version : kind.versions) {
        if (version.empty()) continue;
        if (!out.empty()) out += ", ";
        out += kind.group.empty() ? std::string(version) : format_text("{}/{}", kind.group, version);
    }
    return out;
}

// Tells whether an object of another kind contains the requests of pods (scalers.hpp).
bool tells_requests(const type_meta& type) {
    return (type.api_version == "apps/v1" && (type.kind == "Deployment" || type.kind == "StatefulSet")) ||
           (type.api_version == "v1" && type.kind == "LimitRange");
}

other_object other_object_of(const type_meta& type, const cursor& cursor) {
    other_object out{type.api_version, type.kind, {}, "default", cursor};
    const node* metadata = cursor.at->find("metadata");
    if (metadata == nullptr) return out;
    const auto text = [&](std::string_view key) {
        const node* found = metadata->find(key);
        return found == nullptr ? std::string() : scalar_text(*found).value_or("");
    };
    out.name = text("name");
    if (const std::string name_space = text("namespace"); !name_space.empty()) out.name_space = name_space;
    return out;
}

object_metadata read_metadata(mapping& top, report& findings) {
    object_metadata out;
    const std::optional<cursor> block = top.object("metadata");
    if (!block) {
        top.error("metadata", "missing-field", "metadata.name is required", "add metadata: and below it name: <name>");
        return out;
    }
    mapping metadata(*block, findings);
    out.name = metadata.required_text("name");
    check_dns_subdomain(metadata, "name", out.name);
    out.name_space = metadata.text("namespace").value_or("default");
    if (out.name_space.empty()) out.name_space = "default";
    check_dns_label(metadata, "namespace", out.name_space);
    out.annotations = metadata.texts("annotations", &out.annotation_places);
    if (const std::optional<std::string> created = metadata.text("creationTimestamp")) {
        out.created_ms = parse_rfc3339(*created);
        if (!out.created_ms) {
            metadata.error(
                "creationTimestamp", "invalid-value",
                "creationTimestamp: expected a time such as 2026-11-21T10:00:00Z, got " + in_quotes(*created),
                "remove it, or write it in RFC 3339");
        }
    }
    metadata.ignore({"labels", "generateName", "uid", "resourceVersion", "generation", "managedFields", "finalizers",
                     "ownerReferences", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"});
    metadata.finish();
    return out;
}

class sorter {
  public:
    sorter(collection& out, const environment_lookup& environment, report& findings)
        : out_(out), environment_(environment), findings_(findings) {}

    void take(document& given);
    void finish();

  private:
    void take(node& object, const cursor& cursor);
    void take_list(node& object, const cursor& at);
    void add(node& object, const cursor& cursor, const accepted_kind& kind, const std::string& version);
    bool refuse_relative(const type_meta& type, const cursor& cursor);

    struct stranger {
        type_meta type;
        place at;
    };
    collection& out_;
    const environment_lookup& environment_;
    report& findings_;
    bool is_literal_ = false;  // of the current document
    std::vector<stranger> strangers_;
    std::map<object_identity, place> places_;  // the first place of each object
    std::size_t substituted_bytes_ = 0;
};

void sorter::take_list(node& object, const cursor& at) {
    node* items = nullptr;
    for (node& member : object.children) {
        if (member.key == "items") items = &member;
    }
    if (items == nullptr || is_null(*items)) return;
    const cursor list = at.child(*items);
    if (items->kind != node_kind::sequence) {
        findings_.add(severity::error, "wrong-type", list.where(), "items: expected a list of objects",
                      "start each item with \"- \"");
        return;
    }
    for (std::size_t i = 0; i < items->children.size(); ++i) take(items->children[i], list.item(i));
}

void sorter::take(document& given) {
    is_literal_ = given.is_literal;
    take(given.root, {&given.root, &given.file, ""});
}

void sorter::take(node& object, const cursor& cursor) {
    if (object.kind != node_kind::mapping) {
        findings_.add(severity::error, "wrong-type", cursor.where(),
                      "expected an object with apiVersion and kind, got " + std::string(kind_name(object)),
                      accepted_text);
        return;
    }
    const type_meta type = type_meta_of(object);
    const std::string_view kind = type.kind;
    const bool is_list = kind == "List" || (kind.ends_with("List") && object.find("items") != nullptr);
    if (is_list) return take_list(object, cursor);
    for (const accepted_kind& entry : accepted) {
        if (entry.kind() != type.kind || entry.group != type.group) continue;
        if (has_version(entry, type.version)) return add(object, cursor, entry, type.version);
    }
    if (tells_requests(type)) out_.others.push_back(other_object_of(type, cursor));
    if (!refuse_relative(type, cursor)) strangers_.push_back({type, cursor.where()});
}

// Reports near misses as errors in any case: a wrong version, a kind of KEDA 1.x, a misspelled kind.
bool sorter::refuse_relative(const type_meta& type, const cursor& cursor) {
    const auto refuse = [&](std::string_view message, std::string_view remedy) {
        findings_.add(severity::error, "wrong-kind", cursor.where(), message, remedy);
        return true;
    };
    if (type.kind.empty() || type.api_version.empty()) {
        return refuse(type.kind.empty() ? "the object has no kind" : "the object has no apiVersion", accepted_text);
    }
    if (type.kind == "VerticalPodAutoscaler") {
        return refuse(
            "a VerticalPodAutoscaler is not supported: it sets requests, not a replica count (its "
            "updatePolicy.minReplicas is not a lower bound of a size either)",
            "bounds of a size are minReplicas and maxReplicas of a HorizontalPodAutoscaler (autoscaling/v2)");
    }
    std::vector<std::string_view> kinds;
    for (const accepted_kind& entry : accepted) {
        kinds.push_back(entry.kind());
        if (entry.kind() == type.kind) {
            return refuse(format_text("a {} of apiVersion {} is not read", type.kind, in_quotes(type.api_version)),
                          "write apiVersion: " + versions_of(entry));
        }
    }
    if (type.group != "keda.sh" && type.group != "autoscaling") return false;
    const std::string_view meant = nearest(type.kind, kinds);
    return refuse(format_text("the kind {} of {} is not read", in_quotes(type.kind), type.api_version),
                  meant.empty() ? std::string(accepted_text) : format_text("did you mean {}?", meant));
}

void sorter::add(node& object, const cursor& cursor, const accepted_kind& kind, const std::string& version) {
    const auto is_source = [](std::string_view key) { return key.starts_with(source_prefix); };
    if (!is_literal_) substitute(object, cursor, environment_, is_source, findings_, &substituted_bytes_);

    manifest next;
    next.kind = kind.means;
    next.version = version;
    next.at = cursor;
    mapping top(cursor, findings_);
    next.metadata = read_metadata(top, findings_);
    const place here = top.place_of("metadata");
    const auto [first, is_new] = places_.emplace(next.identity(), here);
    if (!is_new && !next.metadata.name.empty()) {
        finding* added = findings_.add(severity::error, "duplicate-object", here,
                                       format_text("the {} is given twice, first at {}:{}", first->first.text(),
                                                   first->second.file, first->second.line),
                                       "keep one of them");
        std::string name = format_text("{}/{}", next.metadata.name_space, next.metadata.name);
        if (added != nullptr) added->conflict = conflict{name, name, first->second.file};
    }
    (out_.*kind.list).push_back(std::move(next));
}

// Objects of other kinds are ignored next to a scaling manifest; alone they are an error.
void sorter::finish() {
    for (const stranger& entry : strangers_) {
        const std::string what = format_text("kind {} of {}", in_quotes(entry.type.kind), entry.type.api_version);
        if (out_.scalers.empty() && out_.jobs.empty()) {
            findings_.add(severity::error, "wrong-kind", entry.at, what + " is not read", accepted_text);
        } else if (!tells_requests(entry.type)) {
            findings_.add(severity::note, "other-kind", entry.at, what + " is ignored");
        }
    }
}

}  // namespace

const manifest* collection::find_store(document_kind kind, std::string_view name, std::string_view name_space) const {
    const auto at = std::ranges::find_if(stores, [&](const manifest& object) {
        return object.kind == kind && object.metadata.name == name &&
               (name_space.empty() || object.metadata.name_space == name_space);
    });
    return at == stores.end() ? nullptr : &*at;
}

collection collect(std::vector<document>& documents, const environment_lookup& environment, report& findings) {
    collection out;
    sorter by(out, environment, findings);
    for (document& entry : documents) by.take(entry);
    by.finish();
    return out;
}

}  // namespace gputide::manifest
