// Requests to AWS STS, and their flows.

#include "auth/aws/aws.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"

#include <utility>

namespace gputide::auth {
namespace {

http::request sts_request(const sts_endpoint& endpoint, form_fields fields, const sts_role& role) {
    fields.emplace_back("Version", "2011-06-15");
    fields.emplace_back("RoleArn", role.arn);
    fields.emplace_back("RoleSessionName", role.session_name);
    return token_request(endpoint.url, fields, endpoint.tls);
}

token_context about_role(const sts_endpoint& endpoint, const sts_role& role, secret_text secret) {
    return {endpoint.url, "role " + role.arn, {std::move(secret)}};
}

std::string key_of(const char* kind, const sts_endpoint& endpoint, const sts_role& role) {
    return format_text("{}\n{}\n{}\n{}", kind, endpoint.url, role.arn, role.external_id);
}

constexpr token_file_words web_identity_words{
    "AWS_WEB_IDENTITY_TOKEN_FILE", "Does the service account have the annotation eks.amazonaws.com/role-arn?"};

void assume_by_token(const std::shared_ptr<acquisition>& under_way, const sts_endpoint& endpoint, const sts_role& role,
                     result<secret_text> assertion) {
    if (!assertion) return under_way->finish_soon(assertion.take_failure());
    http::request what = sts_request(
        endpoint, {{"Action", "AssumeRoleWithWebIdentity"}, {"WebIdentityToken", assertion->reveal()}}, role);
    send_for_keys(under_way, std::move(what), {}, about_role(endpoint, role, *std::move(assertion)),
                  under_way->finisher());
}

// Requests the role with the keys of `signer`.
void assume_with(const std::shared_ptr<acquisition>& under_way, const sts_endpoint& endpoint, const sts_role& role,
                 const token& signer) {
    const auto keys = read_credential_process(signer.value.reveal());
    if (!keys) return under_way->finish(keys.failure());
    form_fields fields = {{"Action", "AssumeRole"}};
    if (!role.external_id.empty()) fields.emplace_back("ExternalId", role.external_id);
    http::request what = sts_request(endpoint, std::move(fields), role);
    sign_request(what, *keys, endpoint.target);
    send_for_keys(under_way, std::move(what), {}, about_role(endpoint, role, keys->session_token),
                  under_way->finisher());
}

introduction about_aws_role(const char* kind, const sts_endpoint& endpoint, const sts_role& role) {
    introduction out{std::string(kind)};
    out.authority = endpoint.url;
    out.client_id = role.arn;
    out.tls = endpoint.tls;
    return out;
}

}  // namespace

result<sts_endpoint> find_sts(const std::string& region, const host_permissions& permissions,
                              const surroundings& host) {
    if (!region.empty() && !is_aws_region(region)) {
        return fail(error_class::config, "the region must be lower-case letters, digits and dashes, such as eu-west-1");
    }
    sts_endpoint out;
    out.target = {region.empty() ? "us-east-1" : region, "sts"};
    out.tls = shared_settings(connection_of(permissions));
    out.url = host.variable("AWS_ENDPOINT_URL_STS");
    if (out.url.empty()) {
        const bool china = region.rfind("cn-", 0) == 0;
        const std::string where = region.empty() ? "" : region + ".";
        out.url = format_text("https://sts.{}amazonaws.com{}", where, china ? ".cn/" : "/");
        return out;
    }
    const auto url = http::parse_url(out.url);
    const bool safe = url && (url->scheme == "https" || http::is_loopback(url->host));
    if (!safe || !url->is_base()) {
        return fail(error_class::config, "AWS_ENDPOINT_URL_STS: expected an https URL, got {}", redact_url(out.url));
    }
    if (out.url.back() != '/') out.url += '/';
    return out;
}

std::shared_ptr<credential> web_identity_role(sts_endpoint endpoint, sts_role role, std::string token_file,
                                              std::shared_ptr<const surroundings> host) {
    return make_credential(
        format_text("{}\n{}", key_of("aws_web_identity", endpoint, role), token_file),
        about_aws_role("role of AWS by web identity", endpoint, role),
        [endpoint, role, token_file, host = std::move(host)](const auto& under_way, const std::string&) {
            assume_by_token(under_way, endpoint, role, read_token_file(*host, token_file, web_identity_words));
        });
}

std::shared_ptr<credential> assumed_role(sts_endpoint endpoint, sts_role role, std::shared_ptr<credential> signer) {
    return make_credential(format_text("{}\n{}", key_of("aws_role", endpoint, role), signer->cache_key()),
                           about_aws_role("role of AWS", endpoint, role),
                           [endpoint, role, signer](const auto& under_way, const std::string& scope) {
                               signer->acquire_within(under_way, scope,
                                                      [endpoint, role, under_way](result<token> outcome) {
                                                          if (!outcome) return under_way->finish(std::move(outcome));
                                                          assume_with(under_way, endpoint, role, *outcome);
                                                      });
                           });
}

// A role's trust policy names a service account or a role that may assume it; this process cannot know which, so it tries both.
std::shared_ptr<credential> role_by_either(std::shared_ptr<credential> first, std::shared_ptr<credential> then) {
    if (!first) return then;
    return make_credential(
        format_text("{}\n{}", first->cache_key(), then->cache_key()), then->about(),
        [first, then](const auto& under_way, const std::string& scope) {
            first->acquire_within(under_way, scope, [then, under_way, scope](result<token> outcome) {
                if (outcome || outcome.failure().status != status::auth) return under_way->finish(std::move(outcome));
                then->acquire_within(
                    under_way, scope, [under_way, before = outcome.failure().message](result<token> got) {
                        if (!got) got.failure().message += ". The attempt before it, by web identity: " + before;
                        under_way->finish(std::move(got));
                    });
            });
        });
}

}  // namespace gputide::auth
