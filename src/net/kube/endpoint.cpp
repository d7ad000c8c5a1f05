// Paths of the Kubernetes API.
#include "kube/endpoint.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::kube {
namespace {

void add(std::string& to, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    to.append(to.empty() ? "?" : "&").append(name).append("=").append(percent_encode(value));
}

std::string in_namespace(const std::string& name_space) { return "/namespaces/" + percent_encode(name_space); }

}  // namespace

std::string endpoint::url() const {
    if (is_non_resource) return path + query;
    std::string out = group.empty() ? "/api" : "/apis/" + group;
    if (!version.empty()) out += "/" + version;
    return out + path + query;
}

endpoint resource_at(std::string_view group, std::string version, std::string path, std::string resource,
                     std::string verb) {
    endpoint out;
    out.group = group;
    out.version = std::move(version);
    out.path = std::move(path);
    out.resource = std::move(resource);
    out.verb = std::move(verb);
    return out;
}

// Returns the path.  For a namespace's own metric it is namespaces/<name>/metrics/<metric>, with "metrics" instead of the object.
endpoint custom_metric(const custom_metric_query& wanted) {
    const object_reference& object = wanted.object;
    const std::string metric = percent_encode(wanted.metric);
    const std::string place =
        object.is_namespace() ? in_namespace(object.name) + "/metrics"
                              : format_text("{}/{}/{}", object.cluster_scoped ? "" : in_namespace(wanted.name_space),
                                            percent_encode(object.resource), percent_encode(object.name));
    endpoint out =
        resource_at(custom_group, wanted.version, format_text("{}/{}", place, metric),
                    format_text("{}/{}", object.is_namespace() ? "metrics" : object.resource, wanted.metric), "get");
    add(out.query, "labelSelector", wanted.selector);
    add(out.query, "metricLabelSelector", wanted.metric_selector);
    return out;
}

endpoint external_metric(const std::string& name_space, const std::string& metric, const std::string& selector) {
    endpoint out = resource_at(external_group, "v1beta1",
                               format_text("{}/{}", in_namespace(name_space), percent_encode(metric)), metric, "list");
    add(out.query, "labelSelector", selector);
    return out;
}

endpoint pod_metrics(const std::string& name_space, const std::string& selector) {
    endpoint out = resource_at(resource_group, "v1beta1", in_namespace(name_space) + "/pods", "pods", "list");
    add(out.query, "labelSelector", selector);
    return out;
}

endpoint group_versions(std::string_view group) { return resource_at(group, {}, {}, {}, "get"); }

std::string resource_of_kind(std::string_view kind) {
    std::string out = lower(kind);
    if (out.empty() || out == "endpoints") return out;
    if (out.back() == 's') return out + "es";
    if (out.back() != 'y') return out + "s";
    out.pop_back();
    return out + "ies";
}

std::string group_of(std::string_view api_version) {
    const std::size_t slash = api_version.find('/');
    return std::string(slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash));
}

bool is_path_segment(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

namespace {

constexpr std::string_view lower_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

bool is_label(std::string_view text) {
    return !text.empty() && text.front() != '-' && text.back() != '-' && std::ranges::all_of(text, [](char c) {
        return c == '-' || lower_and_digits.find(c) != std::string_view::npos;
    });
}

bool is_subdomain(std::string_view text) {
    const std::vector<std::string_view> labels = split(text, '.');
    return std::ranges::all_of(labels, is_label);
}

// Tells whether it is a path segment in which all reserved characters (RFC 3986) are escaped.
bool is_segment(std::string_view text) {
    static constexpr std::string_view others = "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~%";
    return !text.empty() && text != "." && text != ".." && std::ranges::all_of(text, [](char c) {
        return lower_and_digits.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
    });
}

error not_a(std::string_view what, std::string_view text, const endpoint& asked) {
    return fail(status::invalid, "{}: {} is not a valid {} of the Kubernetes API, and nothing was sent",
                asked.resource.empty() ? asked.path : asked.resource, in_quotes(text, 80), what);
}

}  // namespace

result<void> check_path(const endpoint& endpoint) {
    if (!endpoint.group.empty() && !is_subdomain(endpoint.group)) return not_a("group", endpoint.group, endpoint);
    if (!endpoint.version.empty() && !is_label(endpoint.version)) return not_a("version", endpoint.version, endpoint);
    if (endpoint.path.empty()) return {};
    const std::vector<std::string_view> segments = split(endpoint.path, '/');
    if (!segments.front().empty()) return not_a("path", endpoint.path, endpoint);
    for (std::size_t i = 1; i < segments.size(); ++i) {
        if (!is_segment(segments[i])) return not_a("name", segments[i], endpoint);
    }
    return {};
}

result<access> open_access(const auth::cluster_choice& choice, const std::shared_ptr<const auth::surroundings>& host,
                           const auth::host_permissions& permissions, std::shared_ptr<auth::token_cache> tokens) {
    access out;
    out.server = "https://kubernetes.default.svc";
    out.name_space = "default";
    if (!host) return out;
    auto opened = auth::open_cluster(choice, host);
    if (!opened) return opened.take_failure();
    out.server = std::move(opened->server);
    out.verified = opened->is_verified();
    if (!opened->name_space.empty()) out.name_space = std::move(opened->name_space);
    out.authenticator = auth::authenticator(std::move(opened->access), permissions, std::move(tokens));
    return out;
}

http::request request_for(const access& access, const endpoint& endpoint, std::string accept) {
    http::request out;
    out.url = access.server + endpoint.url();
    out.set("Accept", std::move(accept));
    return out;
}

}  // namespace gputide::kube
