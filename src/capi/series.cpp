// Section 10 of gputide.h, first half: recorded metrics.
#include "base/text.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "http/wait.hpp"
#include "pipeline/past.hpp"
#include "replay/recording.hpp"

#include <memory>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// The answer of a query_range, saved.
result<void> read_range(std::string_view text, replay::recording& recording) {
    result<std::vector<source::point>> saved = pipeline::saved_range(text);
    if (!saved) return std::move(saved).failure();
    std::vector<replay::point> points;
    for (const source::point& one : *saved) points.push_back({one.time_ms, one.value});
    return replay::add_range(recording, 0, points);
}

result<void> read_text(std::string_view text, std::string_view scaler, replay::recording& recording) {
    const std::string_view start = trim(text.substr(0, 4096));
    if (start.empty()) return fail(status::no_data, "series: the text is empty");
    if (replay::looks_like_log(text)) return replay::read_log(text, scaler, recording);
    if (start.front() == '{' || start.front() == '[') return read_range(text, recording);
    return replay::read_csv(text, recording);
}

result<source::reading> fetch(gputide_scaler& scaler, source::metric_source& source, const source::time_range& range,
                              std::int32_t timeout_ms, const gputide_cancel* cancel) {
    http::client& client = *scaler.engine->client;
    result<patience> limits = read_patience(client, timeout_ms, cancel);
    if (!limits) return std::move(limits).failure();
    return http::flat(http::wait<result<source::reading>>(
        client,
        [&](std::function<void(result<source::reading>)> done) {
            return source.fetch_range(range, limits->deadline_ms, std::move(done));
        },
        limits->deadline_ms, limits->cancel));
}

}  // namespace

gputide_status gputide_series_new(gputide_series** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        *out = make_handle<gputide_series>();
        return {};
    });
}

void gputide_series_free(gputide_series* series) { end(series); }

gputide_status gputide_series_add(gputide_series* series, uint32_t metric, const int64_t* times_ms,
                                  const double* values, uint64_t count, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        if (count == 0) return {};
        if (result<void> ok = required(times_ms, "times_ms"); !ok) return ok;
        if (result<void> ok = required(values, "values"); !ok) return ok;
        replay::recording read;
        for (uint64_t i = 0; i < count; ++i) {
            if (result<void> ok = check_milliseconds(times_ms[i], "times_ms"); !ok) return ok;
            if (result<void> ok = replay::add_point(read, 0, times_ms[i], values[i]); !ok) return ok;
        }
        return replay::merge(series->recorded, std::move(read), metric);
    });
}

gputide_status gputide_series_add_replicas(gputide_series* series, const int64_t* times_ms, const int32_t* replicas,
                                           uint64_t count, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        if (count == 0) return {};
        if (result<void> ok = required(times_ms, "times_ms"); !ok) return ok;
        if (result<void> ok = required(replicas, "replicas"); !ok) return ok;
        replay::recording read;
        for (uint64_t i = 0; i < count; ++i) {
            if (result<void> ok = check_milliseconds(times_ms[i], "times_ms"); !ok) return ok;
            if (result<void> ok = replay::add_size(read, times_ms[i], replicas[i]); !ok) return ok;
        }
        return replay::merge(series->recorded, std::move(read), 0);
    });
}

gputide_status gputide_series_read(gputide_series* series, uint32_t metric, const char* text, int64_t size_bytes,
                                   const char* scaler, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return std::move(content).failure();
        replay::recording read;
        if (result<void> ok = read_text(*content, scaler != nullptr ? scaler : "", read); !ok) return ok;
        if (metric != GPUTIDE_NO_METRIC) return replay::merge(series->recorded, std::move(read), metric);
        replay::recording sizes;
        sizes.sizes = std::move(read.sizes);
        sizes.decisions = std::move(read.decisions);
        return replay::merge(series->recorded, std::move(sizes), 0);
    });
}

gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, uint32_t metric, int64_t start_ms,
                                    int64_t end_ms, int64_t step_ms, int32_t timeout_ms, const gputide_cancel* cancel,
                                    gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        if (result<void> ok = check_milliseconds(start_ms, "start_ms"); !ok) return ok;
        if (result<void> ok = check_milliseconds(end_ms, "end_ms"); !ok) return ok;
        const auto& metrics = scaler->scaler->policy().metrics;
        if (metric >= metrics.size())
            return fail(status::not_found, "metric: there are " + std::to_string(metrics.size()) + ", number " +
                                               std::to_string(metric) + " is asked for");
        source::metric_source* source = scaler->scaler->source(metric);
        if (source == nullptr || !source->metric().traits->keeps_past)
            return fail_at(status::not_here, metrics[metric].name,
                           "its source keeps no past that could be asked for; record it and give the series as a file");
        const source::time_range range{start_ms, end_ms, step_ms};
        result<source::reading> read = fetch(*scaler, *source, range, timeout_ms, cancel);
        if (!read) return std::move(read).failure();
        result<std::vector<sample>> samples = pipeline::past_samples(source->metric(), *read, range);
        if (!samples) return std::move(samples).failure();
        replay::recording recording;
        if (result<void> ok = replay::add_samples(recording, 0, *samples); !ok) return ok;
        recording.metrics.resize(1);
        recording.metrics.front().name = metrics[metric].name;
        return replay::merge(series->recorded, std::move(recording), metric);
    });
}

gputide_status gputide_series_write(gputide_series* series, gputide_text* csv, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        if (result<void> ok = required(csv, "csv"); !ok) return ok;
        if (result<void> ok = replay::tidy(series->recorded); !ok) return ok;
        return give_text(replay::write_csv(series->recorded), csv);
    });
}

gputide_status gputide_series_describe(gputide_series* series, gputide_text* json, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        if (result<void> ok = required(json, "json"); !ok) return ok;
        if (result<void> ok = replay::tidy(series->recorded); !ok) return ok;
        return give_text(replay::notes_json(series->recorded), json);
    });
}
