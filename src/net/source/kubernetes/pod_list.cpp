// Parses pages of pods.
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/saturate.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "source/kubernetes/kubernetes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::source::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::object_of;
using formats::text_of;

constexpr int page_size = 500;

pod_phase phase_named(std::string_view word) {
    if (word == "Running") return pod_phase::running;
    if (word == "Pending") return pod_phase::pending;
    if (word == "Succeeded") return pod_phase::succeeded;
    return word == "Failed" ? pod_phase::failed : pod_phase::unknown;
}

// Reads {"cpu": "500m"}.
result<amounts> amounts_in(dom::object object, std::string_view member, const std::string& place) {
    amounts out;
    const auto written = object_of(object, member);
    if (!written) return out;
    const std::string here = format_text("{}.{}", place, member);
    for (const auto& [name, value] : *written) {
        auto milli = kube::quantity_field(*written, name, here);
        if (!milli) return milli.take_failure();
        out.emplace_back(name, *milli);
    }
    return out;
}

// Reads {"requests": {"cpu": "500m"}} of a container or a pod.
result<amounts> requests_in(dom::object object, const std::string& place) {
    const auto resources = object_of(object, "resources");
    return resources ? amounts_in(*resources, "requests", place + ".resources") : amounts();
}

result<void> read_containers(dom::object spec, std::string_view list, const std::string& place, listed_pod& pod) {
    return kube::each_object(spec, list, place, [&](dom::object written, const std::string& here) -> result<void> {
        auto requests = requests_in(written, here);
        if (!requests) return requests.take_failure();
        listed_pod::container& container = pod.containers.emplace_back();
        container.name = text_of(written, "name").value_or("");
        container.requests = *std::move(requests);
        if (list == "initContainers") {
            container.role =
                text_of(written, "restartPolicy") == "Always" ? listed_pod::role::sidecar : listed_pod::role::init;
        }
        return {};
    });
}

result<void> read_spec(dom::object pod, const std::string& place, listed_pod& into) {
    const auto spec = object_of(pod, "spec");
    if (!spec) return {};
    const std::string here = place + ".spec";
    auto own = requests_in(*spec, here);
    if (!own) return own.take_failure();
    into.pod_requests = *std::move(own);
    auto overhead = amounts_in(*spec, "overhead", here);
    if (!overhead) return overhead.take_failure();
    into.overhead = *std::move(overhead);
    if (auto read = read_containers(*spec, "initContainers", here, into); !read) return read;
    return read_containers(*spec, "containers", here, into);
}

result<void> read_ready(dom::object condition, const std::string& place, pod_state& pod_state) {
    if (text_of(condition, "type") != "Ready") return {};
    const auto status = text_of(condition, "status");
    pod_state.readiness = status == "True" ? readiness::yes : status == "False" ? readiness::no : readiness::unknown;
    auto changed = kube::time_field(condition, "lastTransitionTime", place);
    if (!changed) return changed.take_failure();
    pod_state.ready_change_time_ms = *changed;
    return {};
}

result<void> read_status(dom::object pod, const std::string& place, pod_state& pod_state) {
    const auto status = object_of(pod, "status");
    if (!status) return {};
    pod_state.phase = phase_named(text_of(*status, "phase").value_or(""));
    auto started = kube::time_field(*status, "startTime", place + ".status");
    if (!started) return started.take_failure();
    pod_state.start_time_ms = *started;
    return kube::each_object(
        *status, "conditions", place + ".status",
        [&pod_state](dom::object object, const std::string& here) { return read_ready(object, here, pod_state); });
}

result<listed_pod> pod_in(dom::object pod, const std::string& place) {
    listed_pod out;
    const auto metadata = object_of(pod, "metadata");
    const auto name = metadata ? text_of(*metadata, "name") : std::nullopt;
    if (!name) return kube::wrong_shape(place + ".metadata.name: expected a pod's name");
    out.state.name = *name;
    out.state.deleting = text_of(*metadata, "deletionTimestamp").has_value();
    if (auto read = read_status(pod, place, out.state); !read) return read.take_failure();
    if (auto read = read_spec(pod, place, out); !read) return read.take_failure();
    return out;
}

std::optional<std::int64_t> amount_in(const amounts& named_amounts, std::string_view resource) {
    const auto found =
        std::ranges::find_if(named_amounts, [resource](const auto& entry) { return entry.first == resource; });
    return found == named_amounts.end() ? std::nullopt : std::optional(found->second);
}

bool is_pod_level(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.substr(0, 10) == "hugepages-";
}

using amount = std::optional<std::int64_t>;

// Adds two amounts; a missing one counts as 0.
amount sum(const amount& left, const amount& right) {
    if (!left || !right) return left ? left : right;
    return add_saturating(*left, *right);
}

