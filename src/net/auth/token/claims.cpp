// Implements claims.hpp.
#include "auth/token/claims.hpp"

#include "auth/json_text.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::auth {

namespace {

std::string text_claim(json_object claims, std::string_view name) {
    return redact(cut_utf8(text_of(claims, name).value_or(""), 400));
}

std::string audience_claim(json_object claims) {
    const auto several = array_of(claims, "aud");
    if (!several) return text_claim(claims, "aud");
    std::string out;
    for (const json_element entry : *several) {
        std::string_view text;
        if (entry.get(text) == simdjson::SUCCESS) append_item(out, redact(cut_utf8(text, 400)));
    }
    return out;
}

}  // namespace

std::optional<secret_text> decode_claims(std::string_view token) {
    const auto parts = split(token, '.');
    auto decoded = parts.size() == 3 ? decode_base64url(parts[1]) : std::nullopt;
    if (!decoded) return std::nullopt;
    return secret_text(*std::move(decoded));
}

result<claims> read_claims(std::string_view token) {
    const auto decoded = decode_claims(token);
    if (!decoded) {
        return fail(error_class::protocol,
                    "the token is opaque: it is not a JWT of three base64url parts, so its claims cannot be "
                    "shown");
    }
    const json_text parsed(decoded->reveal());
    const auto object = parsed.object();
    if (!object)
        return fail(error_class::protocol,
                    "the token's second part is not a JSON object, so its claims cannot be shown");

    claims out;
    out.audience = audience_claim(*object);
    out.issuer = text_claim(*object, "iss");
    out.tenant = text_claim(*object, "tid");
    out.client = text_claim(*object, "appid");
    if (out.client.empty()) out.client = text_claim(*object, "azp");
    out.object_id = text_claim(*object, "oid");
    out.subject = text_claim(*object, "sub");
    out.expires_at_s = whole_number_of(*object, "exp");
    out.starts_at_s = whole_number_of(*object, "nbf");
    return out;
}

std::vector<std::pair<std::string, std::string>> text_claims(const claims& claims) {
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&out](const char* name, const std::string& value) {
        if (!value.empty()) out.emplace_back(name, value);
    };
    add("aud", claims.audience);
    add("iss", claims.issuer);
    add("tid", claims.tenant);
    add("appid", claims.client);
    add("oid", claims.object_id);
    add("sub", claims.subject);
    return out;
}

std::vector<std::pair<std::string, std::string>> list_claims(const claims& claims) {
    auto out = text_claims(claims);
    if (claims.expires_at_s) out.emplace_back("exp", std::to_string(*claims.expires_at_s));
    return out;
}

// Parses tokens from files and programs.

namespace {

// Parses "2026-11-21 14:00:00.000000" in the local time zone to Unix seconds.
std::optional<std::int64_t> local_time_s(std::string_view text) {
    constexpr std::string_view shape = "dddd-dd-dd dd:dd:dd";
    if (text.size() < shape.size()) return std::nullopt;
    std::array<int, 6> fields{};
    std::size_t field = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (digit != (shape[i] == 'd') || (!digit && text[i] != shape[i])) return std::nullopt;
        if (digit) {
            fields[field] = fields[field] * 10 + (text[i] - '0');
        } else {
            ++field;
        }
    }
    std::tm when = {};
    when.tm_year = fields[0] - 1900;
    when.tm_mon = fields[1] - 1;
    when.tm_mday = fields[2];
    when.tm_hour = fields[3];
    when.tm_min = fields[4];
    when.tm_sec = fields[5];
    when.tm_isdst = -1;
    const std::time_t out = std::mktime(&when);
    return out < 0 ? std::nullopt : std::optional<std::int64_t>(out);
}

// Parses epoch seconds, RFC 3339, or a local time.
std::optional<std::int64_t> end_s(json_element written) {
    if (const auto seconds = whole_number(written)) {
        return *seconds < 0 || *seconds > last_epoch_s ? std::nullopt : seconds;
    }
    std::string_view text;
    if (written.get(text) != simdjson::SUCCESS) return std::nullopt;
    if (const auto time_ms = parse_rfc3339(text)) return *time_ms / 1000;
    return local_time_s(text);
}

struct found {
    std::optional<secret_text> value;
    std::optional<std::int64_t> life_s;
};

found look_in(json_object object, std::int64_t now_s) {
    found out;
    for (const char* name : {"accessToken", "access_token", "token"}) {
        const auto text = text_of(object, name);
        if (!text || out.value) continue;
        out.value = secret_text(*text);
    }
    out.life_s = whole_number_of(object, "expires_in");
    for (const char* name : {"expires_on", "expiresOn", "expirationTimestamp"}) {
        const auto written = out.life_s ? std::nullopt : member(object, name);
        const auto end = written ? end_s(*written) : std::nullopt;
        if (end) out.life_s = *end - now_s;
    }
    return out;
}

found look_at(const secret_text& text, std::int64_t now_s) {
    const json_text parsed(text.reveal());
    const auto object = parsed.object();
    if (!object) return {};
    const auto inner = object_of(*object, "status");
    return look_in(inner ? *inner : *object, now_s);
}

std::optional<std::int64_t> life_of_jwt(std::string_view value, std::int64_t now_s) {
    const auto says = read_claims(value);
    if (!says || !says->expires_at_s) return std::nullopt;
    return *says->expires_at_s - now_s;
}

}  // namespace

result<token> read_held_token(const secret_text& text, const moment& now, const held_token_rule& rule) {
    const std::string_view trimmed = trim(text.reveal());
    if (trimmed.empty()) return fail_for_now(rule.origin + " is empty; expected a token");
    const std::int64_t now_s = now.wall_ms / 1000;
    found got = trimmed.front() == '{' ? look_at(text, now_s) : found{secret_text(trimmed), {}};
    const std::string_view value = got.value ? got.value->reveal() : std::string_view();
    if (value.empty()) {
        return fail(error_class::protocol,
                    "{} contains no token: expected only the token, or a JSON object with access_token, accessToken or "
                    "status.token",
                    rule.origin);
    }
    if (has_control_character(value) || value.find(' ') != std::string_view::npos) {
        return fail(error_class::security,
                    "{} is not a token: it contains blanks or control characters, so it was not used", rule.origin);
    }
    if (!got.life_s) got.life_s = life_of_jwt(value, now_s);
    const std::int64_t life_s = got.life_s.value_or(rule.unsaid_life_s);
    if (life_s <= 0) {
        return fail_for_now(format_text(
            "{} contains a token that expired {} ago; its renewal has stopped, or the clock of this machine is wrong",
            rule.origin, format_duration_ms(-life_s * 1000)));
    }
    return token_living(*std::move(got.value), now, std::min({life_s, rule.max_life_s, longest_life_s}));
}

}  // namespace gputide::auth
