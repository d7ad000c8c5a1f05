// The identity services of a machine in Azure, and their tokens.  API versions and spellings are those of Azure/azure-sdk-for-cpp
// sdk/identity/azure-identity/src/managed_identity_source.cpp and azidentity.  App Service uses mi_res_id, the metadata services
// msi_res_id; they silently ignore the wrong name.
#include "auth/azure/credentials.hpp"
#include "auth/azure/services.hpp"
#include "auth/json_text.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/exchange.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>
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

// The spelling of a service.  An empty name: the service does not support this selector.
struct service_row {
    const char* api_version;
    const char* client_name;
    const char* object_name;
    const char* resource_name;
    const char* header;  // with the service's secret, or "true"
    const char* unsupported;
};

// In the order of identity_service.
constexpr std::array<service_row, 5> service_rows{{
    {"2018-02-01", "client_id", "object_id", "msi_res_id", "Metadata", ""},
    {"2019-08-01", "client_id", "object_id", "mi_res_id", "X-IDENTITY-HEADER", ""},
    {"2017-09-01", "clientid", "", "", "secret",
     "App Service of 2017 does not support this identity selector; select the identity by its client id"},
    {"2020-06-01", "client_id", "object_id", "msi_res_id", "Metadata", ""},
    {"", "", "", "", "Metadata",
     "Cloud Shell does not support this identity selector; remove the selector: there is only one identity"},
}};

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
    const service_row& row = service_rows[static_cast<std::size_t>(host.service)];
    form_fields query = {{"api-version", row.api_version}, {"resource", resource}};
    for (const auto& [name, value] :
         {std::pair{row.client_name, &selector.client_id}, std::pair{row.object_name, &selector.object_id},
          std::pair{row.resource_name, &selector.resource_id}}) {
        if (value->empty()) continue;
        if (*name == '\0') return fail(error_class::config, row.unsupported);
        query.emplace_back(name, *value);
    }
    http::request out;
    out.url = host.endpoint;
    if (host.service == identity_service::cloud_shell) {
        out.method = "POST";
        out.set("Content-Type", "application/x-www-form-urlencoded");
        out.body = form_body({{"resource", resource}});
    } else {
        out.url = with_query(host.endpoint, query);
    }
    out.headers.push_back({row.header, host.secret.empty() ? secret_text(std::string_view("true")) : host.secret});
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

// Tokens.  Errors of identity services on the machine are classified only by status, because their error codes are not Entra's.

namespace {

constexpr std::int64_t probe_ms = 1'000;     // in a chain, where the address may be unreachable
constexpr std::int64_t attempt_ms = 60'000;  // outside a chain
// 2, 6, 14, 25, 25, 25 s: longer than the 70 s for which a service may return 410
constexpr std::int32_t metadata_retries = 6;

bool metadata_status_again(std::int32_t status) {
    return status == 404 || status == 410 || status == 429 || (status >= 500 && status <= 508) || status == 510 ||
           status == 511;
}

// Returns the service's own message, or "".
std::string words_of(const http::response& response) {
    const json_text parsed(response.body);
    const auto object = parsed.object();
    if (!object)
        return std::string(valid_utf8(response.body) ? cut_utf8(trim(response.body), 200) : std::string_view());
    return std::string(cut_utf8(first_text(*object, {"error_description", "message", "Message", "error"}), 400));
}

bool is_json_object(const http::response& response) { return json_text(response.body).object().has_value(); }

class managed_identity : public std::enable_shared_from_this<managed_identity> {
  public:
    managed_identity(identity_host at, identity_selector selector, bool in_chain,
                     std::shared_ptr<const surroundings> host)
        : at_(std::move(at)), which_(std::move(selector)), in_chain_(in_chain), host_(std::move(host)) {}

    void begin(const std::shared_ptr<acquisition>& under_way, const std::string& scope) const {
        const auto checked = scope_of_resource(scope);
        auto request = checked ? identity_request(at_, which_, resource_of_scope(*checked)) : checked.failure();
        if (!request) return under_way->finish_soon(request.take_failure());
        request->connect_timeout_ms = in_chain_ ? probe_ms : request->connect_timeout_ms;
        request->attempt_timeout_ms = in_chain_ ? probe_ms : attempt_ms;
        send(under_way, *std::move(request), at_.service == identity_service::arc);
    }

  private:
    http::retry_rule rule() const {
        http::retry_rule out;
        const bool metadata = at_.service == identity_service::metadata;
        if (metadata) {
            out.max_retries = metadata_retries;
            out.base_ms = 2'000;
            out.cap_ms = 25'000;
        }
        out.again = [metadata, in_chain = in_chain_](const http::answer& answer) {
            if (!answer.arrived()) return !in_chain && http::again_by_status(answer);
            return metadata ? metadata_status_again(answer.response.status) : http::again_by_status(answer);
        };
        return out;
    }

