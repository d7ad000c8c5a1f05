
#include "doctor/examine.hpp"

#include "base/format_text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "http/wait.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/versions.hpp"
#include "kubernetes/lease/elector.hpp"
#include "kubernetes/preflight/preflight.hpp"
#include "source/access/access.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::doctor {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t max_per_request_ms = 10'000;

constexpr std::array<std::array<const char*, 3>, 4> watched_kinds{{
    {"keda.sh", "v1alpha1", "scaledobjects"},
    {"keda.sh", "v1alpha1", "triggerauthentications"},
    {"keda.sh", "v1alpha1", "clustertriggerauthentications"},
    {"autoscaling", "v2", "horizontalpodautoscalers"},  // must be last: v2beta2 may replace it
}};

kubernetes::api_request reading_of(kubernetes::endpoint endpoint) {
    kubernetes::api_request out;
    out.target = std::move(endpoint);
    out.target.verb = "get";
    return out;
}

bool lists_resource(const kubernetes::reply& reply, const kubernetes::endpoint& endpoint, std::string_view name) {
    bool out = false;
    static_cast<void>(
        kube::read_object(reply.answer, endpoint, "APIResourceList", [&](dom::object root) -> result<void> {
            formats::for_each_object(root, "resources", [&](dom::object entry) {
                if (formats::text_of(entry, "name") == name) out = true;
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
        if (open() && reach_server() && see_user()) {
            see_versions();
            see_kinds();
            see_rights();
            if (!settings_.shadow) see_leases();
        }
        return std::move(out_);
    }

    bool cancelled() const { return by_.cancelled(); }

  private:
    bool add(step step) {
        const bool goes_on = step.verdict != verdict::failed;
        out_.steps.push_back(std::move(step));
        return goes_on;
    }

    bool open() {
        auto at = source::access::open_api_server(pipeline::services_of(host_, *shared_));
        if (!at) {
            return add(broken(step_name::environment, at.failure().message,
                              "No API server is configured, or no user for it.",
                              "Name a kubeconfig (--kubeconfig FILE, --context NAME), or run in a pod with "
                              "a mounted ServiceAccount token."));
        }
        out_.server = at->server;
        out_.name_space = settings_.lease_namespace.empty() ? at->name_space : settings_.lease_namespace;
        api_ = std::make_shared<kubernetes::api>(shared_->client, *at);
        const auth::access& how = at->authenticator.how();
        std::string credential = "a client certificate, or no credential";
        if (how.header) credential = "a token in the kubeconfig, or a user name and password";
        if (how.credential) credential = how.credential->about().kind;
        return add(passed(step_name::environment, format_text("{}, by {}", at->server, credential)));
    }

    bool reach_server() {
        step seen = judge_reach(step_name::endpoint, by_.look_at(out_.server, api_->at().authenticator.how().tls));
        if (!api_->at().verified && seen.verdict != verdict::failed) {
            seen.verdict = verdict::warning;
            seen.cause = kube::unverified_text;
            seen.fix = "Name the cluster's CA (certificate-authority) in the kubeconfig instead.";
        }
        return add(std::move(seen));
    }

    // Sends the requests concurrently and returns their replies.
    std::vector<kubernetes::reply> replies_to(const std::vector<kubernetes::api_request>& requests) {
        std::vector<http::starter<kubernetes::reply>> parts;
        for (kubernetes::api_request request : requests) {
            request.timeout_ms = std::clamp<std::int64_t>(by_.left_ms(), 1, max_per_request_ms);
            parts.emplace_back([api = api_, request = std::move(request)](callback<void(kubernetes::reply)> done) {
                return api->send(request.target, kubernetes::always(request), std::move(done));
            });
        }
        const std::shared_ptr<http::loop> loop = shared_->client;
        auto replies = http::wait<std::vector<kubernetes::reply>>(
            *shared_->client,
            [loop, parts = std::move(parts)](callback<void(std::vector<kubernetes::reply>)> done) {
                return http::all<kubernetes::reply>(*loop, parts, std::move(done));
            },
            under_.deadline_ms, under_.cancel);
        if (replies) return *std::move(replies);
        kubernetes::reply late;
        late.why = replies.take_failure();
        late.answer = {http::fault::deadline, late.why.message};
        return std::vector<kubernetes::reply>(requests.size(), late);
    }

    bool see_user() {
        const kubernetes::api_request request = kubernetes::whoami();
        const kubernetes::reply reply = replies_to({request}).front();
        result<std::string> user = reply.verdict == kubernetes::verdict::good
                                       ? kubernetes::read_whoami(reply.answer, request.target)
                                       : result<std::string>(reply.why);
        if (user) out_.user = *user;
        return add(judge_user(reply, user));
    }

    void see_versions() {
        kubernetes::version_search search(settings_);
        while (const auto request = search.next()) search.take(replies_to({*request}).front());
        out_.versions = search.found();
        add(judge_versions(settings_, out_.versions));
    }

    void see_kinds() {
        std::vector<kubernetes::api_request> requests;
        for (const auto& [group, version, resource] : watched_kinds) {
            kubernetes::endpoint list;
            list.group = group;
            list.version = version;
            list.resource = resource;
            requests.push_back(reading_of(std::move(list)));
        }
        const std::vector<kubernetes::reply> replies = replies_to(requests);
        std::vector<served_kind> seen;
        for (std::size_t i = 0; i < replies.size(); ++i) seen.push_back(served(requests[i].target, replies[i]));
        served_kind& autoscalers = seen.back();
        if (!autoscalers.is_served && autoscalers.why.status == status::ok) {
            requests.back().target.version = "v2beta2";
            served_kind older = served(requests.back().target, replies_to({requests.back()}).front());
            if (older.is_served) autoscalers = std::move(older);
        }
        add(judge_kinds(seen));
    }

    static served_kind served(const kubernetes::endpoint& asked, const kubernetes::reply& reply) {
        served_kind out{asked.group, asked.version, asked.resource, lists_resource(reply, asked, asked.resource),
                        error(status::ok)};
        const bool is_said =
            reply.verdict == kubernetes::verdict::good || reply.verdict == kubernetes::verdict::missing;
        if (!is_said) out.why = reply.why;
        return out;
    }

    void see_rights() {
        kubernetes::rights_wanted wanted;
        wanted.namespaces = settings_.namespaces;
        wanted.writes = !settings_.shadow;
        wanted.lease_namespace = out_.name_space;
        wanted.leases = leases();
        std::vector<kubernetes::right> rights = kubernetes::rights_for(wanted);
        const seen_objects seen = see_objects(settings_, [this](const auto& requests) { return replies_to(requests); });
        for (kubernetes::right& right : rights_of(seen, wanted, settings_.cluster_secrets_namespace)) {
            rights.push_back(std::move(right));
        }
        add(judge_objects(seen));
        std::vector<kubernetes::api_request> requests;
        requests.reserve(rights.size());
        for (const kubernetes::right& right : rights) requests.push_back(kubernetes::review_of(right));
        const std::vector<kubernetes::reply> replies = replies_to(requests);
        for (std::size_t i = 0; i < rights.size(); ++i) {
            asked_right right;
            right.what = rights[i];
            if (replies[i].verdict != kubernetes::verdict::good) {
                right.why = replies[i].why;
            } else if (auto answer = kubernetes::read_review(replies[i].answer, requests[i].target)) {
                right.is_allowed = answer->is_allowed;
                right.reason = std::move(answer->reason);
            } else {
                right.why = answer.take_failure();
            }
            out_.rights.push_back(std::move(right));
        }
        for (std::size_t use = 0; use < kubernetes::right_uses; ++use) {
            const auto which = static_cast<kubernetes::right_use>(use);
            if (which != kubernetes::right_use::reading && settings_.shadow) continue;
            add(judge_rights(which, out_.rights, out_.user));
        }
    }

    std::vector<std::string> leases() const {
        std::vector<std::string> out;
        out.reserve(static_cast<std::size_t>(settings_.shards));
        for (std::int32_t shard = 0; shard < settings_.shards; ++shard) {
            out.push_back(kubernetes::lease_name(settings_.lease_name, shard));
        }
        return out;
    }

    void see_leases() {
        const std::vector<std::string> names = leases();
        std::vector<kubernetes::api_request> requests;
        requests.reserve(names.size());
        for (const std::string& name : names) {
            requests.push_back(reading_of(kube::lease_of(out_.name_space, name)));
        }
        std::vector<kubernetes::reply> replies = replies_to(requests);
        std::vector<seen_lease> seen;
        for (std::size_t i = 0; i < names.size(); ++i) {
            result<kube::lease> lease = replies[i].why;
            if (replies[i].verdict == kubernetes::verdict::good)
                lease = kube::read_lease(replies[i].answer, requests[i].target);
            seen.push_back({names[i], replies[i].verdict, std::move(lease)});
        }
        const bool may_create = std::ranges::any_of(out_.rights, [](const asked_right& right) {
            return right.what.use == kubernetes::right_use::leading && right.what.verb == "create" && right.is_allowed;
        });
        add(judge_leases(seen, out_.name_space, may_create, by_.wall_ms()));
    }

    const kubernetes::settings& settings_;
    const pipeline::host_options& host_;
    const std::shared_ptr<pipeline::engine>& shared_;
    const circumstances& under_;
    const asker by_;
    std::shared_ptr<kubernetes::api> api_;
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

}  // namespace gputide::doctor
