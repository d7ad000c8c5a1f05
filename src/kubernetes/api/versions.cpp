#include "kubernetes/api/versions.hpp"

#include "base/format_text.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "formats/json/scratch.hpp"
#include "kubernetes/api/resources.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace gputide::kubernetes {
namespace {

using manifest::original;

version_origin origin_for(original which, const settings& settings, const found_versions& found) {
    if (settings.version_of(which)) return version_origin::settings;
    return found.of(which).minor ? found.of(which).origin : version_origin::newest;
}

const char* by_origin(version_origin origin) {
    switch (origin) {
        case version_origin::image:
            return ", from its operator's image tag";
        case version_origin::definitions:
            return ", from the fields of its CustomResourceDefinitions";
        default:
            return "";
    }
}

}  // namespace

const char* version_origin_name(version_origin origin) noexcept {
    static constexpr std::array<const char*, 5> names{"default", "settings", "server", "image", "definitions"};
    return names[static_cast<std::size_t>(origin)];
}

manifest::original_versions found_versions::versions() const {
    manifest::original_versions out;
    for (const original which : {original::kubernetes, original::keda}) {
        std::int32_t& minor = out.*manifest::version_member(which);
        minor = of(which).minor.value_or(minor);
    }
    return out;
}

found_version version_of_release(original which, version_origin origin, const std::string& release) {
    found_version out;
    const std::optional<manifest::nearest_version> nearest = manifest::nearest_known_version(which, release);
    if (!nearest) {
        out.message = format_text("{} is not a release of {}", in_quotes(release), manifest::original_name(which));
        return out;
    }
    out.minor = nearest->minor;
    out.origin = origin;
    out.text = release;
    out.is_unknown = !nearest->is_known;
    if (out.is_unknown) {
        out.message = format_text("{} {} is not a known release ({}); the nearest known release is used",
                                  manifest::original_name(which), release, manifest::known_versions_text(which));
    }
    return out;
}

manifest::original_versions versions_for(const settings& settings, const found_versions& found) {
    manifest::original_versions out = found.versions();
    for (const original which : {original::kubernetes, original::keda}) {
        std::int32_t& minor = out.*manifest::version_member(which);
        minor = settings.version_of(which).value_or(minor);
    }
    return out;
}

std::string describe_version(original which, const settings& settings, const found_versions& found) {
    const found_version& found_version = found.of(which);
    const char* const name = manifest::original_name(which);
    const std::string rules = manifest::version_text(which, manifest::version_of(versions_for(settings, found), which));
    std::string out = found_version.minor
                          ? format_text("{} {}{}", name, found_version.text, by_origin(found_version.origin))
                          : format_text("{}: release not found", name);
    out +=
        format_text("; the rules of {} {} apply{}", name, rules, settings.version_of(which) ? ", as configured" : "");
    return found_version.message.empty() ? out : out + " (" + found_version.message + ")";
}

void write_versions(json_writer& out, const settings& settings, const found_versions& found) {
    const manifest::original_versions rules = versions_for(settings, found);
    out.begin_object();
    for (const original which : {original::kubernetes, original::keda}) {
        out.key(which == original::kubernetes ? "hpa" : "keda").begin_object();
        out.member("rules", manifest::version_text(which, manifest::version_of(rules, which)));
        out.member("from", version_origin_name(origin_for(which, settings, found)));
        out.member("found", found.of(which).text).member("message", found.of(which).message).end_object();
    }
    out.end_object();
}

