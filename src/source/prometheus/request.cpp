// Builds requests for the query API.
#include "source/prometheus/request.hpp"

#include "base/encode.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

namespace gputide::source::prometheus {
namespace {

constexpr std::string_view api_path = "/api/v1/query";

struct endpoint {
    std::string url;      // up to the path's end
    std::string queries;  // of the address itself, without '?'
};

// "http://h/prom/?x=1" → {"http://h/prom/api/v1/query", "x=1"}
endpoint join(std::string_view address, bool strict) {
    if (strict) return {std::string(address) + std::string(api_path), {}};
    const std::size_t question = address.find('?');
    std::string_view base = address.substr(0, question);
    while (!base.empty() && base.back() == '/') base.remove_suffix(1);
    endpoint out{std::string(base) + std::string(api_path), {}};
    if (question != std::string_view::npos) out.queries = address.substr(question + 1);
    return out;
}

// `escaped_time`: in a URL KEDA writes the time as it stands, a form escapes its colons.
std::string parameters_of(const settings& from, std::string_view query, const std::string& time) {
    std::string out = "query=" + form_encode(query) + "&time=" + time;
    if (!from.name_space.empty()) {
        out += "&namespace=" + (from.strict ? from.name_space : form_encode(from.name_space));
    }
    for (const auto& [name, value] : from.parameters) out += "&" + form_encode(name) + "=" + form_encode(value);
    return out;
}

}  // namespace

result<http::request> build_request(const settings& from, std::string_view query, std::int64_t now_ms) {
    const std::string time = format_rfc3339_s(now_ms);
    const endpoint to = join(from.server_address, from.strict);
    const std::string own = to.queries.empty() ? std::string() : to.queries + "&";
    http::request out;
    out.url = to.url + "?" + own + parameters_of(from, query, time);
    if (from.post || (!from.strict && out.url.size() > longest_url_bytes)) {
        out.method = "POST";
        out.url = to.queries.empty() ? to.url : to.url + "?" + to.queries;
        out.body = secret_text(parameters_of(from, query, form_encode(time)));
        out.set("Content-Type", "application/x-www-form-urlencoded");
    }
    for (const auto& [name, value] : from.headers) {
        if (!equal_ignoring_case(name, "host")) out.set(name, value);  // Go's client takes Host from the URL alone
    }
    const auto parts = http::parse_url(out.url);
    out.carries_credential = parts && parts->has_user_info;
    out.attempt_timeout_ms = from.attempt_timeout_ms();
    out.connect_timeout_ms = out.attempt_timeout_ms;
    return out;
}

std::string request_key(const settings& from) {
    std::string out = from.server_address + "\n" + from.query + "\n" + from.age_query + "\n" + from.name_space +
                      (from.unsafe_ssl ? "\nunverified" : "\nverified") + (from.strict ? " strict" : " default") +
                      (from.post ? " POST" : "");
    for (const auto& [name, value] : from.parameters)
        out += "\n?" + quoted(name, name.size()) + "=" + quoted(value, value.size());
    for (const auto& [name, value] : from.headers)
        out += "\n:" + quoted(name, name.size()) + "=" + quoted(value, value.size());
    return out;
}

}  // namespace gputide::source::prometheus
