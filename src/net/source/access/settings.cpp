// Reads and checks the settings for authentication.
#include "auth/aws/aws.hpp"
#include "auth/open.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

namespace gputide::source::access {
namespace {

using manifest::parameters;

struct needed_value {
    std::string_view name;
    const secret_text& value;
};

// Checks what each mode needs.  As in KEDA (pkg/scalers/authentication), the message tells only which values are set.
void check_modes(parameters& parameters, const settings& access, bool has_oauth) {
    const auto check = [&](std::string_view mode, std::initializer_list<needed_value> needed) {
        const auto is_empty = [](const needed_value& each) { return each.value.empty(); };
        if (!access.has(mode) || std::ranges::none_of(needed, is_empty)) return;
        std::string values;
        for (const auto& [name, value] : needed)
            append_item(values, format_text("{} ({})", name, value.empty() ? "<empty>" : "<present>"), " and ");
        const char* const verb = needed.size() == 1 ? "is" : "are";
        parameters.add_error(format_text("{} {} required when {} auth is enabled", values, verb, mode), "authModes");
    };
    check("bearer", {{"bearerToken", access.bearer_token}});
    check("basic", {{"username", access.username}});
    check("tls", {{"cert", access.certificate}, {"key", access.key}});
    check("custom", {{"customAuthHeader", access.custom_header}, {"customAuthValue", access.custom_value}});
    check("apiKey", {{"apiKey", access.api_key}});
    if (access.has("oauth") && !has_oauth) {
        parameters.add_error("oauthTokenURI and clientID are required when oauth is enabled", "authModes");
    }
    const bool pod_identity = !access.identity.provider.empty() && access.identity.provider != "none";
    if (!access.modes.empty() && pod_identity) {
        parameters.add_error("pod identity cannot be enabled with other auth types", "authModes");
    }
}

std::string joined_scopes(const std::vector<std::string>& scopes) {
    std::string out;
    for (const std::string& scope : scopes) {
        if (!scope.empty()) append_item(out, scope, " ");
    }
    return out;
}

using form_parameters = std::vector<std::pair<std::string, secret_text>>;

// Parses a form like Go's url.ParseQuery; nullopt on an error.  Keeps a parameter without a name, ignores empty pieces.
std::optional<form_parameters> parse_form(std::string_view text) {
    form_parameters out;
    for (const std::string_view piece : split(text, '&')) {
        if (piece.empty()) continue;
        if (piece.find(';') != std::string_view::npos) return std::nullopt;
        const std::size_t equals = std::min(piece.find('='), piece.size());
        auto name = percent_decode(piece.substr(0, equals), true);
        auto value = percent_decode(piece.substr(std::min(equals + 1, piece.size())), true);
        if (!name || !value) return std::nullopt;
        out.emplace_back(*std::move(name), secret_text(*std::move(value)));
    }
    return out;
}

}  // namespace

bool settings::has(std::string_view mode) const { return std::ranges::find(modes, mode) != modes.end(); }

bool has_cluster_secret(const manifest::trigger& trigger) {
    return trigger.auth.is_cluster_wide && !trigger.auth.parameters.empty();
}

settings read_settings(trigger_reader& read) {
    settings out;
    out.modes = read.list(access_keys["authModes"]);
    out.bearer_token = read.secret_of(access_keys["bearerToken"]);
    out.username = read.secret_of(access_keys["username"]);
    out.password = read.secret_of(access_keys["password"]);
    out.custom_header = read.secret_of(access_keys["customAuthHeader"]);
    out.custom_value = read.secret_of(access_keys["customAuthValue"]);
    out.ca = read.secret_of(access_keys["ca"]);
    out.certificate = read.secret_of(access_keys["cert"]);
    out.key = read.secret_of(access_keys["key"]);
    out.cloud = read.text_of(access_keys["cloud"]);
    out.azure_resource_url = read.text_of(access_keys["azureManagedPrometheusResourceURL"]);
    out.api_key = read.secret_of(access_keys["apiKey"]);
    out.identity = read.trigger().auth;
    out.has_cluster_secret = has_cluster_secret(read.trigger());
    out.strict = read.is_strict();
    const bool has_uri = read.secret(access_keys["oauthTokenURI"]).has_value();
    const bool has_client = read.secret(access_keys["clientID"]).has_value();
    check_modes(read, out, has_uri && has_client);
    return out;
}

void read_oauth(trigger_reader& read, settings& settings) {
    auth::client_credentials_settings out;
    out.token_url = read.secret_of(access_keys["oauthTokenURI"]);
    out.client_id = read.secret_of(access_keys["clientID"]);
    out.client_secret = read.secret_of(oauth_keys["clientSecret"]);
    out.scope = joined_scopes(read.list(oauth_keys["scopes"]));
    auto further = parse_form(read.secret_of(oauth_keys["endpointParams"]).reveal());
    if (!further) {
        read.add_error(
            "unable to set param \"endpointParams\" value \"***\": expected url.Values, unable to parse query: write "
            "it "
            "as in a URL, such as audience=a&resource=b, with %XX for special characters",
            "endpointParams");
        return;
    }
    out.parameters = *std::move(further);
    if (settings.has("oauth")) settings.oauth = std::move(out);
}

void check_headers(parameters& parameters, const settings& settings) {
    if (settings.has("custom") && !settings.custom_header.empty() &&
        (!http::is_field_name(settings.custom_header.reveal()) || !is_header_value(settings.custom_value.reveal()))) {
        parameters.add_error("customAuthHeader is not a header name, or customAuthValue has a control character",
                             "authModes");
    }
    if (settings.has("bearer") && !is_header_value(settings.bearer_token.reveal())) {
        parameters.add_error("bearerToken has a control character", "authModes");
    }
}

bool is_header_value(std::string_view value) {
    return std::ranges::none_of(
        value, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

namespace {

struct cloud_values {
    std::string owner;
    std::map<std::string, secret_text> aws;     // key: parameter
    std::map<std::string, secret_text> google;  // key: parameter

    bool wants_aws() const { return owner == "operator" || aws.count("awsRoleArn") + aws.count("awsAccessKeyID") > 0; }
};

// Reads all keys, even if they are not used, because the reader records which keys it knows.
cloud_values read_values(trigger_reader& read) {
    cloud_values out;
    out.owner = read.text_of(cloud_keys["identityOwner"]);
    const auto keep = [](std::map<std::string, secret_text>& to, std::string_view name, secret_text value) {
        if (!value.empty()) to[std::string(name)] = std::move(value);
    };
    constexpr std::array<text::text_key, 4> texts = {cloud_keys["awsRegion"], cloud_keys["awsRoleArn"],
                                                     cloud_keys["awsExternalId"], cloud_keys["awsAccessKeyID"]};
    constexpr std::array<text::secret_key, 2> secrets = {cloud_keys["awsSecretAccessKey"],
                                                         cloud_keys["awsSessionToken"]};
    for (const text::text_key key : texts) keep(out.aws, key.name(), secret_text(read.text_of(key)));
    for (const text::secret_key key : secrets) keep(out.aws, key.name(), read.secret_of(key));
    keep(out.google, "GoogleApplicationCredentials", read.secret_of(cloud_keys["GoogleApplicationCredentials"]));
    secret_text in_variable = read.secret_of(cloud_keys["credentials"]);
    if (out.google.empty()) keep(out.google, "GoogleApplicationCredentials", std::move(in_variable));
    (void)read.text(cloud_keys["credentialsFromEnvFile"]);
    return out;
}

// Returns the path of a service account key from the variable that credentialsFromEnvFile names; "": not set.
std::string google_key_path(const manifest::trigger& trigger) {
    const auto named = trigger.metadata.find("credentialsFromEnvFile");
    if (named == trigger.metadata.end()) return {};
    const auto found = trigger.resolved_env.find(std::string(trim(named->second)));
    return found == trigger.resolved_env.end() ? std::string() : std::string(trim(found->second.reveal()));
}

}  // namespace

void read_cloud_identity(trigger_reader& read, settings& settings) {
    cloud_values values = read_values(read);
    settings.google_key_path = google_key_path(read.trigger());
    if (!settings.modes.empty()) return;
    manifest::authentication& identity = settings.identity;
    if (identity.provider.empty() || identity.provider == "none") {
        const bool google = !values.google.empty() || !settings.google_key_path.empty();
        if (google) identity.provider = auth::google_provider;
        if (!google && values.wants_aws()) identity.provider = auth::aws_provider;
    }
    auto& own = auth::family_of(identity.provider) == manifest::identity_family::google ? values.google : values.aws;
    for (auto& [name, value] : own) identity.parameters[name] = std::move(value);
}

namespace {

// Returns the secret that a request carries, for the message; "": none.
std::string_view secret_sent(const settings& access, const http::url_parts& url) {
    if (access.has("bearer")) return "the bearer token";
    if (access.has("basic")) return "the password";
    if (access.has("custom")) return "the header of customAuthHeader";
    if (access.oauth) return "the token of authModes oauth";
    if (access.family() != manifest::identity_family::none) return "the token of its identity";
    return url.has_user_info ? "the password in its address" : "";
}

// Warns if the URL is plain http to another machine.
void warn(const trigger_reader& read, std::string_view key, std::string_view secret,
          const std::optional<http::url_parts>& url) {
    if (!url || url->scheme != "http" || http::is_loopback(url->host)) return;
    read.warn(key, "credential-over-http",
              format_text("{} would be sent to {} over plain http, readable by every host on the way; it is not sent "
                          "unless the host program allows that",
                          secret, url->host),
              "write https");
}

}  // namespace

void warn_plain_http(const trigger_reader& read, std::string_view key, std::string_view url, const settings& access) {
    const auto parts = http::parse_url(url);
    const std::string_view secret = parts ? secret_sent(access, *parts) : std::string_view();
    if (!secret.empty()) warn(read, key, secret, parts);
}

void warn_unverified(const trigger_reader& read, const settings& access, std::string_view peer) {
    if (!access.unsafe_ssl) return;
    read.warn("unsafeSsl", "tls-not-verified",
              format_text("unsafeSsl is true: any host on the way can impersonate {}", peer),
              "give its CA as `ca` in the TriggerAuthentication instead");
}

void warn_oauth_over_http(const trigger_reader& read, const settings& access) {
    if (!access.oauth) return;
    warn(read, "authModes", "the client secret of authModes oauth", http::parse_url(access.oauth->token_url.reveal()));
}

}  // namespace gputide::source::access
