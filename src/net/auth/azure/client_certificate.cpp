// Implements client_secret.hpp for certificates: settings and request.

#include "auth/azure/client_secret.hpp"
#include "auth/azure/scopes.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/crypto/signing_key.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"

#include <utility>

namespace gputide::auth {

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
    if (!file) {
        error why = fail(error_class::config, "the client certificate cannot be read: {}", file.failure().message);
        why.retryable = file.failure().retryable;
        return why;
    }
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
        {format_text("client_certificate\n{}\n{}", application_key(*who), base64url(proof->thumbprint_sha256())),
         about_application("client certificate", *who),
         [who = *who, proof = *proof, how, send_chain = settings.send_chain](const auto& under_way,
                                                                             const std::string& scope) {
             send_assertion(under_way, scope, who, proof, how, send_chain);
         }});
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
