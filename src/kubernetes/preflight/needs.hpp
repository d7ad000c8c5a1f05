// The rights that the scalers of a cluster need beyond those that every cluster needs: `get` on the Secrets and ConfigMaps that
// their TriggerAuthentications name, and what scaling a custom resource takes.  In: the cluster's own objects; out: rights, and
// the step that says what was seen.  Pure.
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
    std::vector<kubernetes::scaled_object> scaled_jobs;  // what they have in common with ScaledObjects
    std::map<kubernetes::object_key, kubernetes::authentication> authentications;  // without a namespace: the cluster's
    std::map<group_kind, result<kubernetes::resource>> resources;                  // of custom_kinds()
    std::vector<std::string> unread;                                               // why a list is not known
};

// Returns the kinds that scaleTargetRefs name beside Deployments and StatefulSets (those rights are always needed).
std::vector<group_kind> custom_kinds(const seen_objects& seen);

// wanted: where scalers are watched, and whether anything is written.  secrets_namespace: of ClusterTriggerAuthentications'.
std::vector<kubernetes::right> rights_of(const seen_objects& seen, const kubernetes::rights_wanted& wanted,
                                         const std::string& secrets_namespace);

step judge_objects(const seen_objects& seen);

// Reads the scalers of a cluster, the TriggerAuthentications and the kinds that they name, page after page, all lists side by
// side.  Nothing is watched, and no Secret is read.

using questions = std::function<std::vector<kubernetes::reply>(const std::vector<kubernetes::api_request>&)>;

seen_objects see_objects(const kubernetes::settings& settings, const questions& replies_to);

}  // namespace gputide::doctor
