// The identity services of a machine.  API versions and spellings are those of Azure/azure-sdk-for-cpp
// sdk/identity/azure-identity/src/managed_identity_source.cpp and azidentity.  App Service uses mi_res_id, the metadata services
// msi_res_id; they silently ignore the wrong name.
#include "auth/azure/credentials.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace gputide::auth {

namespace {

constexpr const char* metadata_endpoint = "http://169.254.169.254/metadata/identity/oauth2/token";
constexpr const char* arc_endpoint = "http://localhost:40342/metadata/identity/oauth2/token";
constexpr const char* arc_agent = "/opt/azcmagent/bin/himds";

bool is_link_local(const std::string& host) { return host.rfind("169.254.", 0) == 0 || host.rfind("fe80:", 0) == 0; }

result<identity_host> checked(identity_service service, const char* variable, const std::string& endpoint,
                              const std::string& secret = {}) {
    const auto url = http::parse_url(endpoint);
    if (!url || url->has_user_info || url->has_fragment) {
        return fail(error_class::config, "{}: expected the URL of an identity endpoint, got {}", variable,
                    redact_url(endpoint));
    }
    if (url->scheme != "https" && !http::is_loopback(url->host) && !is_link_local(url->host)) {
        return fail(error_class::config,
                    "{}: host {} uses http, which is allowed only for loopback and link-local addresses; use https",
                    variable, url->host);
    }
    return identity_host{service, endpoint, secret_text(secret)};
}

bool exists(const surroundings& host, const char* path) {
    const auto first_bytes = host.read_file(path, 0);  // any content is "too large"
    return first_bytes.ok() || first_bytes.failure().status == status::limit;
}

std::string with_query(const std::string& endpoint, const form_fields& query) {
    std::string out = endpoint;
    char before = endpoint.find('?') == std::string::npos ? '?' : '&';
    for (const auto& [name, value] : query) {
        out += before;
        out.append(name).append("=").append(percent_encode(value));
        before = '&';
    }
    return out;
}

error_ptr no_selector(const char* service, const char* instead) {
    return fail(error_class::config, "{} does not support this identity selector; {}", service, instead);
}

http::request get(const identity_host& host, form_fields query, const identity_selector& selector,
                  std::string_view resource_name) {
    if (!selector.client_id.empty()) query.emplace_back("client_id", selector.client_id);
    if (!selector.object_id.empty()) query.emplace_back("object_id", selector.object_id);
    if (!selector.resource_id.empty()) query.emplace_back(resource_name, selector.resource_id);
    http::request out;
    out.url = with_query(host.endpoint, query);
    return out;
}

}  // namespace

result<identity_host> find_identity_host(const surroundings& host) {
    const std::string endpoint = host.variable("IDENTITY_ENDPOINT");
    const std::string header = host.variable("IDENTITY_HEADER");
    if (!endpoint.empty() && !header.empty()) {
        if (host.variable("IDENTITY_SERVER_THUMBPRINT").empty()) {
            return checked(identity_service::app_service, "IDENTITY_ENDPOINT", endpoint, header);
        }
        return fail(error_class::config,
                    "IDENTITY_SERVER_THUMBPRINT is set: managed identities of Service Fabric are not "
                    "supported, because their pinned certificate cannot be checked here; use a client "
                    "certificate or workload identity");
    }
    if (!endpoint.empty() && !host.variable("IMDS_ENDPOINT").empty()) {
        return checked(identity_service::arc, "IDENTITY_ENDPOINT", endpoint);
    }
    const std::string msi = host.variable("MSI_ENDPOINT");
    if (!msi.empty()) {
        const std::string secret = host.variable("MSI_SECRET");
        const auto service = secret.empty() ? identity_service::cloud_shell : identity_service::app_service_2017;
        return checked(service, "MSI_ENDPOINT", msi, secret);
    }
    if (exists(host, arc_agent)) return identity_host{identity_service::arc, arc_endpoint, {}};
    return identity_host{identity_service::metadata, metadata_endpoint, {}};
}

