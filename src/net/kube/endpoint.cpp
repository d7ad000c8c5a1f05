// Paths of the Kubernetes API.
#include "kube/endpoint.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <utility>

namespace gputide::kube {
namespace {

void add(std::string& to, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    to.append(to.empty() ? "?" : "&").append(name).append("=").append(percent_encode(value));
}

std::string in_namespace(const std::string& name_space) { return "/namespaces/" + percent_encode(name_space); }

endpoint at(std::string_view group, std::string version, std::string path) {
    endpoint out;
    out.group = group;
    out.version = std::move(version);
    out.path = std::move(path);
    return out;
}

}  // namespace

std::string endpoint::url() const {
    if (is_non_resource) return path + query;
    std::string out = group.empty() ? "/api" : "/apis/" + group;
    if (!version.empty()) out += "/" + version;
    return out + path + query;
}

// The path of a namespace's own metric is namespaces/<name>/metrics/<metric>, with "metrics" instead of the object.
endpoint custom_metric(const custom_question& question) {
    const std::string metric = percent_encode(question.metric);
    const std::string object =
        format_text("/{}/{}", percent_encode(question.object.resource), percent_encode(question.object.name));
    endpoint out = at(custom_group, question.version, {});
    if (question.object.is_namespace()) {
        out.path = format_text("{}/metrics/{}", in_namespace(question.object.name), metric);
        out.resource = "metrics/" + question.metric;
    } else {
        out.path = format_text("{}{}/{}", question.object.cluster_scoped ? "" : in_namespace(question.name_space),
                               object, metric);
        out.resource = format_text("{}/{}", question.object.resource, question.metric);
    }
    out.verb = "get";
    add(out.query, "labelSelector", question.selector);
    add(out.query, "metricLabelSelector", question.metric_selector);
    return out;
}

endpoint external_metric(const std::string& name_space, const std::string& metric, const std::string& selector) {
    endpoint out =
        at(external_group, "v1beta1", format_text("{}/{}", in_namespace(name_space), percent_encode(metric)));
    add(out.query, "labelSelector", selector);
    out.resource = metric;
    out.verb = "list";
    return out;
}

endpoint pod_metrics(const std::string& name_space, const std::string& selector) {
    endpoint out = at(resource_group, "v1beta1", in_namespace(name_space) + "/pods");
    add(out.query, "labelSelector", selector);
    out.resource = "pods";
    out.verb = "list";
    return out;
}

endpoint group_versions(std::string_view group) {
    endpoint out = at(group, "", "");
    out.verb = "get";
    return out;
}

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

}  // namespace gputide::kube
