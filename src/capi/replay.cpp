// Section 10 of gputide.h, second half: a manifest over recorded metrics.
#include "capi/decision.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/sample.hpp"
#include "capi/structs.hpp"
#include "pipeline/past.hpp"
#include "pipeline/pipeline.hpp"
#include "replay/run.hpp"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

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
        result<sample> one = from_c(given);
        if (!one) return std::move(one).failure();
        out.push_back(*one);
        return {};
    });
}

}  // namespace

gputide_status gputide_replay_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                   const char* settings, int64_t settings_bytes, gputide_replay** out,
                                   gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        result<std::string_view> how_text = settings != nullptr ? input_text(settings, settings_bytes, "settings")
                                                                : result<std::string_view>(std::string_view());
        if (!how_text) return std::move(how_text).failure();
        result<replay::settings> how = replay::read_settings(*how_text);
        if (!how) return std::move(how).failure();
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return std::move(input).failure();
        result<config::spec> spec = pipeline::load_targets(input->files, input->host);
        if (!spec) return std::move(spec).failure();
        result<pipeline::described> parts = pipeline::describe(*spec, nullptr);
        if (!parts) return std::move(parts).failure();
        auto replayer = replay::replayer::make(parts->policy, *std::move(how), rules_of(*parts));
        if (!replayer) return std::move(replayer).failure();
        *out = make_handle<gputide_replay>(*std::move(replayer));
        return {};
    });
}

void gputide_replay_free(gputide_replay* replay) { end(replay); }

gputide_status gputide_replay_run(gputide_replay* replay, const gputide_series* series, const gputide_cancel* cancel,
                                  gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(replay, "replay"); !ok) return ok;
        if (result<void> ok = required(series, "series"); !ok) return ok;
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
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(replay, "replay"); !ok) return ok;
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
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(replay, "replay"); !ok) return ok;
        if (result<void> ok = required(json, "json"); !ok) return ok;
        replay->replayer.finish();
        return give_text(replay::report_json(replay->replayer), json);
    });
}
