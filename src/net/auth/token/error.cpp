// Errors of token endpoints, for exchange.hpp.  Redacts every text from the server before it is kept.
#include "auth/azure/services.hpp"
#include "auth/json_text.hpp"
#include "auth/token/exchange.hpp"
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gputide::auth {
namespace {

constexpr std::int64_t propagation_wait_ms = 60'000;  // after propagation and request-loop errors
constexpr std::size_t max_description_bytes = 600;

// The parsed parts of an Entra error body.
struct entra_error_text {
    std::vector<std::int64_t> numbers;
    std::string error;
    std::string description;  // first line
    std::vector<std::pair<std::string, std::string>> fields;
};

// Returns 700024 for "AADSTS700024: ...".
std::optional<std::int64_t> leading_number(std::string_view description) {
    constexpr std::string_view mark = "AADSTS";
    if (description.substr(0, mark.size()) != mark) return std::nullopt;
    description.remove_prefix(mark.size());
    const std::size_t digits = std::min(description.find_first_not_of("0123456789"), description.size());
    return parse_int64(description.substr(0, digits));
}

entra_error_text read_entra_error(const http::response& response) {
    entra_error_text out;
    if (response.body.size() > limits::token_response_bytes) return out;
    const json_text parsed(response.body);
    const auto object = parsed.object();
    if (!object) return out;
    if (const auto numbers = array_of(*object, "error_codes")) {
        for (const json_element element : *numbers) {
            if (const auto number = whole_number(element)) out.numbers.push_back(*number);
        }
    }
    out.error = text_in(*object, "error");
    const std::string_view description = text_of(*object, "error_description").value_or("");
    out.description = trim(description.substr(0, description.find_first_of("\r\n")));
    while (!out.description.empty() && out.description.back() == '.') out.description.pop_back();
    if (out.numbers.empty()) {
        if (const auto number = leading_number(description)) out.numbers.push_back(*number);
    }
    for (const char* name : {"error", "suberror", "claims", "trace_id", "correlation_id", "timestamp"}) {
        if (const auto text = text_of(*object, name)) out.fields.emplace_back(name, *text);
    }
    return out;
}

const aadsts_code* first_known(const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers) {
        if (const aadsts_code* known = find_aadsts(number)) return known;
    }
    return nullptr;
}

std::optional<error_class> class_of_word(std::string_view word) {
    static constexpr std::array<std::string_view, 10> permanent = {
        "invalid_request",      "invalid_client",   "unauthorized_client",    "invalid_grant",
        "invalid_scope",        "invalid_resource", "unsupported_grant_type", "access_denied",
        "interaction_required", "consent_required"};
    if (word == "temporarily_unavailable" || word == "server_error") return error_class::transient;
    if (word == "slow_down") return error_class::throttled;
    if (std::ranges::find(permanent, word) != permanent.end()) return error_class::permanent;
    return std::nullopt;
}

error_class class_of(const http::response& response, const entra_error_text& says) {
    if (http::is_redirect(response.status)) return error_class::protocol;
    if (const aadsts_code* known = first_known(says.numbers)) return known->kind;
    return class_of_word(says.error).value_or(class_of_token_status(response.status));
}

std::string message_of(const http::response& response, const entra_error_text& says, const token_context& about) {
    std::string out = format_text("{} answered with HTTP {}", about.endpoint, response.status);
    if (http::is_redirect(response.status)) {
        return out +
               ", a redirect; it was not followed, because the request contains a credential. Is there a proxy or "
               "portal in between?";
    }
    if (!says.error.empty()) out += format_text(" ({})", says.error);
    const aadsts_code* known = first_known(says.numbers);
    if (!says.numbers.empty()) {
        const std::string code = format_text("AADSTS{}", known != nullptr ? known->number : says.numbers.front());
        if (says.description.find(code) == std::string::npos) out += ": " + code;
    }
    if (!says.description.empty()) out += ": " + std::string(cut_utf8(says.description, max_description_bytes));
    if (known != nullptr) {
        out.append(". This means: ").append(known->meaning);
        if (!known->fix.empty()) out.append("; ").append(known->fix);
    }
    return out;
}

}  // namespace

error_class class_of_token_status(std::int32_t http_status) {
    if (http::is_redirect(http_status)) return error_class::protocol;
    const class_meaning means = http::meaning_of_status(http_status);
    if (means.status == status::throttled) return error_class::throttled;
    return means.retryable ? error_class::transient : error_class::permanent;
}

bool token_again(const http::answer& answer) {
    if (!answer.arrived()) return http::again_by_status(answer);
    const entra_error_text says = read_entra_error(answer.response);
    const error_class what = class_of(answer.response, says);
    if (what == error_class::propagation || what == error_class::stale_assertion || what == error_class::request_loop)
        return false;
    if (what == error_class::transient || what == error_class::throttled) return true;
    return http::again_by_status(answer);
}

