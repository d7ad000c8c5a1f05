// Examines a cluster: gathers the input of each step and judges it.  Then the report as JSON and as text.
#include "doctor/examine.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/lease/elector.hpp"
#include "kubernetes/preflight/preflight.hpp"
#include "source/access/access.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gputide::doctor {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::array<const char*, 3>, 4> watched_kinds{{
    {"keda.sh", "v1alpha1", "scaledobjects"},
    {"keda.sh", "v1alpha1", "triggerauthentications"},
    {"keda.sh", "v1alpha1", "clustertriggerauthentications"},
    {"autoscaling", "v2", "horizontalpodautoscalers"},
}};

// Tells whether the response to the discovery of a version lists the endpoint's resource.
bool lists_resource(const kubernetes::reply& reply, const kubernetes::endpoint& endpoint) {
    bool out = false;
    static_cast<void>(
        kube::read_object(reply.answer, endpoint, "APIResourceList", [&](dom::object root) -> result<void> {
            formats::for_each_object(root, "resources", [&](dom::object entry) {
                if (formats::text_of(entry, "name") == endpoint.resource) out = true;
            });
            return {};
        }));
    return out;
}

class cluster_examination {
  public:
    cluster_examination(const kubernetes::settings& settings, const pipeline::host_options& host,
                        const std::shared_ptr<pipeline::engine>& shared, const circumstances& under)
        : settings_(settings),
          host_(host),
          shared_(shared),
          under_(under),
          by_(shared->client, under.deadline_ms, under.cancel) {
        out_.settings = settings;
    }

    cluster_report go() {
        if (!add(connect()) || !add(reach_server()) || !add(see_user())) return std::move(out_);
        add(see_versions());
        add(see_kinds());
        see_rights();
        if (!settings_.shadow) add(see_leases());
        return std::move(out_);
    }

    bool cancelled() const { return by_.cancelled(); }

  private:
    bool add(step step) {
        const bool goes_on = step.verdict != verdict::failed;
        out_.steps.push_back(std::move(step));
        return goes_on;
    }

    step connect() {
        auto at = source::access::open_api_server(pipeline::services_of(host_, *shared_));
        if (!at) {
            return broken(step_name::environment, at.failure().message,
                          "No API server is configured, or no user for it.",
                          "Name a kubeconfig (--kubeconfig FILE, --context NAME), or run in a pod with "
                          "a mounted ServiceAccount token.");
        }
        out_.server = at->server;
        out_.name_space = settings_.lease_namespace.empty() ? at->name_space : settings_.lease_namespace;
        ask_.emplace(shared_->client, std::make_shared<kubernetes::api>(shared_->client, *at), under_);
        const auth::access& how = at->authenticator.how();
        std::string credential = "a client certificate, or no credential";
        if (how.header) credential = "a token in the kubeconfig, or a user name and password";
        if (how.credential) credential = how.credential->about().kind;
        return passed(step_name::environment, format_text("{}, by {}", at->server, credential));
    }

    step reach_server() {
        step seen =
            judge_reach(step_name::endpoint, by_.look_at(out_.server, ask_->api()->at().authenticator.how().tls));
        if (!ask_->api()->at().verified && seen.verdict != verdict::failed) {
            seen.verdict = verdict::warning;
            seen.cause = kube::unverified_text;
            seen.fix = "Name the cluster's CA (certificate-authority) in the kubeconfig instead.";
        }
        return seen;
    }

    // Step `token`, from the response to a SelfSubjectReview.  A server that does not serve or allow it may still accept the token.
    step see_user() {
        const kubernetes::api_request request = kubernetes::whoami();
        const kubernetes::reply reply = ask_->replies_to({request}).front();
        result<std::string> user = reply.verdict == kubernetes::verdict::good
                                       ? kubernetes::read_whoami(reply.answer, request.target)
                                       : result<std::string>(reply.why);
        if (user) {
            out_.user = *user;
            return passed(step_name::token, "the server knows the caller as " + *user);
        }
        const std::int64_t http_status = reply.answer.arrived() ? reply.answer.response.status : 0;
        if (reply.verdict == kubernetes::verdict::missing || http_status == 403)
            return passed(step_name::token,
                          "accepted; the server does not report the user name (Kubernetes 1.28 and later do)");
        if (http_status == 401)
            return broken(step_name::token, user.failure().message,
                          "The token or the client certificate is missing, has expired, was issued by another "
                          "cluster, or is for another audience.",
                          "Check kubectl auth whoami with the same kubeconfig. The kubelet renews a projected "
                          "token: check the pod's volume and its ServiceAccount.");
        return broken(step_name::token, user.failure().message, "The request was not answered.",
                      "Correct the problem in the message.");
    }

