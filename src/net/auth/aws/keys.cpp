// Serializes and parses the keys of aws.hpp.
#include "auth/aws/aws.hpp"
#include "auth/json_text.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/stable_order.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {

namespace {

constexpr std::int64_t lasting_life_s = 3'600;

// Returns the credentials in a response of STS, which wraps them twice in objects named after the action.
std::optional<json_object> credentials_of_sts(json_object root) {
    const auto found = object_of(root, "AssumeRoleResponse/AssumeRoleResult/Credentials");
    if (found) return found;
    return object_of(root, "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/Credentials");
}

// Parses RFC 3339 or epoch seconds, also as 1.586286225E9.
std::optional<std::int64_t> end_ms(json_object credentials) {
    const auto written = member(credentials, "Expiration");
    if (!written) return std::nullopt;
    double seconds = 0.0;
    if (written->is_number() && written->get(seconds) == simdjson::SUCCESS) {
        constexpr double last_s = 253'402'300'799.0;  // end of the year 9999
        if (!(seconds >= 0.0 && seconds <= last_s)) return std::nullopt;
        return static_cast<std::int64_t>(std::floor(seconds)) * 1'000;
    }
    std::string_view text;
    if (written->get(text) != simdjson::SUCCESS) return std::nullopt;
    return parse_rfc3339(text);
}

std::optional<aws_keys> keys_in(json_object object) {
    aws_keys out;
    out.access_key_id = text_in(object, "AccessKeyId");
    out.secret_access_key = secret_text(text_of(object, "SecretAccessKey").value_or(""));
    out.session_token = secret_text(first_text(object, {"SessionToken", "Token"}));
    if (out.access_key_id.empty() || out.secret_access_key.empty()) return std::nullopt;
    return out;
}

bool breaks_headers(const aws_keys& keys) {
    return has_control_character(keys.access_key_id) || has_control_character(keys.secret_access_key.reveal()) ||
           has_control_character(keys.session_token.reveal());
}

}  // namespace

secret_text credential_process_text(const aws_keys& keys, std::optional<std::int64_t> expires_at_ms) {
    json_writer out;
    out.begin_object().member("Version", 1).member("AccessKeyId", keys.access_key_id);
    out.member("SecretAccessKey", keys.secret_access_key.reveal());
    if (!keys.session_token.empty()) out.member("SessionToken", keys.session_token.reveal());
    if (expires_at_ms) out.member("Expiration", format_rfc3339_s(*expires_at_ms));
    return secret_text(out.end_object().take());
}

result<aws_keys> read_credential_process(std::string_view text) {
    const json_text parsed(text);
    const auto object = parsed.object();
    auto out = object ? keys_in(*object) : std::nullopt;
    if (!out) return fail(status::bug, "the token does not contain AWS access keys");
    return *std::move(out);
}

token lasting_token(const aws_keys& keys, const moment& now) {
    return token_living(credential_process_text(keys, std::nullopt), now, lasting_life_s);
}

result<token> read_aws_answer(const http::response& response, const moment& sent, const std::string& endpoint) {
    if (response.body.size() > limits::token_response_bytes)
        return unusable_token_answer(endpoint, response, "a body that is too large");
    const json_text parsed(response.body);
    const auto root = parsed.object();
    if (!root) return unusable_token_answer(endpoint, response, "a body that is not a JSON object");
    const auto wrapped = credentials_of_sts(*root);
    const json_object credentials = wrapped ? *wrapped : *root;
    const auto keys = keys_in(credentials);
    if (!keys) return unusable_token_answer(endpoint, response, "no AccessKeyId with its SecretAccessKey");
    if (breaks_headers(*keys)) {
        return fail(error_class::security, "{} answered with keys that contain control characters; they were not used",
                    endpoint);
    }
    const auto end = end_ms(credentials);
    if (!end) return unusable_token_answer(endpoint, response, "keys with a missing or unreadable Expiration");
    const std::int64_t life_s = (*end - sent.wall_ms) / 1'000;
    if (life_s <= 0) {
        return unusable_token_answer(endpoint, response,
                                     "keys that have expired already; the clock of this machine may be wrong");
    }
    token out = token_living(credential_process_text(*keys, *end), sent, std::min(life_s, longest_life_s));
    out.client_id = keys->access_key_id;
    return out;
}

// The canonical query string (AWS General Reference, "Create a signed AWS API request").

