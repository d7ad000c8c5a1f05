// Roles of rights.hpp.
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "kubernetes/preflight/rights.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace gputide::kubernetes {
namespace {

constexpr std::string_view account_prefix = "system:serviceaccount:";
constexpr std::string_view rbac = "rbac.authorization.k8s.io";

// JSON's quotes are YAML's.
std::string yaml_text(std::string_view text) { return json_writer().string(text).take(); }

std::string subject_of(const std::string& user) {
    const auto parts = split(user, ':');
    constexpr std::size_t words_of_account = 4;
    if (std::string_view(user).starts_with(account_prefix) && parts.size() == words_of_account) {
        return format_text("{kind: ServiceAccount, name: {}, namespace: {}}", yaml_text(parts[3]), yaml_text(parts[2]));
    }
    return format_text("{kind: User, name: {}, apiGroup: {}}", yaml_text(user.empty() ? "<who is to scale>" : user),
                       rbac);
}

std::string rule_text(const right& first, const std::vector<right>& all) {
    std::string verbs;
    for (const right& one : all) {
        if (one.use == first.use && is_same_rule(one, first)) verbs += (verbs.empty() ? "" : ", ") + one.verb;
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
    for (const right& one : all) {
        const bool is_here = one.use == use && one.name_space == name_space;
        const bool is_there =
            std::any_of(written.begin(), written.end(), [&](const right* other) { return is_same_rule(*other, one); });
        if (!is_here || is_there) continue;
        written.push_back(&one);
        out += rule_text(one, all);
    }
    out += format_text("---\n{}kind: {}RoleBinding\n{}", version, prefix, metadata);
    out += format_text("roleRef: {apiGroup: {}, kind: {}Role, name: {}}\n", rbac, prefix, name);
    return out + format_text("subjects: [{}]\n", subject_of(user));
}

}  // namespace

std::string roles_for(right_use use, const std::vector<right>& all, const std::vector<right>& missing,
                      const std::string& user) {
    std::set<std::string> places;
    for (const right& one : missing) {
        if (one.use == use) places.insert(one.name_space);
    }
    std::string out;
    for (const std::string& name_space : places) {
        out += (out.empty() ? "" : "---\n") + role_in(name_space, use, all, user);
    }
    return out;
}

}  // namespace gputide::kubernetes
