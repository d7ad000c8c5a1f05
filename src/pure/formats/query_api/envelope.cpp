// Checks the envelope of a response.
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "formats/json/scratch.hpp"
#include "formats/query_api/parse.hpp"
#include "wire/errors.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gputide::formats::query_api {
namespace {

constexpr std::size_t shown_bytes = 1'000;  // of a server's error text

// Class of an errorType, with whether the query may succeed later (web/api/v1/api.go: errorType*).
struct api_kind {
    std::string_view type;
    class_meaning means;
};
constexpr std::array<api_kind, 8> api_kinds = {{
    {"bad_data", {status::rejected, false}},
    {"execution", {status::rejected, false}},
    {"not_found", {status::rejected, false}},
    {"not_acceptable", {status::rejected, false}},
    {"timeout", {status::unavailable, true}},
    {"canceled", {status::unavailable, true}},
    {"internal", {status::unavailable, true}},
    {"unavailable", {status::unavailable, true}},
}};

// Tells whether the status alone determines the error, because a gateway in front of the API may have sent it: sign in, wait,
// retry.
bool is_clear_from_status(std::int32_t http_status) {
    constexpr std::array<std::int32_t, 5> known = {401, 403, 429, 503, 529};
    return std::ranges::find(known, http_status) != known.end();
}

// Detects a timeout inside a query, which the API reports as `execution`: "expanding series: context deadline exceeded".
bool is_query_timeout(std::string_view message) {
    return message.find("context deadline exceeded") != std::string_view::npos ||
           message.find("query timed out") != std::string_view::npos;
}

const char* advice(status status) {
    switch (status) {
        case status::auth:
            return "; check the trigger's authentication";
        case status::forbidden:
            return "; grant the identity the right to read metrics";
        case status::rejected:
            return "; correct the trigger's query or address";
        default:
            return "";
    }
}

error redirect(const http::response& response) {
    const auto location = response.header("location");
    const std::string target =
        location ? redact_url(location->substr(0, location->find_first_of("?#"))) : std::string();
    error out = fail(error_class::redirect,
                     "answered {}, a redirect to {}; redirects are not followed: give the "
                     "final address, or sign in where this leads to a sign-in page",
                     response.status, location ? target : "nowhere (no Location)");
    if (location) out.fields.emplace_back("location", target);
    out.http_status = response.status;
    return out;
}

// Returns the error of an API envelope, if the body is one.
std::optional<error> api_error_in(const http::response& response) {
    scratch_use own(response.body);
    simdjson::dom::object root;
    if (own->parse(response.body, root) != simdjson::SUCCESS) return std::nullopt;
    std::string_view state;
    if (root["status"].get(state) != simdjson::SUCCESS || state != "error") return std::nullopt;
    std::string_view type;
    std::string_view message;
    if (root["errorType"].get(type) != simdjson::SUCCESS) type = {};
    if (root["error"].get(message) != simdjson::SUCCESS) message = {};
    return api_error(response.status, type, message);
}

error http_error(const http::response& response) {
    std::string text = format_text("answered HTTP {}", response.status);
    if (auto why = http::tls_port_error(response, text)) return *std::move(why);
    error out = http::fail_http(error_class::http, response.status,
                                text + advice(http::meaning_of_status(response.status).status));
    http::note_body(out, response);
    return out;
}

std::string foreign_text(const http::response& response, std::string_view why) {
    std::string out = format_text("the response is not JSON ({})", why);
    if (const auto type = response.header("content-type")) out += ", its type is " + in_quotes(*type);
    return out + "; check that the address is a Prometheus API and no sign-in or status page";
}

}  // namespace

error api_error(std::int32_t http_status, std::string_view type, std::string_view message) {
    class_meaning means = http_status >= 400 ? http::meaning_of_status(http_status) : meaning_of(error_class::api);
    if (!is_clear_from_status(http_status)) {
        for (const api_kind& kind : api_kinds) {
            if (kind.type == type) means = kind.means;
        }
        if (type == "execution" && is_query_timeout(message)) means = meaning_of(error_class::transient);
    }
    const std::string shown = redact(cut_utf8(message, shown_bytes));
    error out = fail(error_class::api, "answered HTTP {} with {}: {}{}", http_status,
                     type.empty() ? "an error" : std::string(type), shown, advice(means.status));
    out.status = means.status;
    out.retryable = means.retryable;
    out.http_status = http_status;
    out.service_code = type;
    out.fields.emplace_back("error", shown);
    return out;
}

std::optional<error> refusal(const http::answer& answer) {
    const http::response& response = answer.response;
    if (answer.arrived() && response.status >= 300 && response.status <= 399) return redirect(response);
    if (auto why = http::unreadable(answer)) return why;
    if (response.is_success()) return std::nullopt;
    auto out = api_error_in(response);
    if (!out) out = http_error(response);
    http::note_retry_after(*out, response);
    return out;
}

error not_json(const http::response& response, std::string_view why) {
    const text_outline seen = outline_of(response.body);
    const bool compressed = response.header("content-encoding").value_or("identity") != "identity";
    const bool empty = response.status == 204 || seen.blank;
    std::string text;
    if (empty) {
        text = format_text("answered HTTP {} with an empty body; JSON was expected", response.status);
    } else if (seen.looks_cut) {
        text = format_text("the response ends in the middle of its JSON ({} bytes)", response.body.size());
    } else {
        text = foreign_text(response, why);
    }
    // libcurl accepts a truncated compressed stream as complete.
    const bool cut_stream = !empty && seen.looks_cut && compressed;
    error out = fail(cut_stream ? error_class::encoding : error_class::not_json, std::move(text));
    out.retryable = response.status != 204 && seen.looks_cut;
    out.http_status = response.status;
    if (!empty && !seen.looks_cut) http::note_body(out, response);
    return out;
}

error_ptr wrong_shape(std::string_view what) {
    return fail(error_class::shape, "the response is JSON, but not in the form of the Prometheus API: {}", what);
}

error_ptr over_limit(std::string_view what) {
    return fail(error_class::limit, "{}; aggregate in the query so that less comes back", what);
}

}  // namespace gputide::formats::query_api
