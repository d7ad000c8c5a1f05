// Parses metric lists.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/saturate.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "source/kubernetes/kubernetes.hpp"

#include <algorithm>

namespace gputide::source::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::object_of;
using formats::text_of;
using simdjson::SUCCESS;

// Reads the window: `window` in v1beta1 of all groups, `windowSeconds` in v1beta2.
result<std::optional<std::int64_t>> window_of(dom::object item, std::string_view version, const std::string& place) {
    const std::string_view name = version == "v1beta2" ? "windowSeconds" : "window";
    dom::element value;
    if (item.at_key(name).get(value) != SUCCESS || value.is_null()) return std::optional<std::int64_t>();
    std::int64_t seconds = 0;
    if (value.get(seconds) == SUCCESS && seconds >= 0) return std::optional<std::int64_t>(seconds);
    return kube::wrong_shape(format_text("{}.{}: expected seconds as a whole number, 0 or more", place, name));
}

result<metric_item> value_in(dom::object item, std::string_view version, const std::string& place) {
    metric_item out;
    auto value = kube::quantity_field(item, "value", place);
    if (!value) return value.take_failure();
    out.milli = *value;
    auto time_ms = kube::time_field(item, "timestamp", place);
    if (!time_ms) return time_ms.take_failure();
    out.time_ms = *time_ms;
    auto window_s = window_of(item, version, place);
    if (!window_s) return window_s.take_failure();
    out.window_s = *window_s;
    return out;
}

result<void> read_labels(dom::object item, const std::string& place, metric_item& metric_item) {
    dom::element written;
    if (item.at_key("metricLabels").get(written) != SUCCESS || written.is_null()) return {};
    dom::object all;
    if (written.get(all) != SUCCESS) return kube::wrong_shape(place + ".metricLabels: expected an object");
    for (const auto& [name, value] : all) {
        std::string_view text;
        if (value.get(text) != SUCCESS) return kube::wrong_shape(place + ".metricLabels: expected texts");
        metric_item.labels.emplace_back(name, text);
    }
    return {};
}

using item_reader = result<void> (*)(dom::object item, const std::string& place, metric_item& into);

result<void> read_described(dom::object item, const std::string& place, metric_item& metric_item) {
    const auto object = object_of(item, "describedObject");
    const auto name = object ? text_of(*object, "name") : std::nullopt;
    if (!name) return kube::wrong_shape(place + ".describedObject.name: expected the name of an object");
    metric_item.kind = text_of(*object, "kind").value_or("");
    metric_item.name = *name;
    return {};
}

result<std::vector<metric_item>> read_list(const http::answer& answer, const kube::endpoint& endpoint,
                                           std::string_view kind, item_reader more) {
    std::vector<metric_item> out;
    auto read = kube::read_object(answer, endpoint, kind, [&](dom::object root) {
        const auto written = text_of(root, "apiVersion").value_or("");
        const std::size_t slash = written.find('/');
        const std::string_view version = slash == std::string_view::npos ? endpoint.version : written.substr(slash + 1);
        return kube::each_object(root, "items", "", [&](dom::object item, const std::string& place) -> result<void> {
            auto entry = value_in(item, version, place);
            if (!entry) return entry.take_failure();
            out.push_back(*std::move(entry));
            return more(item, place, out.back());
        });
    });
    if (!read) return read.take_failure();
    return out;
}

result<std::optional<std::int64_t>> duration_of(dom::object item, const std::string& place) {
    const auto text = text_of(item, "window");
    if (!text || text->empty()) return std::optional<std::int64_t>();
    const auto ms = parse_go_duration_ms(*text);
    if (!ms)
        return kube::wrong_shape(
            format_text("{}.window: expected a duration such as 15s, got {}", place, gputide::in_quotes(*text)));
    return ms;
}

result<void> read_usage(dom::object container, const std::string& place, container_use& container_use) {
    const auto usage = object_of(container, "usage");
    if (!usage) return kube::wrong_shape(place + ".usage: expected an object");
    for (const auto& [name, value] : *usage) {
        auto milli = kube::quantity_field(*usage, name, place + ".usage");
        if (!milli) return milli.take_failure();
        container_use.usage_milli.emplace_back(name, *milli);
    }
    return {};
}

result<pod_use> pod_use_of(dom::object item, const std::string& place) {
    pod_use out;
    const auto metadata = object_of(item, "metadata");
    const auto name = metadata ? text_of(*metadata, "name") : std::nullopt;
    if (!name) return kube::wrong_shape(place + ".metadata.name: expected a pod's name");
    out.name = *name;
    auto time_ms = kube::time_field(item, "timestamp", place);
    if (!time_ms) return time_ms.take_failure();
    out.time_ms = *time_ms;
    auto window_ms = duration_of(item, place);
    if (!window_ms) return window_ms.take_failure();
    out.window_ms = *window_ms;
    auto read = kube::each_object(item, "containers", place, [&out](dom::object object, const std::string& here) {
        out.containers.emplace_back();
        out.containers.back().name = text_of(object, "name").value_or("");
        return read_usage(object, here, out.containers.back());
    });
    if (!read) return read.take_failure();
    return out;
}

}  // namespace

result<std::vector<metric_item>> read_custom(const http::answer& answer, const kube::endpoint& endpoint) {
    return read_list(answer, endpoint, "MetricValueList", &read_described);
}

result<std::vector<metric_item>> read_external(const http::answer& answer, const kube::endpoint& endpoint) {
    return read_list(answer, endpoint, "ExternalMetricValueList", &read_labels);
}

std::optional<std::int64_t> container_use::of(std::string_view resource) const {
    const auto found =
        std::ranges::find_if(usage_milli, [resource](const auto& entry) { return entry.first == resource; });
    if (found == usage_milli.end()) return std::nullopt;
    return found->second;
}

result<std::vector<pod_use>> read_pod_metrics(const http::answer& answer, const kube::endpoint& endpoint) {
    std::vector<pod_use> out;
    auto read = kube::read_object(answer, endpoint, "PodMetricsList", [&out](dom::object root) {
        return kube::each_object(root, "items", "", [&out](dom::object item, const std::string& place) -> result<void> {
            auto entry = pod_use_of(item, place);
            if (!entry) return entry.take_failure();
            out.push_back(*std::move(entry));
            return {};
        });
    });
    if (!read) return read.take_failure();
    return out;
}

bool has_container(const pod_use& pod, std::string_view container) {
    return std::ranges::any_of(pod.containers, [container](const container_use& use) { return use.name == container; });
}

std::optional<std::int64_t> use_of(const pod_use& pod, std::string_view resource, std::string_view container) {
    std::optional<std::int64_t> sum;
    for (const container_use& use : pod.containers) {
        if (!container.empty() && use.name != container) continue;
        const auto milli = use.of(resource);
        if (!milli) return std::nullopt;
        sum = add_saturating(sum.value_or(0), *milli);
    }
    return sum;
}

}  // namespace gputide::source::kubernetes
