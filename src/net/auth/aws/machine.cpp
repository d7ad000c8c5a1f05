// Keys from the endpoint of a container or an instance.
#include "auth/aws/aws.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::auth {

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
    send_token_request(
        under_way, std::move(what),
        {redact_url(container.url), "keys of this container", {*authorization}, &aws_service},
        [under_way](result<token>&& outcome) {
            if (!outcome) return under_way->finish(not_here("the container's endpoint", outcome.failure()));
            under_way->finish(std::move(outcome));
        },
        one_attempt());
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
    send_step(
        under_way, with_session(url, session), one_attempt(),
        [under_way, endpoint, session, url](const http::retried& retried, const moment&) {
            const http::response& response = retried.last.response;
            const std::string name(trim(response.body.substr(0, response.body.find('\n'))));
            const bool is_found = retried.last.arrived() && response.status == 200;
            if ((retried.last.arrived() && response.status == 404) || (is_found && name.empty()))
                return under_way->finish(fail(error_class::unavailable, "this instance has no role"));
            if (!is_found) {
                return under_way->finish(judge_token_failure(
                    retried, {endpoint, "the instance's role", {session}, &aws_service}, under_way->loop().wall_ms()));
            }
            const std::string keys_url = url + percent_encode(name);
            send_token_request(under_way, with_session(keys_url, session),
                               {keys_url, "keys of this instance", {session}, &aws_service}, under_way->finisher(),
                               one_attempt());
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
                  error why = judge_token_failure(retried, {endpoint, "keys of this instance", {}, &aws_service},
                                                  under_way->loop().wall_ms());
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
