// Reads pages of pods.
#include "source/kubernetes/pod_list.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/saturate.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "kube/fields.hpp"

#include <algorithm>

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

// {"requests": {"cpu": "500m"}} of a container or a pod.
result<amounts> requests_in(dom::object object, const std::string& place) {
    amounts out;
    const auto resources = object_of(object, "resources");
    const auto requests = resources ? object_of(*resources, "requests") : std::nullopt;
    if (!requests) return out;
    for (const auto& [name, value] : *requests) {
        auto milli = kube::quantity_field(*requests, name, place + ".resources.requests");
        if (!milli) return std::move(milli).failure();
        out.emplace_back(name, *milli);
    }
    return out;
}

result<void> read_containers(dom::object spec, std::string_view list, bool sidecars_only, const std::string& place,
                             listed_pod& pod) {
    return kube::each_object(spec, list, place, [&](dom::object one, const std::string& here) -> result<void> {
        if (sidecars_only && text_of(one, "restartPolicy") != "Always") return {};
        auto requests = requests_in(one, here);
        if (!requests) return std::move(requests).failure();
        pod.containers.emplace_back(text_of(one, "name").value_or(""), *std::move(requests));
        return {};
    });
}

result<void> read_spec(dom::object pod, const std::string& place, listed_pod& into) {
    const auto spec = object_of(pod, "spec");
    if (!spec) return {};
    const std::string here = place + ".spec";
    auto own = requests_in(*spec, here);
    if (!own) return std::move(own).failure();
    into.own_requests = *std::move(own);
    if (auto read = read_containers(*spec, "initContainers", true, here, into); !read) return read;
    return read_containers(*spec, "containers", false, here, into);
}

result<void> read_ready(dom::object condition, const std::string& place, pod_state& pod_state) {
    if (text_of(condition, "type") != "Ready") return {};
    pod_state.readiness = text_of(condition, "status") == "True" ? readiness::yes : readiness::no;
    auto changed = kube::time_field(condition, "lastTransitionTime", place);
    if (!changed) return std::move(changed).failure();
    pod_state.ready_change_time_ms = *changed;
    return {};
}

result<void> read_status(dom::object pod, const std::string& place, pod_state& pod_state) {
    const auto status = object_of(pod, "status");
    if (!status) return {};
    pod_state.phase = phase_named(text_of(*status, "phase").value_or(""));
    auto started = kube::time_field(*status, "startTime", place + ".status");
    if (!started) return std::move(started).failure();
    pod_state.start_time_ms = *started;
    return kube::each_object(
        *status, "conditions", place + ".status",
        [&pod_state](dom::object one, const std::string& here) { return read_ready(one, here, pod_state); });
}

result<listed_pod> pod_in(dom::object pod, const std::string& place) {
    listed_pod out;
    const auto metadata = object_of(pod, "metadata");
    const auto name = metadata ? text_of(*metadata, "name") : std::nullopt;
    if (!name) return kube::wrong_shape(place + ".metadata.name: expected a pod's name");
    out.state.name = *name;
    out.state.deleting = text_of(*metadata, "deletionTimestamp").has_value();
    if (auto read = read_status(pod, place, out.state); !read) return std::move(read).failure();
    if (auto read = read_spec(pod, place, out); !read) return std::move(read).failure();
    return out;
}

std::optional<std::int64_t> amount_in(const amounts& named_amounts, std::string_view resource) {
    const auto found = std::find_if(named_amounts.begin(), named_amounts.end(),
                                    [resource](const auto& one) { return one.first == resource; });
    return found == named_amounts.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<std::int64_t> listed_pod::request_of(std::string_view resource, std::string_view container) const {
    if (container.empty()) {
        if (const auto own = amount_in(own_requests, resource)) return own;
    }
    std::optional<std::int64_t> out;
    for (const auto& [name, requests] : containers) {
        if (!container.empty() && name != container) continue;
        const auto wanted = amount_in(requests, resource);
        if (!wanted) return std::nullopt;
        out = add_saturating(out.value_or(0), *wanted);
    }
    return out;
}

kube::endpoint pod_page(const std::string& name_space, const std::string& selector, const std::string& from) {
    kube::endpoint out;
    out.version = "v1";
    out.path = format_text("/namespaces/{}/pods", percent_encode(name_space));
    out.query = format_text("?labelSelector={}&limit={}", percent_encode(selector), page_size);
    if (!from.empty()) out.query += "&continue=" + percent_encode(from);
    out.resource = "pods";
    out.verb = "list";
    return out;
}

result<std::string> read_pods(const http::answer& answer, const kube::endpoint& endpoint,
                              std::vector<listed_pod>& pods) {
    std::string next;
    auto read = kube::read_object(answer, endpoint, "PodList", [&](dom::object root) {
        if (const auto metadata = object_of(root, "metadata")) next = text_of(*metadata, "continue").value_or("");
        return kube::each_object(root, "items", "",
                                 [&pods](dom::object item, const std::string& place) -> result<void> {
                                     auto one = pod_in(item, place);
                                     if (!one) return std::move(one).failure();
                                     pods.push_back(*std::move(one));
                                     return {};
                                 });
    });
    if (!read) return std::move(read).failure();
    if (pods.size() <= limits::series) return next;
    return fail(error_class::limit, format_text("more than {} pods have the target's labels", limits::series));
}

}  // namespace gputide::source::kubernetes
