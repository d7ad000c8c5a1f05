#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "doctor/doctor.hpp"
#include "kubernetes/preflight/preflight.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

std::string cluster_conclusion(const cluster_report& cluster_report) {
    const std::string whose = cluster_report.server.empty() ? "the cluster: " : cluster_report.server + ": ";
    if (const step* found = first_step(cluster_report.steps, verdict::failed)) {
        return format_text("{}fails at step {}: {}", whose, title(found->name), found->seen);
    }
    const char* what =
        cluster_report.settings.shadow ? "gputided run --kubernetes --shadow" : "gputided run --kubernetes";
    if (const step* found = first_step(cluster_report.steps, verdict::warning)) {
        return format_text("{}{} can work, but step {} warns: {}", whose, what, title(found->name), found->seen);
    }
    return format_text("{}all is well: {} has every right that it needs", whose, what);
}

}  // namespace

std::string report_json(const cluster_report& cluster_report) {
    json_writer json;
    json.begin_object()
        .member("server", cluster_report.server)
        .member("version", cluster_report.versions.kubernetes.text)
        .key("versions");
    kubernetes::write_versions(json, cluster_report.settings, cluster_report.versions);
    json.member("user", cluster_report.user);
    json.member("namespace", cluster_report.name_space).member("shadow", cluster_report.settings.shadow);
    json.member("verdict", verdict_name(worst_of(cluster_report.steps)))
        .member("conclusion", cluster_conclusion(cluster_report));
    json.key("steps");
    write_steps(json, cluster_report.steps);
    json.key("rights").begin_array();
    for (const asked_right& right : cluster_report.rights) {
        json.begin_object().member("use", kubernetes::right_use_name(right.what.use)).member("group", right.what.group);
        json.member("resource", right.what.resource).member("verb", right.what.verb);
        json.member("namespace", right.what.name_space).member("name", right.what.name);
        json.member("allowed", right.is_allowed).member("needed", right.what.without.empty());
        json.member("reason", right.reason).end_object();
    }
    return json.end_array().end_object().take();
}

std::string report_lines(const cluster_report& cluster_report) {
    std::string out = wrapped(cluster_conclusion(cluster_report), 0, 2) + "\n\n";
    add_steps(out, cluster_report.steps);
    add_remedies(out, cluster_report.steps);
    return out;
}