bool is_aws_region(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

std::string region_of_host(std::string_view host) {
    const auto labels = split(host, '.');
    for (std::size_t i = 0; i + 2 < labels.size(); ++i) {
        const bool service = labels[i] == "aps-workspaces" || labels[i] == "sts";
        if (service && is_aws_region(labels[i + 1]) && labels[i + 1] != "amazonaws") return std::string(labels[i + 1]);
    }
    return {};
}

std::string canonical_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string_view piece : split(query, '&')) {
        if (piece.empty()) continue;
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto encoded = [](std::string_view written) {
            const auto plain = percent_decode(written, true);
            return percent_encode(plain ? std::string_view(*plain) : written);
        };
        pairs.emplace_back(encoded(piece.substr(0, equals)),
                           encoded(equals < piece.size() ? piece.substr(equals + 1) : std::string_view()));
    }
    sort_stably(pairs);
    std::string out;
    for (const auto& [name, value] : pairs) {
        out += out.empty() ? "" : "&";
        out.append(name).append("=").append(value);
    }
    return out;
}

void sign_request(http::request& request, const aws_keys& keys, const aws_target& target) {
    const std::size_t mark = request.url.find('?');
    if (mark != std::string::npos) {
        const std::string query = canonical_query(std::string_view(request.url).substr(mark + 1));
        request.url = request.url.substr(0, mark) + (query.empty() ? "" : "?" + query);
    }
    if (!keys.session_token.empty()) request.headers.push_back({"X-Amz-Security-Token", keys.session_token});
    request.signing = std::make_shared<const http::aws_signing>(
        http::aws_signing{target.region, target.service, keys.access_key_id, keys.secret_access_key});
    request.carries_credential = true;
}

// The request for keys and the meaning of its errors.

namespace {

constexpr std::size_t max_aws_message_bytes = 600;

struct aws_error_text {
    std::string code;
    std::string message;
};

aws_error_text read_error_text(const http::response& response) {
    aws_error_text out;
    if (response.body.size() > limits::token_response_bytes) return out;
    const json_text parsed(response.body);
    const auto root = parsed.object();
    if (!root) return out;
    const auto inner = object_of(*root, "Error");
    const json_object element = inner ? *inner : *root;
    out.code = first_text(element, {"Code", "code"});
    out.message = cut_utf8(first_text(element, {"Message", "message"}), max_aws_message_bytes);
    return out;
}

struct code_row {
    std::string_view code;
    error_class what;
    std::string_view fix;
};

// Error codes from the AWS STS API Reference: AssumeRole, AssumeRoleWithWebIdentity, and the common errors.
constexpr std::array code_rows = {
    code_row{"ExpiredTokenException", error_class::stale_assertion,
             "the web identity token has expired: check that the kubelet rotates it, and the clock of this machine"},
    code_row{"ExpiredToken", error_class::stale_assertion, "the session that signs the request has expired"},
    code_row{"InvalidIdentityToken", error_class::permanent,
             "is the cluster's OIDC issuer an identity provider of the account, with the audience sts.amazonaws.com?"},
    code_row{"AccessDenied", error_class::permanent,
             "does the role's trust policy name this service account (system:serviceaccount:<namespace>:<name>), or "
             "the assuming role?"},
    code_row{"IDPCommunicationError", error_class::transient, ""},
    code_row{"Throttling", error_class::throttled, ""},
    code_row{"ThrottlingException", error_class::throttled, ""},
    code_row{"RequestLimitExceeded", error_class::throttled, ""},
    code_row{"SignatureDoesNotMatch", error_class::permanent,
             "does the secret access key belong to this access key id?"},
    code_row{"InvalidClientTokenId", error_class::permanent, "the access key id is unknown"},
    code_row{"RegionDisabledException", error_class::permanent, "STS is disabled in this region for the account"},
};

const code_row* find_code(std::string_view code) {
    const auto at = std::ranges::find_if(code_rows, [code](const code_row& row) { return row.code == code; });
    return at == code_rows.end() ? nullptr : &*at;
}

}  // namespace

bool aws_again(const http::answer& answer) {
    if (!answer.arrived() || http::again_by_status(answer)) return http::again_by_status(answer);
    const code_row* known = find_code(read_error_text(answer.response).code);
    return known != nullptr && (known->what == error_class::transient || known->what == error_class::throttled);
}

error read_aws_refusal(const http::response& response, const token_context& about, std::int64_t) {
    const aws_error_text says = read_error_text(response);
    const code_row* known = find_code(says.code);
    std::string text = format_text("{} answered with HTTP {}", about.endpoint, response.status);
    if (!says.code.empty()) text += format_text(" ({})", says.code);
    if (!says.message.empty()) text += ": " + says.message;
    if (known != nullptr && !known->fix.empty()) text.append("; ").append(known->fix);
    error out = fail(known != nullptr ? known->what : class_of_token_status(response.status), std::move(text));
    out.http_status = response.status;
    out.service_code = says.code;
    return out;
}

}  // namespace gputide::auth