namespace {

namespace dom = simdjson::dom;
using formats::object_of;
using formats::text_in;
using manifest::original;

// Names in KEDA's config/manager/manager.yaml, its Helm chart and the AKS add-on.
constexpr const char* operator_name = "keda-operator";
constexpr const char* operator_by_its_name = "?fieldSelector=metadata.name%3Dkeda-operator";
constexpr const char* operator_label = "app.kubernetes.io/name=keda-operator";
constexpr const char* operator_old_label = "app=keda-operator";

endpoint page_at(const std::string& path) {
    endpoint out = kube::resource_at({}, {}, path, path, "get");
    out.is_non_resource = true;
    return out;
}

// Calls `use` with the object in a good response.  Does nothing without such an object.
void read_good(const reply& reply, function_ref<void(dom::object)> use) {
    if (reply.verdict != verdict::good) return;
    formats::scratch_use own(reply.answer.response.body);
    dom::object root;
    if (own->parse(reply.answer.response.body, root) == simdjson::SUCCESS) use(root);
}

// Returns the image of the container keda-operator, otherwise of the first container.
std::string image_of(dom::object deployment) {
    std::string first;
    std::optional<std::string> named;
    formats::for_each_object(deployment, "spec/template/spec/containers", [&](dom::object container) {
        if (first.empty()) first = text_in(container, "image");
        if (!named && text_in(container, "name") == operator_name) named = text_in(container, "image");
    });
    return named.value_or(first);
}

// Returns the image of KEDA's operator from a list of Deployments.  A Deployment in KEDA's namespace takes precedence.  Returns
// "" if the other Deployments have different images, because a tenant may set the operator's label on a Deployment.
std::string operator_image(dom::object root, const std::string& keda_namespace) {
    std::optional<std::string> kedas_own;
    std::string out;
    bool is_ambiguous = false;
    formats::for_each_object(root, "items", [&](dom::object deployment) {
        std::string image = image_of(deployment);
        if (!kedas_own && text_in(deployment, "metadata", "namespace") == keda_namespace) kedas_own = image;
        is_ambiguous = is_ambiguous || (!out.empty() && out != image);
        out = std::move(image);
    });
    return kedas_own.value_or(is_ambiguous ? std::string() : out);
}

// The field spec.azureServicePrincipal of TriggerAuthentication distinguishes 2.21 from 2.20.
constexpr std::int32_t with_service_principal = 21, without_service_principal = 20;

}  // namespace

std::string image_tag(const std::string& image) {
    const std::string name = image.substr(0, image.find('@'));
    const std::size_t slash = name.rfind('/');
    const std::size_t colon = name.find(':', slash == std::string::npos ? 0 : slash);
    return colon == std::string::npos ? std::string() : name.substr(colon + 1);
}

// Searches all Deployments by label only if the controller watches all namespaces: only then may it list them.
version_search::version_search(const settings& settings) : keda_namespace_(settings.cluster_secrets_namespace) {
    const resource deployments = known_resource("apps", "v1", "deployments");
    const auto add_operator = [&](endpoint list) {
        list.verb = "list";
        left_.push_back({std::move(list), &version_search::take_operator});
    };
    left_.push_back({page_at("/openapi/v3/apis/keda.sh/v1alpha1"), &version_search::take_definitions});
    if (settings.namespaces.empty()) {
        add_operator(deployments.collection({}, operator_old_label));
        add_operator(deployments.collection({}, operator_label));
    } else {
        endpoint by_name = deployments.collection({});
        by_name.query = operator_by_its_name;
        add_operator(std::move(by_name));
    }
    left_.push_back({page_at("/version"), &version_search::take_server});
}

std::optional<api_request> version_search::next() const {
    if (left_.empty()) return std::nullopt;
    return api_request{left_.back().target};
}

void version_search::take(const reply& reply) {
    if (left_.empty()) return;
    const auto take = left_.back().take;
    left_.pop_back();
    (this->*take)(reply);
}

void version_search::take_server(const reply& reply) {
    found_version& out = found_.kubernetes;
    out.message = reply.verdict == verdict::good ? "/version: gitVersion is missing" : reply.why.message;
    read_good(reply, [&out](dom::object root) {
        if (!formats::text_of(root, "gitVersion")) return;
        out = version_of_release(original::kubernetes, version_origin::server, text_in(root, "gitVersion"));
    });
}

// Takes the response to a search of the operator.  If it says anything of KEDA's release, no other Deployment is searched for.
void version_search::take_operator(const reply& reply) {
    found_version& out = found_.keda;
    std::string image;
    read_good(reply, [&](dom::object root) { image = operator_image(root, keda_namespace_); });
    if (reply.verdict == verdict::denied) {
        out.message = format_text("no permission to read the Deployment of KEDA's operator: {}", reply.why.message);
    } else if (image.empty()) {
        return;
    } else {
        out = version_of_release(original::keda, version_origin::image, image_tag(image));
        if (!out.minor)
            out.message = format_text("the image {} of KEDA's operator has no known version tag", in_quotes(image));
    }
    left_.resize(out.minor ? 0 : 1);  // 1: the definitions
}

void version_search::take_definitions(const reply& reply) {
    read_good(reply, [&out = found_.keda](dom::object root) {
        const auto fields =
            object_of(root, "components/schemas/sh.keda.v1alpha1.TriggerAuthentication/properties/spec/properties");
        if (!fields) return;
        const bool is_new = object_of(*fields, "azureServicePrincipal").has_value();
        out.minor = is_new ? with_service_principal : without_service_principal;
        out.origin = version_origin::definitions;
        out.text = manifest::version_text(original::keda, *out.minor) + (is_new ? " or newer" : " or older");
    });
}

}  // namespace gputide::kubernetes
