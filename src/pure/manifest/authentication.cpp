// Reads TriggerAuthentications and podIdentity: the references to values, not the values.
#include "manifest/authentication.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::manifest {

namespace {

constexpr std::string_view violation_code = "invalid-identity";

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
    if (!out.provider.empty() && kind == nullptr) {
        identity.error("provider", violation_code, format_text("the provider {} is not known", in_quotes(out.provider)),
                       format_text("write {}", providers_in_words(identities)));
    }
    if (!out.identity_owner.empty() && out.identity_owner != "keda" && out.identity_owner != "workload") {
        identity.error("identityOwner", violation_code,
                       format_text("the owner {} is not known", in_quotes(out.identity_owner)),
                       "write keda or workload");
    }
    return out;
}

namespace {

// Returns the only member of a block, which is required.
std::optional<cursor> only_member(const cursor& block, std::string_view member, const std::string& path,
                                  report& findings) {
    mapping fields(block, findings);
    auto out = fields.object(member);
    if (!out)
        fields.error(member, "missing-field", path + " is required",
                     "write valueFrom: {secretKeyRef: {name: ..., key: ...}}");
    fields.finish();
    return out;
}

// Reads {valueFrom: {secretKeyRef: {name, key}}} below `member` as a reference for the parameter of the same name.
void read_secret_member(mapping& fields, std::string_view member, std::vector<parameter_reference>& references,
                        report& findings) {
    const auto block = fields.object(member);
    const std::string path = std::string(member) + ".valueFrom";
    const auto from = block ? only_member(*block, "valueFrom", path, findings) : std::nullopt;
    const auto reference = from ? only_member(*from, "secretKeyRef", path + ".secretKeyRef", findings) : std::nullopt;
    if (!reference) return;
    mapping named(*reference, findings);
    parameter_reference out;
    out.store = document_kind::secret;
    out.parameter = std::string(member);
    out.name = named.required_text("name");
    out.key = named.required_text("key");
    out.at = reference->where();
    named.finish();
    references.push_back(std::move(out));
}

bool is_http_url(std::string_view text) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (!starts_with_ignoring_case(text, scheme)) continue;
        const std::string_view rest = text.substr(scheme.size());
        return !rest.empty() && std::string_view("/?#").find(rest.front()) == std::string_view::npos;
    }
    return false;
}

std::string joined_list(mapping& fields, std::string_view key) {
    std::string out;
    for (const cursor& item : fields.list(key).value_or(std::vector<cursor>()))
        append_item(out, scalar_text(*item.at).value_or(""), ",");
    return out;
}

// Encodes parameters like Go's url.Values.Encode: sorted by name.
std::string encoded_parameters(const std::map<std::string, std::string>& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters) {
        append_form_encoded(out.append(out.empty() ? "" : "&"), name);
        append_form_encoded(out.append("="), value);
    }
    return out;
}

violations violations_of_oauth2(const std::string& type, const std::string& client_id, const std::string& token_url) {
    violations out;
    const auto refuse = [&out](const char* path, std::string_view message, std::string_view remedy) {
        add_violation(out, path, message, remedy, violation_code);
    };
    if (type != "clientCredentials") {
        refuse("type", format_text("oauth2.type must be 'clientCredentials', got '{}'", type),
               "write type: clientCredentials");
    }
    if (client_id.empty()) refuse("clientId", "oauth2.clientId is required", "give the client's ID");
    if (token_url.empty()) {
        refuse("tokenUrl", "oauth2.tokenUrl is required", "give the URL of the token endpoint");
    } else if (!is_http_url(token_url)) {
        refuse("tokenUrl", "oauth2.tokenUrl must be a valid http or https URL", "write https://...");
    }
    return out;
}

violations violations_of(const service_principal& principal, bool has_secret, bool has_certificate) {
    violations out;
    const auto refuse = [&out](const char* path, std::string_view message, std::string_view remedy) {
        add_violation(out, path, format_text("azureServicePrincipal{}", message), remedy, violation_code);
    };
    const bool is_private = equal_ignoring_case(principal.cloud, "Private");
    if (principal.tenant_id.empty())
        refuse("tenantId", ".tenantId is required when azureServicePrincipal is configured", "give the tenant's ID");
    if (principal.client_id.empty())
        refuse("clientId", ".clientId is required when azureServicePrincipal is configured",
               "give the application's ID");
    if (!has_secret && !has_certificate)
        refuse("", " requires either clientSecret or clientCertificate", "give one of the two");
    if (has_secret && has_certificate)
        refuse("clientCertificate", " requires either clientSecret or clientCertificate, not both", "keep one of them");
    if (is_private && principal.authority_host.empty())
        refuse("cloud", ".activeDirectoryEndpoint is required when cloud is Private",
               "give the URL where applications of that cloud sign in");
    if (!is_private && !principal.authority_host.empty())
        refuse("activeDirectoryEndpoint", ".activeDirectoryEndpoint can only be set when cloud is Private",
               "remove it, or write cloud: Private");
    return out;
}

}  // namespace

void read_oauth2(const cursor& block, bool is_validated, written_authentication& out, report& findings) {
    mapping fields(block, findings);
    const std::string type = fields.text_or_empty("type");
    const std::string client_id = fields.text_or_empty("clientId");
    const std::string token_url = fields.text_or_empty("tokenUrl");
    const std::string scopes = joined_list(fields, "scopes");
    const std::string parameters = encoded_parameters(fields.texts("tokenUrlParams"));
    read_secret_member(fields, "clientSecret", out.references, findings);
    fields.finish();
    out.values["oauthTokenURI"] = token_url;
    out.values["clientID"] = client_id;
    if (!scopes.empty()) out.values["scopes"] = scopes;
    if (!parameters.empty()) out.values["endpointParams"] = parameters;

    violations found = violations_of_oauth2(type, client_id, token_url);
    if (is_validated) return add_violations(findings, block, found);
    for (violation& refused : found) refused.message += "; KEDA does not check oauth2 with this podIdentity";
    add_violations(findings, block, found, severity::warning);
}

service_principal read_service_principal(const cursor& block, std::span<const identity_kind> identities,
                                         report& findings) {
    mapping fields(block, findings);
    service_principal out;
    out.at = block.where();
    out.tenant_id = fields.text_or_empty("tenantId");
    out.client_id = fields.text_or_empty("clientId");
    out.cloud = fields.text_or_empty("cloud");
    out.authority_host = fields.text_or_empty("activeDirectoryEndpoint");
    const bool has_secret = fields.has("clientSecret"), has_certificate = fields.has("clientCertificate");
    for (const std::string_view member : {"clientSecret", "clientCertificate", "clientCertificatePassword"})
        read_secret_member(fields, member, out.references, findings);
    fields.finish();
    add_violations(findings, block, violations_of(out, has_secret, has_certificate));
    const std::string_view proof = has_certificate ? "clientCertificate" : "clientSecret";
    const auto kind = std::ranges::find_if(
        identities, [proof](const identity_kind& identity) { return identity.principal_proof == proof; });
    if (kind != identities.end()) out.provider = kind->provider;
    return out;
}

}  // namespace gputide::manifest
