// Finds the rights that this cluster's scalers need in addition to the fixed ones: `get` on the Secrets and ConfigMaps of their
// TriggerAuthentications, `create` on the tokens of service accounts, and the rights to scale custom resources.  Pure.
#pragma once

#include "doctor/step.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/preflight/rights.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gputide::doctor {

namespace cluster_step {
inline constexpr const char* objects = "objects";
}

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

using questions = std::function<std::vector<kubernetes::reply>(const std::vector<kubernetes::api_request>&)>;

seen_objects see_objects(const kubernetes::settings& settings, const questions& replies_to);

}  // namespace gputide::doctor
