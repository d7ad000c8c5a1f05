// Requests to AWS STS, and their flows.

#include "auth/aws/keys.hpp"
#include "auth/azure/workload_identity.hpp"
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

class by_web_identity final : public credential {
  public:
    by_web_identity(sts_endpoint endpoint, sts_role role, std::string token_file,
                    std::shared_ptr<const surroundings> host)
        : at_(std::move(endpoint)),
          role_(std::move(role)),
          token_file_(std::move(token_file)),
          host_(std::move(host)) {}

    std::string cache_key() const override {
        return format_text("{}\n{}", key_of("aws_web_identity", at_, role_), token_file_);
    }

    introduction about() const override { return {"role of AWS by web identity", at_.url, {}, role_.arn, {}, at_.tls}; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string&, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        auto assertion = read_token_file(*host_, token_file_, web_identity_words);
        if (!assertion) {
            under_way->finish_soon(assertion.take_failure());
            return under_way;
        }
        http::request what = sts_request(
            at_, {{"Action", "AssumeRoleWithWebIdentity"}, {"WebIdentityToken", assertion->reveal()}}, role_);
        under_way->carry(send_for_keys(loop, std::move(what), {}, deadline_ms,
                                       about_role(at_, role_, *std::move(assertion)),
                                       [under_way](result<token> outcome) { under_way->finish(std::move(outcome)); }));
        return under_way;
    }

  private:
    static constexpr token_file_words web_identity_words{
        "AWS_WEB_IDENTITY_TOKEN_FILE", "Does the service account have the annotation eks.amazonaws.com/role-arn?"};

    const sts_endpoint at_;
    const sts_role role_;
    const std::string token_file_;
    const std::shared_ptr<const surroundings> host_;
};

class by_other_keys final : public credential, public std::enable_shared_from_this<by_other_keys> {
  public:
    by_other_keys(sts_endpoint endpoint, sts_role role, std::shared_ptr<credential> signer)
        : at_(std::move(endpoint)), role_(std::move(role)), by_(std::move(signer)) {}

    std::string cache_key() const override {
        return format_text("{}\n{}", key_of("aws_role", at_, role_), by_->cache_key());
    }

    introduction about() const override { return {"role of AWS", at_.url, {}, role_.arn, {}, at_.tls}; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        under_way->carry(
            by_->acquire(loop, scope, deadline_ms, [self = shared_from_this(), under_way](result<token> outcome) {
                if (!outcome) return under_way->finish(std::move(outcome));
                self->take_role(under_way, *outcome);
            }));
        return under_way;
    }

  private:
    void take_role(const std::shared_ptr<acquisition>& under_way, const token& with) const {
        const auto keys = read_credential_process(with.value.reveal());
        if (!keys) return under_way->finish(keys.failure());
        form_fields fields = {{"Action", "AssumeRole"}};
        if (!role_.external_id.empty()) fields.emplace_back("ExternalId", role_.external_id);
        http::request what = sts_request(at_, std::move(fields), role_);
        sign_request(what, *keys, at_.target);
        under_way->carry(send_for_keys(under_way->loop(), std::move(what), {}, under_way->deadline_ms(),
                                       about_role(at_, role_, keys->session_token),
                                       [under_way](result<token> outcome) { under_way->finish(std::move(outcome)); }));
    }

    const sts_endpoint at_;
    const sts_role role_;
    const std::shared_ptr<credential> by_;
};

// A role's trust policy names a service account or a role that may assume it; this process cannot know which, so it tries both.
class by_either final : public credential, public std::enable_shared_from_this<by_either> {
  public:
    by_either(std::shared_ptr<credential> first, std::shared_ptr<credential> then)
        : first_(std::move(first)), then_(std::move(then)) {}

    std::string cache_key() const override { return format_text("{}\n{}", first_->cache_key(), then_->cache_key()); }

    introduction about() const override { return then_->about(); }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        under_way->carry(first_->acquire(loop, scope, deadline_ms,
                                         [self = shared_from_this(), under_way, scope](result<token> outcome) {
                                             if (outcome || outcome.failure().status != status::auth)
                                                 return under_way->finish(std::move(outcome));
                                             self->try_other(under_way, scope, outcome.take_failure());
                                         }));
        return under_way;
    }

  private:
    void try_other(const std::shared_ptr<acquisition>& under_way, const std::string& scope, const error& before) const {
        under_way->carry(then_->acquire(
            under_way->loop(), scope, under_way->deadline_ms(), [under_way, before](result<token> outcome) {
                if (!outcome) {
                    outcome.failure().message += ". The attempt before it, by web identity: " + before.message;
                }
                under_way->finish(std::move(outcome));
            }));
    }

    const std::shared_ptr<credential> first_;
    const std::shared_ptr<credential> then_;
};

}  // namespace

result<sts_endpoint> find_sts(const std::string& region, const host_permissions& permissions,
                              const surroundings& host) {
    if (!region.empty() && !is_aws_region(region)) {
        return fail(error_class::config, "the region must be lower-case letters, digits and dashes, such as eu-west-1");
    }
    sts_endpoint out;
    out.target = {region.empty() ? "us-east-1" : region, "sts"};
    out.tls = endpoint_tls(permissions);
    out.url = host.environment("AWS_ENDPOINT_URL_STS").value_or("");
    if (out.url.empty()) {
        const bool china = region.rfind("cn-", 0) == 0;
        const std::string where = region.empty() ? "" : region + ".";
        out.url = format_text("https://sts.{}amazonaws.com{}", where, china ? ".cn/" : "/");
        return out;
    }
    const auto url = http::parse_url(out.url);
    const bool safe = url && (url->scheme == "https" || http::is_loopback(url->host));
    if (!safe || url->has_user_info || url->has_query || url->has_fragment) {
        return fail(error_class::config, "AWS_ENDPOINT_URL_STS: expected an https URL, got {}", redact_url(out.url));
    }
    if (out.url.back() != '/') out.url += '/';
    return out;
}

std::shared_ptr<credential> web_identity_role(sts_endpoint endpoint, sts_role role, std::string token_file,
                                              std::shared_ptr<const surroundings> host) {
    return std::make_shared<by_web_identity>(std::move(endpoint), std::move(role), std::move(token_file),
                                             std::move(host));
}

std::shared_ptr<credential> assumed_role(sts_endpoint endpoint, sts_role role, std::shared_ptr<credential> signer) {
    return std::make_shared<by_other_keys>(std::move(endpoint), std::move(role), std::move(signer));
}

std::shared_ptr<credential> role_by_either(std::shared_ptr<credential> first, std::shared_ptr<credential> then) {
    if (!first) return then;
    return std::make_shared<by_either>(std::move(first), std::move(then));
}

}  // namespace gputide::auth
