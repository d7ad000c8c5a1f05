#include "kubernetes/preflight/rights.hpp"

#include <array>
#include <string_view>

namespace gputide::kubernetes {
namespace {

enum class place { watched, whole, lease, named_lease };

struct rule {
    right_use use;
    place where;
    const char* group;
    const char* resource;
    std::array<const char*, 2> verbs;  // the second may be null
    const char* without;
};

constexpr const char* no_authentications = "ScaledObjects whose triggers name one are not scaled";
constexpr const char* no_stateful_sets = "StatefulSets are not scaled";

constexpr const char* no_scaled_jobs = "ScaledJobs create no Jobs";

constexpr std::array<rule, 20> rules{{
    {right_use::reading, place::watched, "keda.sh", "scaledobjects", {"list", "watch"}, ""},
    {right_use::reading, place::watched, "keda.sh", "triggerauthentications", {"list", "watch"}, no_authentications},
    {right_use::reading,
     place::whole,
     "keda.sh",
     "clustertriggerauthentications",
     {"list", "watch"},
     no_authentications},
    {right_use::reading, place::watched, "autoscaling", "horizontalpodautoscalers", {"list", "watch"}, ""},
    {right_use::reading, place::watched, "apps", "deployments", {"list", "watch"}, ""},
    {right_use::reading, place::watched, "apps", "statefulsets", {"list", "watch"}, no_stateful_sets},
    {right_use::reading, place::watched, "keda.sh", "scaledjobs", {"list", "watch"}, no_scaled_jobs},
    {right_use::reading, place::watched, "batch", "jobs", {"list", "watch"}, no_scaled_jobs},
    {right_use::reading,
     place::watched,
     "",
     "pods",
     {"list", "watch"},
     "each unfinished Job of a ScaledJob counts as pending"},
    {right_use::scaling, place::watched, "apps", "deployments/scale", {"get", "update"}, ""},
    {right_use::scaling, place::watched, "apps", "statefulsets/scale", {"get", "update"}, no_stateful_sets},
    {right_use::scaling, place::watched, "batch", "jobs", {"create", "delete"}, no_scaled_jobs},
    {right_use::scaling,
     place::watched,
     "batch",
     "jobs",
     {"get", nullptr},
     "a Job whose creation was not answered is not looked for"},
    {right_use::scaling,
     place::watched,
     "keda.sh",
     "scaledjobs/finalizers",
     {"update", nullptr},
     "a cluster that checks who names an owner (OwnerReferencesPermissionEnforcement) refuses each Job"},
    {right_use::scaling,
     place::watched,
     "keda.sh",
     "scaledobjects",
     {"patch", nullptr},
     "restoreToOriginalReplicaCount is not kept: it takes a finalizer on the ScaledObject"},
    {right_use::leading,
     place::lease,
     "coordination.k8s.io",
     "leases",
     {"create", nullptr},
     "a Lease that is not there stays so, and nobody leads: create it by hand"},
    {right_use::leading, place::named_lease, "coordination.k8s.io", "leases", {"get", "update"}, ""},
    {right_use::reporting,
     place::watched,
     "keda.sh",
     "scaledobjects/status",
     {"patch", nullptr},
     "kubectl get so tells nothing of a ScaledObject that KEDA does not look after"},
    {right_use::reporting,
     place::watched,
     "keda.sh",
     "scaledjobs/status",
     {"patch", nullptr},
     "kubectl get sj tells nothing of a ScaledJob that KEDA does not look after"},
    {right_use::reporting, place::watched, "", "events", {"create", "patch"}, "kubectl describe so shows no events"},
}};

// Where a rule asks: pairs of a namespace and a name, either of which may be "".
std::vector<std::array<std::string, 2>> places_of(place where, const rights_wanted& rights_wanted) {
    std::vector<std::array<std::string, 2>> out;
    switch (where) {
        case place::whole:
            return {{"", ""}};
        case place::lease:
            return {{rights_wanted.lease_namespace, ""}};
        case place::named_lease:
            for (const std::string& name : rights_wanted.leases) out.push_back({rights_wanted.lease_namespace, name});
            return out;
        case place::watched:
            break;
    }
    if (rights_wanted.namespaces.empty()) return {{"", ""}};
    for (const std::string& space : rights_wanted.namespaces) out.push_back({space, ""});
    return out;
}

}  // namespace

const char* right_use_name(right_use right_use) noexcept {
    static constexpr std::array<const char*, right_uses> names{"reading", "scaling", "leading", "reporting"};
    return names[static_cast<std::size_t>(right_use)];
}

std::string right::kind_text() const { return group.empty() ? resource : resource + " of " + group; }

std::string right::place_text() const {
    return name_space.empty() ? "in all namespaces" : "in namespace " + name_space;
}

bool is_same_rule(const right& a, const right& b) {
    return a.group == b.group && a.resource == b.resource && a.name_space == b.name_space && a.name == b.name;
}

std::vector<right> rights_for(const rights_wanted& rights_wanted) {
    std::vector<right> out;
    for (const rule& one : rules) {
        if (one.use != right_use::reading && !rights_wanted.writes) continue;
        for (const auto& [name_space, name] : places_of(one.where, rights_wanted)) {
            for (const char* verb : one.verbs) {
                if (verb == nullptr) continue;
                out.push_back({one.use, one.group, one.resource, verb, name_space, name, one.without});
            }
        }
    }
    return out;
}

}  // namespace gputide::kubernetes
