#include "kubernetes/api/settings.hpp"

#include "kubernetes/lease/elector.hpp"
#include "manifest/names.hpp"
#include "manifest/own/settings.hpp"
#include "text/setting.hpp"

#include <array>
#include <optional>

namespace gputide::kubernetes {
namespace {

using row = text::setting<settings>;
template <auto... Path>
constexpr auto to = text::fill_member<settings, Path...>;

// Converts seconds to milliseconds.
template <std::int64_t settings::*Member>
bool fill_ms(settings& settings, const text::setting_value& value) {
    settings.*Member = value.whole * 1'000;
    return true;
}

// Fills a name that becomes part of a request's path.
template <std::string settings::*Member>
bool fill_object_name(settings& settings, const text::setting_value& value) {
    settings.*Member = value.text;
    return value.text.empty() || manifest::is_dns_subdomain(value.text);
}

bool fill_namespace(settings& settings, const text::setting_value& value) {
    settings.namespaces.emplace_back(value.text);
    return manifest::is_dns_label(value.text);
}

bool fill_secret_host(settings& settings, const text::setting_value& value) {
    settings.tenants.cluster_secret_hosts.emplace_back(value.text);
    return true;
}

bool fill_selector(settings& settings, const text::setting_value& value) {
    settings.selector = std::string(value.text);
    return manifest::read_label_query(value.text).ok();
}

template <manifest::original Which, std::optional<std::int32_t> settings::*Member>
bool fill_version(settings& settings, const text::setting_value& value) {
    settings.*Member = manifest::read_version(Which, value.text);
    return (settings.*Member).has_value();
}

constexpr std::uint16_t max_names = 65'535;
constexpr text::value_rule an_object_name = text::a_text(
    "a name that Kubernetes accepts: lower case letters, digits, '-' and '.', at most 253, a letter or digit first and "
    "last");
constexpr text::value_rule some_namespaces = text::a_list(
    text::a_text(
        "a namespace's name: lower case letters, digits and '-', at most 63, a letter or digit first and last"),
    max_names);

constexpr std::array lease_rows{
    row{"name", an_object_name, fill_object_name<&settings::lease_name>, "gputide", "name of the Lease"},
    row{"namespace", an_object_name, fill_object_name<&settings::lease_namespace>, "the caller's own",
        "namespace of the Lease"},
    row{"identity", text::a_text(), to<&settings::identity>, "from the machine's name", "name of this instance"},
    row{"duration_s", text::a_whole(min_lease_s, max_lease_s), fill_ms<&settings::lease_duration_ms>, "15",
        "Lease duration in seconds"},
};

constexpr std::array rows{
    row{"namespaces", some_namespaces, fill_namespace, "all", "a list: namespaces to work on"},
    row{"selector",
        text::a_text("a label selector: `=`, `==`, `!=`, `in (a,b)`, `notin (a,b)`, `key`, `!key`, joined by commas"),
        fill_selector, "", "label selector of the scaled objects"},
    row{"shadow", text::a_flag, to<&settings::shadow>, "false", "only compares; writes nothing, not even a Lease"},
    row{"owner", text::a_text(), to<&settings::owner>, "gputide", "value of gputide.io/owner for this controller"},
    row{"shards", text::a_whole(1, 256), to<&settings::shards>, "1",
        "number of Leases among which the objects are divided"},
    row{"cluster_secrets_namespace", an_object_name, fill_object_name<&settings::cluster_secrets_namespace>, "keda",
        "namespace of the Secrets that a ClusterTriggerAuthentication names"},
    row{"sync_s", text::a_whole(1, 3'600), fill_ms<&settings::sync_ms>, "15",
        "shadow differences shorter than this many seconds are ignored"},
    row{"ask_back", text::a_flag, to<&settings::asks_back>, "false",
        "replicas that get no node within start_delay_s are not requested for the same time, then requested again"},
    // As long as cluster-autoscaler waits for a node (max-node-provision-time).
    row{"start_delay_s", text::a_whole(1, 86'400), fill_ms<&settings::start_ms>, "900",
        "a pod that has waited for a node for longer than this gets none"},
    row{"hpa_version", manifest::a_kubernetes_version,
        fill_version<manifest::original::kubernetes, &settings::hpa_version>, "as found on the cluster",
        "release of the HPA controller, for manifests that name none"},
    row{"keda_version", manifest::a_keda_version, fill_version<manifest::original::keda, &settings::keda_version>,
        "as found on the cluster", "release of KEDA, for manifests that name none"},
    row{"cluster_secret_hosts", text::a_list(text::a_text(), max_names), fill_secret_host, "any",
        "a list: hosts to which a ClusterTriggerAuthentication's secrets may be sent"},
    row{"service_account_token_audiences", text::a_text(), to<&settings::token_audiences>, "",
        "KEDA's KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES: a list in YAML or JSON of {audience, namespace, "
        "serviceAccountName}"},
    row{"service_account_token_mode", text::a_text(), to<&settings::token_mode>, "enforce-audience",
        "KEDA's --service-account-token-mode: `legacy` requests tokens of any account, without an audience"},
    row{.name = "lease", .meaning = "the Lease of the leader election", .members = lease_rows},
};

// Reads the namespaces of each capability; "*" means all.
void read_tenants(text::mapping& from, auth::tenant_grants& grants, text::report& findings) {
    grants.limits_cluster_secrets = from.has("cluster_secret_hosts");
    const auto cursor = text::object_member(from, "tenants");
    if (!cursor) return;
    text::mapping tenants(*cursor, findings);
    for (std::size_t i = 0; i < auth::capability_count; ++i) {
        const auto fill = [](const text::setting_target& target, const text::setting_value& value) {
            static_cast<std::vector<std::string>*>(target.settings)->emplace_back(value.text);
            return value.text == "*" || manifest::is_dns_label(value.text);
        };
        text::read_member(tenants, auth::capabilities()[i].name, some_namespaces,
                          {nullptr, &grants.namespaces[i], fill});
    }
    tenants.finish(text::severity::error);
}

}  // namespace

std::span<const text::setting<settings>> setting_rows() { return rows; }

result<settings> read_settings(std::string_view text) {
    settings out;
    text::report findings;
    const std::vector<text::document> documents = text::read_documents("<cluster>", text, findings);
    if (documents.size() > 1)
        return fail(status::invalid, "the cluster settings have more than one YAML document; write one");
    if (!documents.empty()) {
        text::mapping from({&documents[0].root, &documents[0].file, {}}, findings);
        text::read_members(from, setting_rows(), out);
        read_tenants(from, out.tenants, findings);
        from.finish(text::severity::error);
    }
    if (error why = findings.as_error(); why.status != status::ok) return why;
    auto tokens = manifest::read_token_policy(out.token_mode, out.token_audiences);
    if (!tokens) return tokens.take_failure();
    out.tokens = *std::move(tokens);
    return out;
}

}  // namespace gputide::kubernetes
