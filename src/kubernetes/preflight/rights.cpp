#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "kubernetes/lease/elector.hpp"
#include "kubernetes/preflight/preflight.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

namespace gputide::kubernetes {
namespace {

enum class place { watched, whole, autoscaler_status, lease, named_lease };

struct rule {
    right_use use;
    place where;
    const char* group;
    const char* resource;
    std::array<const char*, 2> verbs = {};  // the second may be null
    const char* without;
};

// Effects of a missing right.  A right without such a text is always needed.
constexpr const char* no_authentications = "ScaledObjects with triggers that reference such an object are not scaled";
constexpr const char* no_stateful_sets = "StatefulSets are not scaled";
constexpr const char* no_scaled_jobs = "ScaledJobs create no Jobs";
constexpr const char* all_pending = "each unfinished Job of a ScaledJob counts as pending";
constexpr const char* no_verdicts = "a replica without a node is reported by the time alone that it waits";
constexpr const char* no_pools = "a report of replicas without nodes names no pool of nodes";
constexpr const char* not_checked = "after a lost response it is not checked whether the Job was created";
constexpr const char* no_owned_jobs =
    "a cluster that checks owner references (OwnerReferencesPermissionEnforcement) refuses each Job";
constexpr const char* no_restoring =
    "restoreToOriginalReplicaCount has no effect: it needs a finalizer on the ScaledObject";
constexpr const char* no_new_lease =
    "a missing Lease is not created, so no instance becomes leader: create the Lease by hand";
constexpr const char* no_object_status = "kubectl get so shows no status of a ScaledObject that KEDA does not manage";
constexpr const char* no_job_status = "kubectl get sj shows no status of a ScaledJob that KEDA does not manage";
constexpr const char* no_events = "kubectl describe so shows no events";

std::span<const rule> all_rules() {
    using enum right_use;
    using enum place;
    static constexpr rule rules[] = {
        {reading, watched, "keda.sh", "scaledobjects", {"list", "watch"}, ""},
        {reading, watched, "keda.sh", "triggerauthentications", {"list", "watch"}, no_authentications},
        {reading, whole, "keda.sh", "clustertriggerauthentications", {"list", "watch"}, no_authentications},
        {reading, watched, "autoscaling", "horizontalpodautoscalers", {"list", "watch"}, ""},
        {reading, watched, "apps", "deployments", {"list", "watch"}, ""},
        {reading, watched, "apps", "statefulsets", {"list", "watch"}, no_stateful_sets},
        {reading, watched, "keda.sh", "scaledjobs", {"list", "watch"}, no_scaled_jobs},
        {reading, watched, "batch", "jobs", {"list", "watch"}, no_scaled_jobs},
        {reading, watched, "", "pods", {"list", "watch"}, all_pending},
        {reading, watched, "", "events", {"list"}, no_verdicts},
        {reading, autoscaler_status, "", "configmaps", {"get"}, no_pools},
        {scaling, watched, "apps", "deployments/scale", {"get", "update"}, ""},
        {scaling, watched, "apps", "statefulsets/scale", {"get", "update"}, no_stateful_sets},
        {scaling, watched, "batch", "jobs", {"create", "delete"}, no_scaled_jobs},
        {scaling, watched, "batch", "jobs", {"get"}, not_checked},
        {scaling, watched, "keda.sh", "scaledjobs/finalizers", {"update"}, no_owned_jobs},
        {scaling, watched, "keda.sh", "scaledobjects", {"patch"}, no_restoring},
        {leading, lease, "coordination.k8s.io", "leases", {"create"}, no_new_lease},
        {leading, named_lease, "coordination.k8s.io", "leases", {"get", "update"}, ""},
        {reporting, watched, "keda.sh", "scaledobjects/status", {"patch"}, no_object_status},
        {reporting, watched, "keda.sh", "scaledjobs/status", {"patch"}, no_job_status},
        {reporting, watched, "", "events", {"create", "patch"}, no_events},
    };
    return rules;
}

// Returns a rule's pairs of namespace and name; "" means any.
std::vector<std::array<std::string, 2>> places_of(place where, const settings& settings,
                                                  const std::string& lease_namespace) {
    std::vector<std::array<std::string, 2>> out;
    switch (where) {
        case place::whole:
            return {{"", ""}};
        case place::autoscaler_status:
            return {{"", "cluster-autoscaler-status"}};
        case place::lease:
            return {{lease_namespace, ""}};
        case place::named_lease:
            for (const std::string& name : lease_names(settings)) out.push_back({lease_namespace, name});
            return out;
        case place::watched:
            break;
    }
    if (settings.namespaces.empty()) return {{"", ""}};
    for (const std::string& space : settings.namespaces) out.push_back({space, ""});
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

std::vector<std::string> lease_names(const settings& settings) {
    std::vector<std::string> out;
    for (std::int32_t shard = 0; shard < settings.shards; ++shard)
        out.push_back(lease_name(settings.lease_name, shard));
    return out;
}

std::vector<right> rights_for(const settings& settings, const std::string& lease_namespace) {
    std::vector<right> out;
    for (const rule& rule : all_rules()) {
        if (rule.use != right_use::reading && settings.shadow) continue;
        for (const auto& [name_space, name] : places_of(rule.where, settings, lease_namespace)) {
            for (const char* verb : rule.verbs) {
                if (verb == nullptr) continue;
                out.push_back({rule.use, rule.group, rule.resource, verb, name_space, name, rule.without});
            }
        }
    }
    return out;
}

// Returns {"spec":{"resourceAttributes":{"verb":"get","group":"apps","resource":"deployments","subresource":"scale"}}}.
// Without namespace all namespaces are meant, without name any object.
api_request review_of(const right& right) {
    const std::size_t slash = right.resource.find('/');
    json_writer body;
    body.begin_object().member("apiVersion", "authorization.k8s.io/v1").member("kind", "SelfSubjectAccessReview");
    body.key("spec").begin_object().key("resourceAttributes").begin_object().member("verb", right.verb);
    body.member("group", right.group).member("resource", right.resource.substr(0, slash));
    if (slash != std::string::npos) body.member("subresource", right.resource.substr(slash + 1));
    if (!right.name_space.empty()) body.member("namespace", right.name_space);
    if (!right.name.empty()) body.member("name", right.name);
    return creation_in(known_resource("authorization.k8s.io", "v1", "selfsubjectaccessreviews").collection({}),
                       body.end_object().end_object().end_object().take());
}

review read_review(right what, const reply& reply, const endpoint& endpoint) {
    review out;
    out.what = std::move(what);
    out.why = reply.why;
    if (reply.verdict != verdict::good) return out;
    result<void> done = kube::read_object(
        reply.answer, endpoint, "SelfSubjectAccessReview", [&](simdjson::dom::object root) -> result<void> {
            const auto status = formats::object_of(root, "status");
            if (!status || (*status)["allowed"].get(out.is_allowed) != simdjson::SUCCESS) {
                return kube::wrong_shape("status.allowed: expected true or false");
            }
            out.reason = formats::text_in(*status, "reason");
            if (out.reason.empty()) out.reason = formats::text_in(*status, "evaluationError");
            return {};
        });
    if (!done) out.why = done.take_failure();
    return out;
}

api_request whoami() {
    json_writer body;
    body.begin_object().member("apiVersion", "authentication.k8s.io/v1").member("kind", "SelfSubjectReview");
    return creation_in(known_resource("authentication.k8s.io", "v1", "selfsubjectreviews").collection({}),
                       body.end_object().take());
}

result<std::string> read_whoami(const http::answer& answer, const endpoint& endpoint) {
    std::string out;
    result<void> done =
        kube::read_object(answer, endpoint, "SelfSubjectReview", [&](simdjson::dom::object root) -> result<void> {
            out = formats::text_in(root, "status/userInfo", "username");
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

std::string rule_text(const right& first, const std::vector<review>& all) {
    std::string verbs;
    for (const review& review : all) {
        if (review.what.use == first.use && is_same_rule(review.what, first)) append_item(verbs, review.what.verb);
    }
    const std::string names = first.name.empty() ? "" : format_text(", resourceNames: [{}]", yaml_text(first.name));
    return format_text("  - {apiGroups: [{}], resources: [{}], verbs: [{}]{}}\n", yaml_text(first.group),
                       yaml_text(first.resource), verbs, names);
}

std::string role_in(const std::string& name_space, right_use use, const std::vector<review>& all,
                    const std::string& user) {
    const std::string prefix = name_space.empty() ? "Cluster" : "";
    const std::string name = format_text("gputide-{}-by-doctor", right_use_name(use));
    const std::string metadata =
        format_text("metadata: {name: {}{}}\n", name,
                    name_space.empty() ? std::string() : format_text(", namespace: {}", yaml_text(name_space)));
    const std::string version = format_text("apiVersion: {}/v1\n", rbac);
    std::string out = format_text("{}kind: {}Role\n{}rules:\n", version, prefix, metadata);
    std::vector<const right*> written;
    for (const review& review : all) {
        const right& item = review.what;
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

std::string roles_for(right_use use, const std::vector<review>& all, const std::string& user) {
    std::set<std::string> places;
    for (const review& review : all) {
        if (review.what.use == use && !review.is_allowed) places.insert(review.what.name_space);
    }
    std::string out;
    for (const std::string& name_space : places) {
        append_item(out, role_in(name_space, use, all, user), "---\n");
    }
    return out;
}

}  // namespace gputide::kubernetes

namespace gputide::doctor {
namespace {

// Returns texts such as "list and watch on scaledobjects of keda.sh in all namespaces": one per resource, with all its verbs.
std::vector<std::string> grouped(const std::vector<const kubernetes::review*>& rights) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < rights.size(); ++i) {
        const kubernetes::right& right = rights[i]->what;
        const auto is_like = [&](const kubernetes::review* other) {
            return kubernetes::is_same_rule(other->what, right);
        };
        if (std::any_of(rights.begin(), rights.begin() + static_cast<std::ptrdiff_t>(i), is_like)) continue;
        std::string verbs;
        for (const kubernetes::review* other : rights) {
            if (is_like(other)) append_item(verbs, other->what.verb, " and ");
        }
        const std::string named = right.name.empty() ? "" : " named " + right.name;
        out.push_back(format_text("{} on {}{} {}", verbs, right.kind_text(), named, right.place_text()));
    }
    return out;
}

step not_asked(const char* name, const error& why) {
    return broken(name, "the server did not answer the review: " + why.message,
                  "Every authenticated user may check its own rights (ClusterRole system:basic-user); the server was "
                  "not reached, or this right was removed.",
                  "Try again; if the review fails again: kubectl get clusterrolebinding system:basic-user -o yaml");
}

std::string losses_of(const std::vector<const kubernetes::review*>& missing) {
    std::vector<std::string> out;
    for (const kubernetes::review* right : missing) {
        const std::string& loss = right->what.without;
        if (!loss.empty() && std::ranges::find(out, loss) == out.end()) out.push_back(loss);
    }
    if (out.size() > max_listed) return listed(out, max_listed);
    std::string text;
    for (const std::string& name : out) append_item(text, name, "; ");
    return text;
}

}  // namespace

step judge_rights(kubernetes::right_use use, const std::vector<kubernetes::review>& all, const std::string& user) {
    const char* const name = kubernetes::right_use_name(use);
    std::vector<const kubernetes::review*> granted, missing;
    bool is_needed = false;
    for (const kubernetes::review& right : all) {
        if (right.what.use != use) continue;
        if (right.why.status != status::ok) return not_asked(name, right.why);
        (right.is_allowed ? granted : missing).push_back(&right);
        is_needed = is_needed || (!right.is_allowed && right.what.without.empty());
    }
    if (missing.empty()) return passed(name, listed(grouped(granted), max_listed));
    const std::string who = user.empty() ? "the caller" : user;
    const std::string seen = "not allowed: " + listed(grouped(missing), max_listed);
    const std::string cause =
        is_needed
            ? format_text("No Role that is bound to {} grants this.", who)
            : format_text("No Role that is bound to {} grants this. Without this right: {}.", who, losses_of(missing));
    step out = is_needed ? broken(name, seen, cause, {}) : doubtful(name, seen, cause, {});
    out.fix = "Apply this with kubectl apply -f, as a user who may grant these rights; it takes effect immediately.";
    out.paste = kubernetes::roles_for(use, all, user);
    return out;
}

}  // namespace gputide::doctor
