#include "kubernetes/api/resources.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "kube/answer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::text_of;

constexpr std::int64_t forgotten_after_ms = 60'000;  // applies to failed lookups

error no_such_kind(const std::string& group, const std::string& kind) {
    return fail(status::not_found,
                "scaleTargetRef: the server has no kind {} with a scale subresource in API group {}; install its "
                "CustomResourceDefinition, or correct apiVersion and kind",
                gputide::in_quotes(kind), gputide::in_quotes(group));
}

}  // namespace

resource known_resource(std::string_view group, std::string_view version, std::string_view plural) {
    return {std::string(group), std::string(version), {}, std::string(plural)};
}

bool resource::has_usual_size() const {
    return group == "apps" && (kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet");
}

endpoint resource::collection(const std::string& name_space, const std::string& selector) const {
    std::string path = name_space.empty()
                           ? "/" + plural
                           : format_text("/namespaces/{}/{}", percent_encode(name_space), percent_encode(plural));
    endpoint out = kube::resource_at(group, version, std::move(path), plural, "get");
    if (!selector.empty()) out.query = "?labelSelector=" + percent_encode(selector);
    return out;
}

endpoint resource::object(const object_key& key, const std::string& verb, const std::string& subresource) const {
    const std::string below = subresource.empty() ? std::string() : "/" + subresource;
    endpoint out = collection(key.name_space);
    out.path += "/" + percent_encode(key.name) + below;
    out.resource += below;
    out.verb = verb;
    return out;
}

endpoint discovery_at(std::string_view group, std::string version) {
    return kube::resource_at(group, std::move(version), {}, {}, "get");
}

// {"kind":"APIResourceList","resources":[{"name":"deployments","kind":"Deployment"},{"name":"deployments/scale",...}]}
result<resource> find_resource(const http::answer& answer, const endpoint& endpoint, const std::string& kind) {
    std::vector<std::string> scaled;
    std::vector<std::string> of_kind;
    result<void> done = kube::read_object(answer, endpoint, "APIResourceList", [&](dom::object root) -> result<void> {
        if (!formats::array_of(root, "resources")) return kube::wrong_shape("resources is missing");
        formats::for_each_object(root, "resources", [&](dom::object entry) {
            const std::string name = formats::text_in(entry, "name");
            const std::size_t slash = name.find('/');
            if (slash == std::string::npos && text_of(entry, "kind") == kind) of_kind.push_back(name);
            if (slash != std::string::npos && name.substr(slash) == "/scale") scaled.push_back(name.substr(0, slash));
        });
        return {};
    });
    if (!done) return done.take_failure();
    const auto found = std::ranges::find_first_of(of_kind, scaled);
    if (found == of_kind.end()) return no_such_kind(endpoint.group, kind);
    return resource{endpoint.group, endpoint.version, kind, *found};
}

result<std::string> preferred_version(const http::answer& answer, const endpoint& endpoint) {
    std::string out;
    result<void> done = kube::read_object(answer, endpoint, "APIGroup", [&](dom::object root) -> result<void> {
        const auto version = text_of(root, "preferredVersion", "version");
        if (!version) return kube::wrong_shape("preferredVersion.version is missing");
        out = *version;
        return {};
    });
    if (!done) return done.take_failure();
    return out;
}

// Finds the resource.  Ignores the version in scaleTargetRef, as the HPA controller does, and uses the server's preferred one.
void resource_finder::find(const std::string& api_version, const std::string& kind, taker done) {
    const group_kind wanted{kube::group_of(api_version), kind};
    const resource usual{wanted.first, "v1", kind, kube::resource_of_kind(kind)};
    if (usual.has_usual_size()) return done(usual);
    discovery& entry = kinds_[wanted];
    const bool is_recent = api_->loop().steady_ms() - entry.at_ms < forgotten_after_ms;
    if (entry.found && (*entry.found || is_recent)) return done(*entry.found);
    entry.takers.push_back(std::move(done));
    if (!is_under_way(entry)) discover_group(wanted);
}

bool resource_finder::is_under_way(const discovery& work) const {
    return work.request && work.request->is_pending(api_->loop().steady_ms());
}

bool resource_finder::is_finding(const std::string& api_version, const std::string& kind) const {
    const auto found = kinds_.find({kube::group_of(api_version), kind});
    return found != kinds_.end() && is_under_way(found->second);
}

void resource_finder::discover_group(const group_kind& wanted) {
    if (wanted.first.empty()) return discover_version(wanted, "v1");
    api_request request{kube::group_versions(wanted.first)};
    const auto take = [wanted, target = request.target](resource_finder& here, const reply& reply) {
        result<std::string> version = preferred_version(reply.answer, target);
        if (reply.verdict == verdict::missing) return here.conclude(wanted, no_such_kind(wanted.first, wanted.second));
        if (!version) return here.conclude(wanted, version.take_failure());
        here.discover_version(wanted, *version);
    };
    kinds_[wanted].request = api_->send(request, while_alive(*this, take));
}

void resource_finder::discover_version(const group_kind& wanted, const std::string& version) {
    api_request request{discovery_at(wanted.first, version)};
    const auto take = [wanted, target = request.target](resource_finder& here, const reply& reply) {
        here.conclude(wanted, find_resource(reply.answer, target, wanted.second));
    };
    kinds_[wanted].request = api_->send(request, while_alive(*this, take));
}

void resource_finder::conclude(const group_kind& wanted, const result<resource>& resource) {
    discovery& entry = kinds_[wanted];
    entry.found = resource;
    entry.at_ms = api_->loop().steady_ms();
    entry.request.reset();
    for (const taker& done : std::exchange(entry.takers, {})) done(resource);
}

}  // namespace gputide::kubernetes
