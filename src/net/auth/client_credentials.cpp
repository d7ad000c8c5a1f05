// Implements the client credentials grant of open.hpp (golang.org/x/oauth2 v0.30 internal/token.go RetrieveToken).
#include "auth/authenticator.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/json_text.hpp"
#include "auth/open.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/exchange.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::auth {

namespace {

enum class secret_place : std::int32_t { header = 0, form = 1 };

// Time for which a rejected token and a failure are kept: another request at once would only be rejected again.  KEDA starts anew
// after a failed read, with a new scaler, token and state.
constexpr std::int64_t trusted_for_ms = 30'000;

std::string without_query(std::string_view url) { return redact_url(url.substr(0, url.find_first_of("?#"))); }

class client_credentials : public std::enable_shared_from_this<client_credentials> {
  public:
    client_credentials(client_credentials_settings settings, const host_permissions& permissions)
        : settings_(std::move(settings)),
          endpoint_(without_query(settings_.token_url.reveal())),
          allow_plain_http_(permissions.allow_plain_http),
          verified_peers_(permissions.verified_peers) {
        if (settings_.client_secret.empty()) place_ = secret_place::form;
    }

    void begin(const std::shared_ptr<acquisition>& under_way) {
        if (auto fits = check_parameters(); !fits) return under_way->finish_soon(fits.take_failure());
        post(under_way, place_.value_or(secret_place::header), !place_);
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
        place_;  // place where the endpoint accepts the secret; nullopt: unknown.  Loop's thread only
    std::int64_t learned_at_ms_ = 0;  // steady
};

std::string cache_key_of(const client_credentials_settings& settings) {
    key_text all;
    all.add(settings.token_url.reveal());
    all.add(settings.client_id.reveal());
    all.add(settings.client_secret.reveal());
    all.add(settings.scope);
    for (const auto& [name, value] : settings.parameters) {
        all.add(name);
        all.add(value.reveal());
    }
    if (settings.tls) all.add(*settings.tls);
    return "client_credentials\n" + all.digest();
}

// Checks endpointParams like clientcredentials.go tokenSource.Token: grant_type may be replaced, but scope only without scopes.
result<void> client_credentials::check_parameters() const {
    const bool has_second_scope =
        std::ranges::any_of(settings_.parameters, [](const auto& entry) { return entry.first == "scope"; });
    if (settings_.scope.empty() || !has_second_scope) return {};
    return fail(
        error_class::config,
        "endpointParams: cannot overwrite parameter \"scope\", because scopes is set too; set only one of the two");
}

http::request client_credentials::request_with_secret_in(secret_place place) const {
    const bool in_form = place == secret_place::form;
    std::vector<std::string> names;  // escaped
    names.reserve(settings_.parameters.size());
    form_fields fields;
    const auto is_written = [this](std::string_view name) {
        return std::ranges::any_of(settings_.parameters, [name](const auto& entry) { return entry.first == name; });
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

// Returns the values that messages must not contain, in each form that was sent.
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
    static constexpr token_service any_server{&read_oauth_answer, &read_entra_refusal, &http::again_by_status};
    token_context about{endpoint_, "authModes oauth", secrets(), &any_server};
    send_token_request(
        under_way, request_with_secret_in(place), std::move(about),
        [self = shared_from_this(), under_way, place, may_be_the_other](result<token>&& outcome) {
            self->learn(place, outcome.ok(), under_way->loop().steady_ms());
            const bool is_too_late = under_way->loop().steady_ms() >= under_way->deadline_ms();
            if (!outcome && may_be_the_other && !is_too_late) return self->post(under_way, secret_place::form, false);
            under_way->finish(std::move(outcome));
        },
        http::no_repeat());
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
    introduction about{.kind = "OAuth client credentials",
                       .authority = without_query(settings.token_url.reveal()),
                       .tls = settings.tls};
    auto out = make_credential(cache_key_of(settings), std::move(about),
                               [state = std::make_shared<client_credentials>(settings, permissions)](
                                   const auto& under_way, const std::string&) { state->begin(under_way); });
    out->trusted_ms = trusted_for_ms;
    return out;
}

namespace {

constexpr std::int64_t margin_s = 10;  // golang.org/x/oauth2 token.go defaultExpiryDelta

struct oauth_fields {
    secret_text access_token;
    std::string token_type;
    std::string error;
    std::int64_t life_s = 0;  // 0: missing
    bool has_bad_life = false;
};

bool is_form(const http::response& response) {
    std::string_view type = response.header("Content-Type").value_or("");
    type = trim(type.substr(0, type.find(';')));
    return equal_ignoring_case(type, "application/x-www-form-urlencoded") || equal_ignoring_case(type, "text/plain");
}

// Parses a form: uses the first value of each name; a lifetime that is not a number counts as missing.
std::optional<oauth_fields> read_form(std::string_view body) {
    std::optional<oauth_fields> out(std::in_place);
    for (const std::string_view piece : split(trim(body), '&')) {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const std::string_view name = piece.substr(0, equals);
        auto value = percent_decode(piece.substr(std::min(equals + 1, piece.size())), true);
        if (!value) return std::nullopt;
        if (name == "access_token" && out->access_token.empty()) out->access_token = secret_text(*std::move(value));
        if (name == "token_type" && out->token_type.empty()) out->token_type = *value;
        if (name == "error" && out->error.empty()) out->error = *value;
        if (name == "expires_in" && out->life_s == 0) out->life_s = parse_int64(*value).value_or(0);
    }
    return out;
}

std::optional<oauth_fields> read_json(std::string_view body) {
    const json_text parsed(body);
    const auto object = parsed.object();
    if (!object) return std::nullopt;
    std::optional<oauth_fields> out(std::in_place);
    out->access_token = secret_text(text_of(*object, "access_token").value_or(""));
    out->token_type = text_in(*object, "token_type");
    out->error = text_in(*object, "error");
    const auto life = member(*object, "expires_in");
    if (!life || life->is_null()) return out;
    const auto seconds = whole_number(*life);
    out->life_s = seconds.value_or(0);
    out->has_bad_life = !seconds;
    return out;
}

// Returns the problem as a text after "answered with HTTP 200 and", or "".
std::string fault_in(const oauth_fields& fields) {
    if (!fields.error.empty())
        return "no token: the server says " + gputide::in_quotes(redact(fields.error, {fields.access_token.reveal()}));
    if (fields.has_bad_life) return "an expires_in that is not a whole number of seconds";
    if (fields.access_token.empty()) return "no access_token: expected a non-empty string";
    return {};
}

// Returns known token types in their canonical case (x/oauth2 token.go Type).
std::string spelled(const std::string& type) {
    for (const char* known : {"Bearer", "MAC", "Basic"}) {
        if (equal_ignoring_case(type, known)) return known;
    }
    return type;
}

token token_of(oauth_fields fields, const moment& sent) {
    const std::int64_t life_s = fields.life_s == 0 ? longest_life_s : std::min(fields.life_s, longest_life_s);
    token out = token_living(std::move(fields.access_token), sent, std::max<std::int64_t>(life_s, 0));
    out.usable_until_ms = out.refresh_at_ms = out.expires_at_ms - margin_s * 1000;
    out.type = spelled(fields.token_type);
    return out;
}

}  // namespace

result<token> read_oauth_answer(const http::response& response, const moment& sent, const std::string& endpoint) {
    if (response.body.size() > limits::token_response_bytes) {
        return unusable_token_answer(
            endpoint, response,
            format_text("a body that is too large: more than {} bytes", limits::token_response_bytes));
    }
    auto fields = is_form(response) ? read_form(response.body) : read_json(response.body);
    if (!fields) return unreadable_token_answer(endpoint, response);
    if (const std::string fault = fault_in(*fields); !fault.empty())
        return unusable_token_answer(endpoint, response, fault);
    if (has_control_character(fields->access_token.reveal()) || has_control_character(fields->token_type)) {
        return fail(error_class::security,
                    "{} answered with HTTP {} and a token with control characters; it was not used", endpoint,
                    response.status);
    }
    return token_of(*std::move(fields), sent);
}

}  // namespace gputide::auth
