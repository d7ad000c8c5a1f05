// The check of a cluster before a controller starts: the rights that it needs, and a report as a value, as JSON and as text.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "doctor/doctor.hpp"
#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/versions.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// The rights: one table for the access reviews, and for the Roles that grant the rights (a test compares examples/kubernetes with
// it).  Pure.

// In the order in which they are needed; the names are the values in the JSON.
enum class right_use : std::int32_t { reading = 0, scaling, leading, reporting };
inline constexpr std::size_t right_uses = 4;
const char* right_use_name(right_use right_use) noexcept;

struct right {
    right_use use = right_use::reading;
    std::string group;     // "": the core API
    std::string resource;  // as in an RBAC rule: "deployments/scale"
    std::string verb;
    std::string name_space;  // "": all namespaces
    std::string name;        // "": any object
    std::string without;     // what fails without this right; "": everything

    std::string kind_text() const;   // "deployments/scale of apps"
    std::string place_text() const;  // "in namespace ml", "in all namespaces"
};

// Tells whether two rights differ only in the verb, so that one rule of a Role can grant both.
bool is_same_rule(const right& a, const right& b);

// The configuration for which rights are needed.
struct rights_wanted {
    std::vector<std::string> namespaces;  // empty: all
    bool writes = true;                   // false: shadow mode, which takes no Lease
    std::string lease_namespace;
    std::vector<std::string> leases;  // names of the Leases
};
std::vector<right> rights_for(const rights_wanted& rights_wanted);

// Returns a SelfSubjectAccessReview, which tells whether the caller has the right.  Every authenticated user may create it.
api_request review_of(const right& right);

struct review {
    bool is_allowed = false;
    std::string reason;  // the server's, often ""
};
result<review> read_review(const http::answer& answer, const endpoint& endpoint);

// Returns a SelfSubjectReview, which tells the caller's name (Kubernetes 1.28).
api_request whoami();
// "system:serviceaccount:ml:gputide"
result<std::string> read_whoami(const http::answer& answer, const endpoint& endpoint);

// Returns Roles and bindings for `user` as YAML.  They contain all rights of this use in each namespace where one is missing, so
// they can be applied repeatedly. user "": unknown.
std::string roles_for(right_use use, const std::vector<right>& all, const std::vector<right>& missing,
                      const std::string& user);

}  // namespace gputide::kubernetes

// The report on a cluster: as a value, as JSON, and as text.  Pure.

namespace gputide::doctor {

struct asked_right {
    kubernetes::right what;
    bool is_allowed = false;
    std::string reason;     // the server's
    error why{status::ok};  // status ok: the server answered
};

struct cluster_report {
    std::string server;  // "": not configured
    kubernetes::settings settings;
    kubernetes::found_versions versions;
    std::string user;        // the user name that the server returns for the caller
    std::string name_space;  // the namespace of the Lease
    std::vector<step> steps;
    std::vector<asked_right> rights;
};

// Returns {"server","version","versions":{"hpa":{},"keda":{}},"user","namespace","shadow","verdict","conclusion","steps":[...],
// "rights":[{"use","group","resource","verb","namespace","name","allowed","needed","reason"}]}.
std::string report_json(const cluster_report& cluster_report);

// Returns the conclusion, the steps, and cause and fix of every step that is not ok.
std::string report_lines(const cluster_report& cluster_report);

// Judges the API server's responses: each function returns one step of the report.  Pure.

namespace cluster_step {

inline constexpr std::string_view version = "version";
inline constexpr std::string_view kinds = "kinds";
inline constexpr std::string_view objects = "objects";
inline constexpr std::string_view lease = "lease";

}  // namespace cluster_step

// Returns step `token`, from the response to a SelfSubjectReview.  A server that does not serve or allow it may still accept the
// token.
step judge_user(const kubernetes::reply& reply, const result<std::string>& user);

// Returns step `version`: the releases of Kubernetes and KEDA, and the rules for manifests that name no release.
step judge_versions(const kubernetes::settings& settings, const kubernetes::found_versions& found);

// A resource that the runtime watches.
struct served_kind {
    std::string group;
    std::string version;
    std::string resource;
    bool is_served = false;
    error why{status::ok};  // status ok: the server answered
};
step judge_kinds(const std::vector<served_kind>& seen);

step judge_rights(kubernetes::right_use use, const std::vector<asked_right>& all, const std::string& user);

struct seen_lease {
    std::string name;
    kubernetes::verdict verdict = kubernetes::verdict::failed;
    result<kube::lease> lease;
};
// may_create: the caller may create Leases.
step judge_leases(const std::vector<seen_lease>& seen, const std::string& name_space, bool may_create,
                  std::int64_t now_ms);

// Finds the rights that this cluster's scalers need in addition to the fixed ones: `get` on the Secrets and ConfigMaps of their
// TriggerAuthentications, `create` on the tokens of service accounts, and the rights to scale custom resources.  Pure.

using group_kind = std::pair<std::string, std::string>;

struct seen_objects {
    std::vector<kubernetes::scaled_object> scaled_objects;
    std::vector<kubernetes::scaled_object> scaled_jobs;  // their members in common with ScaledObjects
    // Key without namespace: ClusterTriggerAuthentications.
    std::map<kubernetes::object_key, kubernetes::authentication> authentications;
    std::map<group_kind, result<kubernetes::resource>> resources;  // for custom_kinds()
    // Reasons why lists or objects could not be read.
    std::vector<std::string> unread;
};

// Returns the target kinds other than Deployment and StatefulSet, for which the rights are always needed.
std::vector<group_kind> custom_kinds(const seen_objects& seen);

// wanted: the watched namespaces, and whether anything is written.  secrets_namespace: of ClusterTriggerAuthentications.
std::vector<kubernetes::right> rights_of(const seen_objects& seen, const kubernetes::rights_wanted& wanted,
                                         const std::string& secrets_namespace);

step judge_objects(const seen_objects& seen);

// Lists the scalers and TriggerAuthentications of a cluster concurrently, and looks up the target kinds.  Watches nothing and
// reads no Secret.

using questions = function_ref<std::vector<kubernetes::reply>(const std::vector<kubernetes::api_request>&)>;

seen_objects see_objects(const kubernetes::settings& settings, questions replies_to);

// Checks a cluster for a runtime: whether the API server is reachable, accepts the token, serves the kinds, and grants each
// right.  Changes nothing: the access reviews that it POSTs create no objects.  Ignores under.seen.
// Returns an error only after a cancel; problems of the cluster are in the report.
result<cluster_report> examine_cluster(const kubernetes::settings& settings, const pipeline::host_options& host,
                                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
