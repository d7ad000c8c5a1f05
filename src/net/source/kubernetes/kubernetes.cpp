// The kubernetes source: its requests, its responses, and the version of its API.
#include "source/kubernetes/kubernetes.hpp"

#include "auth/tenant.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/reduce.hpp"
#include "kube/answer.hpp"
#include "kube/endpoint.hpp"
#include "source/access/access.hpp"
#include "source/description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace gputide::source::kubernetes {

namespace {

constexpr int max_pages = 1'000;  // an empty page is not necessarily the last one

kube::endpoint scale_endpoint(const settings& settings, const scaled_workload& target) {
    return kube::scale_of(settings.name_space, target.api_version, target.kind, target.name);
}

// Returns a key without the server and, if the manifest names none, the namespace, which are known only after opening.
std::string request_key(const settings& settings) {
    return format_text("kubernetes\n{}\n{}\n{}\n{}", endpoint_of(settings, settings.version).url(), settings.metric,
                       settings.container, settings.reduction.reduce);
}

settings with_namespace(settings settings, const kube::access& access) {
    if (settings.name_space.empty()) settings.name_space = access.name_space;
    return settings;
}

// The version of the custom metrics API that a server has.  Shared by the fetches of one source; thread-safe.
class custom_version {
  public:
    explicit custom_version(std::string fixed) : fixed_(!fixed.empty()), now_(std::move(fixed)) {}

    std::string now() const {
        const std::lock_guard hold(guard_);
        return now_.empty() ? std::string(oldest_custom_version) : now_;
    }

    bool due(std::int64_t steady_ms) const {
        const std::lock_guard hold(guard_);
        return !fixed_ && (now_.empty() || steady_ms >= known_until_ms_);
    }

    result<void> learn(const http::answer& answer, std::int64_t steady_ms) {
        constexpr std::int64_t known_for_ms = 600'000;  // an adapter may be replaced at any time
        auto found = read_custom_version(answer);
        if (!found) return found.take_failure();
        const std::lock_guard hold(guard_);
        now_ = *std::move(found);
        known_until_ms_ = steady_ms + known_for_ms;
        return {};
    }

  private:
    const bool fixed_;
    mutable std::mutex guard_;
    std::string now_;  // "": unknown
    std::int64_t known_until_ms_ = 0;
};

// The requests of a poll, in order.  The first tells which version of the custom metrics API the server has, if that is unknown.
// Only the metrics of pods need the second and the third.
enum class round : std::int32_t { version = 0, scale = 1, pods = 2, values = 3 };

struct read_state final : poll_state {
    kubernetes::round round = round::version;
    kube::endpoint asked;  // in this round
    std::string selector;  // of the target's scale
    std::vector<listed_pod> pods;
    int pages = 0;
};

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

    result<http::request> request(std::int64_t) const override { return request_to(first_endpoint()); }

    // The first response for a metric of pods has no value of it.
    result<source::reading> read(const http::answer& answer) const override {
        if (settings_.pods_of) {
            auto size = kube::read_scale(answer, first_endpoint());
            return size ? result<source::reading>(source::reading()) : size.take_failure();
        }
        auto out = read_answer(answer, settings_, first_endpoint());
        if (out && !access_.verified) out->warnings.emplace_back(kube::unverified_text);
        return out;
    }

    step begin(poll& poll) override {
        poll.state = std::make_unique<read_state>();
        if (version_.due(poll.steady_ms))
            return ask(state_of(poll), round::version, kube::group_versions(kube::custom_group));
        return ask_first(state_of(poll));
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        const answered& answer = answers.front();
        if (state_of(poll).round == round::values && !settings_.pods_of) return metric_source::next(poll, answers);
        result<step> taken = answer ? take(state_of(poll), answer->answer, poll.steady_ms) : answer.failure();
        return taken ? *std::move(taken) : concluded(failed(taken.take_failure(), poll, answer));
    }

  protected:
    fetched sample_of(const http::answer& answer, const poll& poll) const override {
        return within_age(
            metric_source::judge(read(answer)), poll.now_ms, settings_.max_age_ms,
            "check whether the adapter still gets samples; values with the adapter's own timestamp never look old");
    }

  private:
    static read_state& state_of(poll& poll) { return static_cast<read_state&>(*poll.state); }

    kube::endpoint first_endpoint() const {
        return settings_.pods_of ? scale_endpoint(settings_, *settings_.pods_of)
                                 : endpoint_of(settings_, version_.now());
    }

    result<http::request> request_to(const kube::endpoint& endpoint) const {
        return prepared(kube::request_for(access_, endpoint));
    }

    step ask(read_state& of, kubernetes::round round, kube::endpoint endpoint) const {
        of.round = round;
        of.asked = std::move(endpoint);
        queries out;
        out.push_back({request_to(of.asked)});
        return out;
    }

