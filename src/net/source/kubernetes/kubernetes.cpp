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
        if (!versions) return failed(versions.failure(), poll, versions);
        if (auto learnt = version_.learn(versions->answer, poll.steady_ms); !learnt)
            return failed(learnt.take_failure(), poll, versions);
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

result<description> describe(trigger_reader& read) {
    auto out = description_of(read, read_settings(read), {&judge, &request_key, &settings::metric});
    if (!out) return out;
    const auto settings = out->settings_as<kubernetes::settings>();
    if (settings->api != api::resource) out->shape = shape_of_metric(settings->metric);
    out->is_per_pod = settings->api == api::custom && settings->object.name == "*";
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    if (described.traits == &traits_of_pods) return open_pods(described, services);
    return open_metric(described, *described.settings_as<settings>(), services);
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

result<reading> read_answer(const http::answer& answer, const settings& settings, const kube::endpoint& endpoint) {
    switch (settings.api) {
        case api::external:
            return items_as_reading(read_external(answer, endpoint), settings);
        case api::resource:
            return items_as_reading(read_pod_metrics(answer, endpoint, settings.metric, settings.container), settings);
        default:
            return items_as_reading(read_custom(answer, endpoint), settings);
    }
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

constexpr std::int64_t known_for_ms = 600'000;  // an adapter may be replaced at any time
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

std::string custom_version::now() const {
    const std::lock_guard hold(guard_);
    return now_.empty() ? std::string(oldest_custom_version) : now_;
}

bool custom_version::due(std::int64_t steady_ms) const {
    const std::lock_guard hold(guard_);
    return !fixed_ && (now_.empty() || steady_ms >= known_until_ms_);
}

result<void> custom_version::learn(const http::answer& answer, std::int64_t steady_ms) {
    auto found = read_custom_version(answer);
    if (!found) return found.take_failure();
    const std::lock_guard hold(guard_);
    now_ = *std::move(found);
    known_until_ms_ = steady_ms + known_for_ms;
    return {};
}

}  // namespace gputide::source::kubernetes
