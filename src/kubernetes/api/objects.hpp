// The cluster's objects that scaling needs, as plain values, read from lists and watches.  Pure.
// Manifests are texts for the module manifest, without the members that the server adds (status, managedFields, ...).
#pragma once

#include "base/result.hpp"
#include "kube/endpoint.hpp"
#include "manifest/names.hpp"
#include "manifest/own/settings.hpp"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

using kube::endpoint;

struct object_key {
    std::string name_space;
    std::string name;

    friend auto operator<=>(const object_key&, const object_key&) = default;
    std::string text() const { return name_space + "/" + name; }
};

// A kind of objects as the API server serves it.
struct resource {
    std::string group;
    std::string version;
    std::string kind = {};
    std::string plural = {};

    friend bool operator==(const resource&, const resource&) = default;

    // Tells whether its objects have spec.replicas, status.replicas and status.readyReplicas, as in apps/v1.
    bool has_usual_size() const;
    // Returns the endpoint of a list. name_space "": all namespaces. selector: label selector, "" for all objects.
    endpoint collection(const std::string& name_space, const std::string& selector = {}) const;
    endpoint object(const object_key& key, const std::string& verb, const std::string& subresource = {}) const;
    endpoint scale(const object_key& key, const std::string& verb) const { return object(key, verb, "scale"); }
    std::string text() const { return group.empty() ? plural : plural + "." + group; }  // "deployments.apps"
    // Returns "apps/v1.Deployment", or "v1.ReplicationController" for the core group.
    std::string kind_text() const { return (group.empty() ? "" : group + "/") + version + "." + kind; }
};

// The status of a ScaledObject as KEDA writes it, which `kubectl get so` shows.  Used if KEDA does not write the status.
// Reads it to a value that can be compared, and writes a merge patch.  Pure.
// Fields: kedacore/keda apis/keda/v1alpha1/scaledobject_types.go.

struct status_condition {
    std::string type;    // "Ready"
    std::string status;  // "True", "False", "Unknown"
    std::string reason;
    std::string message;

    friend bool operator==(const status_condition&, const status_condition&) = default;
};

struct metric_health {
    std::int32_t failures = 0;  // consecutive
    bool is_failing = false;

    friend bool operator==(const metric_health&, const metric_health&) = default;
};

struct scaled_object_status {
    resource target;                                // plural "": unknown
    std::optional<std::int32_t> original_replicas;  // at the first reconciliation
    std::int64_t last_active_s = 0;                 // Unix seconds; 0: never
    std::string trigger_types;                      // "prometheus,cron"
    std::vector<status_condition> conditions;
    std::map<std::string, metric_health> health;  // by metric name: "s0-prometheus"

    friend bool operator==(const scaled_object_status&, const scaled_object_status&) = default;
};

scaled_object_status read_status(simdjson::dom::object scaled_object);

// Returns a merge patch.  Replaces the whole list of conditions; leaves unknown members unchanged.
std::string status_patch(const scaled_object_status& wanted);

struct object_facts {
    object_key key;
    std::string uid;
    std::string resource_version;
    bool deleting = false;
};
object_facts read_facts(simdjson::dom::object object);

// A scaleTargetRef with Kubernetes' defaults.
struct target_reference {
    std::string api_version = "apps/v1";
    std::string kind = "Deployment";
    std::string name;

    friend bool operator==(const target_reference&, const target_reference&) = default;
};
bool is_same_target(const target_reference& a, const target_reference& b);  // compares the group, not the version

struct authentication_reference {
    std::string name;
    bool is_cluster_wide = false;

    friend auto operator<=>(const authentication_reference&, const authentication_reference&) = default;
    // name_space: of the object that has the reference.
    object_key key_in(const std::string& name_space) const {
        return {is_cluster_wide ? std::string() : name_space, name};
    }
};

using manifest::handover_annotation;
using manifest::owner_annotation;
inline constexpr std::string_view paused_annotation = "autoscaling.keda.sh/paused";
inline constexpr std::string_view paused_replicas_annotation = "autoscaling.keda.sh/paused-replicas";

inline constexpr std::string_view restore_finalizer = "gputide.io/restore";  // deletion waits for the restored size

struct scaled_object {
    manifest::document_kind kind = manifest::document_kind::scaled_object;  // or scaled_job, with the shared members
    object_facts facts;
    std::string manifest;    // JSON
    std::string job_target;  // of a ScaledJob: spec.jobTargetRef as JSON
    std::string owner;       // gputide.io/owner: name of the gputide that scales it; "": none
    target_reference target;
    std::vector<authentication_reference> authentications;
    std::string trigger_types;  // comma-separated, without repeats: "prometheus,cron"
    std::int32_t cooldown_s = 300;
    bool is_kedas = false;   // has KEDA's finalizer: KEDA's operator reconciles it and writes its status
    bool is_paused = false;  // autoscaling.keda.sh/paused: only the gputide that owns it may scale it
    bool restores = false;   // restoreToOriginalReplicaCount: restore the original replicas on deletion
    std::vector<std::string> finalizers;
    scaled_object_status status;

    manifest::object_identity identity() const { return {kind, facts.key.name_space, facts.key.name}; }
    bool has_restore_finalizer() const;
    bool is_anothers(std::string_view us) const { return !owner.empty() && owner != us; }
};
// Returns the message of a block because of another owner.
std::string anothers_text(std::string_view owner, std::string_view us);

// Reads a ScaledObject.  If `us` owns it, the paused annotation stops only KEDA and is left out of the manifest.
scaled_object read_scaled_object(simdjson::dom::object object, std::string_view us);

// Reads a ScaledJob, which has no target.
scaled_object read_scaled_job(simdjson::dom::object object, std::string_view us);

// A TriggerAuthentication or ClusterTriggerAuthentication, with the names of its Secrets, ConfigMaps and service accounts.
struct authentication {
    object_facts facts;
    std::string manifest;
    std::vector<std::string> secrets;
    std::vector<std::string> config_maps;
    std::vector<std::string> accounts;  // a token of each is requested

    manifest::object_identity identity() const;
};
authentication read_authentication(simdjson::dom::object object, bool is_cluster_wide);

// Returns the manifest of the Secret or ConfigMap in a response.
result<std::string> store_manifest(const std::string& body, manifest::document_kind kind);

// The size of a workload that has the fields of apps/v1.  A missing spec.replicas means 1.
struct target_size {
    std::string uid;
    std::string resource_version;
    std::int32_t spec = 0;
    std::int32_t status = 0;
    std::int32_t ready = -1;  // -1: unknown
};
target_size read_target_size(simdjson::dom::object object);

// The parts of an HPA that matter to another controller of the same target.
struct autoscaler {
    object_facts facts;
    target_reference target;
    std::string owner;  // ScaledObject for which KEDA created it; "": none
    std::optional<std::int32_t> desired;
    bool is_active = true;  // the condition ScalingActive is not False
    std::string reasons;    // conditions: "AbleToScale ReadyForNewScale: ...; ScalingLimited TooManyReplicas: ..."
};
autoscaler read_autoscaler(simdjson::dom::object object);

// Compares two resource versions: the longer number is larger, then byte order (KEP-5504).  Returns false if either is not a
// number.
bool is_older(std::string_view version, std::string_view than);

}  // namespace gputide::kubernetes