// Returns the maximum request at any time: of all main containers with all sidecars, or of one init container with the sidecars
// that started before it. kubernetes/component-helpers resource/helpers.go (AggregateContainerRequests).
amount largest_request(const std::vector<listed_pod::container>& containers, std::string_view resource) {
    amount running, sidecars, largest_init;
    for (const listed_pod::container& container : containers) {
        const amount request = amount_in(container.requests, resource);
        if (container.role == listed_pod::role::init) {
            largest_init = std::max(largest_init, request ? sum(request, sidecars) : std::nullopt);
        } else {
            running = sum(running, request);
            if (container.role == listed_pod::role::sidecar) sidecars = sum(sidecars, request);
        }
    }
    return std::max(running, largest_init);
}

}  // namespace

bool listed_pod::has_own_requests() const {
    return std::ranges::any_of(pod_requests, [](const auto& request) { return is_pod_level(request.first); });
}

std::optional<std::int64_t> listed_pod::request_of(std::string_view resource, std::string_view container_name) const {
    if (container_name.empty() && has_own_requests()) {
        const amount own = is_pod_level(resource) ? amount_in(pod_requests, resource) : std::nullopt;
        return sum(own ? own : largest_request(containers, resource), amount_in(overhead, resource));
    }
    amount out;
    for (const listed_pod::container& listed : containers) {
        if (listed.role == role::init || (!container_name.empty() && listed.name != container_name)) continue;
        const amount request = amount_in(listed.requests, resource);
        if (!request) return std::nullopt;
        out = sum(out, request);
    }
    return out;
}

// Checks main containers before sidecars, like the HPA.
std::string listed_pod::lacking_container(std::string_view resource, std::string_view container_name) const {
    if (!container_name.empty()) return std::string(container_name);
    if (has_own_requests()) return {};
    for (const role wanted : {role::main, role::sidecar}) {
        for (const listed_pod::container& listed : containers) {
            if (listed.role == wanted && !amount_in(listed.requests, resource)) return listed.name;
        }
    }
    return {};
}

kube::endpoint pod_page(const std::string& name_space, const std::string& selector, const std::string& from) {
    kube::endpoint out =
        kube::resource_at({}, "v1", format_text("/namespaces/{}/pods", percent_encode(name_space)), "pods", "list");
    out.query = format_text("?labelSelector={}&limit={}", percent_encode(selector), page_size);
    if (!from.empty()) out.query += "&continue=" + percent_encode(from);
    return out;
}

result<std::string> read_pods(const http::answer& answer, const kube::endpoint& endpoint,
                              std::vector<listed_pod>& pods) {
    std::string next;
    auto read = kube::read_object(answer, endpoint, "PodList", [&](dom::object root) {
        if (const auto metadata = object_of(root, "metadata")) next = text_of(*metadata, "continue").value_or("");
        return kube::each_object(root, "items", "",
                                 [&pods](dom::object item, const std::string& place) -> result<void> {
                                     auto entry = pod_in(item, place);
                                     if (!entry) return entry.take_failure();
                                     pods.push_back(*std::move(entry));
                                     return {};
                                 });
    });
    if (!read) return read.take_failure();
    if (pods.size() <= limits::series) return next;
    return fail(error_class::limit, "more than {} pods have the target's labels", limits::series);
}

result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& items) {
    if (!items) return items.failure();
    std::vector<pod_value> out;
    for (const metric_item& item : *items) {
        pod_value& value = out.emplace_back();
        value.pod = item.name;
        if (item.milli != nan_in_disguise_milli) value.value_milli = item.milli;
        value.time_ms = item.time_ms;
        // Without a plausible window the default remains.
        if (item.window_s && *item.window_s <= std::numeric_limits<std::int32_t>::max())
            value.window_s = static_cast<std::int32_t>(*item.window_s);
    }
    return out;
}

void add_requests(const std::vector<listed_pod>& pods, const settings& wanted, std::vector<pod_value>& values) {
    std::map<std::string_view, std::size_t> at;
    for (std::size_t i = 0; i < values.size(); ++i) at.emplace(values[i].pod, i);
    std::vector<pod_value> bare;
    for (const listed_pod& pod : pods) {
        const auto request = pod.request_of(wanted.metric, wanted.container);
        const auto found = at.find(pod.state.name);
        pod_value& of = found != at.end() ? values[found->second] : bare.emplace_back();
        of.pod = pod.state.name;
        of.request_milli = request;
        if (!request) of.container = pod.lacking_container(wanted.metric, wanted.container);
    }
    for (pod_value& value : bare) values.push_back(std::move(value));
}

fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values) {
    auto all = std::make_shared<pod_reading>();
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.reading.result_type = "pods";
    for (listed_pod& pod : pods) all->pods.push_back(std::move(pod.state));
    for (const pod_value& entry : values) {
        if (!entry.value_milli) continue;
        const double value = static_cast<double>(*entry.value_milli) / thousandths;
        out.sample.value += value;
        out.reading.series.push_back({{{"pod", entry.pod}}, {{entry.time_ms.value_or(0), value}}, {}});
    }
    all->values = std::move(values);
    out.pods = std::move(all);
    return out;
}

}  // namespace gputide::source::kubernetes
