// Parses metric lists.
#include "base/format_text.hpp"
#include "base/function_ref.hpp"
#include "base/quantity.hpp"
#include "base/saturate.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "source/kubernetes/kubernetes.hpp"

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

result<void> read_described(dom::object item, const std::string& place, metric_item& metric_item) {
    const auto object = object_of(item, "describedObject");
    const auto name = object ? text_of(*object, "name") : std::nullopt;
    if (!name) return kube::wrong_shape(place + ".describedObject.name: expected the name of an object");
    metric_item.kind = text_of(*object, "kind").value_or("");
    metric_item.name = *name;
    return {};
}

// Parses the items of a list.
using item_reader =
    function_ref<result<metric_item>(dom::object item, std::string_view version, const std::string& place)>;

result<std::vector<metric_item>> read_list(const http::answer& answer, const kube::endpoint& endpoint,
                                           std::string_view kind, item_reader read_item) {
    std::vector<metric_item> out;
    auto read = kube::read_object(answer, endpoint, kind, [&](dom::object root) {
        const auto written = text_of(root, "apiVersion").value_or("");
        const std::size_t slash = written.find('/');
        const std::string_view version = slash == std::string_view::npos ? endpoint.version : written.substr(slash + 1);
        return kube::each_object(root, "items", "", [&](dom::object item, const std::string& place) -> result<void> {
            auto entry = read_item(item, version, place);
            if (!entry) return entry.take_failure();
            out.push_back(*std::move(entry));
            return {};
        });
    });
    if (!read) return read.take_failure();
    return out;
}

// Parses a list of values.  `more` reads the members that only this kind of item has.
result<std::vector<metric_item>> read_values(const http::answer& answer, const kube::endpoint& endpoint,
                                             std::string_view kind,
                                             result<void> (*more)(dom::object, const std::string&, metric_item&)) {
    return read_list(answer, endpoint, kind,
                     [more](dom::object item, std::string_view version, const std::string& place) {
                         auto out = value_in(item, version, place);
                         if (!out) return out;
                         if (auto read = more(item, place, *out); !read) out = read.take_failure();
                         return out;
                     });
}

// Reads the window of a pod's usage: "15.5s".
result<std::optional<std::int64_t>> duration_s(dom::object item, const std::string& place) {
    const auto text = text_of(item, "window");
    if (!text || text->empty()) return std::optional<std::int64_t>();
    const auto ms = parse_go_duration_ms(*text);
    if (!ms)
        return kube::wrong_shape(
            format_text("{}.window: expected a duration such as 15s, got {}", place, gputide::in_quotes(*text)));
    return std::optional(*ms / 1'000);
}

// Returns a container's usage of a resource.  Each quantity must be valid, also those of other resources.
result<std::optional<std::int64_t>> usage_of(dom::object container, const std::string& place,
                                             std::string_view resource) {
    const auto usage = object_of(container, "usage");
    if (!usage) return kube::wrong_shape(place + ".usage: expected an object");
    std::optional<std::int64_t> out;
    for (const auto& [name, value] : *usage) {
        auto milli = kube::quantity_field(*usage, name, place + ".usage");
        if (!milli) return milli.take_failure();
        if (name == resource) out = *milli;
    }
    return out;
}

result<metric_item> pod_use_of(dom::object item, const std::string& place, std::string_view resource,
                               std::string_view container) {
    metric_item out;
    out.kind = "Pod";
    const auto metadata = object_of(item, "metadata");
    const auto name = metadata ? text_of(*metadata, "name") : std::nullopt;
    if (!name) return kube::wrong_shape(place + ".metadata.name: expected a pod's name");
    out.name = *name;
    auto time_ms = kube::time_field(item, "timestamp", place);
    if (!time_ms) return time_ms.take_failure();
    out.time_ms = *time_ms;
    auto window_s = duration_s(item, place);
    if (!window_s) return window_s.take_failure();
    out.window_s = *window_s;
    out.has_container = container.empty();
    bool is_complete = true;
    auto read =
        kube::each_object(item, "containers", place, [&](dom::object object, const std::string& here) -> result<void> {
            auto used = usage_of(object, here, resource);
            if (!used) return used.take_failure();
            if (!container.empty() && text_of(object, "name").value_or("") != container) return {};
            out.has_container = true;
            is_complete = is_complete && *used;
            out.milli = add_saturating(out.milli.value_or(0), used->value_or(0));
            return {};
        });
    if (!read) return read.take_failure();
    if (!is_complete) out.milli.reset();
    return out;
}

}  // namespace

result<std::vector<metric_item>> read_custom(const http::answer& answer, const kube::endpoint& endpoint) {
    return read_values(answer, endpoint, "MetricValueList", &read_described);
}

result<std::vector<metric_item>> read_external(const http::answer& answer, const kube::endpoint& endpoint) {
    return read_values(answer, endpoint, "ExternalMetricValueList", &read_labels);
}

result<std::vector<metric_item>> read_pod_metrics(const http::answer& answer, const kube::endpoint& endpoint,
                                                  std::string_view resource, std::string_view container) {
    return read_list(answer, endpoint, "PodMetricsList",
                     [=](dom::object item, std::string_view, const std::string& place) {
                         return pod_use_of(item, place, resource, container);
                     });
}

}  // namespace gputide::source::kubernetes
