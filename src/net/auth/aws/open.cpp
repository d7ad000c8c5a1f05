// Chooses the provider of keys for open.hpp.
#include "auth/aws/open.hpp"

#include "auth/aws/keys.hpp"
#include "auth/aws/machine.hpp"
#include "auth/aws/sts.hpp"
#include "auth/chain.hpp"
#include "auth/crypto/digest.hpp"
#include "base/format_text.hpp"

#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

using opened = result<std::shared_ptr<credential>>;

class given_keys final : public credential {
  public:
    explicit given_keys(aws_keys keys) : keys_(std::move(keys)) {}

    std::string cache_key() const override {
        return format_text("aws_keys\n{}\n{}{}", keys_.access_key_id, secret_digest(keys_.secret_access_key.reveal()),
                           secret_digest(keys_.session_token.reveal()));
    }

    introduction about() const override { return {"keys of AWS", {}, {}, keys_.access_key_id, {}, nullptr}; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string&, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        under_way->finish_soon(lasting_token(keys_, {loop.wall_ms(), loop.steady_ms()}));
        return under_way;
    }

  private:
    const aws_keys keys_;
};

opened open_keys(aws_keys keys, const char* where) {
    if (keys.secret_access_key.empty()) return fail(error_class::config, "{}: the secret access key is missing", where);
    const bool broken =
        has_control_character(keys.access_key_id) || keys.access_key_id.find(':') != std::string::npos ||
        has_control_character(keys.secret_access_key.reveal()) || has_control_character(keys.session_token.reveal());
    if (broken) return fail(error_class::config, "{}: the keys hold characters that no key has", where);
    return std::shared_ptr<credential>(std::make_shared<given_keys>(std::move(keys)));
}

opened open_environment(const surroundings& host) {
    if (const auto why = absent(host, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"})) return *why;
    const auto read = [&host](const char* name) { return host.environment(name).value_or(""); };
    return open_keys(
        {read("AWS_ACCESS_KEY_ID"), secret_text(read("AWS_SECRET_ACCESS_KEY")), secret_text(read("AWS_SESSION_TOKEN"))},
        "the environment");
}

opened open_web_identity(const sts_endpoint& endpoint, const std::shared_ptr<const surroundings>& host) {
    if (const auto why = absent(*host, {"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"})) return *why;
    sts_role role;
    role.arn = *host->environment("AWS_ROLE_ARN");
    const std::string session = host->environment("AWS_ROLE_SESSION_NAME").value_or("");
    if (!session.empty()) role.session_name = session;
    return web_identity_role(endpoint, role, *host->environment("AWS_WEB_IDENTITY_TOKEN_FILE"), host);
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
        std::string region = host.environment(name).value_or("");
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
    const std::string token_file = host->environment("AWS_WEB_IDENTITY_TOKEN_FILE").value_or("");
    const bool by_token = !given && !token_file.empty() && role.external_id.empty();
    return role_by_either(by_token ? web_identity_role(*at, role, token_file, host) : nullptr,
                          assumed_role(*at, role, *std::move(self)));
}

std::vector<config::violation> check_aws_identity(const config::authentication& identity) {
    std::vector<config::violation> out;
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