    step ask_first(read_state& of) const {
        return ask(of, settings_.pods_of ? round::scale : round::values, first_endpoint());
    }

    step ask_pods(read_state& of, const std::string& from) const {
        return ask(of, round::pods, pod_page(settings_.name_space, of.selector, from));
    }

    // Parses the response of the current round.
    result<step> take(read_state& of, const http::answer& answer, std::int64_t steady_ms) {
        switch (of.round) {
            case round::version:
                if (auto learnt = version_.learn(answer, steady_ms); !learnt) return learnt.take_failure();
                return ask_first(of);
            case round::scale:
                return take_scale(of, answer);
            case round::pods:
                return take_pods(of, answer);
            case round::values:
                break;
        }
        auto values = values_of(read_items(answer, settings_, of.asked));
        if (!values) return values.take_failure();
        if (settings_.api == api::resource) add_requests(of.pods, settings_, *values);
        return concluded(outcome_of(std::move(of.pods), *std::move(values)));
    }

    result<step> take_scale(read_state& of, const http::answer& answer) const {
        auto size = kube::read_scale(answer, of.asked);
        if (!size) return size.take_failure();
        of.selector = std::move(size->selector);
        if (!of.selector.empty()) return ask_pods(of, {});
        return fail(error_class::selector, "the target's scale is missing a selector, so its pods are unknown");
    }

    result<step> take_pods(read_state& of, const http::answer& answer) const {
        auto page_end = read_pods(answer, of.asked, of.pods);
        if (!page_end) return page_end.take_failure();
        if (page_end->empty()) {
            kubernetes::settings wanted = settings_;
            wanted.selector = of.selector;
            return ask(of, round::values, endpoint_of(wanted, version_.now()));
        }
        if (++of.pages <= max_pages) return ask_pods(of, *page_end);
        return fail(error_class::limit, "the list of pods has more than {} pages", max_pages);
    }

    // Adds to the result of a metric of pods what read() adds to a reading.
    step concluded(fetched outcome) const {
        if (settings_.pods_of && !access_.verified) outcome.reading.warnings.emplace_back(kube::unverified_text);
        return outcome;
    }

    const kubernetes::settings settings_;
    const kube::access access_;
    custom_version version_;
};

// Checks that a tenant reads only from its namespace, because its requests use gputide's own rights.
result<void> check_reach(const settings& settings, const auth::tenant& tenant) {
    const auto check = [&](const std::string& subject) {
        return tenant.check(auth::capability::foreign_metrics, subject);
    };
    if (settings.pods_of) return {};  // always of the manifest's own target
    if (settings.object.cluster_scoped) return check("scope: cluster");
    if (settings.object.is_namespace())
        return settings.object.name == tenant.name_space()
                   ? result<void>()
                   : check("the metric of object: namespaces/" + settings.object.name);
    if (settings.name_space == tenant.name_space()) return {};
    return check("the metric of namespace: " + settings.name_space);
}

std::string api_name(api of) {
    switch (of) {
        case api::external:
            return "external";
        case api::resource:
            return "resource";
        default:
            return "custom";
    }
}

fetched no_value_without_fetch(const reading&) {
    return judge_failure(fail(error_class::no_data, "values of pods are available only from a fetch"));
}

}  // namespace

result<description> describe(trigger_reader& read) {
    auto out = description_of(read, read_settings(read), {&judge, &request_key, &settings::metric});
    if (!out) return out;
    const auto settings = out->settings_as<kubernetes::settings>();
    if (settings->api != api::resource) out->shape = shape_of_metric(settings->metric);
    out->is_per_pod = settings->api == api::custom && settings->object.name == "*";
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<kubernetes::settings>();
    if (const auto reach = check_reach(*settings, services.permissions.tenant); !reach)
        return fail_at(error_class::config, described.label, reach.failure().message);
    auto access = access::open_api_server(services);
    if (!access) return access.take_failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<kubernetes_source>(described, *settings, *std::move(access), services.loop));
}

description describe_pods(settings wanted) {
    static constexpr traits traits_of_pods{.is_granted_by_cluster = true};
    const bool is_resource = wanted.api == api::resource;
    description out;
    out.type = "kubernetes";
    out.label = "metric " + wanted.metric;
    out.traits = &traits_of_pods;
    out.target.metric_name = wanted.metric;
    if (is_resource) out.target.resource = wanted.metric;
    out.target.container = wanted.container;
    out.asks = wanted.metric;
    out.question = format_text("kubernetes pods\n{}\n{}\n{}\n{}\n{}", scale_endpoint(wanted, *wanted.pods_of).url(),
                               api_name(wanted.api), wanted.metric, wanted.metric_selector, wanted.container);
    out.to_sample = &no_value_without_fetch;
    out.typed_settings = std::make_shared<const settings>(std::move(wanted));
    return out;
}

