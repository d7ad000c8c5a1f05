// Reads TriggerAuthentications and podIdentity: the references to values, not the values.
#include "manifest/authentication.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/kinds.hpp"

#include <array>
#include <utility>

namespace gputide::manifest {

namespace {

// Blocks of KEDA that this library does not support, with an alternative for the same values.
constexpr std::array<std::string_view, 5> unsupported{"filePath", "hashiCorpVault", "azureKeyVault", "gcpSecretManager",
                                                      "awsSecretManager"};

void read_references(mapping& spec, std::string_view block, std::optional<document_kind> store,
                     std::vector<parameter_reference>& references, report& findings) {
    const auto items = spec.list(block);
    if (!items) return;
    for (const cursor& item : *items) {
        mapping entry(item, findings);
        parameter_reference reference;
        reference.store = store;
        reference.parameter = entry.required_text("parameter");
        const bool is_token = store == document_kind::token_request;
        reference.name = entry.required_text(is_token ? "serviceAccountName" : "name");
        if (!store) {
            entry.ignore({"containerName"});
        } else if (!is_token) {
            reference.key = entry.required_text("key");
        }
        reference.at = item.where();
        entry.finish();
        references.push_back(std::move(reference));
    }
}

}  // namespace

written_authentication read_authentication(const manifest& manifest, const surroundings& host, report& findings) {
    const std::span<const identity_kind> identities = host.kinds.identities;
    written_authentication out;
    out.cluster = manifest.kind == document_kind::cluster_trigger_authentication;
    out.name = manifest.metadata.name;
    out.name_space = manifest.metadata.name_space;

    mapping top(manifest.at, findings);
    top.ignore({"apiVersion", "kind", "metadata", "status"});
    if (const std::optional<cursor> at = top.object("spec")) {
        mapping spec(*at, findings);
        if (const auto identity = spec.object("podIdentity")) {
            out.identity = read_pod_identity(*identity, identities, findings);
        }
        read_references(spec, "env", std::nullopt, out.references, findings);
        read_references(spec, "configMapTargetRef", document_kind::config_map, out.references, findings);
        read_references(spec, "secretTargetRef", document_kind::secret, out.references, findings);
        read_references(spec, "boundServiceAccountToken", document_kind::token_request, out.references, findings);
        if (const auto block = spec.object("oauth2")) {
            // With a podIdentity the webhook validates oauth2 only if it has rules for that provider.
            const identity_kind* kind = find_identity(identities, out.identity.provider);
            const bool is_validated = !spec.has("podIdentity") || (kind != nullptr && kind->check != nullptr);
            read_oauth2(*block, is_validated, out, findings);
        }
        if (const auto block = spec.object("azureServicePrincipal"))
            out.principal = read_service_principal(*block, identities, findings);
        for (const std::string_view block : unsupported) {
            spec.ignore({block});
            if (!spec.has(block)) continue;
            spec.error(block, "unsupported-authentication", std::string(block) + " is not supported here",
                       "use secretTargetRef with a Secret document or a secrets folder, env, or podIdentity");
        }
        spec.finish();
    } else {
        top.error("spec", "missing-field", "spec is required", "add podIdentity, secretTargetRef or env below spec");
    }
    top.finish();
    return out;
}

authentication read_pod_identity(const cursor& block, std::span<const identity_kind> identities, report& findings) {
    mapping identity(block, findings);
    authentication out;
    out.provider = identity.required_text("provider");
    out.identity_id = identity.text("identityId");
    out.identity_tenant_id = identity.text("identityTenantId");
    out.identity_authority_host = identity.text("identityAuthorityHost");
    out.role_arn = identity.text("roleArn");
    out.external_id = identity.text("externalID");
    out.identity_owner = identity.text_or_empty("identityOwner");
    identity.finish();
    const identity_kind* kind = find_identity(identities, out.provider);
    if (kind != nullptr && kind->check != nullptr) add_violations(findings, block, kind->check(out));
    constexpr std::string_view code = "invalid-identity";
    if (!out.provider.empty() && kind == nullptr) {
        identity.error("provider", code, format_text("the provider {} is not known", in_quotes(out.provider)),
                       format_text("write {}", providers_in_words(identities)));
    }
    if (!out.identity_owner.empty() && out.identity_owner != "keda" && out.identity_owner != "workload") {
        identity.error("identityOwner", code, format_text("the owner {} is not known", in_quotes(out.identity_owner)),
                       "write keda or workload");
    }
    return out;
}

}  // namespace gputide::manifest
