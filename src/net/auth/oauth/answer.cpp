#include "auth/oauth/answer.hpp"

#include "auth/json_text.hpp"
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

// Reads a form: the first value of each name counts; a lifetime that is not a number counts as missing.
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
    out->access_token = secret_text(text_member(*object, "access_token").value_or(""));
    out->token_type = text_member(*object, "token_type").value_or("");
    out->error = text_member(*object, "error").value_or("");
    const auto life = member(*object, "expires_in");
    if (!life || life->is_null()) return out;
    const auto seconds = whole_number(*life);
    out->life_s = seconds.value_or(0);
    out->has_bad_life = !seconds;
    return out;
}

// Returns what is wrong, for a text after "answered with HTTP 200 and"; "": nothing.
std::string fault_in(const oauth_fields& fields) {
    if (!fields.error.empty())
        return "no token: it says " + gputide::in_quotes(redact(fields.error, {fields.access_token.reveal()}));
    if (fields.has_bad_life) return "an expires_in that is not a whole number of seconds";
    if (fields.access_token.empty()) return "no access_token: expected a non-empty string";
    return {};
}

// x/oauth2 token.go Type: normalizes the case of known token types.
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
