// Section 10 of gputide.h, first half: recorded metrics.
#include "base/text.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "formats/query_api/parse.hpp"
#include "http/wait.hpp"
#include "replay/read_csv.hpp"
#include "replay/read_log.hpp"
#include "runtime/past.hpp"

#include <memory>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

result<void> add_samples(const std::vector<sample>& samples, replay::recording& to) {
    for (const sample& one : samples) {
        result<void> ok = one.state == sample_state::ok ? replay::add_point(to, 0, one.time_ms, one.value)
                                                        : replay::add_missing(to, 0, one.time_ms, one.state);
        if (!ok) return ok;
    }
    return {};
}

// Where a saved range has no point, the query gave nothing: said as often as the steps of the others stand apart.
result<void> add_range(const std::vector<source::point>& points, replay::recording& to) {
    std::int64_t step_ms = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const std::int64_t apart_ms = points[i].time_ms - points[i - 1].time_ms;
        if (apart_ms > 0 && (step_ms == 0 || apart_ms < step_ms)) step_ms = apart_ms;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (result<void> ok = replay::add_point(to, 0, points[i].time_ms, points[i].value); !ok) return ok;
        const bool gap = i + 1 < points.size() && points[i + 1].time_ms - points[i].time_ms >= 2 * step_ms;
        if (step_ms == 0 || !gap) continue;
        if (auto ok = replay::add_missing(to, 0, points[i].time_ms + step_ms, sample_state::empty); !ok) return ok;
    }
    return {};
}

result<void> read_range(std::string_view text, replay::recording& to) {
    http::answer got;
    got.response.status = 200;
    got.response.body = std::string(text);
    result<source::reading> read = formats::query_api::parse(got);
    if (!read) {
        error why = std::move(read).failure();
        why.http_status = 0;
        why.where = named("series");
        return why;
    }
    if (read->series.size() > 1)
        return fail(status::ambiguous, "series: the saved answer holds " + std::to_string(read->series.size()) +
                                           " series; aggregate in the query (sum, avg, max) so that one comes back");
    if (read->series.empty() || read->series.front().points.empty())
        return fail(status::no_data, "series: the saved answer holds no point");
    return add_range(read->series.front().points, to);
}

result<void> read_text(std::string_view text, std::string_view scaler, replay::recording& to) {
    const std::string_view start = trim(text.substr(0, 4096));
    if (start.empty()) return fail(status::no_data, "series: the text is empty");
    if (replay::looks_like_log(text)) return replay::read_log(text, scaler, to);
    if (start.front() == '{' || start.front() == '[') return read_range(text, to);
    return replay::read_csv(text, to);
}

result<source::reading> fetch(gputide_scaler& of, source::metric_source& from, const source::time_range& over,
                              std::int32_t timeout_ms, const gputide_cancel* cancel) {
    http::client& client = *of.engine->client;
    result<patience> limits = read_patience(client, timeout_ms, cancel);
    if (!limits) return std::move(limits).failure();
    return http::flat(http::wait<result<source::reading>>(
        client,
        [&](std::function<void(result<source::reading>)> done) {
            return from.fetch_range(over, limits->deadline_ms, std::move(done));
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
        for (uint64_t i = 0; i < count; ++i)
            if (result<void> ok = replay::add_point(read, 0, times_ms[i], values[i]); !ok) return ok;
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
        for (uint64_t i = 0; i < count; ++i)
            if (result<void> ok = replay::add_size(read, times_ms[i], replicas[i]); !ok) return ok;
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

gputide_status gputide_series_fetch(gputide_series* series, gputide_scaler* scaler, uint32_t metric, int64_t from_ms,
                                    int64_t to_ms, int64_t step_ms, int32_t timeout_ms, const gputide_cancel* cancel,
                                    gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(series, "series"); !ok) return ok;
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        const auto& metrics = scaler->scaler->policy().metrics;
        if (metric >= metrics.size())
            return fail(status::not_found, "metric: there are " + std::to_string(metrics.size()) + ", number " +
                                               std::to_string(metric) + " is asked for");
        source::metric_source* from = scaler->scaler->source(metric);
        if (from == nullptr || !from->metric().traits->keeps_past)
            return fail_at(status::not_here, metrics[metric].name,
                           "its source keeps no past that could be asked for; record it and give the series as a file");
        const source::time_range over{from_ms, to_ms, step_ms};
        result<source::reading> read = fetch(*scaler, *from, over, timeout_ms, cancel);
        if (!read) return std::move(read).failure();
        result<std::vector<sample>> samples = runtime::past_samples(from->metric(), *read, over);
        if (!samples) return std::move(samples).failure();
        replay::recording got;
        if (result<void> ok = add_samples(*samples, got); !ok) return ok;
        got.metrics.resize(1);
        got.metrics.front().name = metrics[metric].name;
        return replay::merge(series->recorded, std::move(got), metric);
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
