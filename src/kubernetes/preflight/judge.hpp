// Steps of a cluster's diagnosis: who the caller is, what is served, which rights there are, who holds the Lease.
// In: what the API server answered; out: a step.  Pure.
#pragma once

#include "base/result.hpp"
#include "doctor/step.hpp"
#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/preflight/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::doctor {

namespace cluster_step {
inline constexpr const char* version = "version";
inline constexpr const char* kinds = "kinds";
inline constexpr const char* lease = "lease";
}  // namespace cluster_step

// Step `token`.  got: a SelfSubjectReview; a server that has none of them, or keeps it to itself, may still take the token.
step judge_user(const kubernetes::reply& reply, const result<std::string>& user);

// Step `version`: the releases of Kubernetes and KEDA, and whose rules hold for manifests that name none.
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
