// Implements section 15 of plan.h: recorded metrics, and replays of a manifest over them.
#include "base/text.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/observation.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "gputide/plan.h"
#include "pipeline/pipeline.hpp"
#include "replay/recording.hpp"
#include "replay/run.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

// Reads a saved response of query_range.
result<void> read_range(std::string_view text, replay::recording& recording) {
    result<std::vector<source::point>> saved = pipeline::saved_range(text);
    if (!saved) return saved.take_failure();
    std::vector<replay::point> points;
    for (const source::point& point : *saved) points.push_back({point.time_ms, point.value});
    return replay::add_range(recording, 0, points);
}

result<void> read_text(std::string_view text, std::string_view scaler, replay::recording& recording) {
    const std::string_view start = trim(text.substr(0, 4096));
    if (start.empty()) return fail(status::no_data, "series: the text is empty");
    if (replay::looks_like_log(text)) return replay::read_log(text, scaler, recording);
    if (start.front() == '{' || start.front() == '[') return read_range(text, recording);
    return replay::read_csv(text, recording);
}

}  // namespace

gputide_status gputide_series_new(gputide_series** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        *out = make_handle<gputide_series>();
        return {};
    });
}

void gputide_series_free(gputide_series* series) { end(series); }

gputide_status gputide_series_add(gputide_series* series, int32_t metric, const int64_t* times_ms, const double* values,
                                  uint64_t count, gputide_error* err) {
    return guarded(err, {{series, "series"}}, [&]() -> result<void> {
        const result<std::size_t> index = read_metric(metric);
        if (!index) return index.failure();
        if (count == 0) return {};
        if (result<void> ok = required({{times_ms, "times_ms"}, {values, "values"}}); !ok) return ok;
        replay::recording read;
        for (uint64_t i = 0; i < count; ++i) {
            if (result<void> ok = check_milliseconds(times_ms[i], "times_ms"); !ok) return ok;
            if (result<void> ok = replay::add_point(read, 0, times_ms[i], values[i]); !ok) return ok;
        }
        return replay::merge(series->recorded, std::move(read), *index);
    });
}

gputide_status gputide_series_add_replicas(gputide_series* series, const int64_t* times_ms, const int32_t* replicas,
                                           uint64_t count, gputide_error* err) {
    return guarded(err, {{series, "series"}}, [&]() -> result<void> {
        if (count == 0) return {};
        if (result<void> ok = required({{times_ms, "times_ms"}, {replicas, "replicas"}}); !ok) return ok;
        replay::recording read;
        for (uint64_t i = 0; i < count; ++i) {
            if (result<void> ok = check_milliseconds(times_ms[i], "times_ms"); !ok) return ok;
            if (result<void> ok = replay::add_size(read, times_ms[i], replicas[i]); !ok) return ok;
        }
        return replay::merge(series->recorded, std::move(read), 0);
    });
}

gputide_status gputide_series_read(gputide_series* series, int32_t metric, const char* text, int64_t size_bytes,
                                   const char* scaler, gputide_error* err) {
    return guarded(err, {{series, "series"}}, [&]() -> result<void> {
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return content.take_failure();
        const result<std::size_t> index = read_metric(metric == GPUTIDE_NO_METRIC ? 0 : metric);
        if (!index) return index.failure();
        replay::recording read;
        if (result<void> ok = read_text(*content, scaler != nullptr ? scaler : "", read); !ok) return ok;
        if (metric != GPUTIDE_NO_METRIC) return replay::merge(series->recorded, std::move(read), *index);
        replay::recording sizes;
        sizes.sizes = std::move(read.sizes);
        sizes.decisions = std::move(read.decisions);
        return replay::merge(series->recorded, std::move(sizes), 0);
    });
}

gputide_status gputide_series_write(gputide_series* series, gputide_text* csv, gputide_error* err) {
    return guarded(err, {{series, "series"}, {csv, "csv"}}, [&]() -> result<void> {
        if (result<void> ok = replay::tidy(series->recorded); !ok) return ok;
        return give_text(replay::write_csv(series->recorded), csv);
    });
}

