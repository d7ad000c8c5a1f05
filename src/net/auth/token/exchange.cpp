// Implements exchange.hpp.  Expiry: expires_in applies, because it does not depend on this machine's clock; expires_on if
// expires_in is missing or invalid; never ext_expires_in (an allowance for outages).
#include "auth/token/exchange.hpp"

#include "auth/credential.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/json_text.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide::auth {
namespace {

// Parses epoch seconds, RFC 3339 or RFC 1123 to epoch milliseconds.
std::optional<std::int64_t> expires_on_ms(json_object object) {
    const auto found = member(object, "expires_on");
    if (!found) return std::nullopt;
    if (const auto seconds = whole_number(*found)) {
        if (*seconds < 0 || *seconds > last_epoch_s) return std::nullopt;
        return *seconds * 1000;
    }
    std::string_view text;
    if (found->get(text) != simdjson::SUCCESS) return std::nullopt;
    const auto time = parse_rfc3339(text);
    return time ? time : parse_http_date(text);
}

struct life {
    std::int64_t seconds = 0;  // 0: missing or invalid
    bool in_the_past = false;
};

life life_of(json_object object, std::int64_t now_ms) {
    const auto expires_in = whole_number_of(object, "expires_in");
    if (expires_in && *expires_in >= 1 && *expires_in <= longest_life_s) return {*expires_in, false};
    const auto expires_on = expires_on_ms(object);
    if (!expires_on) return {};
    const std::int64_t seconds = (*expires_on - now_ms) / 1000;
    return seconds > 0 ? life{seconds, false} : life{0, true};
}

error_ptr without_life(const std::string& endpoint, const http::response& response, const life& seen) {
    std::string why =
        "a token without an expiry: neither expires_in (1 to 2147483647 seconds) nor expires_on is usable";
    if (seen.in_the_past) {
        why =
            "a token that has already expired according to its expires_on (and has no usable expires_in); the clock of "
            "this machine may be wrong";
    }
    return unusable_token_answer(endpoint, response, why);
}

// Returns the error of an object without a token, with the server's error if the object contains one.
error_ptr without_token(const std::string& endpoint, const http::response& response, json_object object) {
    std::string why = "no access_token: expected a non-empty string";
    if (const auto word = text_of(object, "error")) why += "; the server says " + gputide::in_quotes(redact(*word));
    return unusable_token_answer(endpoint, response, why);
}

bool bearer(json_object object) {
    return !member(object, "token_type") || equal_ignoring_case(text_of(object, "token_type").value_or(""), "bearer");
}

}  // namespace

error_ptr unusable_token_answer(const std::string& endpoint, const http::response& response, const std::string& why) {
    return fail(error_class::protocol, "{} answered with HTTP {} and {}", endpoint, response.status, why);
}

error_ptr unreadable_token_answer(const std::string& endpoint, const http::response& response) {
    const auto type = response.header("Content-Type");
    return unusable_token_answer(
        endpoint, response,
        format_text("a body that is not a JSON object ({} bytes{}). A proxy or sign-in page may have answered instead",
                    response.body.size(), type ? " of " + redact(cut_utf8(*type, 60)) : std::string()));
}

bool has_control_character(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
}

std::int64_t renewal_after_s(std::int64_t life_s, std::int64_t refresh_in_s) {
    if (refresh_in_s > 0 && refresh_in_s <= life_s) return refresh_in_s;
    if (life_s > 600 && life_s < 7200) return life_s - 300;
    return life_s / 2;
}

std::int64_t usable_for_s(std::int64_t life_s) { return life_s - std::min<std::int64_t>(60, life_s / 10); }

token token_living(secret_text value, const moment& sent, std::int64_t life_s, std::int64_t refresh_in_s) {
    token out;
    out.value = std::move(value);
    out.issued_at_ms = sent.wall_ms;
    out.issued_at_steady_ms = sent.steady_ms;
    out.expires_at_ms = sent.wall_ms + life_s * 1000;
    out.refresh_at_ms = sent.wall_ms + renewal_after_s(life_s, refresh_in_s) * 1000;
    out.usable_until_ms = sent.wall_ms + usable_for_s(life_s) * 1000;
    return out;
}

