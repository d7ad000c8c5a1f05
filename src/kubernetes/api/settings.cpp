#include "kubernetes/api/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "config/document.hpp"
#include "config/mapping.hpp"
#include "config/object_name.hpp"
#include "config/releases.hpp"
#include "kubernetes/lease/lease_plan.hpp"

#include <optional>

namespace gputide::kubernetes {
namespace {

constexpr std::int32_t most_shards = 256;

void take_number(config::mapping& from, const char* key, std::int32_t least, std::int32_t most, std::int32_t& to) {
    const auto value = from.integer(key, least);
    if (!value) return;
    if (*value > most) {
        from.error(key, "too-large", format_text("{}: {} is more than {}", key, *value, most),
                   format_text("give a number from {} to {}", least, most));
    }
    to = *value;
}

void take_text(config::mapping& from, const char* key, std::string& to) {
    if (const auto value = from.text(key)) to = *value;
}

// A name that will be part of a request's path.
void take_name(config::mapping& from, const char* key, std::string& to) {
    take_text(from, key, to);
    if (!to.empty()) config::check_dns_subdomain(from, key, to);
}

std::vector<std::string> texts_in(config::mapping& from, std::string_view key) {
    std::vector<std::string> out;
    const auto list = from.list(key);
    if (!list) return out;
    for (const config::cursor& entry : *list) out.push_back(config::scalar_text(*entry.at).value_or(""));
    return out;
}

void take_namespaces(config::mapping& from, std::string_view key, bool may_be_all, std::vector<std::string>& to) {
    for (std::string& name : texts_in(from, key)) {
        if (!may_be_all || name != "*") config::check_dns_label(from, std::string(key), name);
        to.push_back(std::move(name));
    }
}

void take_tenants(config::mapping& from, auth::tenant_grants& grants, config::report& findings) {
    grants.limits_cluster_secrets = from.has("cluster_secret_hosts");
    grants.cluster_secret_hosts = texts_in(from, "cluster_secret_hosts");
    const auto cursor = from.object("tenants");
    if (!cursor) return;
    config::mapping mapping(*cursor, findings);
    for (std::size_t i = 0; i < auth::capability_count; ++i)
        take_namespaces(mapping, auth::capabilities()[i].name, true, grants.namespaces[i]);
    mapping.finish();
}

void take_lease(const config::cursor& cursor, settings& settings, config::report& findings) {
    config::mapping mapping(cursor, findings);
    take_name(mapping, "name", settings.lease_name);
    take_name(mapping, "namespace", settings.lease_namespace);
    take_text(mapping, "identity", settings.identity);
    std::int32_t duration_s = static_cast<std::int32_t>(settings.lease_duration_ms / 1'000);
    take_number(mapping, "duration_s", least_lease_s, most_lease_s, duration_s);
    settings.lease_duration_ms = std::int64_t{duration_s} * 1'000;
    mapping.finish();
}

void take_version(config::mapping& from, const char* key, config::original which, std::optional<std::int32_t>& to) {
    const auto value = from.text(key);
    if (!value) return;
    to = config::read_version(which, *value);
    if (to) return;
    from.error(key, "invalid-value", format_text("{}: {} is not a known version", key, in_quotes(*value)),
               "write a version from " + config::known_versions_text(which));
}

void take_all(const config::cursor& cursor, settings& settings, config::report& findings) {
    config::mapping mapping(cursor, findings);
    take_namespaces(mapping, "namespaces", false, settings.namespaces);
    take_text(mapping, "selector", settings.selector);
    settings.shadow = mapping.flag("shadow").value_or(false);
    take_text(mapping, "owner", settings.owner);
    take_number(mapping, "shards", 1, most_shards, settings.shards);
    take_name(mapping, "cluster_secrets_namespace", settings.cluster_secrets_namespace);
    std::int32_t sync_s = static_cast<std::int32_t>(settings.sync_ms / 1'000);
    take_number(mapping, "sync_s", 1, 3'600, sync_s);
    settings.sync_ms = std::int64_t{sync_s} * 1'000;
    take_version(mapping, "hpa_version", config::original::kubernetes, settings.hpa_version);
    take_version(mapping, "keda_version", config::original::keda, settings.keda_version);
    take_tenants(mapping, settings.tenants, findings);
    if (const auto lease = mapping.object("lease")) take_lease(*lease, settings, findings);
    mapping.finish();
}

}  // namespace

result<settings> read_settings(std::string_view text) {
    settings out;
    config::report findings;
    const std::vector<config::document> documents = config::read_documents("<cluster>", text, findings);
    if (documents.size() > 1) return fail(status::invalid, "the settings of a cluster are one document");
    config::report own;
    if (!documents.empty()) take_all({&documents[0].root, &documents[0].file, {}}, out, own);
    config::fail_on_unknown_keys(std::move(own), findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    return out;
}

}  // namespace gputide::kubernetes