    void send(const std::shared_ptr<acquisition>& under_way, http::request request, bool may_be_challenged) const {
        http::request again = may_be_challenged ? request : http::request();
        send_step(under_way, std::move(request), rule(),
                  [self = shared_from_this(), under_way, again = std::move(again), may_be_challenged](
                      http::retried& retried, const moment& sent) {
                      if (may_be_challenged && retried.last.arrived() && retried.last.response.status == 401) {
                          return self->meet_challenge(under_way, again, retried.last.response);
                      }
                      under_way->finish(self->judge(retried, sent, under_way->loop().wall_ms()));
                  });
    }

    void meet_challenge(const std::shared_ptr<acquisition>& under_way, http::request request,
                        const http::response& challenge) const {
        auto header = answer_arc_challenge(challenge, *host_);
        if (!header) return under_way->finish(header.take_failure());
        request.headers.push_back(*std::move(header));
        send(under_way, std::move(request), false);
    }

    result<token> judge(const http::retried& retried, const moment& sent, std::int64_t wall_ms) const {
        const http::response& response = retried.last.response;
        if (!retried.last.is_success()) {
            error why = retried.last.arrived() ? refusal(response) : unreached(retried.last);
            if (why.status != status::not_here) add_peer_wait(why, retried, wall_ms);
            redact_error(why, {at_.secret});
            return why;
        }
        auto out = read_token_answer(response, sent, at_.endpoint);
        const bool foreign = !out && out.failure().status == status::protocol && !is_json_object(response);
        if (foreign && in_chain_) return not_here(out.failure().message);
        if (!out) redact_error(out.failure(), {at_.secret});
        return out;
    }

    static error not_here(const std::string& why) {
        return fail(error_class::unavailable, "no managed identity is available: {}", why);
    }

    error unreached(const http::answer& answer) const {
        error why = transport_failure(answer, at_.endpoint);
        return in_chain_ && why.status == status::unavailable ? not_here(why.message) : why;
    }

    error refusal(const http::response& response) const {
        const std::string words = redact(words_of(response));
        std::string text = format_text("{} answered with HTTP {}", at_.endpoint, response.status);
        if (!words.empty()) text += ": " + words;
        error out = fail(class_of(response, words), text + advice(response.status));
        if (out.status == status::not_here) out = not_here(text);
        out.http_status = response.status;
        return out;
    }

    error_class class_of(const http::response& response, const std::string& words) const {
        const std::int32_t status = response.status;
        if (http::is_redirect(status)) return error_class::protocol;
        if (status == 429) return error_class::throttled;
        if (at_.service == identity_service::metadata ? metadata_status_again(status)
                                                      : http::meaning_of_status(status).retryable) {
            return error_class::transient;
        }
        // The proxy of a desktop container runtime returns 403 for an unreachable address.
        const bool unreachable = status == 403 && lower(words).find("unreachable") != std::string::npos;
        const bool has_no_identity = status == 400 && which_.empty();
        return in_chain_ && (unreachable || has_no_identity) ? error_class::unavailable : error_class::permanent;
    }

    std::string advice(std::int32_t status) const {
        if (http::is_redirect(status)) return "; redirects are not followed for token requests";
        if (status != 400) return {};
        return which_.empty() ? ". Does this machine have a system-assigned managed identity?"
                              : ". Is the selected identity assigned to this machine?";
    }

    const identity_host at_;
    const identity_selector which_;
    const bool in_chain_;
    const std::shared_ptr<const surroundings> host_;
};

}  // namespace

result<std::shared_ptr<credential>> open_managed_identity(const managed_identity_settings& settings,
                                                          std::shared_ptr<const surroundings> host) {
    const int selectors =
        int{!settings.client_id.empty()} + int{!settings.object_id.empty()} + int{!settings.resource_id.empty()};
    if (selectors > 1) {
        return fail(error_class::config,
                    "managed identity: {} of clientId, objectId and resourceId are set; set at most one", selectors);
    }
    auto at = find_identity_host(*host);
    if (!at) return at.take_failure();
    std::string key = format_text("managed_identity\n{}\n{}\n{}\n{}", at->endpoint, lower(settings.client_id),
                                  lower(settings.object_id), lower(settings.resource_id));
    introduction about{.kind = "managed identity", .client_id = settings.client_id};
    const auto state =
        std::make_shared<const managed_identity>(*std::move(at), settings, settings.in_chain, std::move(host));
    return make_credential(std::move(key), std::move(about), [state](const auto& under_way, const std::string& scope) {
        state->begin(under_way, scope);
    });
}

}  // namespace gputide::auth
