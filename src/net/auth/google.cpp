// Google's tokens: by a service account's key (RFC 7523; Google's "Using OAuth 2.0 for server to server applications"), by the
// metadata server, and by the default credentials.
#include "auth/crypto/digest.hpp"
#include "auth/crypto/signing_key.hpp"
#include "auth/json_text.hpp"
#include "auth/open.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"

#include <utility>
#include <vector>

namespace gputide::auth {

namespace {

constexpr std::string_view token_host = "oauth2.googleapis.com";
constexpr std::string_view grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::int64_t assertion_life_s = 3'600;

struct service_account {
    std::string email;
    std::string key_id;
    std::string token_uri;
    signing_key key;
    std::shared_ptr<const http::tls_settings> tls;
};

result<secret_text> assertion_of(const service_account& who, const std::string& scope, std::int64_t now_s) {
    json_writer header;
    header.begin_object().member("alg", "RS256").member("typ", "JWT");
    if (!who.key_id.empty()) header.member("kid", who.key_id);
    json_writer claims;
    claims.begin_object().member("iss", who.email).member("scope", scope).member("aud", who.token_uri);
    claims.member("iat", now_s).member("exp", now_s + assertion_life_s);
    return signed_jwt(header.end_object().text(), claims.end_object().text(), who.key, signing::rs256);
}

void send_signed(const std::shared_ptr<acquisition>& under_way, const std::string& scope, const service_account& who) {
    auto assertion = assertion_of(who, scope, under_way->loop().wall_ms() / 1000);
    if (!assertion) return under_way->finish_soon(assertion.take_failure());
    http::request what =
        token_request(who.token_uri, {{"grant_type", grant}, {"assertion", assertion->reveal()}}, who.tls);
    send_token_request(
        under_way, std::move(what),
        {who.token_uri, format_text("service account {}, scope {}", who.email, scope), {*std::move(assertion)}},
        under_way->finisher());
}

error_ptr unusable(const std::string& why) { return fail(error_class::config, "the Google credentials: {}", why); }

result<std::string> checked_token_uri(std::string_view text, const host_permissions& permissions) {
    const auto url = http::parse_url(text);
    if (!url || url->scheme != "https" || !url->is_base())
        return unusable("token_uri must be an https URL, got " + redact_url(text));
    const bool known = url->host == token_host && url->port == 443;
    if (known || http::is_loopback(url->host) || permissions.allow_custom_authority) return std::string(text);
    return unusable(
        format_text("token_uri has the host {}; the assertion is sent only to {}, unless the host program allows a "
                    "custom authority (allow_custom_authority)",
                    url->host, token_host));
}

}  // namespace

result<std::shared_ptr<credential>> open_google_key(const secret_text& json, const host_permissions& permissions) {
    const json_text parsed(json.reveal());
    const auto object = parsed.object();
    if (!object) return unusable("expected the JSON of a service account's key");
    const auto text = [&object](const char* name) { return text_in(*object, name); };
    const std::string type = text("type");
    if (type != "service_account") {
        return unusable(format_text("type {} is not supported; use a service account's key, or the metadata server",
                                    gputide::in_quotes(redact(type))));
    }
    const std::string email = text("client_email");
    if (email.empty()) return unusable("client_email is missing");
    const std::string written = text("token_uri");
    auto uri = checked_token_uri(written.empty() ? format_text("https://{}/token", token_host) : written, permissions);
    if (!uri) return uri.take_failure();
    auto key = read_signing_key(text_of(*object, "private_key").value_or(""), {});
    if (!key) return unusable("private_key: " + key.failure().message);
    if (!key->is_rsa()) return unusable("private_key: expected an RSA key");
    service_account who{email, text("private_key_id"), *std::move(uri), *std::move(key),
                        shared_settings(connection_of(permissions))};
    introduction about{
        .kind = "service account of Google", .authority = who.token_uri, .client_id = email, .tls = who.tls};
    return make_credential(format_text("google_key\n{}\n{}", email, secret_digest(json.reveal())), std::move(about),
                           [who = std::move(who)](const auto& under_way, const std::string& scope) {
                               send_signed(under_way, scope, who);
                           });
}

// The metadata server and the application default credentials.

namespace {

constexpr const char* usual_address = "169.254.169.254";  // metadata.google.internal, without DNS
constexpr const char* token_path = "/computeMetadata/v1/instance/service-accounts/default/token";
constexpr const char* flavor = "Metadata-Flavor";

result<token> judge_metadata(const http::retried& retried, const moment& sent, std::int64_t wall_ms,
                             const std::string& endpoint) {
    if (!retried.last.arrived()) {
        error why = transport_failure(retried.last, endpoint);
        if (why.status != status::unavailable) return why;
        return fail(error_class::unavailable, "no Google metadata server is available: {}", why.message);
    }
    const http::response& response = retried.last.response;
    // A response without the header is from another service: a portal, a proxy, another cloud's service at this address.
    const bool google = equal_ignoring_case(response.header(flavor).value_or(""), "Google");
    if (!google) {
        return fail(error_class::unavailable,
                    "no Google metadata server is available: {} answered with HTTP {} and without the header "
                    "Metadata-Flavor: Google",
                    endpoint, response.status);
    }
    if (response.status == 404) {
        return fail(error_class::unavailable, "this machine has no service account ({})", endpoint);
    }
    if (response.status != 200)
        return judge_token_failure(retried, {endpoint, "the machine's service account", {}}, wall_ms);
    return read_token_answer(response, sent, endpoint);
}

void ask_metadata(const std::shared_ptr<acquisition>& under_way, const std::string& scope,
                  const std::string& endpoint) {
    http::request what = local_request(format_text("{}?scopes={}", endpoint, percent_encode(scope)));
    what.set(flavor, "Google");
    http::retry_rule rule;
    rule.again = [](const http::answer& answer) { return answer.arrived() && http::again_by_status(answer); };
    send_step(under_way, std::move(what), std::move(rule),
              [under_way, endpoint](http::retried& retried, const moment& sent) {
                  under_way->finish(judge_metadata(retried, sent, under_way->loop().wall_ms(), endpoint));
              });
}

result<std::shared_ptr<credential>> open_key_file(const host_permissions& permissions, const surroundings& host) {
    constexpr const char* variable = "GOOGLE_APPLICATION_CREDENTIALS";
    if (const auto why = absent(host, {variable})) return *why;
    const std::string file = host.variable(variable);
    const auto content = host.read_file(file, limits::secret_file_bytes);
    if (!content) return fail_for_now(format_text("{} cannot be read: {}", variable, content.failure().message));
    auto out = open_google_key(*content, permissions);
    if (!out) out.failure().message += format_text(" ({})", file);
    return out;
}

}  // namespace

result<std::shared_ptr<credential>> open_google_metadata(const std::shared_ptr<const surroundings>& host) {
    const std::string given = host->variable("GCE_METADATA_HOST");
    const std::string address = given.empty() ? usual_address : given;
    const auto url = http::parse_url("http://" + address);
    const bool local = url && (http::is_loopback(url->host) || url->host == usual_address ||
                               url->host == "metadata.google.internal" || url->host == "fd20:ce::254");
    if (!local || !url->path.empty() || !url->is_base()) {
        return fail(error_class::config,
                    "GCE_METADATA_HOST: expected 169.254.169.254, metadata.google.internal or a loopback address, "
                    "optionally with a port, got {}",
                    gputide::in_quotes(given));
    }
    std::string endpoint = format_text("http://{}{}", address, token_path);
    return make_credential(
        "google_metadata\n" + endpoint, {"metadata server of Google"},
        [endpoint](const auto& under_way, const std::string& scope) { ask_metadata(under_way, scope, endpoint); });
}

result<std::shared_ptr<credential>> open_google_default(const host_permissions& permissions,
                                                        const std::shared_ptr<const surroundings>& host) {
    std::vector<chain_member> members;
    members.push_back({"key file", open_key_file(permissions, *host)});
    members.push_back({"metadata server", open_google_metadata(host)});
    return make_chain("gcp", std::move(members));
}

}  // namespace gputide::auth