gputide_status gputide_series_describe(gputide_series* series, gputide_text* json, gputide_error* err) {
    return guarded(err, {{series, "series"}, {json, "json"}}, [&]() -> result<void> {
        if (result<void> ok = replay::tidy(series->recorded); !ok) return ok;
        return give_text(replay::notes_json(series->recorded), json);
    });
}

namespace {

std::vector<replay::source_rules> rules_of(const pipeline::described& described) {
    std::vector<replay::source_rules> out;
    for (const auto& metric : described.metrics) {
        const pipeline::null_samples null = pipeline::null_samples_of(metric ? &*metric : nullptr);
        out.push_back({null.empty, null.not_a_number});
    }
    return out;
}

bool not_cancelled(void* flag) { return flag == nullptr || !static_cast<const http::cancel_flag*>(flag)->fired(); }

result<void> read_samples(const gputide_sample* first, uint32_t size, uint32_t count, std::vector<sample>& out) {
    out.clear();
    return for_each(first, size, count, "samples", [&](const gputide_sample& given, uint32_t) -> result<void> {
        result<sample> value = from_c(given);
        if (!value) return value.take_failure();
        out.push_back(*value);
        return {};
    });
}

}  // namespace

gputide_status gputide_replay_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                   const char* settings, int64_t settings_bytes, gputide_replay** out,
                                   gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<std::string_view> how_text = optional_text(settings, settings_bytes, "settings");
        if (!how_text) return how_text.take_failure();
        result<replay::settings> how = replay::read_settings(*how_text);
        if (!how) return how.take_failure();
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return input.take_failure();
        result<pipeline::described> parts = pipeline::describe_targets(input->files, input->host);
        if (!parts) return parts.take_failure();
        auto replayer = replay::replayer::make(parts->policy, *std::move(how), rules_of(*parts));
        if (!replayer) return replayer.take_failure();
        *out = make_handle<gputide_replay>(*std::move(replayer));
        return {};
    });
}

void gputide_replay_free(gputide_replay* replay) { end(replay); }

gputide_status gputide_replay_run(gputide_replay* replay, const gputide_series* series, const gputide_cancel* cancel,
                                  gputide_error* err) {
    return guarded(err, {{replay, "replay"}, {series, "series"}}, [&]() -> result<void> {
        if (result<void> ok = optional(cancel, "cancel"); !ok) return ok;
        void* flag = cancel != nullptr ? &cancel->flag : nullptr;
        if (series->recorded.tidied) return replay::run(replay->replayer, series->recorded, &not_cancelled, flag);
        replay::recording tidied = series->recorded;
        if (result<void> ok = replay::tidy(tidied); !ok) return ok;
        return replay::run(replay->replayer, tidied, &not_cancelled, flag);
    });
}

gputide_status gputide_replay_record(gputide_replay* replay, int64_t time_ms, const gputide_sample* samples,
                                     uint32_t sample_size, uint32_t sample_count, int32_t replicas,
                                     gputide_decision* last, gputide_error* err) {
    return guarded(err, {{replay, "replay"}}, [&]() -> result<void> {
        if (last != nullptr)
            if (result<void> ok = check_out(last, "last"); !ok) return ok;
        if (result<void> ok = check_time(time_ms, "time_ms"); !ok) return ok;
        if (auto ok = read_samples(samples, sample_size, sample_count, replay->samples); !ok) return ok;
        if (auto ok = replay->replayer.record(time_ms, replay->samples, replicas); !ok) return ok;
        if (last != nullptr) write_decision(replay->replayer.last(), last);
        return {};
    });
}

gputide_status gputide_replay_report(gputide_replay* replay, gputide_text* json, gputide_error* err) {
    return guarded(err, {{replay, "replay"}, {json, "json"}}, [&]() -> result<void> {
        replay->replayer.finish();
        return give_text(replay::report_json(replay->replayer), json);
    });
}