result<http::request> identity_request(const identity_host& host, const identity_selector& selector,
                                       const std::string& resource) {
    http::request out;
    switch (host.service) {
        case identity_service::metadata:
            out = get(host, {{"api-version", "2018-02-01"}, {"resource", resource}}, selector, "msi_res_id");
            out.set("Metadata", "true");
            break;
        case identity_service::arc:
            out = get(host, {{"api-version", "2020-06-01"}, {"resource", resource}}, selector, "msi_res_id");
            out.set("Metadata", "true");
            break;
        case identity_service::app_service:
            out = get(host, {{"api-version", "2019-08-01"}, {"resource", resource}}, selector, "mi_res_id");
            out.headers.push_back({"X-IDENTITY-HEADER", host.secret});
            break;
        case identity_service::app_service_2017: {
            if (!selector.object_id.empty() || !selector.resource_id.empty()) {
                return no_selector("App Service of 2017", "select the identity by its client id");
            }
            form_fields query = {{"api-version", "2017-09-01"}, {"resource", resource}};
            if (!selector.client_id.empty()) query.emplace_back("clientid", selector.client_id);
            out.url = with_query(host.endpoint, query);
            out.headers.push_back({"secret", host.secret});
            break;
        }
        case identity_service::cloud_shell:
            if (!selector.empty()) return no_selector("Cloud Shell", "remove the selector: there is only one identity");
            out.method = "POST";
            out.url = host.endpoint;
            out.set("Content-Type", "application/x-www-form-urlencoded");
            out.set("Metadata", "true");
            out.body = form_body({{"resource", resource}});
            break;
    }
    out.set("Accept", "application/json");
    out.use_proxy = false;  // even if the environment sets a proxy: these addresses are local
    out.carries_credential = true;
    out.allow_plain_http = true;  // loopback or link-local, as find_identity_host() has checked
    out.max_bytes = limits::token_response_bytes;
    return out;
}

// Checks of a challenge (Azure/azure-sdk-for-go sdk/azidentity/managed_identity_client.go, getAzureArcSecretKey).

namespace {

constexpr std::string_view key_folder = "/var/opt/azcmagent/tokens/";
constexpr std::string_view ending = ".key";
constexpr std::size_t max_key_bytes = 4096;

error_ptr refused(const std::string& why) {
    return fail(error_class::security, "the WWW-Authenticate challenge of the Azure Arc agent {}; no file was opened",
                why);
}

// Parses Basic realm=/path or Basic realm="/path".
std::optional<std::string_view> realm_of(std::string_view challenge) {
    constexpr std::string_view start = "basic realm=";
    challenge = trim(challenge);
    if (!starts_with_ignoring_case(challenge, start)) return std::nullopt;
    challenge.remove_prefix(start.size());
    if (challenge.size() >= 2 && challenge.front() == '"' && challenge.back() == '"') {
        challenge = challenge.substr(1, challenge.size() - 2);
    }
    return challenge;
}

bool names_a_key(std::string_view path) {
    if (path.substr(0, key_folder.size()) != key_folder) return false;
    const std::string_view name = path.substr(key_folder.size());
    return name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending &&
           name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace

result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host) {
    const auto header = challenge.header("WWW-Authenticate");
    const auto path = header ? realm_of(*header) : std::nullopt;
    if (!path) return refused("is missing or is not of the form Basic realm=<path>");
    if (!names_a_key(*path)) {
        return refused(
            format_text("names {}; expected a file *.key directly in {}", gputide::in_quotes(*path), key_folder));
    }
    const auto key = host.read_unlinked_file(std::string(*path), max_key_bytes);
    if (!key) {
        if (key.failure().status == status::limit) return refused("names a file of more than 4096 bytes");
        return fail_for_now(
            format_text("the key file of the Azure Arc agent cannot be read: {}. The user of this process must be in "
                        "the group himds",
                        key.failure().message));
    }
    const std::string_view content = trim(key->reveal());
    const bool printable = std::ranges::all_of(content, [](char c) { return c > 0x20 && c < 0x7F; });
    if (content.empty() || !printable) return refused("names a file without a key");
    std::string value = "Basic ";
    value.reserve(value.size() + content.size());
    value.append(content);
    return http::header{"Authorization", secret_text(std::move(value))};
}

}  // namespace gputide::auth
