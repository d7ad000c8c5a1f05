// The requests of a Pods or Resource metric, one after another.

#include "base/format_text.hpp"
#include "kube/answer.hpp"
#include "kube/endpoint.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::kubernetes {
namespace {

using kube::custom_group;
using kube::custom_metric;
using kube::endpoint;
using kube::group_versions;
using kube::pod_metrics;
using kube::read_scale;
using kube::request_for;
using kube::scale_of;
using kube::unverified_text;

constexpr int max_pages = 1'000;  // an empty page is not necessarily the last one

error too_many_pages() { return fail(error_class::limit, "the list of pods has more than {} pages", max_pages); }

endpoint scale_endpoint(const pods_query& wanted_pods) {
    return scale_of(wanted_pods.name_space, wanted_pods.target_api_version, wanted_pods.target_kind,
                    wanted_pods.target_name);
}

// The rounds of one poll, in order.
enum class round : std::int32_t { version = 0, scale = 1, pods = 2, values = 3 };

struct pods_state final : poll_state {
    kubernetes::round round = round::version;
    endpoint asked;  // in this round
    std::string selector;
    std::vector<listed_pod> pods;
    int pages = 0;
};

class pods_source final : public metric_source {
  public:
    pods_source(const description& described, pods_query wanted_pods, const kube::access& reached,
                std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question + "\n" + reached.server, reached.authenticator, std::move(loop)),
          query_(std::move(wanted_pods)),
          access_(reached),
          version_(query_.is_resource ? std::string(oldest_custom_version) : std::string()) {}

    result<http::request> request(std::int64_t) const override { return request_to(scale_endpoint(query_)); }

    // The first of several responses has no value of the metric.
    result<source::reading> read(const http::answer& answer) const override {
        auto size = read_scale(answer, scale_endpoint(query_));
        if (!size) return size.take_failure();
        return source::reading();
    }

    step begin(poll& poll) override {
        auto state = std::make_unique<pods_state>();
        pods_state& of = *state;
        poll.state = std::move(state);
        if (version_.due(poll.steady_ms)) return ask(of, round::version, group_versions(custom_group));
        return ask(of, round::scale, scale_endpoint(query_));
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        auto& of = static_cast<pods_state&>(*poll.state);
        const answered& answer = answers.front();
        if (!answer) return ended(failed(answer.failure(), poll, answer));
        auto taken = take(of, answer->answer, poll.steady_ms);
        if (!taken) return ended(failed(taken.take_failure(), poll, answer));
        return *std::move(taken);
    }

  private:
    result<http::request> request_to(const endpoint& endpoint) const {
        return prepared(request_for(access_, endpoint));
    }

    step ask(pods_state& of, kubernetes::round round, endpoint endpoint) const {
        of.round = round;
        of.asked = std::move(endpoint);
        queries out;
        out.push_back({request_to(of.asked)});
        return out;
    }

    // Parses the response of the current round.
    result<step> take(pods_state& of, const http::answer& answer, std::int64_t steady_ms) {
        switch (of.round) {
            case round::version:
                if (auto learnt = version_.learn(answer, steady_ms); !learnt) return learnt.take_failure();
                return ask(of, round::scale, scale_endpoint(query_));
            case round::scale:
                return take_scale(of, answer);
            case round::pods:
                return take_pods(of, answer);
            case round::values:
                break;
        }
        return take_values(
            of, values_of(query_.is_resource ? read_pod_metrics(answer, of.asked, query_.metric, query_.container)
                                             : read_custom(answer, of.asked)));
    }

    result<step> take_scale(pods_state& of, const http::answer& answer) const {
        auto size = read_scale(answer, of.asked);
        if (!size) return size.take_failure();
        of.selector = std::move(size->selector);
        if (!of.selector.empty()) return ask(of, round::pods, pod_page(query_.name_space, of.selector, {}));
        return fail(error_class::selector, "the target's scale is missing a selector, so its pods are unknown");
    }

    result<step> take_pods(pods_state& of, const http::answer& answer) const {
        auto page_end = read_pods(answer, of.asked, of.pods);
        if (!page_end) return page_end.take_failure();
        if (page_end->empty()) return ask(of, round::values, values_endpoint(of.selector));
        if (++of.pages > max_pages) return too_many_pages();
        return ask(of, round::pods, pod_page(query_.name_space, of.selector, *page_end));
    }

    endpoint values_endpoint(const std::string& selector) const {
        if (query_.is_resource) return pod_metrics(query_.name_space, selector);
        return custom_metric(
            {version_.now(), query_.name_space, {"pods", "*", false}, query_.metric, selector, query_.metric_selector});
    }

    result<step> take_values(pods_state& of, result<std::vector<pod_value>> values) const {
        if (!values) return values.take_failure();
        if (query_.is_resource) add_requests(of.pods, query_, *values);
        return ended(outcome_of(std::move(of.pods), *std::move(values)));
    }

    step ended(fetched outcome) const {
        if (!access_.verified) outcome.reading.warnings.emplace_back(unverified_text);
        return outcome;
    }

    const pods_query query_;
    const kube::access access_;
    custom_version version_;
};

fetched no_value_without_fetch(const reading&) {
    return judge_failure(fail(error_class::no_data, "values of pods are available only from a fetch"));
}

}  // namespace

description describe_pods(const pods_query& wanted_pods) {
    description out;
    out.type = "kubernetes";
    out.label = wanted_pods.label;
    out.traits = &traits_of_pods;
    out.target.metric_name = wanted_pods.metric;
    if (wanted_pods.is_resource) out.target.resource = wanted_pods.metric;
    out.target.container = wanted_pods.container;
    out.asks = wanted_pods.metric;
    out.question = format_text("kubernetes pods\n{}\n{}\n{}\n{}\n{}", scale_endpoint(wanted_pods).url(),
                               wanted_pods.is_resource ? "resource" : "custom", wanted_pods.metric,
                               wanted_pods.metric_selector, wanted_pods.container);
    out.to_sample = &no_value_without_fetch;
    out.typed_settings = std::make_shared<const pods_query>(wanted_pods);
    return out;
}

result<std::shared_ptr<metric_source>> open_pods(const description& described, const services& services) {
    auto access = access::open_api_server(services);
    if (!access) return access.take_failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<pods_source>(described, *described.settings_as<pods_query>(), *access, services.loop));
}

}  // namespace gputide::source::kubernetes
