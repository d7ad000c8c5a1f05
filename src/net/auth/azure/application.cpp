// An application with its client secret, or with its client certificate.
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/crypto/signing_key.hpp"
#include "auth/machine/surroundings.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <utility>

namespace gputide::auth {

namespace {

void send_secret(const std::shared_ptr<acquisition>& under_way, const std::string& scope, const application& who,
                 const secret_text& secret) {
    auto checked = scope_for(scope, who.tenant);
    if (!checked) return under_way->finish_soon(checked.take_failure());
    const std::string url = token_url(who.authority, who.tenant);
    http::request what = token_request(url,
                                       {{"grant_type", "client_credentials"},
                                        {"client_id", who.client_id},
                                        {"client_secret", secret.reveal()},
                                        {"scope", *checked}},
                                       who.tls);
    send_token_request(under_way, std::move(what),
                       {url, format_text("client {}, scope {}", who.client_id, *checked), {secret}},
                       under_way->finisher());
}

}  // namespace

result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host) {
    secret_text secret = settings.client_secret;
    if (secret.empty()) secret = secret_text(host.variable("AZURE_CLIENT_SECRET"));
    if (secret.empty()) {
        return fail(error_class::config, "the client secret is empty: give clientSecret, or set AZURE_CLIENT_SECRET");
    }
    auto who = read_application(settings, !settings.client_secret.empty(), permissions, host);
    if (!who) return who.take_failure();
    return make_credential(format_text("client_secret\n{}\n{}", application_key(*who), secret_digest(secret.reveal())),
                           about_application("client secret", *who),
                           [who = *who, secret](const auto& under_way, const std::string& scope) {
                               send_secret(under_way, scope, who, secret);
                           });
}

// Settings common to client secret and client certificate.

result<application> read_application(const application_settings& settings, bool has_own_proof,
                                     const host_permissions& permissions, const surroundings& host) {
    const auto pick = [&host](const std::string& given, const char* variable) {
        return given.empty() ? host.variable(variable) : given;
    };
    const std::string client = pick(settings.client_id, "AZURE_CLIENT_ID");
    if (client.empty()) return fail(error_class::config, "clientId is missing, and AZURE_CLIENT_ID is not set");
    const std::string tenant = pick(settings.tenant_id, "AZURE_TENANT_ID");
    if (tenant.empty()) return fail(error_class::config, "tenantId is missing, and AZURE_TENANT_ID is not set");
    auto checked_name = checked_tenant(tenant, settings.tenant_id.empty() ? "AZURE_TENANT_ID" : "tenantId");
    if (!checked_name) return checked_name.take_failure();
    auto authority = read_authority(settings.authority_host, "authorityHost", permissions, host);
    if (!authority) return authority.take_failure();
    if (settings.is_of_cluster && has_own_proof) {
        if (auto given = check_cluster_authority(*authority, permissions); !given) return given.take_failure();
    }
    return application{*std::move(authority), *std::move(checked_name), client,
                       shared_settings(connection_of(permissions))};
}

introduction about_application(const char* kind, const application& application) {
    return {kind, application.authority, application.tenant, application.client_id, {}, application.tls};
}

std::string application_key(const application& application) {
    return format_text("{}\n{}\n{}", application.authority, lower(application.tenant), lower(application.client_id));
}

// Certificates.

