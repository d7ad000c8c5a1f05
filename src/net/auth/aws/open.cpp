// Opens AWS keys: chooses their provider, and reads them from a container or an instance.
#include "auth/aws/aws.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gputide::auth {

namespace {

using opened = result<std::shared_ptr<credential>>;

opened open_keys(aws_keys keys, const char* where) {
    if (keys.secret_access_key.empty()) return fail(error_class::config, "{}: the secret access key is missing", where);
    const bool broken =
        has_control_character(keys.access_key_id) || keys.access_key_id.find(':') != std::string::npos ||
        has_control_character(keys.secret_access_key.reveal()) || has_control_character(keys.session_token.reveal());
    if (broken) return fail(error_class::config, "{}: the keys contain invalid characters", where);
    std::string key =
        format_text("aws_keys\n{}\n{}{}", keys.access_key_id, secret_digest(keys.secret_access_key.reveal()),
                    secret_digest(keys.session_token.reveal()));
    introduction about("keys of AWS");
    about.client_id = keys.access_key_id;
    return make_credential(std::move(key), std::move(about),
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

// Keys from the endpoint of a container or an instance.

namespace {

constexpr std::string_view ecs_address = "169.254.170.2";
constexpr std::string_view eks_address = "169.254.170.23";
constexpr std::string_view eks_address_v6 = "fd00:ec2::23";
constexpr const char* instance_endpoint = "http://169.254.169.254";
constexpr const char* session_life_s = "21600";

bool is_container_address(const std::string& host) {
    constexpr std::array known = {ecs_address, eks_address, eks_address_v6};
    return http::is_loopback(host) || std::ranges::find(known, host) != known.end();
}

// Returns a rule that also ignores a Retry-After: services on this machine answer at once or do not exist.
http::retry_rule one_attempt() {
    http::retry_rule out = http::no_repeat();
    out.again = [](const http::answer&) { return false; };
    return out;
}

// Returns class unavailable if no service answers at the address, else the error itself.
error not_here(const std::string& what, error why) {
    if (why.status == status::unavailable && why.http_status == 0) {
        return fail(error_class::unavailable, "{} is not available: {}", what, why.message);
    }
    return why;
}

struct container {
    std::string url;
    std::string token_file;
    secret_text authorization;
    std::shared_ptr<const surroundings> host;
};

// The kubelet replaces the file; it is read for each request.
result<secret_text> authorization_of(const container& container) {
    if (container.token_file.empty()) return container.authorization;
    const auto content = container.host->read_file(container.token_file, limits::token_file_bytes);
    if (content) return secret_text(trim(content->reveal()));
    return fail_for_now("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read: " + content.failure().message);
}

void ask_container(const std::shared_ptr<acquisition>& under_way, const container& container) {
    auto authorization = authorization_of(container);
    if (!authorization) return under_way->finish_soon(authorization.take_failure());
    http::request what = local_request(container.url);
    what.set("Accept", "application/json");
    if (!authorization->empty()) what.headers.push_back({"Authorization", *authorization});
    send_for_keys(under_way, std::move(what), one_attempt(),
                  {redact_url(container.url), "keys of this container", {*authorization}},
                  [under_way](result<token> outcome) {
                      if (!outcome) return under_way->finish(not_here("the container's endpoint", outcome.failure()));
                      under_way->finish(std::move(outcome));
                  });
}

// Sends three requests to the instance metadata service: for a session, for the role's name, and for its keys.

http::request with_session(std::string url, const secret_text& session) {
    http::request out = local_request(std::move(url));
    out.headers.push_back({"X-aws-ec2-metadata-token", session});
    return out;
}

void ask_for_name(const std::shared_ptr<acquisition>& under_way, const std::string& endpoint,
                  const secret_text& session) {
    const std::string url = endpoint + "/latest/meta-data/iam/security-credentials/";
    send_step(under_way, with_session(url, session), one_attempt(),
              [under_way, endpoint, session, url](const http::retried& retried, const moment&) {
                  const http::response& response = retried.last.response;
                  const std::string name(trim(response.body.substr(0, response.body.find('\n'))));
                  const bool is_found = retried.last.arrived() && response.status == 200;
                  if ((retried.last.arrived() && response.status == 404) || (is_found && name.empty()))
                      return under_way->finish(fail(error_class::unavailable, "this instance has no role"));
                  if (!is_found) {
                      return under_way->finish(judge_aws_failure(retried, {endpoint, "the instance's role", {session}},
                                                                 under_way->loop().wall_ms()));
                  }
                  const std::string keys_url = url + percent_encode(name);
                  send_for_keys(under_way, with_session(keys_url, session), one_attempt(),
                                {keys_url, "keys of this instance", {session}}, under_way->finisher());
              });
}

void ask_instance(const std::shared_ptr<acquisition>& under_way, const std::string& endpoint) {
    http::request what = local_request(endpoint + "/latest/api/token");
    what.method = "PUT";
    what.set("X-aws-ec2-metadata-token-ttl-seconds", session_life_s);
    send_step(under_way, std::move(what), one_attempt(),
              [under_way, endpoint](const http::retried& retried, const moment&) {
                  const http::response& response = retried.last.response;
                  if (retried.last.arrived() && response.status == 200)
                      return ask_for_name(under_way, endpoint, secret_text(trim(response.body)));
                  // Another cloud's service at the same address does not have this path.
                  if (retried.last.arrived() && response.status >= 400 && response.status <= 499) {
                      return under_way->finish(fail(error_class::unavailable,
                                                    "{} returned no session (HTTP {}); it is not an AWS instance "
                                                    "metadata service, or the service is disabled",
                                                    endpoint, response.status));
                  }
                  error why =
                      judge_aws_failure(retried, {endpoint, "keys of this instance", {}}, under_way->loop().wall_ms());
                  under_way->finish(not_here("the instance metadata service", std::move(why)));
              });
}

}  // namespace

result<std::shared_ptr<credential>> open_aws_container(const std::shared_ptr<const surroundings>& host) {
    std::string url = host->variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    const std::string relative = host->variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (!relative.empty())
        url = format_text("http://{}{}{}", ecs_address, relative.front() == '/' ? "" : "/", relative);
    if (url.empty()) {
        return fail(error_class::unavailable,
                    "neither AWS_CONTAINER_CREDENTIALS_FULL_URI nor AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is set");
    }
    const auto parts = http::parse_url(url);
    if (!parts || parts->has_user_info || parts->has_fragment) {
        return fail(error_class::config,
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI: expected an http or https URL without user name, password and "
                    "fragment, got {}",
                    redact_url(url));
    }
    if (parts->scheme != "https" && !is_container_address(parts->host)) {
        return fail(error_class::config,
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI: host {} uses http, which is allowed only for loopback and the "
                    "ECS and EKS addresses; use https",
                    parts->host);
    }
    container from{url, host->variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
                   secret_text(host->variable("AWS_CONTAINER_AUTHORIZATION_TOKEN")), host};
    std::string key = format_text("aws_container\n{}\n{}", url, from.token_file);
    return make_credential(
        std::move(key), {"container of AWS"},
        [from = std::move(from)](const auto& under_way, const std::string&) { ask_container(under_way, from); });
}

result<std::shared_ptr<credential>> open_aws_instance(const std::shared_ptr<const surroundings>& host) {
    if (equal_ignoring_case(host->variable("AWS_EC2_METADATA_DISABLED"), "true")) {
        return fail(error_class::unavailable, "AWS_EC2_METADATA_DISABLED is true");
    }
    std::string endpoint = host->variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (endpoint.empty()) endpoint = instance_endpoint;
    while (endpoint.back() == '/') endpoint.pop_back();
    const auto parts = http::parse_url(endpoint);
    const bool local =
        parts && (http::is_loopback(parts->host) || parts->host == "169.254.169.254" || parts->host == "fd00:ec2::254");
    if (!local || !parts->is_base()) {
        return fail(error_class::config,
                    "AWS_EC2_METADATA_SERVICE_ENDPOINT: expected http://169.254.169.254, http://[fd00:ec2::254] or a "
                    "loopback address, got {}",
                    redact_url(endpoint));
    }
    return make_credential(
        "aws_instance\n" + endpoint, {"instance of AWS"},
        [endpoint](const auto& under_way, const std::string&) { ask_instance(under_way, endpoint); });
}

}  // namespace gputide::auth
