// Builds requests for the query API.
#include "source/prometheus/request.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>

namespace gputide::source::prometheus {
namespace {

constexpr std::string_view instant_path = "/api/v1/query";
constexpr std::string_view range_path = "/api/v1/query_range";

// "http://h/prom/?x=1" → appends "http://h/prom/api/v1/query" and returns the address's own query, "x=1".
std::string_view append_endpoint(std::string& to, std::string_view address, std::string_view path, bool strict) {
    if (strict) {
        to.append(address).append(path);
        return {};
    }
    const std::size_t question = address.find('?');
    std::string_view base = address.substr(0, question);
    while (!base.empty() && base.back() == '/') base.remove_suffix(1);
    to.append(base).append(path);
    return question == std::string_view::npos ? std::string_view() : address.substr(question + 1);
}

// When: "time=.." or "start=..&end=..&step=..".
void append_parameters(std::string& to, const query_settings& from, std::string_view query, std::string_view when) {
    append_form_encoded(to.append("query="), query);
    to.append("&").append(when);
    if (!from.name_space.empty()) {
        to.append("&namespace=");
        from.strict ? void(to.append(from.name_space)) : append_form_encoded(to, from.name_space);
    }
    for (const auto& [name, value] : from.parameters) {
        append_form_encoded(to.append("&"), name);
        append_form_encoded(to.append("="), value);
    }
}

// A form escapes the colons of a time; in a URL KEDA writes it as it stands.
std::string form_encoded(std::string_view when) {
    std::string out;
    for (const char c : when) c == ':' ? out.append("%3A") : out.append(1, c);
    return out;
}

http::request request_of(const query_settings& settings, std::string_view path, std::string_view query,
                         std::string_view when) {
    http::request out;
    out.url.reserve(settings.server_address.size() + path.size() + 3 * query.size() + 96);
    const std::string_view own = append_endpoint(out.url, settings.server_address, path, settings.strict);
    const std::size_t path_end = out.url.size();
    out.url.append("?").append(own).append(own.empty() ? "" : "&");
    append_parameters(out.url, settings, query, when);
    if (settings.post || (!settings.strict && out.url.size() > longest_url_bytes)) {
        out.method = "POST";
        out.url.resize(own.empty() ? path_end : path_end + 1 + own.size());
        std::string form;
        append_parameters(form, settings, query, form_encoded(when));
        out.body = secret_text(std::move(form));
        out.set("Content-Type", "application/x-www-form-urlencoded");
    }
    for (const auto& [name, value] : settings.headers) {
        if (!equal_ignoring_case(name, "host")) out.set(name, value);  // Go's client takes Host from the URL alone
    }
    out.carries_credential = http::has_user_info(out.url);
    out.attempt_timeout_ms = settings.attempt_timeout_ms();
    out.connect_timeout_ms = out.attempt_timeout_ms;
    return out;
}

// 1795224339620 → "1795224339.620"
std::string seconds(std::int64_t ms) {
    return format_text("{}.{}", ms / 1000, std::to_string(1000 + ms % 1000).substr(1));
}

}  // namespace

result<http::request> build_request(const query_settings& settings, std::string_view query, std::int64_t now_ms) {
    return request_of(settings, instant_path, query, "time=" + format_rfc3339_s(now_ms));
}

result<http::request> build_range_request(const query_settings& settings, const time_range& over) {
    if (over.from_ms < 0 || over.step_ms <= 0 || over.to_ms < over.from_ms)
        return fail(status::invalid, "range: expected 0 <= from <= to and a step above 0");
    if ((over.to_ms - over.from_ms) / over.step_ms > most_range_points)
        return fail(status::limit,
                    format_text("range: more than {} points in one query; ask for it in pieces or with a longer step",
                                most_range_points));
    const std::string when =
        format_text("start={}&end={}&step={}", seconds(over.from_ms), seconds(over.to_ms), seconds(over.step_ms));
    http::request out = request_of(settings, range_path, settings.query, when);
    out.attempt_timeout_ms =
        std::max<std::int64_t>(out.attempt_timeout_ms, 30'000);  // a day takes longer than a moment
    return out;
}

std::string request_key(const query_settings& settings) {
    std::string out = format_text("{}\n{}\n{}\n{}{}{}{}", settings.server_address, settings.query, settings.age_query,
                                  settings.name_space, settings.unsafe_ssl ? "\nunverified" : "\nverified",
                                  settings.strict ? " strict" : " default", settings.post ? " POST" : "");
    for (const auto& [name, value] : settings.parameters)
        out += format_text("\n?{}={}", in_quotes(name, name.size()), in_quotes(value, value.size()));
    for (const auto& [name, value] : settings.headers)
        out += format_text("\n:{}={}", in_quotes(name, name.size()), in_quotes(value, value.size()));
    return out;
}

}  // namespace gputide::source::prometheus
