#include "kubernetes/api/settings.hpp"

#include "config/object_name.hpp"
#include "config/setting.hpp"
#include "kubernetes/lease/lease_plan.hpp"

#include <array>
#include <optional>

namespace gputide::kubernetes {
namespace {

using row = config::setting<settings>;
template <auto... Path>
constexpr auto to = config::fill_member<settings, Path...>;

// Fills milliseconds from seconds.
template <std::int64_t settings::*Member>
bool fill_ms(settings& settings, const config::setting_value& value) {
    settings.*Member = value.whole * 1'000;
    return true;
}

// Fills a name that will be part of a request's path.
template <std::string settings::*Member>
bool fill_object_name(settings& settings, const config::setting_value& value) {
    settings.*Member = value.text;
    return value.text.empty() || config::is_dns_subdomain(value.text);
}

bool fill_namespace(settings& settings, const config::setting_value& value) {
    settings.namespaces.emplace_back(value.text);
    return config::is_dns_label(value.text);
}

bool fill_secret_host(settings& settings, const config::setting_value& value) {
    settings.tenants.cluster_secret_hosts.emplace_back(value.text);
    return true;
}

template <config::original Which, std::optional<std::int32_t> settings::*Member>
bool fill_version(settings& settings, const config::setting_value& value) {
    settings.*Member = config::read_version(Which, value.text);
    return (settings.*Member).has_value();
}

constexpr std::uint16_t max_names = 10'000;
constexpr config::value_rule an_object_name = config::a_text(
    "a name that Kubernetes accepts: lower case letters, digits, '-' and '.', at most 253, a letter or digit first and "
    "last");
constexpr config::value_rule some_namespaces = config::a_list(
    config::a_text(
        "a namespace's name: lower case letters, digits and '-', at most 63, a letter or digit first and last"),
    max_names);

constexpr std::array lease_rows{
    row{"name", an_object_name, fill_object_name<&settings::lease_name>, "gputide", "name of the Lease"},
    row{"namespace", an_object_name, fill_object_name<&settings::lease_namespace>, "the caller's own",
        "namespace of the Lease"},
    row{"identity", config::a_text(), to<&settings::identity>, "from the machine's name", "name of this instance"},
    row{"duration_s", config::a_whole(min_lease_s, max_lease_s), fill_ms<&settings::lease_duration_ms>, "15",
        "Lease duration in seconds"},
};

constexpr std::array rows{
    row{"namespaces", some_namespaces, fill_namespace, "all", "a list: namespaces to work on"},
    row{"selector", config::a_text(), to<&settings::selector>, "", "label selector of the scaled objects"},
    row{"shadow", config::a_flag, to<&settings::shadow>, "false", "compares and writes nothing, not even a Lease"},
    row{"owner", config::a_text(), to<&settings::owner>, "gputide",
        "value of gputide.io/owner that stands for this controller"},
    row{"shards", config::a_whole(1, 256), to<&settings::shards>, "1",
        "number of Leases among which the objects are shared"},
    row{"cluster_secrets_namespace", an_object_name, fill_object_name<&settings::cluster_secrets_namespace>, "keda",
        "namespace of the Secrets that a ClusterTriggerAuthentication names"},
    row{"sync_s", config::a_whole(1, 3'600), fill_ms<&settings::sync_ms>, "15",
        "shadow differences shorter than this many seconds are ignored"},
    row{"hpa_version", config::a_text("a Kubernetes version from 1.18 to 1.38"),
        fill_version<config::original::kubernetes, &settings::hpa_version>, "as found on the cluster",
        "release of the HPA controller, for manifests that name none"},
    row{"keda_version", config::a_text("a KEDA version from 2.20 to 2.21"),
        fill_version<config::original::keda, &settings::keda_version>, "as found on the cluster",
        "release of KEDA, for manifests that name none"},
    row{"cluster_secret_hosts", config::a_list(config::a_text(), max_names), fill_secret_host, "any",
        "a list: hosts to which a ClusterTriggerAuthentication's secrets may be sent"},
    row{.name = "lease", .meaning = "the Lease of the leader election", .members = lease_rows},
};

// Reads which namespaces have a capability; "*" stands for all.
void read_tenants(config::mapping& from, auth::tenant_grants& grants, config::report& findings) {
    grants.limits_cluster_secrets = from.has("cluster_secret_hosts");
    const auto cursor = config::object_member(from, "tenants");
    if (!cursor) return;
    config::mapping tenants(*cursor, findings);
    for (std::size_t i = 0; i < auth::capability_count; ++i) {
        const auto fill = [](const config::setting_target& target, const config::setting_value& value) {
            static_cast<std::vector<std::string>*>(target.settings)->emplace_back(value.text);
            return value.text == "*" || config::is_dns_label(value.text);
        };
        config::read_member(tenants, auth::capabilities()[i].name, some_namespaces,
                            {nullptr, &grants.namespaces[i], fill});
    }
    tenants.finish(config::severity::error);
}

}  // namespace

std::span<const config::setting<settings>> setting_rows() { return rows; }

result<settings> read_settings(std::string_view text) {
    settings out;
    config::report findings;
    const std::vector<config::document> documents = config::read_documents("<cluster>", text, findings);
    if (documents.size() > 1) return fail(status::invalid, "the settings of a cluster are one document");
    if (!documents.empty()) {
        config::mapping from({&documents[0].root, &documents[0].file, {}}, findings);
        config::read_members(from, setting_rows(), out);
        read_tenants(from, out.tenants, findings);
        from.finish(config::severity::error);
    }
    if (error why = findings.as_error(); why.status != status::ok) return why;
    return out;
}

}  // namespace gputide::kubernetes
