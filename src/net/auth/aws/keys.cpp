// Serializes and parses the keys of keys.hpp.
#include "auth/aws/keys.hpp"

#include "auth/json_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gputide::auth {
namespace {

constexpr std::int64_t lasting_life_s = 3'600;

error_ptr unusable(const http::response& response, const std::string& endpoint, const std::string& why) {
    return fail(error_class::protocol, "{} answered with HTTP {} and {}", endpoint, response.status, why);
}

// STS wraps its response twice; the names contain the action.
std::optional<json_element> credentials_of_sts(json_element root) {
    for (const char* action : {"AssumeRoleWithWebIdentity", "AssumeRole"}) {
        const auto response = object_member(root, std::string(action) + "Response");
        const auto result = response ? object_member(*response, std::string(action) + "Result") : std::nullopt;
        if (result) return object_member(*result, "Credentials");
    }
    return std::nullopt;
}

// Parses RFC 3339 or epoch seconds, also as 1.586286225E9.
std::optional<std::int64_t> end_ms(json_element credentials) {
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

std::optional<aws_keys> keys_in(json_element object) {
    aws_keys out;
    out.access_key_id = text_member(object, "AccessKeyId").value_or("");
    out.secret_access_key = secret_text(text_member(object, "SecretAccessKey").value_or(""));
    for (const char* name : {"SessionToken", "Token"}) {
        const auto session = text_member(object, name);
        if (session && out.session_token.empty()) out.session_token = secret_text(*session);
    }
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
    if (!out) return fail(status::bug, "the token at hand holds no keys of AWS");
    return *std::move(out);
}

token lasting_token(const aws_keys& keys, const moment& now) {
    return token_living(credential_process_text(keys, std::nullopt), now, lasting_life_s);
}

result<token> read_aws_answer(const http::response& response, const moment& sent, const std::string& endpoint) {
    if (response.body.size() > limits::token_response_bytes)
        return unusable(response, endpoint, "a body that is too large");
    const json_text parsed(response.body);
    const auto root = parsed.object();
    if (!root) return unusable(response, endpoint, "a body that is not a JSON object");
    const auto wrapped = credentials_of_sts(*root);
    const json_element credentials = wrapped ? *wrapped : *root;
    const auto keys = keys_in(credentials);
    if (!keys) return unusable(response, endpoint, "no AccessKeyId with its SecretAccessKey");
    if (breaks_headers(*keys)) {
        return fail(error_class::security, "{} answered with keys that hold control characters; not used", endpoint);
    }
    const auto end = end_ms(credentials);
    if (!end) return unusable(response, endpoint, "keys whose end cannot be told: no Expiration that can be read");
    const std::int64_t life_s = (*end - sent.wall_ms) / 1'000;
    if (life_s <= 0) {
        return unusable(response, endpoint, "keys that have expired already; the clock of this machine may be wrong");
    }
    token out = token_living(credential_process_text(*keys, *end), sent, std::min(life_s, longest_life_s));
    out.client_id = keys->access_key_id;
    return out;
}

}  // namespace gputide::auth
