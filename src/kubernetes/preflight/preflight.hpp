// The check of a cluster before a controller starts: the rights that it needs, and a report as a value, as JSON and as text.
#pragma once

#include "base/result.hpp"
#include "doctor/doctor.hpp"
#include "http/client.hpp"
#include "http/exchange.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/watch/list.hpp"

#include <algorithm>
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

// Returns the names of the Leases of all shards.
std::vector<std::string> lease_names(const settings& settings);

// Returns the rights that these settings need.  Shadow mode writes nothing and takes no Lease.
std::vector<right> rights_for(const settings& settings, const std::string& lease_namespace);

// Returns a SelfSubjectAccessReview, which tells whether the caller has the right.  Every authenticated user may create it.
api_request review_of(const right& right);

struct review {
    right what;
    bool is_allowed = false;
    std::string reason;     // the server's, often ""
    error why{status::ok};  // status ok: the server answered
};
review read_review(right what, const reply& reply, const endpoint& endpoint);

// Returns a SelfSubjectReview, which tells the caller's name (Kubernetes 1.28).
api_request whoami();
// "system:serviceaccount:ml:gputide"
result<std::string> read_whoami(const http::answer& answer, const endpoint& endpoint);

// Returns Roles and bindings for `user` as YAML.  They contain all rights of this use in each namespace where one is missing, so
// they can be applied repeatedly. user "": unknown.
std::string roles_for(right_use use, const std::vector<review>& all, const std::string& user);

}  // namespace gputide::kubernetes

// The report on a cluster: as a value, as JSON, and as text.  Pure.

namespace gputide::doctor {

inline constexpr std::size_t max_listed = 6;  // items of a list in a step's text

struct cluster_report {
    std::string server;  // "": not configured
    kubernetes::settings settings;
    kubernetes::found_versions versions;
    std::string user;        // the user name that the server returns for the caller
    std::string name_space;  // the namespace of the Lease
    std::vector<step> steps;
    std::vector<kubernetes::review> rights;
};

// Returns {"server","version","versions":{"hpa":{},"keda":{}},"user","namespace","shadow","verdict","conclusion","steps":[...],
// "rights":[{"use","group","resource","verb","namespace","name","allowed","needed","reason"}]}.
std::string report_json(const cluster_report& report);

// Returns the conclusion, the steps, and cause and fix of every step that is not ok.
std::string report_lines(const cluster_report& report);

namespace cluster_step {

inline constexpr std::string_view version = "version";
inline constexpr std::string_view kinds = "kinds";
inline constexpr std::string_view objects = "objects";
inline constexpr std::string_view lease = "lease";

}  // namespace cluster_step

// Returns the step of a use: the reviewed rights, and a Role for those that are missing.
step judge_rights(kubernetes::right_use use, const std::vector<kubernetes::review>& all, const std::string& user);

// Finds the rights that this cluster's scalers need in addition to the fixed ones: `get` on the Secrets and ConfigMaps of their
// TriggerAuthentications, `create` on the tokens of service accounts, and the rights to scale custom resources.  Pure.

using group_kind = std::pair<std::string, std::string>;

struct seen_objects {
    std::map<kubernetes::object_key, kubernetes::scaled_object> scaled_objects;
    std::map<kubernetes::object_key, kubernetes::scaled_object>
        scaled_jobs;  // their members in common with ScaledObjects
    // Key without namespace: ClusterTriggerAuthentications.
    std::map<kubernetes::object_key, kubernetes::authentication> authentications;
    std::map<group_kind, result<kubernetes::resource>> resources;  // of custom resources
    // Reasons why lists or objects could not be read.
    std::vector<std::string> unread;
};

// Returns the rights for these objects.
std::vector<kubernetes::right> rights_of(const seen_objects& seen, const kubernetes::settings& settings);

step judge_objects(const seen_objects& seen);

// Asks the API server for several things at a time.
class inquiry {
  public:
    using part = http::starter<kubernetes::reply>;

    inquiry(std::shared_ptr<http::client> client, std::shared_ptr<kubernetes::api> api, const circumstances& under)
        : client_(std::move(client)), api_(std::move(api)), under_(under) {}

    const std::shared_ptr<kubernetes::api>& api() const { return api_; }
    // Returns the time that is max_ms from now, but not after the deadline; on the steady clock.
    std::int64_t until_ms(std::int64_t max_ms) const {
        return std::min(under_.deadline_ms, client_->steady_ms() + max_ms);
    }
    // Sends requests concurrently and waits for all replies.
    std::vector<kubernetes::reply> replies_to(std::vector<kubernetes::api_request> requests) const;
    std::vector<kubernetes::reply> run(std::vector<part> parts) const;

  private:
    const std::shared_ptr<http::client> client_;
    const std::shared_ptr<kubernetes::api> api_;
    const circumstances& under_;
};

// Lists the scalers and TriggerAuthentications of a cluster concurrently, and looks up the target kinds.  Watches nothing and
// reads no Secret.
seen_objects see_objects(const kubernetes::settings& settings, const inquiry& ask);

// Checks a cluster for a runtime: whether the API server is reachable, accepts the token, serves the kinds, and grants each
// right.  Changes nothing: the access reviews that it POSTs create no objects.  Ignores under.seen.
// Returns an error only after a cancel; problems of the cluster are in the report.
result<cluster_report> examine_cluster(const kubernetes::settings& settings, const pipeline::host_options& host,
                                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
