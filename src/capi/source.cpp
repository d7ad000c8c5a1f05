// Implements sections 9, 10 and 12 of source.h: fetching one metric, building its request and parsing its response without
// I/O, and the doctor.  Also gputide_series_fetch() of plan.h.
#include "gputide/source.h"

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/network_handles.hpp"
#include "capi/observation.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "doctor/doctor.hpp"
#include "gputide/plan.h"
#include "http/client.hpp"
#include "pipeline/host.hpp"
#include "pipeline/pipeline.hpp"
#include "replay/recording.hpp"

#include <cmath>
#include <span>
#include <string_view>
#include <utility>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// Returns the result of a read that the caller's deadline or cancellation ended before the source responded.
source::fetched unread(error why) {
    source::fetched out;
    out.sample.state = why.status == status::timeout ? sample_state::timeout : sample_state::failed;
    out.sample.status = why.status;
    out.why = std::move(why);
    return out;
}

result<source::fetched> fetch(gputide_source& source, std::int64_t now_ms, std::int32_t timeout_ms,
                              const gputide_cancel* cancel, source::detail wanted) {
    http::client& client = *source.engine->client;
    if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok.take_failure();
    result<time_limit> limits = read_time_limit(client, timeout_ms, cancel);
    if (!limits) return limits.take_failure();
    result<source::fetched> answer = http::wait<source::fetched>(
        client,
        [&](callback<void(source::fetched)> done) {
            return source.source->fetch(now_ms, limits->deadline_ms, std::move(done), wanted);
        },
        limits->deadline_ms, limits->cancel);
    if (!answer) return unread(answer.take_failure());
    return answer;
}

result<source::reading> fetch_past(gputide_scaler& scaler, source::metric_source& source,
                                   const source::time_range& range, std::int32_t timeout_ms,
                                   const gputide_cancel* cancel) {
    http::client& client = *scaler.engine->client;
    result<time_limit> limits = read_time_limit(client, timeout_ms, cancel);
    if (!limits) return limits.take_failure();
    return http::flat(http::wait<result<source::reading>>(
        client,
        [&](callback<void(result<source::reading>)> done) {
            return source.fetch_range(range, limits->deadline_ms, std::move(done));
        },
        limits->deadline_ms, limits->cancel));
}

// Writes the sample to `out`; returns its error unless its state is ok.
result<void> give_sample(source::fetched answer, gputide_sample* out) {
    write_struct(out, to_c(answer.sample));
    if (answer.sample.state != sample_state::ok) return std::move(answer.why);
    return {};
}

http::answer answer_of(std::int32_t http_status, std::string_view body) {
    http::answer out;
    out.response.status = http_status;
    out.response.body = body;
    return out;
}

void write_labels(json_writer& json, const source::labels& labels) {
    json.begin_object();
    for (const auto& [name, value] : labels) json.member(name, value);
    json.end_object();
}

// Writes NaN and infinities as null, and their name in the member "text".
void write_number(json_writer& json, std::string_view name, double value) {
    json.member(name, value);
    if (std::isnan(value)) json.member("text", std::string_view("NaN"));
    if (std::isinf(value)) json.member("text", std::string_view(value > 0 ? "+Inf" : "-Inf"));
}

void write_texts(json_writer& json, std::string_view name, std::span<const std::string> texts) {
    json.key(name).begin_array();
    for (const std::string& text : texts) json.string(text);
    json.end_array();
}

void write_series(json_writer& json, const source::series& series) {
    json.begin_object().key("labels");
    write_labels(json, series.labels);
    json.key("points").begin_array();
    for (const source::point& point : series.points) {
        json.begin_object().member("time_ms", point.time_ms);
        write_number(json, "value", point.value);
        json.end_object();
    }
    json.end_array().key("histograms").begin_array();
    for (const source::histogram& histogram : series.histograms) {
        json.begin_object()
            .member("time_ms", histogram.time_ms)
            .member("count", histogram.count)
            .member("sum", histogram.sum);
        json.member("buckets", histogram.buckets).end_object();
    }
    json.end_array().end_object();
}

std::string reading_json(const source::reading& reading) {
    json_writer json;
    json.begin_object().member("result_type", reading.result_type).key("series").begin_array();
    for (const source::series& series : reading.series) write_series(json, series);
    json.end_array();
    if (reading.result_type == "string") {
        json.member("string_value", reading.string_value).member("string_time_ms", reading.string_time_ms);
    }
    write_texts(json, "warnings", reading.warnings);
    write_texts(json, "infos", reading.infos);
    return json.member("partial", reading.partial).end_object().take();
}

// Parses HTTP/1.1 header lines ("Name: value").
std::vector<http::response_header> headers_of(std::string_view lines) {
    std::vector<http::response_header> out;
    for (const std::string_view line : split(lines, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0) continue;
        out.push_back({std::string(trim(line.substr(0, colon))), std::string(trim(line.substr(colon + 1)))});
    }
    return out;
}

}  // namespace

gputide_status gputide_source_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                   gputide_source** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<host_input> input = read_input(text, size_bytes, options);
        if (!input) return input.take_failure();
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return engine.take_failure();
        auto opened = pipeline::open_trigger(input->files, input->host, **engine);
        if (!opened) return opened.take_failure();
        *out = make_handle<gputide_source>(*engine, std::move(opened->source), std::move(opened->description));
        return {};
    });
}

void gputide_source_free(gputide_source* source) { end(source); }

gputide_status gputide_source_fetch(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                    const gputide_cancel* cancel, gputide_sample* out, gputide_error* err) {
    return guarded(err, {{source, "source"}}, [&]() -> result<void> {
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        result<source::fetched> answer = fetch(*source, now_ms, timeout_ms, cancel, source::detail::value);
        if (!answer) return answer.take_failure();
        return give_sample(*std::move(answer), out);
    });
}