// Requests and responses of kubernetes triggers.

namespace {

series series_of(metric_item item, reading& reading) {
    if (!item.name.empty()) item.labels.emplace_back(item.kind.empty() ? "name" : lower(item.kind), item.name);
    point point{item.time_ms.value_or(0), static_cast<double>(*item.milli) / thousandths};
    if (*item.milli == nan_in_disguise_milli) {
        point.value = std::numeric_limits<double>::quiet_NaN();
        reading.warnings.emplace_back(
            "the value -9223372036854775808m is treated as NaN that the adapter converted without a check");
    }
    return {std::move(item.labels), {point}, {}};
}

// Returns one series per item.  A pod without this resource is ignored, as by the HPA; a pod without the named container is an
// error.
result<reading> items_as_reading(result<std::vector<metric_item>> metric_items, const settings& settings) {
    if (!metric_items) return metric_items.take_failure();
    reading out;
    out.result_type = "metrics";
    for (metric_item& item : *metric_items) {
        if (!item.has_container) {
            return fail(error_class::no_data, "container {} not present in metrics for pod {}", settings.container,
                        item.name);
        }
        if (item.milli) out.series.push_back(series_of(std::move(item), out));
    }
    return out;
}

std::string asked_for(const settings& settings) {
    std::string out = format_text("{} in namespace {}", settings.metric, settings.name_space);
    if (settings.object.name != "*")
        out = format_text("{} of {}/{}", settings.metric, settings.object.resource, settings.object.name);
    return settings.selector.empty() ? out : format_text("{} with selector {}", out, settings.selector);
}

}  // namespace

kube::endpoint endpoint_of(const settings& settings, const std::string& custom_version) {
    switch (settings.api) {
        case api::external:
            return kube::external_metric(settings.name_space, settings.metric, settings.selector);
        case api::resource:
            return kube::pod_metrics(settings.name_space, settings.selector);
        default:
            return kube::custom_metric({custom_version, settings.name_space, settings.object, settings.metric,
                                        settings.selector, settings.metric_selector});
    }
}

result<std::vector<metric_item>> read_items(const http::answer& answer, const settings& settings,
                                            const kube::endpoint& endpoint) {
    switch (settings.api) {
        case api::external:
            return read_external(answer, endpoint);
        case api::resource:
            return read_pod_metrics(answer, endpoint, settings.metric, settings.container);
        default:
            return read_custom(answer, endpoint);
    }
}

result<reading> read_answer(const http::answer& answer, const settings& settings, const kube::endpoint& endpoint) {
    return items_as_reading(read_items(answer, settings, endpoint), settings);
}

fetched judge(const reading& reading, const settings& settings) {
    judge_texts say;
    say.empty = format_text(
        "no metrics returned from {} metrics API: nothing has {}; check metric, namespace and selector, and whether "
        "the workload exports it now",
        api_name(settings.api), asked_for(settings));
    say.no_float = say.empty;
    say.several =
        format_text("the {} metrics API gave several values of {}", api_name(settings.api), asked_for(settings));
    say.not_finite = format_text("the {} metrics API gave {} as", api_name(settings.api), asked_for(settings));
    numbers numbers = formats::numbers_of(reading);
    const auto no_number =
        std::ranges::find_if(numbers.newest, [](const point& point) { return !std::isfinite(point.value); });
    if (settings.is_usual_reducer && no_number != numbers.newest.end()) {
        numbers.newest = {point(*no_number)};
        numbers.series = 1;
    }
    fetched out = judge_numbers(numbers, settings.reduction, say);
    if (out.why.status == status::no_data) out.why.retryable = true;
    return out;
}

namespace {

using formats::text_of;

constexpr std::string_view newest_custom_version = "v1beta2";

}  // namespace

result<std::string> read_custom_version(const http::answer& answer) {
    const kube::endpoint asked = kube::group_versions(kube::custom_group);
    std::string out;
    auto read = kube::read_object(answer, asked, "APIGroup", [&out](simdjson::dom::object root) {
        return kube::each_object(
            root, "versions", "", [&out](simdjson::dom::object object, const std::string&) -> result<void> {
                const auto version = text_of(object, "version").value_or("");
                const bool known = version == newest_custom_version || version == oldest_custom_version;
                if (known && out != newest_custom_version) out = version;
                return {};
            });
    });
    if (!read && read.failure().status == status::forbidden) return std::string(oldest_custom_version);
    if (!read) return read.take_failure();
    if (out.empty())
        return kube::wrong_shape("versions: neither v1beta2 nor v1beta1 of custom.metrics.k8s.io is listed");
    return out;
}

}  // namespace gputide::source::kubernetes
