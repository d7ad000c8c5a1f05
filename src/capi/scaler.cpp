// Section 8 of gputide.h: a manifest as a working pipeline.
#include "runtime/scaler.hpp"

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "decide/report.hpp"
#include "decide/state_text.hpp"
#include "decide/trace.hpp"
#include "http/wait.hpp"
#include "runtime/check.hpp"
#include "runtime/describe.hpp"

#include <memory>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

result<std::vector<sample>> fetch(gputide_scaler& of, std::int64_t now_ms, std::int32_t timeout_ms,
                                  std::span<const sample> given, const gputide_cancel* cancel) {
    http::client& client = *of.engine->client;
    const std::int64_t deadline_ms = client.steady_ms() + timeout_ms;
    return http::wait<std::vector<sample>>(
        client,
        [&](std::function<void(std::vector<sample>)> done) {
            return of.scaler->fetch(now_ms, deadline_ms, given, std::move(done));
        },
        deadline_ms, cancel != nullptr ? &cancel->flag : nullptr);
}

result<void> decide_and_report(runtime::scaler& by, const decide::observation& seen, gputide_decision* out,
                               gputide_text* report) {
    if (report == nullptr) {
        write_struct(out, to_c(by.decide(seen, nullptr)));
        return {};
    }
    decide::trace why;
    const decide::decision made = by.decide(seen, &why);
    write_struct(out, to_c(made));
    return give_text(decide::decision_json(by.policy(), made, &why, runtime::details_of(by, made)), report);
}

}  // namespace

gputide_status gputide_manifest_check(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                      gputide_text* report, gputide_text* lines, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(report, "report"); !ok) return ok;
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return std::move(input).failure();
        const runtime::checked found = runtime::check_manifest(input->files, input->host);
        if (result<void> ok = give_text(runtime::checked_json(found), report); !ok) return ok;
        if (result<void> ok = give_text(config::render(found.report), lines); !ok) return ok;
        error worst = found.report.as_error();
        if (worst.status != status::ok) return worst;
        return {};
    });
}

gputide_status gputide_scaler_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                   gputide_scaler** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return std::move(input).failure();
        result<config::spec> spec = runtime::load_spec(input->files, input->host, nullptr);
        if (!spec) return std::move(spec).failure();
        result<std::shared_ptr<runtime::engine>> engine = runtime::shared_engine();
        if (!engine) return std::move(engine).failure();
        auto made = runtime::make_pipeline(*spec, runtime::services_of(input->host, **engine), nullptr);
        if (!made) return std::move(made).failure();
        const std::int64_t created_ms = spec->scaling.created_ms.value_or(decide::absent);
        auto scaler = std::make_unique<runtime::scaler>(std::move(*made), (*engine)->client, created_ms);
        *out = std::make_unique<gputide_scaler>(gputide_scaler{*engine, std::move(scaler)}).release();
        return {};
    });
}

void gputide_scaler_free(gputide_scaler* scaler) { delete scaler; }

gputide_status gputide_scaler_tick(gputide_scaler* scaler, const gputide_observation* seen, int32_t timeout_ms,
                                   const gputide_cancel* cancel, gputide_decision* out, gputide_text* report,
                                   gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        seen_input input;
        if (result<void> ok = read_observation(seen, input); !ok) return ok;
        result<std::vector<sample>> samples{std::vector<sample>()};
        if (scaler->scaler->due(input.observation.now_ms)) {
            samples = fetch(*scaler, input.observation.now_ms, timeout_ms, input.observation.samples, cancel);
            if (!samples) return std::move(samples).failure();
            input.observation.samples = *samples;
        }
        return decide_and_report(*scaler->scaler, input.observation, out, report);
    });
}

gputide_status gputide_scaler_fetch(gputide_scaler* scaler, int64_t now_ms, int32_t timeout_ms,
                                    const gputide_cancel* cancel, gputide_sample* samples, uint32_t sample_size,
                                    uint32_t capacity, uint32_t* count, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        if (result<void> ok = required(samples, "samples"); !ok) return ok;
        const std::size_t metrics = scaler->scaler->policy().metrics.size();
        if (capacity < metrics || sample_size < least_struct_bytes) {
            return fail(status::invalid, "samples: room for " + std::to_string(metrics) +
                                             " elements of sizeof(gputide_sample) is needed, " +
                                             std::to_string(capacity) + " of " + std::to_string(sample_size) +
                                             " bytes are given");
        }
        auto got = fetch(*scaler, now_ms, timeout_ms, {}, cancel);
        if (!got) return std::move(got).failure();
        auto* at = reinterpret_cast<unsigned char*>(samples);
        for (const sample& one : *got) {
            gputide_sample c = to_c(one);
            c.struct_size = sample_size;
            std::memcpy(at, &c, std::min<std::size_t>(sample_size, sizeof c));
            at += sample_size;
        }
        if (count != nullptr) *count = static_cast<uint32_t>(got->size());
        return {};
    });
}

gputide_status gputide_scaler_decide(gputide_scaler* scaler, const gputide_observation* seen, gputide_decision* out,
                                     gputide_text* report, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        seen_input input;
        if (result<void> ok = read_observation(seen, input); !ok) return ok;
        return decide_and_report(*scaler->scaler, input.observation, out, report);
    });
}

gputide_status gputide_scaler_record(gputide_scaler* scaler, gputide_decision* made, int32_t applied, int64_t now_ms,
                                     gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        result<gputide_decision> given = read_struct(made, "made");
        if (!given) return std::move(given).failure();
        decide::decision recorded = from_c(*given);
        scaler->scaler->record(recorded, applied != 0, now_ms);
        write_struct(made, to_c(recorded));
        return {};
    });
}

namespace {

// The readers below differ in what they make of the scaler alone.
template <class Make>
gputide_status give(const gputide_scaler* scaler, gputide_text* out, gputide_error* err, Make make) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        if (result<void> ok = required(out, "out"); !ok) return ok;
        return give_text(make(*scaler->scaler), out);
    });
}

}  // namespace

gputide_status gputide_scaler_conditions(const gputide_scaler* scaler, gputide_text* json, gputide_error* err) {
    return give(scaler, json, err, [](const runtime::scaler& of) {
        return decide::conditions_json(of.policy(), of.last_decision(), runtime::details_of(of, of.last_decision()));
    });
}

gputide_status gputide_scaler_metrics(const gputide_scaler* scaler, gputide_text* json, gputide_error* err) {
    return give(scaler, json, err,
                [](const runtime::scaler& of) { return runtime::reads_json(of, of.last_decision().now_ms); });
}

gputide_status gputide_scaler_describe(const gputide_scaler* scaler, gputide_text* json, gputide_error* err) {
    return give(scaler, json, err, [](const runtime::scaler& of) { return runtime::policy_json(of.policy()); });
}

gputide_status gputide_scaler_save(const gputide_scaler* scaler, gputide_text* out, gputide_error* err) {
    return give(scaler, out, err,
                [](const runtime::scaler& of) { return decide::save_state(of.policy(), of.state()); });
}

gputide_status gputide_scaler_load(gputide_scaler* scaler, const char* text, int64_t size_bytes, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(scaler, "scaler"); !ok) return ok;
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return std::move(content).failure();
        result<decide::state> loaded = decide::load_state(scaler->scaler->policy(), *content);
        if (!loaded) return std::move(loaded).failure();
        scaler->scaler->set_state(std::move(*loaded));
        return {};
    });
}