    // Step `version`: the releases of Kubernetes and KEDA, and the rules for manifests that name no release.
    step see_versions() {
        using manifest::original;
        kubernetes::version_search search(settings_);
        while (const auto request = search.next()) search.take(ask_->replies_to({*request}).front());
        const kubernetes::found_versions& found = out_.versions = search.found();
        const std::string seen = kubernetes::describe_version(original::kubernetes, settings_, found) + ". " +
                                 kubernetes::describe_version(original::keda, settings_, found);
        const auto is_doubtful = [&](original which) {
            const bool is_chosen = settings_.version_of(which).has_value();
            return !is_chosen &&
                   (found.of(which).is_unknown || (which == original::kubernetes && !found.of(which).minor));
        };
        if (!is_doubtful(original::kubernetes) && !is_doubtful(original::keda))
            return passed(cluster_step::version, seen);
        return doubtful(cluster_step::version, seen,
                        "The cluster does not report its release, or runs a release that gputide does not know.",
                        "Name a suitable release: --hpa-version and --keda-version, or for one manifest the "
                        "annotations gputide.io/hpa-version and gputide.io/keda-version.");
    }

    // Step `kinds`: the resources that the controller watches.  v2beta2 may serve HPAs instead of v2.
    step see_kinds() {
        std::vector<kubernetes::api_request> requests;
        for (const auto& [group, version, resource] : watched_kinds) {
            requests.push_back({kubernetes::discovery_at(group, version)});
            requests.back().target.resource = resource;
        }
        const std::vector<kubernetes::reply> replies = ask_->replies_to(requests);
        std::vector<std::string> there, missing;
        error why(status::ok);  // of the first kind for which the server did not answer
        bool is_kedas = false;
        for (std::size_t i = 0; i < replies.size(); ++i) {
            kubernetes::endpoint& kind = requests[i].target;
            bool is_served = lists_resource(replies[i], kind);
            const bool is_said =
                replies[i].verdict == kubernetes::verdict::good || replies[i].verdict == kubernetes::verdict::missing;
            if (!is_served && is_said && kind.version == "v2") {
                kubernetes::api_request older = requests[i];
                older.target.version = "v2beta2";
                is_served = lists_resource(ask_->replies_to({older}).front(), older.target);
                if (is_served) kind.version = older.target.version;
            }
            (is_served ? there : missing)
                .push_back(format_text("{} of {}/{}", kind.resource, kind.group, kind.version));
            if (!is_served && !is_said && why.status == status::ok) why = replies[i].why;
            is_kedas = is_kedas || (!is_served && kind.group == "keda.sh");
        }
        if (missing.empty()) return passed(cluster_step::kinds, listed(there, max_listed));
        if (why.status != status::ok)
            return broken(cluster_step::kinds, why.message,
                          "The server was not reached, or does not allow API discovery.",
                          "Check kubectl api-resources with the same kubeconfig.");
        return broken(
            cluster_step::kinds, "not served: " + listed(missing, max_listed),
            is_kedas ? "KEDA's CustomResourceDefinitions are not installed, or only in another version."
                     : "The server has neither autoscaling/v2 nor v2beta2, which exists since Kubernetes 1.12.",
            is_kedas ? "Install them with the file keda-VERSION-crds.yaml of a KEDA release; KEDA itself need not run."
                     : "Use a newer cluster.");
    }

    void see_rights() {
        std::vector<kubernetes::right> rights = kubernetes::rights_for(settings_, out_.name_space);
        const seen_objects seen = see_objects(settings_, *ask_);
        for (kubernetes::right& right : rights_of(seen, settings_)) rights.push_back(std::move(right));
        add(judge_objects(seen));
        std::vector<kubernetes::api_request> requests;
        for (const kubernetes::right& right : rights) requests.push_back(kubernetes::review_of(right));
        const std::vector<kubernetes::reply> replies = ask_->replies_to(requests);
        for (std::size_t i = 0; i < rights.size(); ++i)
            out_.rights.push_back(kubernetes::read_review(std::move(rights[i]), replies[i], requests[i].target));
        for (std::size_t use = 0; use < kubernetes::right_uses; ++use) {
            const auto which = static_cast<kubernetes::right_use>(use);
            if (which != kubernetes::right_use::reading && settings_.shadow) continue;
            add(judge_rights(which, out_.rights, out_.user));
        }
    }