namespace {

constexpr std::size_t max_listed = 6;

// Returns texts such as "list and watch on scaledobjects of keda.sh in all namespaces": one per resource, with all its verbs.
std::vector<std::string> grouped(const std::vector<const asked_right*>& rights) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < rights.size(); ++i) {
        const kubernetes::right& right = rights[i]->what;
        const auto is_like = [&](const asked_right* other) { return kubernetes::is_same_rule(other->what, right); };
        if (std::any_of(rights.begin(), rights.begin() + static_cast<std::ptrdiff_t>(i), is_like)) continue;
        std::string verbs;
        for (const asked_right* other : rights) {
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

std::string losses_of(const std::vector<const asked_right*>& missing) {
    std::vector<std::string> out;
    for (const asked_right* right : missing) {
        const std::string& loss = right->what.without;
        if (!loss.empty() && std::ranges::find(out, loss) == out.end()) out.push_back(loss);
    }
    if (out.size() > max_listed) return listed(out, max_listed);
    std::string text;
    for (const std::string& name : out) append_item(text, name, "; ");
    return text;
}

}  // namespace

step judge_user(const kubernetes::reply& reply, const result<std::string>& user) {
    if (user) return passed(step_name::token, "the server knows the caller as " + *user);
    const bool is_refused = reply.answer.arrived() && reply.answer.response.status == 401;
    const bool is_silent = reply.verdict == kubernetes::verdict::missing ||
                           (reply.answer.arrived() && reply.answer.response.status == 403);
    if (is_silent)
        return passed(step_name::token,
                      "accepted; the server does not report the user name (Kubernetes 1.28 and later do)");
    return broken(step_name::token, user.failure().message,
                  is_refused ? "The token or the client certificate is missing, has expired, was issued by another "
                               "cluster, or is for another audience."
                             : "The request was not answered.",
                  is_refused ? "Check kubectl auth whoami with the same kubeconfig. The kubelet renews a projected "
                               "token: check the pod's volume and its ServiceAccount."
                             : "Correct the problem in the message.");
}

step judge_versions(const kubernetes::settings& settings, const kubernetes::found_versions& found) {
    using manifest::original;
    const std::string seen = kubernetes::describe_version(original::kubernetes, settings, found) + ". " +
                             kubernetes::describe_version(original::keda, settings, found);
    const auto is_doubtful = [&](original which) {
        const bool is_chosen = settings.version_of(which).has_value();
        return !is_chosen && (found.of(which).is_unknown || (which == original::kubernetes && !found.of(which).minor));
    };
    if (!is_doubtful(original::kubernetes) && !is_doubtful(original::keda)) return passed(cluster_step::version, seen);
    return doubtful(cluster_step::version, seen,
                    "The cluster does not report its release, or runs a release that gputide does not know.",
                    "Name a suitable release: --hpa-version and --keda-version, or for one manifest the "
                    "annotations gputide.io/hpa-version and gputide.io/keda-version.");
}

step judge_kinds(const std::vector<served_kind>& seen) {
    std::vector<std::string> there, missing;
    const error* why = nullptr;
    bool is_kedas = false;
    for (const served_kind& kind : seen) {
        const std::string text = format_text("{} of {}/{}", kind.resource, kind.group, kind.version);
        (kind.is_served ? there : missing).push_back(text);
        if (!kind.is_served && kind.why.status != status::ok && why == nullptr) why = &kind.why;
        is_kedas = is_kedas || (!kind.is_served && kind.group == "keda.sh");
    }
    if (missing.empty()) return passed(cluster_step::kinds, listed(there, max_listed));
    if (why != nullptr) {
        return broken(cluster_step::kinds, why->message, "The server was not reached, or does not allow API discovery.",
                      "Check kubectl api-resources with the same kubeconfig.");
    }
    return broken(cluster_step::kinds, "not served: " + listed(missing, max_listed),
                  is_kedas ? "KEDA's CustomResourceDefinitions are not installed, or only in another version."
                           : "The server has neither autoscaling/v2 nor v2beta2, which exists since Kubernetes 1.12.",
                  is_kedas
                      ? "Install them with the file keda-VERSION-crds.yaml of a KEDA release; KEDA itself need not run."
                      : "Use a newer cluster.");
}

step judge_rights(kubernetes::right_use use, const std::vector<asked_right>& all, const std::string& user) {
    const char* const name = kubernetes::right_use_name(use);
    std::vector<const asked_right*> granted, missing;
    std::vector<kubernetes::right> table, wanted;
    bool is_needed = false;
    for (const asked_right& right : all) {
        table.push_back(right.what);
        if (right.what.use != use) continue;
        if (right.why.status != status::ok) return not_asked(name, right.why);
        (right.is_allowed ? granted : missing).push_back(&right);
        if (right.is_allowed) continue;
        wanted.push_back(right.what);
        is_needed = is_needed || right.what.without.empty();
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
    out.paste = kubernetes::roles_for(use, table, wanted, user);
    return out;
}

step judge_leases(const std::vector<seen_lease>& seen, const std::string& name_space, bool may_create,
                  std::int64_t now_ms) {
    constexpr std::int64_t us_per_ms = 1'000;
    std::vector<std::string> texts;
    for (const seen_lease& lease : seen) {
        const std::string where = name_space + "/" + lease.name;
        if (lease.lease) {
            texts.push_back(lease.lease->holder.empty()
                                ? where + " is not held"
                                : format_text("{} is held by {}, renewed {} ago", where, lease.lease->holder,
                                              about_duration(now_ms - lease.lease->renew_time_us / us_per_ms)));
            continue;
        }
        const error& why = lease.lease.failure();
        const bool is_absent = lease.verdict == kubernetes::verdict::missing;
        if (is_absent && may_create) {
            texts.push_back(where + " does not exist yet: the first instance creates it");
            continue;
        }
        return broken(cluster_step::lease,
                      is_absent ? where + " does not exist, and this user may not create it" : why.message,
                      "Without the Lease no instance becomes leader, so none writes.",
                      is_absent ? "Grant create on leases in that namespace, or create the Lease by hand."
                                : "Grant the rights in step leading, or name another Lease (--lease NAMESPACE/NAME).");
    }
    return passed(cluster_step::lease, listed(texts, max_listed));
}

}  // namespace gputide::doctor
