// Parses scales and leases.
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"

#include <algorithm>
#include <limits>

namespace gputide::kube {
namespace {

namespace dom = simdjson::dom;
using formats::object_of;
using formats::text_in;
using formats::text_of;
using simdjson::SUCCESS;

// Reads an integer of 32 bits that is not negative; missing and null are 0.
result<std::int64_t> count_in(dom::object root, std::string_view part, std::string_view name) {
    constexpr std::int64_t max_count = std::numeric_limits<std::int32_t>::max();
    const auto object = object_of(root, part);
    dom::element written;
    if (!object || object->at_key(name).get(written) != SUCCESS || written.is_null()) return std::int64_t{0};
    std::int64_t out = 0;
    if (written.get(out) == SUCCESS && out >= 0 && out <= max_count) return out;
    return wrong_shape(format_text("{}.{}: expected a whole number from 0 to {}", part, name, max_count));
}

// Returns the last three of six decimals: 456 for "2026-03-01T10:00:08.123456Z".
std::int64_t micros_behind_millis(std::string_view time) {
    const std::size_t point = time.find('.');
    std::int64_t out = 0;
    for (std::size_t digit = 4; digit <= 6; ++digit) {
        const bool there = point != std::string_view::npos && point + digit < time.size() &&
                           time.substr(point + 1, digit).find_first_not_of("0123456789") == std::string_view::npos;
        out = out * 10 + (there ? time[point + digit] - '0' : 0);
    }
    return out;
}

result<std::int64_t> micro_time(dom::object root, std::string_view name) {
    const auto spec = object_of(root, "spec");
    if (!spec) return std::int64_t{0};
    const auto time_ms = time_field(*spec, name, "spec");
    if (!time_ms) return time_ms.failure();
    if (!*time_ms) return std::int64_t{0};
    return **time_ms * 1'000 + micros_behind_millis(text_of(*spec, name).value_or(""));
}

result<void> scale_in(dom::object root, scale& scale) {
    const auto spec = count_in(root, "spec", "replicas");
    if (!spec) return spec.failure();
    const auto status = count_in(root, "status", "replicas");
    if (!status) return status.failure();
    scale.spec_replicas = static_cast<std::int32_t>(*spec);
    scale.status_replicas = static_cast<std::int32_t>(*status);
    scale.selector = text_in(root, "status", "selector");
    scale.resource_version = text_in(root, "metadata", "resourceVersion");
    scale.uid = text_in(root, "metadata", "uid");
    return {};
}

result<void> lease_in(dom::object root, lease& lease) {
    const auto duration = count_in(root, "spec", "leaseDurationSeconds");
    if (!duration) return duration.failure();
    const auto transitions = count_in(root, "spec", "leaseTransitions");
    if (!transitions) return transitions.failure();
    const auto acquired = micro_time(root, "acquireTime");
    if (!acquired) return acquired.failure();
    const auto renewed = micro_time(root, "renewTime");
    if (!renewed) return renewed.failure();
    lease = {text_in(root, "spec", "holderIdentity"),
             *duration,
             *acquired,
             *renewed,
             *transitions,
             text_in(root, "metadata", "resourceVersion"),
             text_in(root, "metadata/annotations", shards_annotation)};
    return {};
}

}  // namespace

endpoint scale_of(const std::string& name_space, const std::string& api_version, const std::string& kind,
                  const std::string& name) {
    const std::string resource = resource_of_kind(kind);
    return resource_at(group_of(api_version),
                       api_version.substr(std::min(api_version.find('/') + 1, api_version.size())),
                       format_text("/namespaces/{}/{}/{}/scale", percent_encode(name_space), percent_encode(resource),
                                   percent_encode(name)),
                       resource + "/scale", "get");
}

result<scale> read_scale(const http::answer& answer, const endpoint& endpoint) {
    scale out;
    auto read = read_object(answer, endpoint, "Scale", [&out](dom::object root) { return scale_in(root, out); });
    if (!read) return read.take_failure();
    return out;
}

endpoint lease_of(const std::string& name_space, const std::string& name) {
    return resource_at("coordination.k8s.io", "v1",
                       format_text("/namespaces/{}/leases/{}", percent_encode(name_space), percent_encode(name)),
                       "leases", "get");
}

result<lease> read_lease(const http::answer& answer, const endpoint& endpoint) {
    lease out;
    auto read = read_object(answer, endpoint, "Lease", [&out](dom::object root) { return lease_in(root, out); });
    if (!read) return read.take_failure();
    return out;
}

}  // namespace gputide::kube
