// Discovery of the custom metrics API.
#include "source/kubernetes/version.hpp"

#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "kube/endpoint.hpp"

#include <utility>

namespace gputide::source::kubernetes {
namespace {

using formats::text_of;

constexpr std::int64_t known_for_ms = 600'000;  // an adapter may be replaced while we run
constexpr std::string_view newest_custom_version = "v1beta2";

}  // namespace

result<std::string> read_custom_version(const http::answer& answer) {
    const kube::endpoint asked = kube::group_versions(kube::custom_group);
    std::string out;
    auto read = kube::read_object(answer, asked, "APIGroup", [&out](simdjson::dom::object root) {
        return kube::each_object(
            root, "versions", "", [&out](simdjson::dom::object one, const std::string&) -> result<void> {
                const auto version = text_of(one, "version").value_or("");
                const bool known = version == newest_custom_version || version == oldest_custom_version;
                if (known && out != newest_custom_version) out = version;
                return {};
            });
    });
    if (!read && read.failure().status == status::forbidden) return std::string(oldest_custom_version);
    if (!read) return std::move(read).failure();
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
    if (!found) return std::move(found).failure();
    const std::lock_guard hold(guard_);
    now_ = *std::move(found);
    known_until_ms_ = steady_ms + known_for_ms;
    return {};
}

}  // namespace gputide::source::kubernetes
