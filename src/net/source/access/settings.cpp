// Reads and checks who asks.
#include "source/access/settings.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/access/keys.hpp"

#include <algorithm>

namespace gputide::source::access {
namespace {

using config::parameters;

std::string presence(std::string_view name, const secret_text& value) {
    return format_text("{} ({})", name, value.empty() ? "<empty>" : "<present>");
}

// kedacore/keda pkg/scalers/authentication: each mode names what it needs, and the message tells only what is there.
void check_modes(parameters& parameters, const settings& access, bool has_oauth) {
    if (access.has("bearer") && access.bearer_token.empty()) {
        parameters.add_error(presence("bearerToken", access.bearer_token) + " is required when bearer auth is enabled",
                             "authModes");
    }
    if (access.has("basic") && access.username.empty()) {
        parameters.add_error(presence("username", access.username) + " is required when basic auth is enabled",
                             "authModes");
    }
    if (access.has("tls") && (access.certificate.empty() || access.key.empty())) {
        parameters.add_error(format_text("{} and {} are required when tls auth is enabled",
                                         presence("cert", access.certificate), presence("key", access.key)),
                             "authModes");
    }
    if (access.has("custom") && (access.custom_header.empty() || access.custom_value.empty())) {
        parameters.add_error(format_text("{} and {} are required when custom auth is enabled",
                                         presence("customAuthHeader", access.custom_header),
                                         presence("customAuthValue", access.custom_value)),
                             "authModes");
    }
    if (access.has("apiKey") && access.api_key.empty()) {
        parameters.add_error("apiKey (<empty>) is required when apiKey auth is enabled", "authModes");
    }
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
        if (!scope.empty()) out.append(out.empty() ? "" : " ").append(scope);
    }
    return out;
}

using form_parameters = std::vector<std::pair<std::string, secret_text>>;

// As Go's url.ParseQuery reads it; nothing where that fails.  A parameter without a name stays, an empty piece does not.
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

bool settings::has(std::string_view mode) const { return std::find(modes.begin(), modes.end(), mode) != modes.end(); }

bool has_cluster_secret(const config::trigger& trigger) {
    return trigger.auth.is_cluster_wide && !trigger.auth.parameters.empty();
}

settings read_settings(parameters& parameters, const config::trigger& trigger, config::profile profile) {
    settings out;
    const auto text = [&parameters](config::text_key key) { return parameters.text(key).value_or(""); };
    const auto secret = [&parameters](config::secret_key key) {
        return parameters.secret(key).value_or(secret_text());
    };
    out.modes = parameters.list(access_keys["authModes"]);
    out.bearer_token = secret(access_keys["bearerToken"]);
    out.username = secret(access_keys["username"]);
    out.password = secret(access_keys["password"]);
    out.custom_header = secret(access_keys["customAuthHeader"]);
    out.custom_value = secret(access_keys["customAuthValue"]);
    out.ca = secret(access_keys["ca"]);
    out.certificate = secret(access_keys["cert"]);
    out.key = secret(access_keys["key"]);
    out.cloud = text(access_keys["cloud"]);
    out.azure_resource_url = text(access_keys["azureManagedPrometheusResourceURL"]);
    out.api_key = secret(access_keys["apiKey"]);
    out.identity = trigger.auth;
    out.has_cluster_secret = has_cluster_secret(trigger);
    out.strict = profile == config::profile::strict;
    const bool has_uri = parameters.secret(access_keys["oauthTokenURI"]).has_value();
    const bool has_client = parameters.secret(access_keys["clientID"]).has_value();
    check_modes(parameters, out, has_uri && has_client);
    return out;
}

void read_oauth(parameters& parameters, settings& settings) {
    const auto secret = [&parameters](config::secret_key key) {
        return parameters.secret(key).value_or(secret_text());
    };
    auth::client_credentials_settings out;
    out.token_url = secret(access_keys["oauthTokenURI"]);
    out.client_id = secret(access_keys["clientID"]);
    out.client_secret = secret(oauth_keys["clientSecret"]);
    out.scope = joined_scopes(parameters.list(oauth_keys["scopes"]));
    auto further = parse_form(secret(oauth_keys["endpointParams"]).reveal());
    if (!further) {
        parameters.add_error(
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
        (!is_header_name(settings.custom_header.reveal()) || !is_header_value(settings.custom_value.reveal()))) {
        parameters.add_error("customAuthHeader is no header name, or customAuthValue has a control character",
                             "authModes");
    }
    if (settings.has("bearer") && !is_header_value(settings.bearer_token.reveal())) {
        parameters.add_error("bearerToken has a control character", "authModes");
    }
}

bool is_header_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool is_header_value(std::string_view value) {
    return std::none_of(value.begin(), value.end(),
                        [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
}

}  // namespace gputide::source::access
