// Requests and responses of kubernetes triggers.
#include "kube/answer.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/reduce.hpp"
#include "kube/endpoint.hpp"
#include "source/judge.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/kubernetes/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

series series_of(labels named, std::int64_t milli, std::optional<std::int64_t> time_ms, reading& reading) {
    point point{time_ms.value_or(0), static_cast<double>(milli) / thousandths};
    if (milli == nan_in_disguise_milli) {
        point.value = std::numeric_limits<double>::quiet_NaN();
        reading.warnings.emplace_back(
            "the value -9223372036854775808m is treated as NaN that the adapter converted without a check");
    }
    return {std::move(named), {point}, {}};
}

result<reading> items_as_reading(result<std::vector<metric_item>> metric_items) {
    if (!metric_items) return metric_items.take_failure();
    reading out;
    out.result_type = "metrics";
    for (metric_item& item : *metric_items) {
        if (!item.name.empty()) item.labels.emplace_back(item.kind.empty() ? "name" : lower(item.kind), item.name);
        out.series.push_back(series_of(std::move(item.labels), item.milli, item.time_ms, out));
    }
    return out;
}

// Returns one series per pod.  A pod without this resource is ignored, as by the HPA; a pod without the named container is an
// error.
result<reading> pods_as_reading(const result<std::vector<pod_use>>& uses, const settings& settings) {
    if (!uses) return uses.failure();
    reading out;
    out.result_type = "metrics";
    for (const pod_use& use : *uses) {
        if (!settings.container.empty() && !has_container(use, settings.container)) {
            return fail(error_class::no_data, "container {} not present in metrics for pod {}", settings.container,
                        use.name);
        }
        const auto milli = use_of(use, settings.metric, settings.container);
        if (milli) out.series.push_back(series_of({{"pod", use.name}}, *milli, use.time_ms, out));
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
            return items_as_reading(read_external(answer, endpoint));
        case api::resource:
            return pods_as_reading(read_pod_metrics(answer, endpoint), settings);
        default:
            return items_as_reading(read_custom(answer, endpoint));
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
