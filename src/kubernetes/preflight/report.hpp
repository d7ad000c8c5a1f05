// The report on a cluster: as a value, as JSON, and as text.  Pure.
#pragma once

#include "base/result.hpp"
#include "doctor/doctor.hpp"
#include "doctor/step.hpp"
#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/preflight/rights.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

verdict worst_of(const cluster_report& cluster_report);

// Returns {"server","version","versions":{"hpa":{},"keda":{}},"user","namespace","shadow","verdict","conclusion","steps":[...],
// "rights":[{"use","group","resource","verb","namespace","name","allowed","needed","reason"}]}.
std::string report_json(const cluster_report& cluster_report);

// Returns the conclusion, the steps, and cause and fix of every step that is not ok.
std::string report_lines(const cluster_report& cluster_report);

// Judges the API server's responses: each function returns one step of the report.  Pure.

namespace cluster_step {

inline constexpr const char* version = "version";
inline constexpr const char* kinds = "kinds";
inline constexpr const char* lease = "lease";

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

// Checks a cluster for a runtime: whether the API server is reachable, accepts the token, serves the kinds, and grants each
// right.  Changes nothing: the access reviews that it POSTs create no objects.  Ignores under.seen.
// Returns an error only after a cancel; problems of the cluster are in the report.
result<cluster_report> examine_cluster(const kubernetes::settings& settings, const pipeline::host_options& host,
                                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under);

}  // namespace gputide::doctor