result<token> read_token_answer(const http::response& response, const moment& sent, const std::string& endpoint) {
    if (response.body.size() > limits::token_response_bytes) {
        return unusable_token_answer(
            endpoint, response,
            format_text("a body that is too large: more than {} bytes", limits::token_response_bytes));
    }
    if (trim(response.body).empty()) return unusable_token_answer(endpoint, response, "an empty body");
    const json_text parsed(response.body);
    const auto object = parsed.object();
    if (!object) return unreadable_token_answer(endpoint, response);

    const auto value = text_of(*object, "access_token");
    if (!value || value->empty()) return without_token(endpoint, response, *object);
    if (has_control_character(*value)) {
        return fail(error_class::security,
                    "{} answered with HTTP {} and an access_token with control characters; it was not used", endpoint,
                    response.status);
    }
    if (!bearer(*object)) return unusable_token_answer(endpoint, response, "a token_type that is not Bearer");
    const life lives = life_of(*object, sent.wall_ms);
    if (lives.seconds == 0) return without_life(endpoint, response, lives);

    token out =
        token_living(secret_text(*value), sent, lives.seconds, whole_number_of(*object, "refresh_in").value_or(0));
    out.client_id = text_in(*object, "client_id");
    return out;
}

namespace {

result<token> judge(const http::retried& retried, const moment& sent, const token_context& about,
                    std::int64_t wall_ms) {
    if (!retried.last.is_success()) return judge_token_failure(retried, about, wall_ms);
    auto out = about.service->read(retried.last.response, sent, about.endpoint);
    if (out) return out;
    error why = out.take_failure();
    why.http_status = retried.last.response.status;
    redact_error(why, about.secrets);
    return why;
}

}  // namespace

secret_text form_body(const form_fields& fields) {
    std::size_t max_bytes = 0;
    for (const auto& [name, value] : fields) max_bytes += name.size() + 3 * value.size() + 2;
    std::string out;
    out.reserve(max_bytes);  // grows without leaving copies behind
    for (const auto& [name, value] : fields) {
        if (!out.empty()) out += '&';
        out.append(name) += '=';
        std::string escaped = percent_encode(value);
        out += escaped;
        wipe(escaped);
    }
    return secret_text(std::move(out));
}

http::request token_request(const std::string& url, const form_fields& fields,
                            std::shared_ptr<const http::tls_settings> tls) {
    http::request out;
    out.method = "POST";
    out.url = url;
    out.set("Content-Type", "application/x-www-form-urlencoded");
    out.set("Accept", "application/json");
    out.set("client-request-id", new_uuid());
    out.body = form_body(fields);
    out.tls = std::move(tls);
    out.carries_credential = true;
    out.max_bytes = limits::token_response_bytes;
    return out;
}

void send_step(const std::shared_ptr<acquisition>& under_way, http::request request, http::retry_rule rule,
               callback<void(http::retried& retried, const moment& sent)> take) {
    http::loop& loop = under_way->loop();
    const auto sent = std::make_shared<moment>(now_of(loop));
    rule.again = [sent, &loop, asks = std::move(rule.again)](const http::answer& answer) {
        const bool repeat = asks ? asks(answer) : http::again_by_status(answer);
        if (repeat) *sent = now_of(loop);
        return repeat;
    };
    under_way->carry(http::send_with_retry(loop, std::move(request), std::move(rule), under_way->deadline_ms(),
                                           [sent, take = std::move(take)](http::retried&& retried) {
                                               take(retried, *sent);
                                               wipe(retried.last.response.body);
                                           }));
}

void send_token_request(const std::shared_ptr<acquisition>& under_way, http::request request, token_context about,
                        token_done done, http::retry_rule rule) {
    if (!rule.again) rule.again = about.service->again;
    send_step(under_way, std::move(request), std::move(rule),
              [&loop = under_way->loop(), about = std::move(about), done = std::move(done)](
                  http::retried& retried, const moment& sent) { done(judge(retried, sent, about, loop.wall_ms())); });
}

http::request local_request(std::string url) {
    http::request out;
    out.url = std::move(url);
    out.use_proxy = false;
    out.carries_credential = true;
    out.allow_plain_http = true;
    out.connect_timeout_ms = 1'000;
    out.attempt_timeout_ms = 10'000;  // the service may depend on other services for its first token
    out.max_bytes = limits::token_response_bytes;
    return out;
}

}  // namespace gputide::auth