gputide_status gputide_source_fetch_all(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                        const gputide_cancel* cancel, gputide_text* json, gputide_error* err) {
    return guarded(err, {{source, "source"}, {json, "json"}}, [&]() -> result<void> {
        result<source::fetched> answer = fetch(*source, now_ms, timeout_ms, cancel, source::detail::everything);
        if (!answer) return answer.take_failure();
        if (!answered(answer->sample.state)) return std::move(answer->why);
        return give_text(reading_json(answer->reading), json);
    });
}

gputide_status gputide_source_describe(const gputide_source* source, gputide_text* json, gputide_error* err) {
    return guarded(err, {{source, "source"}, {json, "json"}},
                   [&]() -> result<void> { return give_text(source->description, json); });
}

gputide_status gputide_source_request(const gputide_source* source, int64_t now_ms, gputide_text* json,
                                      gputide_error* err) {
    return guarded(err, {{source, "source"}, {json, "json"}}, [&]() -> result<void> {
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        result<http::request> request = source->source->request(now_ms);
        if (!request) return request.take_failure();
        json_writer out;
        out.begin_object().member("method", request->method).member("url", request->url);
        out.key("headers").begin_array();
        for (const http::header& header : request->headers) {
            out.begin_object().member("name", header.name).member("value", header.value.reveal()).end_object();
        }
        out.end_array().member("body", request->body.reveal()).end_object();
        return give_text(out.text(), json);
    });
}

gputide_status gputide_source_parse(const gputide_source* source, int32_t http_status, const char* body,
                                    int64_t body_bytes, gputide_sample* out, gputide_error* err) {
    return guarded(err, {{source, "source"}}, [&]() -> result<void> {
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        result<std::string_view> content = input_text(body, body_bytes, "body");
        if (!content) return content.take_failure();
        return give_sample(source->source->judge(source->source->read(answer_of(http_status, *content))), out);
    });
}

gputide_status gputide_source_parse_all(const gputide_source* source, int32_t http_status, const char* headers,
                                        int64_t headers_bytes, const char* body, int64_t body_bytes, gputide_text* json,
                                        gputide_error* err) {
    return guarded(err, {{source, "source"}, {json, "json"}}, [&]() -> result<void> {
        result<std::string_view> lines = optional_text(headers, headers_bytes, "headers");
        if (!lines) return lines.take_failure();
        result<std::string_view> content = input_text(body, body_bytes, "body");
        if (!content) return content.take_failure();
        http::answer answer = answer_of(http_status, *content);
        answer.response.headers = headers_of(*lines);
        result<source::reading> reading = source->source->read(answer);
        if (!reading) return reading.take_failure();
        return give_text(reading_json(*reading), json);
    });
}

gputide_status gputide_doctor(const char* manifest, int64_t size_bytes, const gputide_options* options,
                              const gputide_observation* observation, int32_t timeout_ms, const gputide_cancel* cancel,
                              gputide_text* report, gputide_text* lines, gputide_error* err) {
    return guarded(err, {{report, "report"}}, [&]() -> result<void> {
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return input.take_failure();
        observation_input observed;
        if (observation != nullptr) {
            if (result<void> ok = read_observation(observation, observed); !ok) return ok;
        }
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return engine.take_failure();
        result<time_limit> limits = read_time_limit(*(*engine)->client, timeout_ms, cancel);
        if (!limits) return limits.take_failure();
        doctor::circumstances under;
        under.seen = observation != nullptr ? &observed.observation : nullptr;
        under.deadline_ms = limits->deadline_ms;
        under.cancel = limits->cancel;
        result<doctor::report> found = doctor::examine(input->files, input->host, *engine, under);
        if (!found) return found.take_failure();
        return give_report(doctor::report_json(*found), doctor::report_lines(*found), report, lines);
    });
}

gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, int32_t metric, int64_t start_ms,
                                    int64_t end_ms, int64_t step_ms, int32_t timeout_ms, const gputide_cancel* cancel,
                                    gputide_error* err) {
    return guarded(err, {{series, "series"}, {scaler, "scaler"}}, [&]() -> result<void> {
        if (result<void> ok = check_milliseconds(start_ms, "start_ms"); !ok) return ok;
        if (result<void> ok = check_milliseconds(end_ms, "end_ms"); !ok) return ok;
        const auto& metrics = scaler->scaler->policy().metrics;
        const result<std::size_t> index = read_metric(metric);
        if (!index) return index.failure();
        if (*index >= metrics.size())
            return fail(status::not_found, "metric is {}; the manifest has {} metrics, numbered from 0", metric,
                        metrics.size());
        source::metric_source* source = scaler->scaler->source(*index);
        if (source == nullptr || !source->metric().traits->keeps_past)
            return fail_at(
                status::not_here, metrics[*index].label(),
                "its source cannot return past values; record the metric and load the series with gputide_series_read");
        const source::time_range range{start_ms, end_ms, step_ms};
        result<source::reading> read = fetch_past(*scaler, *source, range, timeout_ms, cancel);
        if (!read) return read.take_failure();
        result<std::vector<sample>> samples = pipeline::past_samples(source->metric(), *read, range);
        if (!samples) return samples.take_failure();
        replay::recording recording;
        if (result<void> ok = replay::add_samples(recording, 0, *samples); !ok) return ok;
        recording.metrics.resize(1);
        recording.metrics.front().name = metrics[*index].name;
        return replay::merge(series->recorded, std::move(recording), *index);
    });
}
