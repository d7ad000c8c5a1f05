// Requests and state of client_credentials.hpp (golang.org/x/oauth2 v0.30 internal/token.go RetrieveToken).
#include "auth/oauth/client_credentials.hpp"

#include "auth/authenticator.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/oauth/answer.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/redact.hpp"
#include "http/retry.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace gputide::auth {
namespace {

enum class secret_place : std::int32_t { header = 0, form = 1 };

// KEDA creates a new scaler after a failed read, with a new token and new state.  Here both last this long: a second
// request at once would only be refused again.
constexpr std::int64_t trusted_for_ms = 30'000;

std::string without_query(std::string_view url) { return redact_url(url.substr(0, url.find_first_of("?#"))); }

class client_credentials final : public credential, public std::enable_shared_from_this<client_credentials> {
  public:
    client_credentials(client_credentials_settings settings, const host_permissions& permissions)
        : settings_(std::move(settings)),
          endpoint_(without_query(settings_.token_url.reveal())),
          allow_plain_http_(permissions.allow_plain_http),
          verified_peers_(permissions.verified_peers) {
        if (settings_.client_secret.empty()) place_ = secret_place::form;
    }

    std::string cache_key() const override;

    introduction about() const override { return {"OAuth client credentials", endpoint_, {}, {}, {}, settings_.tls}; }

    std::int64_t trusted_ms() const override { return trusted_for_ms; }

    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string&, std::int64_t deadline_ms,
                                            token_done done) override {
        auto under_way = std::make_shared<acquisition>(loop, deadline_ms, std::move(done));
        if (const auto fits = check_parameters(); !fits) {
            under_way->finish_soon(fits.failure());
        } else {
            post(under_way, place_.value_or(secret_place::header), !place_);
        }
        return under_way;
    }

  private:
    result<void> check_parameters() const;
    http::request request_with_secret_in(secret_place place) const;
    std::vector<secret_text> secrets() const;
    void post(const std::shared_ptr<acquisition>& under_way, secret_place place, bool may_be_the_other);
    void learn(secret_place place, bool worked, std::int64_t now_ms);

    const client_credentials_settings settings_;
    const std::string endpoint_;  // for messages
    const bool allow_plain_http_;
    const bool verified_peers_;
    std::optional<secret_place>
        place_;  // where the endpoint accepts the secret; nothing: unknown.  On the loop's thread only
    std::int64_t learned_at_ms_ = 0;  // steady
};

// Serializes everything that a token depends on.  Each part is preceded by its length.
std::string client_credentials::cache_key() const {
    std::string all;
    const auto add = [&all](std::string_view part) {
        all.append(std::to_string(part.size())).append(":").append(part).append("\n");
    };
    add(settings_.token_url.reveal());
    add(settings_.client_id.reveal());
    add(settings_.client_secret.reveal());
    add(settings_.scope);
    for (const auto& [name, value] : settings_.parameters) {
        add(name);
        add(value.reveal());
    }
    if (settings_.tls) {
        add(settings_.tls->ca_pem);
        add(settings_.tls->client_certificate_pem.reveal());
        add(settings_.tls->client_key_pem.reveal());
        add(settings_.tls->verify ? "" : "unverified");
    }
    std::string out = "client_credentials\n" + secret_digest(all);
    wipe(all);
    return out;
}

// clientcredentials.go tokenSource.Token: grant_type may be replaced, a scope beside scopes may not.
result<void> client_credentials::check_parameters() const {
    const bool has_second_scope = std::any_of(settings_.parameters.begin(), settings_.parameters.end(),
                                              [](const auto& entry) { return entry.first == "scope"; });
    if (settings_.scope.empty() || !has_second_scope) return {};
    return fail(
        error_class::config,
        "endpointParams: cannot overwrite parameter \"scope\", because scopes are given; write them in one place");
}

