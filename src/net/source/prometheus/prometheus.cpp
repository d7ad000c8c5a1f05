// Builds requests for the query API, and the source that sends them.
#include "source/prometheus/prometheus.hpp"

#include "auth/azure/services.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "source/access/access.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <algorithm>

namespace gputide::source::prometheus {
namespace {

constexpr std::string_view instant_path = "/api/v1/query";
constexpr std::string_view range_path = "/api/v1/query_range";

// Appends "http://h/prom/api/v1/query" for the address "http://h/prom/?x=1" and returns the address's own query, "x=1".
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

// Appends the query's parameters.  `when`: "time=.." or "start=..&end=..&step=..".
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

// Escapes the colons of a time, as required in a form; in a URL KEDA leaves them unescaped.
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
        if (!equal_ignoring_case(name, "host")) out.set(name, value);  // Go's client takes Host only from the URL
    }
    out.carries_credential = http::has_user_info(out.url);
    out.attempt_timeout_ms = settings.attempt_timeout_ms();
    out.connect_timeout_ms = out.attempt_timeout_ms;
    return out;
}

// Returns "1795224339.620" for 1795224339620.
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
    if ((over.to_ms - over.from_ms) / over.step_ms > max_range_points)
        return fail(status::limit, "range: more than {} points in one query; split the range, or use a longer step",
                    max_range_points);
    const std::string when =
        format_text("start={}&end={}&step={}", seconds(over.from_ms), seconds(over.to_ms), seconds(over.step_ms));
    http::request out = request_of(settings, range_path, settings.query, when);
    out.attempt_timeout_ms =
        std::max<std::int64_t>(out.attempt_timeout_ms, 30'000);  // a day takes longer than one value
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

namespace {

class prometheus_source final : public metric_source {
  public:
    prometheus_source(const description& described, std::shared_ptr<const query_settings> settings, bool is_azure,
                      auth::authenticator access, std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::move(access), std::move(loop)),
          settings_(std::move(settings)),
          is_azure_(is_azure) {}

    result<http::request> request(std::int64_t now_ms) const override { return request_for(settings_->query, now_ms); }

    result<source::reading> read(const http::answer& answer) const override {
        if (!reads_as_keda()) return parsed<source::reading>(answer, &formats::query_api::parse);
        return parsed<source::reading>(
            answer, [this](const http::answer& whole) { return parse_as_keda(whole, settings_->query); });
    }

    // Begins with the range query, or with the query and, if the age is limited, the age query.
    step begin(poll& poll) override {
        queries out;
        if (poll.range) {
            out.push_back({prepared(build_range_request(*settings_, *poll.range))});
            return out;
        }
        out.push_back({request(poll.now_ms)});
        if (!settings_->age_query.empty()) out.push_back({request_for(settings_->age_query, poll.now_ms)});
        return out;
    }

    step next(poll& poll, const std::vector<answered>& answers) override {
        const answered& first = answers.front();
        if (!first) return failed(first.failure(), poll, first);
        if (poll.range) return range_in(first, poll);
        fetched out = sample_of(first->answer, poll);
        if (out.why.status != status::ok) out.why = outward(std::move(out.why), poll, first);
        if (answers.size() == 1) return out;
        return aged(std::move(out), age_in(answers.back(), poll), poll.now_ms, settings_->max_age_ms);
    }

  protected:
    fetched sample_of(const http::answer& answer, const poll& poll) const override {
        if (poll.wanted == detail::everything || reads_as_keda()) return judge(read(answer));
        auto read = parsed<numbers>(answer, &formats::query_api::parse_numbers);
        fetched out = prometheus::judge(read, *settings_);
        if (!read) return out;
        out.reading.result_type = std::move(read->result_type);
        out.reading.warnings = std::move(read->warnings);
        out.reading.infos = std::move(read->infos);
        out.reading.partial = read->partial;
        return out;
    }

  private:
    // Tells whether to parse like KEDA: without a reducer, which needs all series.
    bool reads_as_keda() const { return settings_->strict && settings_->reduction.reduce.empty(); }

    result<http::request> request_for(std::string_view query, std::int64_t now_ms) const {
        return prepared(build_request(*settings_, query, now_ms));
    }

    // Parses a response.  Returns Azure's own message, in either of its two formats, if its gateway rejected the request.  Explains a
    // redirect, which is a security risk if a credential was sent.
    template <class Value>
    result<Value> parsed(const http::answer& answer, function_ref<result<Value>(const http::answer&)> parse) const {
        if (is_azure_) {
            if (auto no = auth::service_refusal(answer, settings_->server_address)) return *std::move(no);
        }
        result<Value> out = parse(answer);
        if (out || out.failure().error_class != error_class::redirect) return out;
        error why = out.take_failure();
        if (const auto sent = request(0); sent && sent->carries_credential) why.status = status::security;
        return why;
    }

    result<numbers> age_in(const answered& answer, const poll& poll) const {
        if (!answer) return outward(answer.failure(), poll, answer);
        auto out = parsed<numbers>(answer->answer, &formats::query_api::parse_numbers);
        if (!out) return outward(out.take_failure(), poll, answer);
        return out;
    }

    // Parses a range in the same way for both profiles, because KEDA has no ranges.
    fetched range_in(const answered& answer, const poll& poll) const {
        auto read = parsed<source::reading>(answer->answer, &formats::query_api::parse);
        if (!read) return failed(read.take_failure(), poll, answer);
        fetched out;
        out.why.status = status::ok;
        out.reading = *std::move(read);
        return out;
    }

    const std::shared_ptr<const query_settings> settings_;
    const bool is_azure_;
};

// The settings that open() needs.  An open source keeps only the query's settings, not the credentials as written.
struct trigger_settings {
    std::shared_ptr<const query_settings> query;
    access::settings access;
};

}  // namespace

result<description> describe(trigger_reader& read) {
    auto settings = read_settings(read);
    if (!settings) return settings.take_failure();
    auto cloud = access::check_cloud(settings->access);
    auto access = std::move(settings->access);
    const auto judge_series = [](const reading& whole, const query_settings& by) {
        return judge(formats::numbers_of(whole), by);
    };
    auto out = description_of<query_settings>(read, query_settings(*std::move(settings)),
                                              {judge_series, &request_key, &query_settings::query});
    if (!out) return out;
    if (!cloud && out->lacking.status == status::ok) out->lacking = at_trigger(cloud.take_failure(), read.trigger());
    const auto asked = out->settings_as<query_settings>();
    out->shape = shape_of_query(asked->query, asked->reduction.reduce);
    out->typed_settings = std::make_shared<const trigger_settings>(trigger_settings{asked, std::move(access)});
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<trigger_settings>();
    auto authenticator = access::open(settings->access, settings->query->server_address, services);
    if (!authenticator) return authenticator.take_failure();
    return std::shared_ptr<metric_source>(std::make_shared<prometheus_source>(
        described, settings->query, settings->access.is_azure(), *std::move(authenticator), services.loop));
}

}  // namespace gputide::source::prometheus
