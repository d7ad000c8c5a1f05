// Settings and request of client_certificate.hpp.
#include "auth/azure/client_certificate.hpp"

#include "auth/azure/application.hpp"
#include "auth/azure/authority.hpp"
#include "auth/azure/client_assertion.hpp"
#include "auth/crypto/uuid.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
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

}  // namespace gputide::auth