http::request client_credentials::request_with_secret_in(secret_place place) const {
    const bool in_form = place == secret_place::form;
    std::vector<std::string> names;  // escaped
    names.reserve(settings_.parameters.size());
    form_fields fields;
    const auto is_written = [this](std::string_view name) {
        return std::any_of(settings_.parameters.begin(), settings_.parameters.end(),
                           [name](const auto& entry) { return entry.first == name; });
    };
    if (!is_written("grant_type")) fields.emplace_back("grant_type", "client_credentials");
    if (!settings_.scope.empty()) fields.emplace_back("scope", settings_.scope);
    for (const auto& [name, value] : settings_.parameters) {
        const bool is_replaced =
            in_form && (name == "client_id" || (name == "client_secret" && !settings_.client_secret.empty()));
        if (is_replaced) continue;
        names.push_back(percent_encode(name));
        fields.emplace_back(names.back(), value.reveal());
    }
    if (in_form) fields.emplace_back("client_id", settings_.client_id.reveal());
    if (in_form && !settings_.client_secret.empty())
        fields.emplace_back("client_secret", settings_.client_secret.reveal());
    http::request out = token_request(std::string(settings_.token_url.reveal()), fields, settings_.tls);
    if (!in_form) {
        out.headers.push_back(basic_header(form_encode(settings_.client_id.reveal()),
                                           secret_text(form_encode(settings_.client_secret.reveal()))));
    }
    out.allow_plain_http = allow_plain_http_;
    out.only_verified = verified_peers_;
    if (settings_.timeout_ms > 0) out.attempt_timeout_ms = out.connect_timeout_ms = settings_.timeout_ms;
    return out;
}

// Returns the values that messages must not contain, in each form in which they were sent.
std::vector<secret_text> client_credentials::secrets() const {
    std::vector<secret_text> out = {settings_.client_secret};
    const http::header basic = basic_header(form_encode(settings_.client_id.reveal()),
                                            secret_text(form_encode(settings_.client_secret.reveal())));
    out.emplace_back(basic.value.reveal().substr(std::string_view("Basic ").size()));
    for (const auto& [name, value] : settings_.parameters) out.push_back(value);
    return out;
}

void client_credentials::post(const std::shared_ptr<acquisition>& under_way, secret_place place,
                              bool may_be_the_other) {
    token_context about{endpoint_, "authModes oauth", secrets()};
    http::retry_rule once = http::no_repeat();
    once.again = &http::again_by_status;
    under_way->carry(send_token_request(
        under_way->loop(), request_with_secret_in(place), std::move(once), under_way->deadline_ms(), std::move(about),
        [self = shared_from_this(), under_way, place, may_be_the_other](result<token> outcome) {
            self->learn(place, outcome.ok(), under_way->loop().steady_ms());
            const bool is_too_late = under_way->loop().steady_ms() >= under_way->deadline_ms();
            if (!outcome && may_be_the_other && !is_too_late) return self->post(under_way, secret_place::form, false);
            under_way->finish(std::move(outcome));
        },
        &read_oauth_answer));
}

void client_credentials::learn(secret_place place, bool worked, std::int64_t now_ms) {
    if (settings_.client_secret.empty()) return;
    if (worked && !place_) {
        place_ = place;
        learned_at_ms_ = now_ms;
    } else if (!worked && place_ && now_ms - learned_at_ms_ >= trusted_for_ms) {
        place_.reset();
    }
}

}  // namespace

result<std::shared_ptr<credential>> open_client_credentials(const client_credentials_settings& settings,
                                                            const host_permissions& permissions) {
    const auto url = http::parse_url(settings.token_url.reveal());
    if (!url || url->has_user_info || url->has_fragment) {
        return fail(
            error_class::config,
            "oauthTokenURI: expected a URL such as https://login.example/oauth2/token, without user information "
            "and without a #fragment");
    }
    const bool is_loopback = http::is_loopback(url->host);
    if (is_loopback) {
        auto given = permissions.tenant.check(capability::loopback_tokens, "the client secret for " + url->host);
        if (!given) return given.take_failure();
    }
    if (url->scheme != "https" && !is_loopback && !permissions.allow_plain_http) {
        return fail(error_class::config, "oauthTokenURI: the client secret is not sent to host {} over {}; use https",
                    url->host, url->scheme);
    }
    if (settings.is_cluster_wide) {
        if (auto given = permissions.tenant.check_cluster_secret(url->host); !given) return given.take_failure();
    }
    return std::shared_ptr<credential>(std::make_shared<client_credentials>(settings, permissions));
}

}  // namespace gputide::auth