    step see_leases() {
        constexpr std::int64_t us_per_ms = 1'000;
        std::vector<kubernetes::api_request> requests;
        for (const std::string& name : kubernetes::lease_names(settings_))
            requests.push_back({kube::lease_of(out_.name_space, name)});
        const std::vector<kubernetes::reply> replies = ask_->replies_to(requests);
        const bool may_create = std::ranges::any_of(out_.rights, [](const kubernetes::review& right) {
            return right.what.use == kubernetes::right_use::leading && right.what.verb == "create" && right.is_allowed;
        });
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < replies.size(); ++i) {
            const std::string where =
                out_.name_space + "/" + kubernetes::lease_name(settings_.lease_name, static_cast<std::int32_t>(i));
            result<kube::lease> lease = replies[i].why;
            if (replies[i].verdict == kubernetes::verdict::good)
                lease = kube::read_lease(replies[i].answer, requests[i].target);
            if (lease) {
                texts.push_back(lease->holder.empty()
                                    ? where + " is not held"
                                    : format_text("{} is held by {}, renewed {} ago", where, lease->holder,
                                                  about_duration(by_.wall_ms() - lease->renew_time_us / us_per_ms)));
                continue;
            }
            const bool is_absent = replies[i].verdict == kubernetes::verdict::missing;
            if (is_absent && may_create) {
                texts.push_back(where + " does not exist yet: the first instance creates it");
                continue;
            }
            return broken(
                cluster_step::lease,
                is_absent ? where + " does not exist, and this user may not create it" : lease.failure().message,
                "Without the Lease no instance becomes leader, so none writes.",
                is_absent ? "Grant create on leases in that namespace, or create the Lease by hand."
                          : "Grant the rights in step leading, or name another Lease (--lease NAMESPACE/NAME).");
        }
        return passed(cluster_step::lease, listed(texts, max_listed));
    }

    const kubernetes::settings& settings_;
    const pipeline::host_options& host_;
    const std::shared_ptr<pipeline::engine>& shared_;
    const circumstances& under_;
    const asker by_;
    std::optional<inquiry> ask_;
    cluster_report out_;
};

}  // namespace

result<cluster_report> examine_cluster(const kubernetes::settings& settings, const pipeline::host_options& host,
                                       const std::shared_ptr<pipeline::engine>& shared, const circumstances& under) {
    cluster_examination examination(settings, host, shared, under);
    cluster_report out = examination.go();
    if (examination.cancelled()) return fail(status::cancelled, "canceled by the caller");
    return out;
}

namespace {

std::string cluster_conclusion(const cluster_report& report) {
    const std::string whose = report.server.empty() ? "the cluster: " : report.server + ": ";
    if (const step* found = first_step(report.steps, verdict::failed)) {
        return format_text("{}fails at step {}: {}", whose, title(found->name), found->seen);
    }
    const char* what = report.settings.shadow ? "gputided run --kubernetes --shadow" : "gputided run --kubernetes";
    if (const step* found = first_step(report.steps, verdict::warning)) {
        return format_text("{}{} can work, but step {} warns: {}", whose, what, title(found->name), found->seen);
    }
    return format_text("{}all is well: {} has every right that it needs", whose, what);
}

}  // namespace

std::string report_json(const cluster_report& report) {
    json_writer json;
    json.begin_object()
        .member("server", report.server)
        .member("version", report.versions.kubernetes.text)
        .key("versions");
    kubernetes::write_versions(json, report.settings, report.versions);
    json.member("user", report.user);
    json.member("namespace", report.name_space).member("shadow", report.settings.shadow);
    json.member("verdict", verdict_name(worst_of(report.steps))).member("conclusion", cluster_conclusion(report));
    json.key("steps");
    write_steps(json, report.steps);
    json.key("rights").begin_array();
    for (const kubernetes::review& right : report.rights) {
        json.begin_object().member("use", kubernetes::right_use_name(right.what.use)).member("group", right.what.group);
        json.member("resource", right.what.resource).member("verb", right.what.verb);
        json.member("namespace", right.what.name_space).member("name", right.what.name);
        json.member("allowed", right.is_allowed).member("needed", right.what.without.empty());
        json.member("reason", right.reason).end_object();
    }
    return json.end_array().end_object().take();
}

std::string report_lines(const cluster_report& report) {
    std::string out = wrapped(cluster_conclusion(report), 0, 2) + "\n\n";
    add_steps(out, report.steps);
    add_remedies(out, report.steps);
    return out;
}

}  // namespace gputide::doctor
