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

class client_certificate_credential final : public credential {
  public:
    client_certificate_credential(application who, client_certificate proof, signing how, bool send_chain)
        : who_(std::move(who)), proof_(std::move(proof)), how_(how), send_chain_(send_chain) {}

    std::string cache_key() const override {
        return format_text("client_certificate\n{}\n{}", application_key(who_), base64url(proof_.thumbprint_sha256()));
    }

    introduction about() const override {
        return {"client certificate", who_.authority, who_.tenant, who_.client_id, {}, who_.tls};
    }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        const std::string url = token_url(who_.authority, who_.tenant);
        auto checked = scope_for(scope, who_.tenant);
        auto assertion =
            sign_assertion(proof_, how_, send_chain_, {url, who_.client_id, new_uuid(), loop.wall_ms() / 1000});
        if (!checked || !assertion) {
            under_way->finish_soon(!checked ? checked.take_failure() : assertion.take_failure());
            return under_way;
        }
        http::request what = token_request(url,
                                           {{"grant_type", "client_credentials"},
                                            {"client_assertion_type", jwt_assertion_type},
                                            {"client_id", who_.client_id},
                                            {"scope", *checked},
                                            {"client_assertion", assertion->reveal()}},
                                           who_.tls);
        token_context about{url, format_text("client {}, scope {}", who_.client_id, *checked), {*std::move(assertion)}};
        under_way->carry(
            send_token_request(loop, std::move(what), token_retry_rule(), deadline_ms, std::move(about),
                               [under_way](result<token> outcome) { under_way->finish(std::move(outcome)); }));
        return under_way;
    }

  private:
    const application who_;
    const client_certificate proof_;
    const signing how_;
    const bool send_chain_;
};

result<client_certificate> read_proof(const client_certificate_settings& settings, const surroundings& host) {
    secret_text password = settings.password;
    if (password.empty()) password = secret_text(host.environment("AZURE_CLIENT_CERTIFICATE_PASSWORD").value_or(""));
    if (!settings.content.empty()) return read_client_certificate(settings.content, password);
    const std::string path = host.environment("AZURE_CLIENT_CERTIFICATE_PATH").value_or("");
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
    const bool is_of_cluster = settings.is_of_cluster && !settings.content.empty();
    auto who = read_application({settings.tenant_id, settings.client_id, settings.authority_host, is_of_cluster},
                                permissions, host);
    if (!who) return who.take_failure();
    auto proof = read_proof(settings, host);
    if (!proof) return proof.take_failure();
    const signing how = settings.how.value_or(is_adfs(who->tenant) ? signing::rs256 : signing::ps256);
    return std::shared_ptr<credential>(
        std::make_shared<client_certificate_credential>(*std::move(who), *std::move(proof), how, settings.send_chain));
}

// Builds the assertion of an application with a certificate.

namespace {

constexpr std::int64_t life_s = 600;

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
