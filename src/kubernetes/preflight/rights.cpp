#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "kubernetes/preflight/preflight.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace gputide::kubernetes {
namespace {

enum class place { watched, whole, autoscaler_status, lease, named_lease };

struct rule {
    right_use use;
    place where;
    const char* group;
    const char* resource;
    std::array<const char*, 2> verbs;  // the second may be null
    const char* without;
};

constexpr const char* no_authentications = "ScaledObjects with triggers that reference such an object are not scaled";
constexpr const char* no_stateful_sets = "StatefulSets are not scaled";

constexpr const char* no_scaled_jobs = "ScaledJobs create no Jobs";

constexpr std::array<rule, 22> rules{{
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
    {right_use::reading,
     place::watched,
     "",
     "events",
     {"list", nullptr},
     "a replica without a node is reported by the time alone that it waits"},
    {right_use::reading,
     place::autoscaler_status,
     "",
     "configmaps",
     {"get", nullptr},
     "a report of replicas without nodes names no pool of nodes"},
    {right_use::scaling, place::watched, "apps", "deployments/scale", {"get", "update"}, ""},
    {right_use::scaling, place::watched, "apps", "statefulsets/scale", {"get", "update"}, no_stateful_sets},
    {right_use::scaling, place::watched, "batch", "jobs", {"create", "delete"}, no_scaled_jobs},
    {right_use::scaling,
     place::watched,
     "batch",
     "jobs",
     {"get", nullptr},
     "after a lost response it is not checked whether the Job was created"},
    {right_use::scaling,
     place::watched,
     "keda.sh",
     "scaledjobs/finalizers",
     {"update", nullptr},
     "a cluster that checks owner references (OwnerReferencesPermissionEnforcement) refuses each Job"},
    {right_use::scaling,
     place::watched,
     "keda.sh",
     "scaledobjects",
     {"patch", nullptr},
     "restoreToOriginalReplicaCount has no effect: it needs a finalizer on the ScaledObject"},
    {right_use::leading,
     place::lease,
     "coordination.k8s.io",
     "leases",
     {"create", nullptr},
     "a missing Lease is not created, so no instance becomes leader: create the Lease by hand"},
    {right_use::leading, place::named_lease, "coordination.k8s.io", "leases", {"get", "update"}, ""},
    {right_use::reporting,
     place::watched,
     "keda.sh",
     "scaledobjects/status",
     {"patch", nullptr},
     "kubectl get so shows no status of a ScaledObject that KEDA does not manage"},
    {right_use::reporting,
     place::watched,
     "keda.sh",
     "scaledjobs/status",
     {"patch", nullptr},
     "kubectl get sj shows no status of a ScaledJob that KEDA does not manage"},
    {right_use::reporting, place::watched, "", "events", {"create", "patch"}, "kubectl describe so shows no events"},
}};

// Returns a rule's pairs of namespace and name; "" means any.
std::vector<std::array<std::string, 2>> places_of(place where, const rights_wanted& rights_wanted) {
    std::vector<std::array<std::string, 2>> out;
    switch (where) {
        case place::whole:
            return {{"", ""}};
        case place::autoscaler_status:
            return {{"", "cluster-autoscaler-status"}};
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
    for (const rule& rule : rules) {
        if (rule.use != right_use::reading && !rights_wanted.writes) continue;
        for (const auto& [name_space, name] : places_of(rule.where, rights_wanted)) {
            for (const char* verb : rule.verbs) {
                if (verb == nullptr) continue;
                out.push_back({rule.use, rule.group, rule.resource, verb, name_space, name, rule.without});
            }
        }
    }
    return out;
}

namespace {

namespace dom = simdjson::dom;

api_request creation_of(const char* group, const char* resource) {
    api_request out;
    out.method = "POST";
    out.target.group = group;
    out.target.version = "v1";
    out.target.path = std::string("/") + resource;
    out.target.resource = resource;
    out.target.verb = "create";
    return out;
}

}  // namespace

// Returns {"spec":{"resourceAttributes":{"verb":"get","group":"apps","resource":"deployments","subresource":"scale"}}}.
// Without namespace all namespaces are meant, without name any object.
api_request review_of(const right& right) {
    api_request out = creation_of("authorization.k8s.io", "selfsubjectaccessreviews");
    const std::size_t slash = right.resource.find('/');
    json_writer body;
    body.begin_object().member("apiVersion", "authorization.k8s.io/v1").member("kind", "SelfSubjectAccessReview");
    body.key("spec").begin_object().key("resourceAttributes").begin_object().member("verb", right.verb);
    body.member("group", right.group).member("resource", right.resource.substr(0, slash));
    if (slash != std::string::npos) body.member("subresource", right.resource.substr(slash + 1));
    if (!right.name_space.empty()) body.member("namespace", right.name_space);
    if (!right.name.empty()) body.member("name", right.name);
    out.body = body.end_object().end_object().end_object().take();
    return out;
}

result<review> read_review(const http::answer& answer, const endpoint& endpoint) {
    review out;
    result<void> done =
        kube::read_object(answer, endpoint, "SelfSubjectAccessReview", [&](dom::object root) -> result<void> {
            const auto status = formats::object_of(root, "status");
            if (!status || (*status)["allowed"].get(out.is_allowed) != simdjson::SUCCESS) {
                return kube::wrong_shape("status.allowed: expected true or false");
            }
            out.reason = formats::text_in(*status, "reason");
            if (out.reason.empty()) out.reason = formats::text_in(*status, "evaluationError");
            return {};
        });
    if (!done) return done.take_failure();
    return out;
}

api_request whoami() {
    api_request out = creation_of("authentication.k8s.io", "selfsubjectreviews");
    json_writer body;
    body.begin_object().member("apiVersion", "authentication.k8s.io/v1").member("kind", "SelfSubjectReview");
    out.body = body.end_object().take();
    return out;
}

result<std::string> read_whoami(const http::answer& answer, const endpoint& endpoint) {
    std::string out;
    result<void> done = kube::read_object(answer, endpoint, "SelfSubjectReview", [&](dom::object root) -> result<void> {
        const auto status = formats::object_of(root, "status");
        const auto user = status ? formats::object_of(*status, "userInfo") : std::nullopt;
        out = user ? formats::text_in(*user, "username") : std::string();
        if (out.empty()) return kube::wrong_shape("status.userInfo.username is missing");
        return {};
    });
    if (!done) return done.take_failure();
    return out;
}

namespace {

constexpr std::string_view account_prefix = "system:serviceaccount:";
constexpr std::string_view rbac = "rbac.authorization.k8s.io";

// Returns a JSON string, which is also valid YAML.
std::string yaml_text(std::string_view text) { return json_writer().string(text).take(); }

std::string subject_of(const std::string& user) {
    const auto parts = split(user, ':');
    constexpr std::size_t words_of_account = 4;
    if (std::string_view(user).starts_with(account_prefix) && parts.size() == words_of_account) {
        return format_text("{kind: ServiceAccount, name: {}, namespace: {}}", yaml_text(parts[3]), yaml_text(parts[2]));
    }
    return format_text("{kind: User, name: {}, apiGroup: {}}", yaml_text(user.empty() ? "<user that scales>" : user),
                       rbac);
}

std::string rule_text(const right& first, const std::vector<right>& all) {
    std::string verbs;
    for (const right& right : all) {
        if (right.use == first.use && is_same_rule(right, first)) append_item(verbs, right.verb);
    }
    const std::string names = first.name.empty() ? "" : format_text(", resourceNames: [{}]", yaml_text(first.name));
    return format_text("  - {apiGroups: [{}], resources: [{}], verbs: [{}]{}}\n", yaml_text(first.group),
                       yaml_text(first.resource), verbs, names);
}

std::string role_in(const std::string& name_space, right_use use, const std::vector<right>& all,
                    const std::string& user) {
    const std::string prefix = name_space.empty() ? "Cluster" : "";
    const std::string name = format_text("gputide-{}-by-doctor", right_use_name(use));
    const std::string metadata =
        format_text("metadata: {name: {}{}}\n", name,
                    name_space.empty() ? std::string() : format_text(", namespace: {}", yaml_text(name_space)));
    const std::string version = format_text("apiVersion: {}/v1\n", rbac);
    std::string out = format_text("{}kind: {}Role\n{}rules:\n", version, prefix, metadata);
    std::vector<const right*> written;
    for (const right& item : all) {
        const bool is_here = item.use == use && item.name_space == name_space;
        const bool is_there =
            std::ranges::any_of(written, [&](const right* other) { return is_same_rule(*other, item); });
        if (!is_here || is_there) continue;
        written.push_back(&item);
        out += rule_text(item, all);
    }
    out += format_text("---\n{}kind: {}RoleBinding\n{}", version, prefix, metadata);
    out += format_text("roleRef: {apiGroup: {}, kind: {}Role, name: {}}\n", rbac, prefix, name);
    return out + format_text("subjects: [{}]\n", subject_of(user));
}

}  // namespace

std::string roles_for(right_use use, const std::vector<right>& all, const std::vector<right>& missing,
                      const std::string& user) {
    std::set<std::string> places;
    for (const right& right : missing) {
        if (right.use == use) places.insert(right.name_space);
    }
    std::string out;
    for (const std::string& name_space : places) {
        append_item(out, role_in(name_space, use, all, user), "---\n");
    }
    return out;
}

}  // namespace gputide::kubernetes
