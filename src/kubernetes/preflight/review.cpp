// Asks of rights.hpp, and what is answered.
#include "base/json_writer.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"
#include "kubernetes/preflight/rights.hpp"

#include <string_view>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;

api_request creation_of(const char* group, const char* resource) {
    api_request out;
    out.method = "POST";
    out.target.group = group;
    out.target.version = "v1";
    out.target.path = std::string("/") + resource;
    out.target.resource = resource;
    out.target.verb = "create";
    return out;
}

}  // namespace

// {"spec":{"resourceAttributes":{"verb":"get","group":"apps","resource":"deployments","subresource":"scale"}}}
// No namespace means all, no name any.
api_request review_of(const right& one) {
    api_request out = creation_of("authorization.k8s.io", "selfsubjectaccessreviews");
    const std::size_t slash = one.resource.find('/');
    json_writer body;
    body.begin_object().member("apiVersion", "authorization.k8s.io/v1").member("kind", "SelfSubjectAccessReview");
    body.key("spec").begin_object().key("resourceAttributes").begin_object().member("verb", one.verb);
    body.member("group", one.group).member("resource", one.resource.substr(0, slash));
    if (slash != std::string::npos) body.member("subresource", one.resource.substr(slash + 1));
    if (!one.name_space.empty()) body.member("namespace", one.name_space);
    if (!one.name.empty()) body.member("name", one.name);
    out.body = body.end_object().end_object().end_object().take();
    return out;
}

result<review> read_review(const http::answer& answer, const endpoint& endpoint) {
    review out;
    result<void> done =
        kube::read_object(answer, endpoint, "SelfSubjectAccessReview", [&](dom::object root) -> result<void> {
            const auto status = formats::object_of(root, "status");
            if (!status || (*status)["allowed"].get(out.is_allowed) != simdjson::SUCCESS) {
                return kube::wrong_shape("status.allowed: expected true or false");
            }
            out.reason = formats::text_in(*status, "reason");
            if (out.reason.empty()) out.reason = formats::text_in(*status, "evaluationError");
            return {};
        });
    if (!done) return std::move(done).failure();
    return out;
}

api_request whoami() {
    api_request out = creation_of("authentication.k8s.io", "selfsubjectreviews");
    json_writer body;
    body.begin_object().member("apiVersion", "authentication.k8s.io/v1").member("kind", "SelfSubjectReview");
    out.body = body.end_object().take();
    return out;
}

result<std::string> read_whoami(const http::answer& answer, const endpoint& endpoint) {
    std::string out;
    result<void> done = kube::read_object(answer, endpoint, "SelfSubjectReview", [&](dom::object root) -> result<void> {
        const auto status = formats::object_of(root, "status");
        const auto user = status ? formats::object_of(*status, "userInfo") : std::nullopt;
        out = user ? formats::text_in(*user, "username") : std::string();
        if (out.empty()) return kube::wrong_shape("status.userInfo.username is missing");
        return {};
    });
    if (!done) return std::move(done).failure();
    return out;
}

}  // namespace gputide::kubernetes