error read_entra_refusal(const http::response& response, const token_context& about, std::int64_t wall_ms) {
    const entra_error_text says = read_entra_error(response);
    const error_class what = class_of(response, says);
    error out = fail(what, message_of(response, says, about));
    out.http_status = response.status;
    out.fields = says.fields;
    if (!says.numbers.empty()) {
        const aadsts_code* known = first_known(says.numbers);
        out.service_number = known != nullptr ? known->number : says.numbers.front();
        out.service_code = format_text("AADSTS{}", out.service_number);
        out.fields.emplace_back("aadsts", std::to_string(out.service_number));
    } else {
        out.service_code = says.error;
    }
    if (what == error_class::propagation || what == error_class::request_loop)
        out.retry_at_ms = wall_ms + propagation_wait_ms;
    return out;
}

error judge_token_failure(const http::retried& retried, const token_context& about, std::int64_t wall_ms) {
    error out = retried.last.arrived() ? about.service->refuse(retried.last.response, about, wall_ms)
                                       : error(transport_failure(retried.last, about.endpoint));
    const std::int64_t own_retry_at_ms = out.retry_at_ms;
    add_peer_wait(out, retried, wall_ms);
    out.retry_at_ms = std::max(out.retry_at_ms, own_retry_at_ms);
    if (!about.asked_for.empty()) out.message += format_text(" [{}]", about.asked_for);
    redact_error(out, about.secrets);
    return out;
}

void add_peer_wait(error& failure, const http::retried& retried, std::int64_t wall_ms) {
    if (retried.attempts > 1) failure.message += format_text(" ({} attempts)", retried.attempts);
    if (retried.past_deadline) {
        failure.message += ". Another attempt was due only after the caller's deadline";
        failure.past_deadline = true;
    }
    failure.retry_at_ms = retried.retry_at_ms;
    if (failure.retry_at_ms == 0) {
        if (const auto asked = http::wished_delay_ms(retried.last.response, wall_ms))
            failure.retry_at_ms = wall_ms + *asked;
    }
    if (retried.retry_at_ms != 0) {
        failure.message += ". Try again at " + format_rfc3339_s(retried.retry_at_ms);
        failure.retryable = true;
    }
}

namespace {

struct fault_row {
    http::fault fault;
    error_class kind;
    text_pattern<2> text;  // of the endpoint and the reason
};

constexpr std::array fault_rows = {
    fault_row{http::fault::connect, error_class::transient, "cannot connect to {}{}"},
    fault_row{http::fault::resolve, error_class::transient, "the host name of {} does not resolve{}"},
    fault_row{http::fault::timeout, error_class::transient, "the request to {} timed out{}"},
    fault_row{http::fault::tls_verify, error_class::security,
              "the certificate of {} was not accepted{}; nothing was sent. If your proxy intercepts TLS, configure its "
              "CA"},
    fault_row{http::fault::too_large, error_class::protocol, "{} sent an answer that is too large{}"},
    fault_row{http::fault::encoding, error_class::protocol, "{} sent an answer that cannot be decoded{}"},
    fault_row{http::fault::url, error_class::config, "no request can be sent to {}{}"},
    fault_row{http::fault::not_allowed, error_class::security, "no request was sent to {}{}"},
    fault_row{http::fault::no_memory, error_class::no_memory, "no memory for a request to {}{}"},
    fault_row{http::fault::deadline, error_class::timeout, "the caller's deadline passed while waiting for {}{}"},
    fault_row{http::fault::cancelled, error_class::cancelled, "the request to {} was canceled{}"},
    fault_row{http::fault::other, error_class::transient, "the connection to {} broke{}"},  // and every other fault
};

}  // namespace

error_ptr transport_failure(const http::answer& answer, const std::string& endpoint) {
    const std::string reason =
        answer.fault_text.empty() ? std::string(http::fault_name(answer.fault)) : answer.fault_text;
    const auto found = std::ranges::find(fault_rows, answer.fault, &fault_row::fault);
    const fault_row& row = found == fault_rows.end() ? fault_rows.back() : *found;
    return fail(row.kind, row.text, endpoint, format_text(" ({})", reason));
}

void redact_error(error& failure, const std::vector<std::string_view>& secrets) {
    failure.message = redact(failure.message, secrets);
    failure.service_code = redact(failure.service_code, secrets);
    for (auto& field : failure.fields) field.second = redact(field.second, secrets);
}

void redact_error(error& failure, const std::vector<secret_text>& secrets) {
    std::vector<std::string_view> views;
    views.reserve(secrets.size());
    for (const secret_text& secret : secrets) views.push_back(secret.reveal());
    redact_error(failure, views);
}

}  // namespace gputide::auth
