// Joins the pure parts of the kubernetes source.
#include "source/kubernetes/kubernetes.hpp"

#include "auth/asking.hpp"
#include "auth/tenant.hpp"
#include "base/format_text.hpp"
#include "kube/access.hpp"
#include "source/access/api_server.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pods.hpp"
#include "source/kubernetes/reading.hpp"
#include "source/kubernetes/settings.hpp"
#include "source/kubernetes/version.hpp"
#include "source/question.hpp"

#include <memory>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

// All that the closures of an open source share.
struct shared {
    kubernetes::settings settings;
    kube::access access;
    custom_version version;

    shared(kubernetes::settings asked, kube::access reached)
        : settings(std::move(asked)), access(std::move(reached)), version(fixed_version(settings)) {
        if (settings.name_space.empty()) settings.name_space = access.name_space;
    }

    kube::endpoint asked() const { return endpoint_of(settings, version.now()); }

  private:
    static std::string fixed_version(const kubernetes::settings& settings) {
        return settings.api == api::custom ? settings.version : std::string(oldest_custom_version);
    }
};

// Without the server and, where the manifest names none, the namespace: they are known when it is opened.
std::string request_key(const settings& settings) {
    return format_text("kubernetes\n{}\n{}\n{}\n{}", endpoint_of(settings, settings.version).url(), settings.metric,
                       settings.container, settings.reduction.reduce);
}

result<reading> read(const http::answer& answer, const shared& all) {
    auto out = read_answer(answer, all.settings, all.asked());
    if (out && !all.access.verified) out->warnings.emplace_back(kube::unverified_text);
    return out;
}

// A tenant reads by gputide's own rights, and so only what lies in its namespace.
result<void> check_reach(const settings& settings, const auth::tenant& tenant) {
    const auto check = [&](const std::string& subject) {
        return tenant.check(auth::capability::foreign_metrics, subject);
    };
    if (settings.object.cluster_scoped) return check("scope: cluster");
    if (settings.object.is_namespace())
        return settings.object.name == tenant.name_space()
                   ? result<void>()
                   : check("the metric of object: namespaces/" + settings.object.name);
    if (settings.name_space == tenant.name_space()) return {};
    return check("the metric of namespace: " + settings.name_space);
}

result<std::shared_ptr<metric_source>> open_metric(const description& described, const settings& settings,
                                                   const services& services) {
    if (const auto reach = check_reach(settings, services.permissions.tenant); !reach)
        return fail_at(error_class::config, described.label, reach.failure().message);
    auto access = access::open_api_server(services);
    if (!access) return std::move(access).failure();
    const auto authenticator = access->authenticator;
    const auto all = std::make_shared<shared>(settings, *std::move(access));
    question asked;
    asked.retry = auth::one_safe_repeat();
    asked.build = [all](std::int64_t) { return kube::request_for(all->access, all->asked()); };
    asked.read = [all](const http::answer& answer) { return read(answer, *all); };
    asked.first = {
        [all](std::int64_t steady_ms) { return all->version.due(steady_ms); },
        [all] { return kube::request_for(all->access, kube::group_versions(kube::custom_group)); },
        [all](const http::answer& answer, std::int64_t steady_ms) { return all->version.learn(answer, steady_ms); }};
    asked.max_age_ms = settings.max_age_ms;
    asked.age_remedy = "check whether the adapter still gets samples; what it stamps with its own time never looks old";
    return open_question(described, format_text("\n{}\n{}", all->access.server, all->settings.name_space),
                         std::move(asked), authenticator, services.loop);
}

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules, config::profile,
                             config::report* findings) {
    auto read = read_settings(trigger, rules, findings);
    if (!read) return std::move(read).failure();
    const auto settings = std::make_shared<const kubernetes::settings>(*std::move(read));
    description out = description_of(settings, &judge);
    out.asks = settings->metric;
    if (settings->api != api::resource) out.shape = shape_of_metric(settings->metric);
    out.is_per_pod = settings->api == api::custom && settings->object.name == "*";
    out.question = request_key(*settings);
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    if (described.traits == &traits_of_pods) return open_pods(described, services);
    return open_metric(described, *described.settings_as<settings>(), services);
}

}  // namespace gputide::source::kubernetes