namespace {

void send_assertion(const std::shared_ptr<acquisition>& under_way, const std::string& scope, const application& who,
                    const client_certificate& proof, signing how, bool send_chain) {
    const std::string url = token_url(who.authority, who.tenant);
    auto checked = scope_for(scope, who.tenant);
    auto assertion =
        sign_assertion(proof, how, send_chain, {url, who.client_id, new_uuid(), under_way->loop().wall_ms() / 1000});
    if (!checked) return under_way->finish_soon(checked.take_failure());
    if (!assertion) return under_way->finish_soon(assertion.take_failure());
    http::request what = assertion_request(url, who.client_id, *checked, *assertion, who.tls);
    send_token_request(under_way, std::move(what),
                       {url, format_text("client {}, scope {}", who.client_id, *checked), {*std::move(assertion)}},
                       under_way->finisher());
}

result<client_certificate> read_proof(const client_certificate_settings& settings, const surroundings& host) {
    secret_text password = settings.password;
    if (password.empty()) password = secret_text(host.variable("AZURE_CLIENT_CERTIFICATE_PASSWORD"));
    if (!settings.content.empty()) return read_client_certificate(settings.content, password);
    const std::string path = host.variable("AZURE_CLIENT_CERTIFICATE_PATH");
    if (path.empty()) {
        return fail(error_class::config,
                    "no client certificate: give clientCertificate, or set AZURE_CLIENT_CERTIFICATE_PATH");
    }
    const auto file = host.read_file(path, limits::secret_file_bytes);
    if (!file) return unread_file("the client certificate cannot be read", file.failure());
    auto out = read_client_certificate(*file, password);
    if (!out) out.failure().message += format_text(" ({})", path);
    return out;
}

}  // namespace

result<std::shared_ptr<credential>> open_client_certificate(const client_certificate_settings& settings,
                                                            const host_permissions& permissions,
                                                            const surroundings& host) {
    auto who = read_application(settings, !settings.content.empty(), permissions, host);
    if (!who) return who.take_failure();
    auto proof = read_proof(settings, host);
    if (!proof) return proof.take_failure();
    const signing how = settings.how.value_or(is_adfs(who->tenant) ? signing::rs256 : signing::ps256);
    return make_credential(
        format_text("client_certificate\n{}\n{}", application_key(*who), base64url(proof->thumbprint_sha256())),
        about_application("client certificate", *who),
        [who = *who, proof = *proof, how, send_chain = settings.send_chain](const auto& under_way,
                                                                            const std::string& scope) {
            send_assertion(under_way, scope, who, proof, how, send_chain);
        });
}

// Builds the assertion of an application with a certificate.

namespace {

constexpr std::int64_t life_s = 600;
// RFC 7523: the assertion in the form is a JWT.
constexpr std::string_view jwt_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

}  // namespace

std::string assertion_header(const client_certificate& certificate, signing how, bool send_chain) {
    json_writer out;
    out.begin_object().member("alg", how == signing::ps256 ? "PS256" : "RS256").member("typ", "JWT");
    if (how == signing::ps256) {
        out.member("x5t#S256", base64url(certificate.thumbprint_sha256()));
    } else {
        out.member("x5t", base64url(certificate.thumbprint_sha1()));
    }
    if (send_chain) {
        out.key("x5c").begin_array();
        for (const std::string& der : certificate.chain()) out.string(base64(der));
        out.end_array();
    }
    return out.end_object().take();
}

http::request assertion_request(const std::string& url, const std::string& client_id, const std::string& scope,
                                const secret_text& assertion, std::shared_ptr<const http::tls_settings> tls) {
    return token_request(url,
                         {{"grant_type", "client_credentials"},
                          {"client_assertion_type", jwt_assertion_type},
                          {"client_id", client_id},
                          {"scope", scope},
                          {"client_assertion", assertion.reveal()}},
                         std::move(tls));
}

std::string assertion_payload(const assertion_claims& claims) {
    json_writer out;
    out.begin_object().member("aud", claims.audience).member("iss", claims.client_id).member("sub", claims.client_id);
    out.member("jti", claims.id).member("nbf", claims.now_s).member("exp", claims.now_s + life_s);
    return out.end_object().take();
}

result<secret_text> sign_assertion(const client_certificate& certificate, signing how, bool send_chain,
                                   const assertion_claims& claims) {
    return signed_jwt(assertion_header(certificate, how, send_chain), assertion_payload(claims), certificate.key(),
                      how);
}

}  // namespace gputide::auth
