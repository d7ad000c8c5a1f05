// Combines the pure parts of the kubernetes source.
#include "source/kubernetes/kubernetes.hpp"

#include "auth/tenant.hpp"
#include "base/format_text.hpp"
#include "kube/endpoint.hpp"
#include "source/access/access.hpp"
#include "source/judge.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pods.hpp"

#include <memory>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

// Returns a key without the server and, if the manifest names none, the namespace, which are known only after opening.
std::string request_key(const settings& settings) {
    return format_text("kubernetes\n{}\n{}\n{}\n{}", endpoint_of(settings, settings.version).url(), settings.metric,
                       settings.container, settings.reduction.reduce);
}

settings with_namespace(settings settings, const kube::access& access) {
    if (settings.name_space.empty()) settings.name_space = access.name_space;
    return settings;
}

// A source that first reads which version of the custom metrics API the server has, if that is unknown.
class kubernetes_source final : public metric_source {
  public:
    kubernetes_source(const description& described, const settings& asked, kube::access access,
                      std::shared_ptr<http::loop> loop)
        : metric_source(
              described,
              format_text("{}\n{}\n{}", described.question, access.server, with_namespace(asked, access).name_space),
              access.authenticator, std::move(loop)),
          settings_(with_namespace(asked, access)),
          access_(std::move(access)),
          version_(asked.api == api::custom ? asked.version : std::string(oldest_custom_version)) {}

    result<http::request> request(std::int64_t) const override {
        return prepared(kube::request_for(access_, endpoint()));
    }

    result<source::reading> read(const http::answer& answer) const override {
        auto out = read_answer(answer, settings_, endpoint());
        if (out && !access_.verified) out->warnings.emplace_back(kube::unverified_text);
        return out;
    }

    step begin(poll& poll) override {
        if (!version_.due(poll.steady_ms)) return metric_source::begin(poll);
        poll.state = std::make_unique<poll_state>();
        queries out;
        out.push_back({prepared(kube::request_for(access_, kube::group_versions(kube::custom_group)))});
        return out;
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        if (!poll.state) return metric_source::next(poll, answers);
        poll.state = nullptr;
        const answered& versions = answers.front();
        if (!versions) return failed(versions.failure(), poll);
        if (auto learnt = version_.learn(versions->answer, poll.steady_ms); !learnt)
            return failed(learnt.take_failure(), poll, *versions);
        return metric_source::begin(poll);
    }

  protected:
    fetched sample_of(const http::answer& answer, const poll& poll) const override {
        return within_age(
            metric_source::judge(read(answer)), poll.now_ms, settings_.max_age_ms,
            "check whether the adapter still gets samples; values with the adapter's own timestamp never look old");
    }

  private:
    kube::endpoint endpoint() const { return endpoint_of(settings_, version_.now()); }

    const kubernetes::settings settings_;
    const kube::access access_;
    custom_version version_;
};

// Checks that a tenant reads only from its namespace, because its requests use gputide's own rights.
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
    if (!access) return access.take_failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<kubernetes_source>(described, settings, *std::move(access), services.loop));
}

}  // namespace

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules, manifest::profile,
                             text::report* findings) {
    auto read = read_settings(trigger, rules, findings);
    if (!read) return read.take_failure();
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
