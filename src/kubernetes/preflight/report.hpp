// A diagnosis of a cluster as a value, as JSON for a program and as lines for a person.  Pure.
#pragma once

#include "base/result.hpp"
#include "doctor/step.hpp"
#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/preflight/rights.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::doctor {

struct asked_right {
    kubernetes::right what;
    bool is_allowed = false;
    std::string reason;     // the server's
    error why{status::ok};  // status ok: it was answered
};

struct cluster_report {
    std::string server;  // "": none is named
    kubernetes::settings settings;
    kubernetes::found_versions versions;
    std::string user;        // as the server calls the caller
    std::string name_space;  // the caller's own
    std::vector<step> steps;
    std::vector<asked_right> rights;
};

verdict worst_of(const cluster_report& cluster_report);

// {"server","version","versions":{"hpa":{},"keda":{}},"user","namespace","shadow","verdict","conclusion","steps":[...],"rights":[{"use","group","resource",
// "verb","namespace","name","allowed","needed","reason"}]}
std::string report_json(const cluster_report& cluster_report);

// The conclusion first, then the steps, then cause and fix of every step that is not well.
std::string report_lines(const cluster_report& cluster_report);

// Judges the steps of a cluster's diagnosis: the caller's name, the served kinds, the rights, the holder of the Lease.
// In: what the API server answered; out: a step.  Pure.

namespace cluster_step {
inline constexpr const char* version = "version";
inline constexpr const char* kinds = "kinds";
inline constexpr const char* lease = "lease";
}  // namespace cluster_step

// Step `token`.  got: a SelfSubjectReview; a server that has none of them, or keeps it to itself, may still take the token.
step judge_user(const kubernetes::reply& reply, const result<std::string>& user);

// Step `version`: the releases of Kubernetes and KEDA, and which rules apply to manifests that name no release.
step judge_versions(const kubernetes::settings& settings, const kubernetes::found_versions& found);

// One resource of an API group that is watched.
struct served_kind {
    std::string group;
    std::string version;
    std::string resource;
    bool is_served = false;
    error why{status::ok};  // status ok: the server has said so
};
step judge_kinds(const std::vector<served_kind>& seen);

step judge_rights(kubernetes::right_use use, const std::vector<asked_right>& all, const std::string& user);

struct seen_lease {
    std::string name;
    kubernetes::verdict verdict = kubernetes::verdict::failed;
    result<kube::lease> lease;
};
// may_create: the caller has that right.
step judge_leases(const std::vector<seen_lease>& seen, const std::string& name_space, bool may_create,
                  std::int64_t now_ms);

}  // namespace gputide::doctor
