// prometheus-api: an HTTP answer → series, a string, or an error with its class.
#include "gputide/gputide.h"
#include "through/answers.hpp"
#include "through/manifests.hpp"

namespace conformance::prometheus_api {
namespace {

json open_call(const std::string& address) {
    return open_source_call(trigger_of("prometheus", {{"serverAddress", address}, {"query", "up"}, {"threshold", "1"}}),
                            0);
}

http_answer answer_of(const json& object) {
    http_answer out{object.at("http_status").get<std::int32_t>(), object.value("headers", json::object()),
                    input_text(object, "body")};
    if (const std::string type = object.value("content_type", ""); !type.empty()) out.headers["Content-Type"] = type;
    return out;
}

// Content codings are undone before a parser sees the body, so they need a real connection.
json outcome_of(const json& object, c_api& library) {
    http_answer answer = answer_of(object);
    const std::string coding = object.value("content_encoding", "");
    if (coding.empty()) return parse_all(library, open_call("http://prometheus:9090"), answer);
    answer.headers["Content-Encoding"] = coding;
    const loopback_server server(answer);
    return fetch_all(library, open_call(server.address()));
}

json points_json(const json& points) {
    json out = json::array();
    for (const json& point : points) out.push_back({point.at("time_ms"), value_of(point)});
    return out;
}

json histograms_json(const json& histograms) {
    json out = json::array();
    for (const json& histogram : histograms) {
        out.push_back(
            {histogram.at("time_ms"),
             {{"count", histogram.at("count")}, {"sum", histogram.at("sum")}, {"buckets", histogram.at("buckets")}}});
    }
    return out;
}

json read_json(const json& answer) {
    json out = {{"ok", true}, {"series", json::array()}};
    std::size_t points = 0;
    for (const json& series : answer.at("series")) {
        json shown = {{"labels", series.at("labels")}, {"points", points_json(series.at("points"))}};
        if (!series.at("histograms").empty()) shown["histogram_points"] = histograms_json(series.at("histograms"));
        points += series.at("points").size();
        out["series"].push_back(shown);
    }
    for (const char* member : {"result_type", "warnings", "infos", "partial"}) out[member] = answer.at(member);
    out["series_count"] = out.at("series").size();
    out["point_count"] = points;
    out["string_value"] = answer.value("string_value", json());
    out["ts_ms"] = answer.value("string_time_ms", json());
    return out;
}

json failure_json(const json& answer) {
    const json& error = answer.at("error");
    const json& detail = answer.at("detail");
    json out = {{"ok", false},
                {"error_class", detail.value("class", json())},
                {"retryable", error.at("retryable") == 1},
                {"auth", error.at("status") == GPUTIDE_E_AUTH},
                {"error_type", error.at("service_code")},
                {"message", detail.value("error", json())},
                {"location", detail.value("location", json())}};
    if (const auto wait_ms = detail_number(detail, "retry_after_ms")) out["retry_after_s"] = *wait_ms / 1000;
    return out;
}

// The cases give numbers as texts.
json with_numbers(json expect) {
    for (json& series : expect["series"]) {
        for (json& point : series["points"]) point[1] = number_or_word(point.at(1));
        if (!series.contains("histogram_points")) continue;
        for (json& histogram : series["histogram_points"]) {
            for (const char* member : {"count", "sum"})
                histogram[1][member] = number_or_word(histogram.at(1).at(member));
        }
    }
    return expect;
}

differences check(const json& test_case, const json&, c_api& library) {
    const json answer = outcome_of(test_case, library);
    const json actual = answer.at("ok") == true ? read_json(answer) : failure_json(answer);
    return check_outcomes(test_case, [&actual](const json& expect) {
        differences out;
        expect_members(out, expect.contains("series") ? with_numbers(expect) : expect, actual);
        return out;
    });
}

const registration whole_format{"prometheus-api", {}, &check};

}  // namespace
}  // namespace conformance::prometheus_api
