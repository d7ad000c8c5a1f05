// Implements the errors of services.hpp for Azure's metric endpoints: Managed Prometheus, Azure Monitor metrics, Log Analytics.
#include "auth/azure/services.hpp"
#include "auth/json_text.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/exchange.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>

namespace gputide::auth {

namespace {

constexpr std::size_t max_text_bytes = 200;       // of a body that is not JSON
constexpr std::size_t max_message_bytes = 1'000;  // of all messages together
constexpr int max_nested = 16;                    // inner errors

struct service_words {
    std::vector<std::string> codes;     // outermost first
    std::vector<std::string> messages;  // outermost first
    std::string error_type;             // Prometheus' errorType
    std::string plain;                  // of a body that is not JSON
    bool has(std::string_view code) const {
        return std::ranges::any_of(codes, [code](const auto& entry) { return equal_ignoring_case(entry, code); });
    }
};

// Reads ARM's code and message, and those of the nested innererror objects.  Details such as line and pos give the position.
void read_arm(json_object object, service_words& out) {
    std::optional<json_object> level = object;
    for (int depth = 0; level && depth < max_nested; ++depth) {
        if (const auto code = text_of(*level, "code")) out.codes.emplace_back(*code);
        if (const auto message = text_of(*level, "message")) {
            std::string text(*message);
            for (const char* place : {"line", "pos"}) {
                if (const auto number = whole_number_of(*level, place)) text += format_text(" {} {}", place, *number);
            }
            if (const auto token = text_of(*level, "token")) text += " token " + gputide::in_quotes(*token);
            out.messages.push_back(std::move(text));
        }
        auto inner = object_of(*level, "innererror");
        level = inner ? inner : object_of(*level, "innerError");
    }
}

service_words read_service_words(const http::response& response) {
    service_words out;
    if (response.body.size() > limits::response_bytes) return out;
    const json_text parsed(response.body);
    const auto object = parsed.object();
    if (!object) {
        out.plain =
            valid_utf8(response.body) ? trim(cut_utf8(trim(response.body), max_text_bytes)) : std::string_view();
        return out;
    }
    out.error_type = text_in(*object, "errorType");
    if (const auto text = text_of(*object, "error")) out.messages.emplace_back(*text);
    const auto wrapped = object_of(*object, "error");
    read_arm(wrapped ? *wrapped : *object, out);
    return out;
}

error_class class_of(std::int32_t status, const service_words& says) {
    if (http::is_redirect(status)) return error_class::security;
    if (status == 401) return error_class::auth;
    if (status == 403) {
        if (says.has("InvalidAuthenticationTokenAudience")) return error_class::config;
        return says.has("InvalidAuthenticationToken") ? error_class::auth : error_class::forbidden;
    }
    const class_meaning means = http::meaning_of_status(status);
    if (means.status == gputide::status::throttled) return error_class::throttled;
    if (status == 503 && says.error_type == "timeout") return error_class::timeout;
    return means.retryable ? error_class::transient : error_class::rejected;
}

std::string host_of(const std::string& url) {
    const auto parts = http::parse_url(url);
    return parts ? parts->host : redact_url(url);
}

bool is_below(std::string_view host, std::string_view label) { return host.find(label) != std::string_view::npos; }

// Returns the role that the endpoint needs, if its host identifies the endpoint.
std::string role_advice(const std::string& host, std::string_view asked) {
    std::string role = "a role that may read its metrics";
    if (!asked.empty()) {
        role = asked;
    } else if (is_below(host, ".prometheus.monitor.azure.")) {
        role = host.substr(0, 6) == "query." ? "Monitoring Reader on the resource that the query is scoped to"
                                             : "Monitoring Data Reader on the Azure Monitor workspace";
    } else if (is_below(host, "metrics.monitor.azure.")) {
        role = "Monitoring Reader on the subscription";
    } else if (is_below(host, "management.")) {
        role = "Monitoring Reader on the resource";
    } else if (is_below(host, "api.loganalytics.")) {
        role = "Log Analytics Reader on the workspace";
    }
    return format_text("Give the identity {}; a new assignment takes up to an hour to take effect", role);
}

std::string advice(error_class kind, const std::string& host, std::string_view role) {
    switch (kind) {
        case error_class::forbidden:
            return role_advice(host, role);
        case error_class::config:
            return "The token is for another audience: request the scope of this endpoint and its cloud";
        case error_class::auth:
            return "The token was rejected; a new one is requested";
        case error_class::security:
            return "The redirect was not followed, because the request contains a token";
        case error_class::rejected:
            return role.empty() ? "Correct the trigger's query or address" : "";
        case error_class::timeout:
            return "The query is too expensive for the service; simplify it or shorten its time range";
        default:
            return {};
    }
}

std::string message_of(const http::response& response, const service_words& says, error_class kind,
                       const std::string& host, std::string_view role) {
    std::string out = format_text("{} answered with HTTP {}", host, response.status);
    std::string codes;
    for (const std::string& code : says.codes) append_item(codes, code, " > ");
    if (codes.empty()) codes = says.error_type;
    if (!codes.empty()) out += format_text(" ({})", codes);
    std::string words;
    for (const std::string& text : says.messages) append_item(words, text, " / ");
    if (words.empty()) words = says.plain;
    if (!words.empty()) out += ": " + std::string(cut_utf8(words, max_message_bytes));
    const std::string next = advice(kind, host, role);
    if (!next.empty()) out += ". " + next;
    return out;
}

error service_error_of(const http::response& response, const service_words& says, error_class kind,
                       const std::string& host, std::string_view role) {
    error out = fail(kind, message_of(response, says, kind, host, role));
    out.http_status = response.status;
    if (!says.codes.empty()) {
        out.service_code = says.codes.back();
        std::string all;
        for (const std::string& code : says.codes) append_item(all, code, " ");
        out.fields.emplace_back("codes", std::move(all));
    } else {
        out.service_code = says.error_type;
    }
    return out;
}

}  // namespace

std::optional<error> service_refusal(const http::answer& answer, const std::string& url, std::string_view role) {
    const http::response& response = answer.response;
    if (answer.is_success()) return std::nullopt;
    const std::string host = host_of(url);
    error out;
    if (answer.arrived()) {
        const service_words says = read_service_words(response);
        out = service_error_of(response, says, class_of(response.status, says), host, role);
        out.retry_after_ms = http::wished_delay_ms(response, 0).value_or(0);  // the sender computes retry_at_ms from it
    } else {
        out = transport_failure(answer, host);
    }
    redact_error(out, std::vector<std::string_view>());
    return out;
}

// The table.  Sources: learn.microsoft.com/entra/identity-platform/reference-error-codes, Azure/azure-sdk-for-cpp
// sdk/identity/azure-identity/TROUBLESHOOTING.md; 700211..700213 are known from public reports only.

namespace {

constexpr std::string_view compare_credential =
    "compare issuer, subject and audience with `az identity federated-credential list`; a new credential takes some "
    "minutes to become effective";
constexpr std::string_view check_client =
    "check AZURE_CLIENT_ID and AZURE_TENANT_ID, and that the authority is of the same cloud";
constexpr std::string_view check_certificate =
    "upload the certificate to the application; its thumbprint must match the key, signed with RS256 or PS256";
constexpr std::string_view check_secret = "use the secret's value, not its id";
constexpr std::string_view check_tenant = "check AZURE_TENANT_ID";
constexpr std::string_view check_cloud = "check AZURE_AUTHORITY_HOST: the tenant lives in another cloud";
constexpr std::string_view check_resource =
    "use the scope of the right cloud, and register the resource provider in the tenant";
constexpr std::string_view one_scope = "request one scope of the form <resource>/.default";
constexpr std::string_view ask_admin = "contact the tenant's administrator with the suberror and claims of this error";
constexpr std::string_view field_missing = "a field of the form is missing";
constexpr std::string_view our_fault = "an empty token, a proxy that changes requests, or a bug in this library";
constexpr std::string_view try_later = "the identity service is unavailable for the moment";

constexpr std::array<aadsts_code, 49> table = {{
    {70021, error_class::propagation,
     "no federated credential matches issuer, subject and audience of the service-account token", compare_credential},
    {700211, error_class::propagation, "no federated credential has the issuer of the service-account token",
     "compare the issuer with the credential's; issuer URLs of AKS end in '/'; a new credential takes some minutes to "
     "become effective"},
    {700212, error_class::propagation, "no federated credential has the audience of the service-account token",
     "the audience must be api://AzureADTokenExchange on both sides"},
    {700213, error_class::propagation, "no federated credential has the subject of the service-account token",
     "the subject must be system:serviceaccount:<namespace>:<name> of the pod that runs this process"},
    {700024, error_class::stale_assertion,
     "the service-account token is outside its time range and its file has not changed",
     "check whether a program caches the file, the kubelet no longer rotates it, or the clock is wrong"},
    {700016, error_class::permanent, "the client id is unknown in this tenant", check_client},
    {700011, error_class::permanent, "the client id is unknown in this tenant", check_client},
    {70001, error_class::permanent, "the application is disabled or not usable", "enable it in the tenant"},
    {7000112, error_class::permanent, "the application is disabled", "enable it in the tenant"},
    {700021, error_class::permanent, "issuer or subject of the assertion is not the client id",
     "use the client id that the certificate belongs to"},
    {700023, error_class::permanent, "the assertion is for another endpoint, or the scope has no resource",
     "check the authority and the scope"},
    {700027, error_class::permanent, "the assertion's signature was refused", check_certificate},
    {50012, error_class::permanent, "the assertion's signature or certificate was refused", check_certificate},
    {900384, error_class::permanent, "the assertion's signature was refused", check_certificate},
    {50027, error_class::permanent, "the assertion is not a JWT",
     "AZURE_FEDERATED_TOKEN_FILE must name a projected service-account token"},
    {700030, error_class::permanent, "the subject name of the certificate is not authorized",
     "send the certificate chain (x5c) only if a trusted subject name is configured"},
    {7000215, error_class::permanent, "the client secret is wrong", check_secret},
    {70002, error_class::permanent, "the client secret is wrong", check_secret},
    {7000222, error_class::permanent, "the client secret has expired", "create a new secret"},
    {7000218, error_class::permanent, field_missing, our_fault},
    {900144, error_class::permanent, field_missing, our_fault},
    {90014, error_class::permanent, field_missing, our_fault},
    {90002, error_class::permanent, "the tenant is unknown", check_tenant},
    {90019, error_class::permanent, "the request names no tenant", check_tenant},
    {900023, error_class::permanent, "the tenant is malformed", check_tenant},
    {90038, error_class::permanent, "the tenant lives in another cloud", check_cloud},
    {900382, error_class::permanent, "the application belongs to another cloud", check_cloud},
    {900432, error_class::permanent, "the tenant lives in another cloud", check_cloud},
    {500011, error_class::permanent, "the resource of the scope is not in the tenant", check_resource},
    {50001, error_class::permanent, "the resource of the scope is not in the tenant", check_resource},
    {650057, error_class::permanent, "the application has no permission for the resource of the scope", check_resource},
    {70011, error_class::permanent, "the scope is malformed", one_scope},
    {28002, error_class::permanent, "the scope is not valid for this resource", one_scope},
    {28003, error_class::permanent, "the scope is empty", one_scope},
    {700022, error_class::permanent, "the scope names several resources", one_scope},
    {901002, error_class::permanent, "the v2.0 endpoint does not accept a `resource` field", one_scope},
    {53003, error_class::permanent, "conditional access rejects this sign-in", ask_admin},
    {53000, error_class::permanent, "conditional access requires a compliant device", ask_admin},
    {530032, error_class::permanent, "a security policy of the tenant rejects this sign-in", ask_admin},
    {65001, error_class::permanent, "consent is missing", ask_admin},
    {70043, error_class::permanent, "the sign-in frequency policy rejects this token", ask_admin},
    {90061, error_class::transient, "Entra could not read the cluster's OIDC documents",
     "if this persists, check whether {issuer}/.well-known/openid-configuration is public"},
    {90006, error_class::transient, try_later, ""},
    {90012, error_class::transient, try_later, ""},
    {90024, error_class::transient, try_later, ""},
    {90033, error_class::transient, try_later, ""},
    {90090, error_class::transient, try_later, ""},
    {90055, error_class::throttled, "too many requests for tokens",
     "see which part of the program does without a token cache"},
    {50196, error_class::request_loop, "the service received the same request repeatedly",
     "wait a minute; find the part of the program that does not use the token cache"},
}};

}  // namespace

const aadsts_code* find_aadsts(std::int64_t number) {
    const auto found = std::ranges::find_if(table, [number](const aadsts_code& code) { return code.number == number; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace gputide::auth
