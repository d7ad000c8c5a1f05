// prometheus-api: an HTTP answer → series, a string, or an error with its class.
#include "base/text.hpp"
#include "frame/check.hpp"
#include "source/prometheus/parse.hpp"
#include "inside/wire.hpp"

namespace conformance {
namespace {

namespace http = gputide::http;
namespace source = gputide::source;

http::answer answer_of(const json& one) {
    http::answer out;
    out.response.status = one.at("http_status").get<std::int32_t>();
    auto& headers = out.response.headers;
    if (const std::string type = one.value("content_type", ""); !type.empty())
        headers.push_back({"Content-Type", type});
    const json given = one.value("headers", json::object());
    for (const auto& [name, value] : given.items()) headers.push_back({name, value.get<std::string>()});
    const std::string coding = one.value("content_encoding", "");
    out.response.body = input_text(one, "body");
    if (coding.empty()) return out;
    headers.push_back({"Content-Encoding", coding});
    return over_the_wire(out.response.status, headers, out.response.body);
}

json points_json(const source::series& from) {
    json out = json::array();
    for (const source::point& one : from.points) out.push_back({one.time_ms, gputide::shortest(one.value)});
    return out;
}

json histograms_json(const source::series& from) {
    json out = json::array();
    for (const source::histogram& one : from.histograms) {
        out.push_back(
            {one.time_ms,
             {{"count", gputide::shortest(one.count)}, {"sum", gputide::shortest(one.sum)}, {"buckets", one.buckets}}});
    }
    return out;
}

json series_json(const source::reading& from) {
    json out = json::array();
    for (const source::series& one : from.series) {
        json labels = json::object();
        for (const auto& [name, value] : one.labels) labels[name] = value;
        json shown = {{"labels", std::move(labels)}, {"points", points_json(one)}};
        if (!one.histograms.empty()) shown["histogram_points"] = histograms_json(one);
        out.push_back(std::move(shown));
    }
    return out;
}

json reading_json(const source::reading& from) {
    json out = {{"ok", true},
                {"result_type", from.result_type},
                {"series", series_json(from)},
                {"series_count", from.series.size()},
                {"warnings", from.warnings},
                {"infos", from.infos},
                {"partial", from.partial}};
    std::size_t points = 0;
    for (const source::series& one : from.series) points += one.points.size();
    out["point_count"] = points;
    if (from.result_type == "string") {
        out["string_value"] = from.string_value;
        out["ts_ms"] = from.string_time_ms;
    }
    return out;
}

json error_json(const gputide::error& from) {
    json out = {{"ok", false},
                {"error_class", std::string(gputide::class_word(from.error_class))},
                {"retryable", from.retryable}};
    out["auth"] = from.status == gputide::status::auth;
    if (!from.service_code.empty()) out["error_type"] = from.service_code;
    if (from.retry_after_ms != 0) out["retry_after_s"] = from.retry_after_ms / 1'000;
    for (const auto& [name, value] : from.fields) {
        if (name == "error") out["message"] = value;
        if (name == "location") out["location"] = value;
    }
    return out;
}

// Members that the case does not name are not compared; the ones it names are whole.
differences compare(const json& expect, const json& got) {
    differences out;
    for (const auto& [name, value] : expect.items()) {
        expect_equal(out, name, value, got.contains(name) ? got.at(name) : json());
    }
    return out;
}

differences check(const json& one, const json&) {
    const auto read = source::prometheus::parse(answer_of(one));
    const json got = read ? reading_json(*read) : error_json(read.failure());
    return check_outcomes(one, [&got](const json& expect) { return compare(expect, got); });
}

const registration whole_format{"prometheus-api", {}, &check};

}  // namespace
}  // namespace conformance
