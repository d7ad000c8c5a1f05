// Opens AWS keys: chooses their provider, and requests roles from AWS STS.
#include "auth/aws/aws.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"

#include <utility>
#include <vector>

namespace gputide::auth {

namespace {

using opened = result<std::shared_ptr<credential>>;

// Roles from AWS STS: unsigned with a web identity token, or signed with other keys.

struct sts_role {
    std::string arn;
    std::string external_id;
    std::string session_name = "KEDA";  // as in KEDA: trust policies and audit logs may depend on it
};

struct sts_endpoint {
    std::string url;  // with a trailing slash
    aws_target target;
    std::shared_ptr<const http::tls_settings> tls;
};

http::request sts_request(const sts_endpoint& endpoint, form_fields fields, const sts_role& role) {
    fields.emplace_back("Version", "2011-06-15");
    fields.emplace_back("RoleArn", role.arn);
    fields.emplace_back("RoleSessionName", role.session_name);
    return token_request(endpoint.url, fields, endpoint.tls);
}

token_context about_role(const sts_endpoint& endpoint, const sts_role& role, secret_text secret) {
    return {endpoint.url, "role " + role.arn, {std::move(secret)}, &aws_service};
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
    send_token_request(under_way, std::move(what), about_role(endpoint, role, *std::move(assertion)),
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
    send_token_request(under_way, std::move(what), about_role(endpoint, role, keys->session_token),
                       under_way->finisher());
}

introduction about_aws_role(const char* kind, const sts_endpoint& endpoint, const sts_role& role) {
    return {.kind = kind, .authority = endpoint.url, .client_id = role.arn, .tls = endpoint.tls};
}

// Returns AWS_ENDPOINT_URL_STS, else the region's endpoint, else the global one.
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

// Returns a credential for AssumeRoleWithWebIdentity.  The token's file is read again for each request.
std::shared_ptr<credential> web_identity_role(sts_endpoint endpoint, sts_role role, std::string token_file,
                                              std::shared_ptr<const surroundings> host) {
    return make_credential(
        format_text("{}\n{}", key_of("aws_web_identity", endpoint, role), token_file),
        about_aws_role("role of AWS by web identity", endpoint, role),
        [endpoint, role, token_file, host = std::move(host)](const auto& under_way, const std::string&) {
            assume_by_token(under_way, endpoint, role, read_token_file(*host, token_file, web_identity_words));
        });
}

// Returns a credential for AssumeRole with the keys of `signer`.
std::shared_ptr<credential> assumed_role(sts_endpoint endpoint, sts_role role, std::shared_ptr<credential> signer) {
    return make_credential(format_text("{}\n{}", key_of("aws_role", endpoint, role), signer->cache_key()),
                           about_aws_role("role of AWS", endpoint, role),
                           [endpoint, role, signer](const auto& under_way, const std::string& scope) {
                               signer->acquire_within(under_way, scope,
                                                      [endpoint, role, under_way](result<token>&& outcome) {
                                                          if (!outcome) return under_way->finish(std::move(outcome));
                                                          assume_with(under_way, endpoint, role, *outcome);
                                                      });
                           });
}

// Returns a credential that tries `first`, which may be null, then `then`.  If both fail, the error contains both reasons.
// A role's trust policy names a service account or a role that may assume it; this process cannot know which, so it tries both.
std::shared_ptr<credential> role_by_either(std::shared_ptr<credential> first, std::shared_ptr<credential> then) {
    if (!first) return then;
    return make_credential(
        format_text("{}\n{}", first->cache_key(), then->cache_key()), then->about(),
        [first, then](const auto& under_way, const std::string& scope) {
            first->acquire_within(under_way, scope, [then, under_way, scope](result<token>&& outcome) {
                if (outcome || outcome.failure().status != status::auth) return under_way->finish(std::move(outcome));
                then->acquire_within(
                    under_way, scope, [under_way, before = outcome.failure().message](result<token>&& got) {
                        if (!got) got.failure().message += ". The attempt before it, by web identity: " + before;
                        under_way->finish(std::move(got));
                    });
            });
        });
}

opened open_keys(aws_keys keys, const char* where) {
    if (keys.secret_access_key.empty()) return fail(error_class::config, "{}: the secret access key is missing", where);
    const bool broken =
        has_control_character(keys.access_key_id) || keys.access_key_id.find(':') != std::string::npos ||
        has_control_character(keys.secret_access_key.reveal()) || has_control_character(keys.session_token.reveal());
    if (broken) return fail(error_class::config, "{}: the keys contain invalid characters", where);
    std::string key =
        format_text("aws_keys\n{}\n{}{}", keys.access_key_id, secret_digest(keys.secret_access_key.reveal()),
                    secret_digest(keys.session_token.reveal()));
    return make_credential(std::move(key), {.kind = "keys of AWS", .client_id = keys.access_key_id},
                           [keys = std::move(keys)](const auto& under_way, const std::string&) {
                               under_way->finish_soon(lasting_token(keys, now_of(under_way->loop())));
                           });
}

opened open_environment(const surroundings& host) {
    if (const auto why = absent(host, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"})) return *why;
    return open_keys({host.variable("AWS_ACCESS_KEY_ID"), secret_text(host.variable("AWS_SECRET_ACCESS_KEY")),
                      secret_text(host.variable("AWS_SESSION_TOKEN"))},
                     "the environment");
}

opened open_web_identity(const sts_endpoint& endpoint, const std::shared_ptr<const surroundings>& host) {
    if (const auto why = absent(*host, {"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"})) return *why;
    sts_role role;
    role.arn = host->variable("AWS_ROLE_ARN");
    const std::string session = host->variable("AWS_ROLE_SESSION_NAME");
    if (!session.empty()) role.session_name = session;
    return web_identity_role(endpoint, role, host->variable("AWS_WEB_IDENTITY_TOKEN_FILE"), host);
}

opened open_chain(const sts_endpoint& endpoint, const std::shared_ptr<const surroundings>& host) {
    std::vector<chain_member> members;
    members.push_back({"environment", open_environment(*host)});
    members.push_back({"web identity", open_web_identity(endpoint, host)});
    members.push_back({"container", open_aws_container(host)});
    members.push_back({"instance metadata", open_aws_instance(host)});
    return make_chain("aws", std::move(members));
}

}  // namespace

std::string aws_region_of(const surroundings& host) {
    for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
        std::string region = host.variable(name);
        if (!region.empty()) return region;
    }
    return {};
}

result<std::shared_ptr<credential>> open_aws(const aws_settings& settings, const host_permissions& permissions,
                                             const std::shared_ptr<const surroundings>& host) {
    const auto at = find_sts(settings.region.empty() ? aws_region_of(*host) : settings.region, permissions, *host);
    if (!at) return at.failure();
    const bool given = !settings.access_key_id.empty();
    auto self = given ? open_keys({settings.access_key_id, settings.secret_access_key, settings.session_token},
                                  "awsAccessKeyID")
                      : open_chain(*at, host);
    if (settings.role_arn.empty() || !self) return self;
    sts_role role;
    role.arn = settings.role_arn;
    role.external_id = settings.external_id;
    const std::string token_file = host->variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    const bool by_token = !given && !token_file.empty() && role.external_id.empty();
    return role_by_either(by_token ? web_identity_role(*at, role, token_file, host) : nullptr,
                          assumed_role(*at, role, *std::move(self)));
}

std::vector<manifest::violation> check_aws_identity(const manifest::authentication& identity) {
    std::vector<manifest::violation> out;
    const bool has_role = identity.role_arn && !identity.role_arn->empty();
    if (has_role && identity.identity_owner == "workload") {
        out.push_back({"roleArn", "roleArn of PodIdentity can't be set if KEDA isn't identityOwner",
                       "remove roleArn, or write identityOwner: keda", "invalid-identity"});
    }
    if (identity.external_id && !identity.external_id->empty() && !has_role) {
        out.push_back(
            {"externalID", "externalID of PodIdentity requires roleArn to be set", "add roleArn", "invalid-identity"});
    }
    return out;
}

}  // namespace gputide::auth
