// Implements section 1 of gputide.h: an open scaler.
#include "runtime/scaler.hpp"

#include "base/json_writer.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/network_handles.hpp"
#include "capi/observation.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "http/client.hpp"
#include "pipeline/pipeline.hpp"

#include <memory>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

result<std::vector<sample>> fetch(gputide_scaler& scaler, std::int64_t now_ms, const time_limit& limits,
                                  std::span<const sample> given) {
    return http::wait<std::vector<sample>>(
        *scaler.engine->client,
        [&](callback<void(std::vector<sample>)> done) {
            return scaler.scaler->fetch(*scaler.engine->client, now_ms, limits.deadline_ms, given, std::move(done));
        },
        limits.deadline_ms, limits.cancel);
}

// Rejects a pushed value for a trigger that has its own source.
result<void> check_pushed(const runtime::scaler& scaler, std::span<const sample> given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i].state == sample_state::not_given || !scaler.asks_alone(i)) continue;
        return fail(status::invalid,
                    "observation.samples[{}]: this metric is read by its own source; expected GPUTIDE_SAMPLE_NOT_GIVEN",
                    i)
            .at(scaler.policy().metrics[i].label());
    }
    return {};
}

// Stores the host's reasons for samples without a value.
void explain(runtime::scaler& scaler, const observation_input& input) {
    for (std::size_t i = 0; i < input.messages().size(); ++i) scaler.explain(i, input.messages()[i]);
}

// Reverts a decision, unless the whole call has succeeded, for example if memory is exhausted later in the call.
class undo_unless_done {
  public:
    explicit undo_unless_done(runtime::scaler& scaler) : scaler_(&scaler), before_(scaler.remember()) {}
    undo_unless_done(const undo_unless_done&) = delete;
    undo_unless_done& operator=(const undo_unless_done&) = delete;
    ~undo_unless_done() {
        if (scaler_ != nullptr) scaler_->restore(std::move(before_));
    }
    void done() { scaler_ = nullptr; }

  private:
    runtime::scaler* scaler_;
    runtime::scaler::memory before_;
};

result<void> decide_and_report(runtime::scaler& scaler, const decide::observation& seen, gputide_decision* out,
                               gputide_text* report) {
    if (report == nullptr) {
        write_decision(scaler.decide(seen, nullptr), out);
        return {};
    }
    undo_unless_done undo(scaler);
    decide::trace trace;
    const decide::decision decision = scaler.decide(seen, &trace);
    const std::string json =
        decide::decision_json(scaler.policy(), decision, &trace, runtime::details_of(scaler, decision));
    if (result<void> ok = give_text(json, report); !ok) return ok;
    undo.done();
    write_decision(decision, out);
    return {};
}

}  // namespace

gputide_status gputide_scaler_open(const char* manifest, int64_t size_bytes, const gputide_options* options,
                                   gputide_scaler** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<host_input> input = read_input(manifest, size_bytes, options);
        if (!input) return input.take_failure();
        result<manifest::spec> spec = pipeline::load_spec(input->files, input->host, nullptr);
        if (!spec) return spec.take_failure();
        result<std::shared_ptr<pipeline::engine>> engine = pipeline::shared_engine();
        if (!engine) return engine.take_failure();
        auto opened = runtime::open_scaler(*spec, pipeline::services_of(input->host, **engine));
        if (!opened) return opened.take_failure();
        *out = make_handle<gputide_scaler>(*engine, std::make_unique<runtime::scaler>(*std::move(opened)));
        return {};
    });
}

void gputide_scaler_free(gputide_scaler* scaler) { end(scaler); }

gputide_status gputide_scaler_tick(gputide_scaler* scaler, const gputide_observation* observation, int32_t timeout_ms,
                                   const gputide_cancel* cancel, gputide_decision* out, gputide_text* report,
                                   gputide_error* err) {
    return guarded(err, {{scaler, "scaler"}}, [&]() -> result<void> {
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        observation_input input;
        if (result<void> ok = read_observation(observation, input); !ok) return ok;
        result<time_limit> limits = read_time_limit(*scaler->engine->client, timeout_ms, cancel);
        if (!limits) return limits.take_failure();
        if (auto ok = check_counts(scaler->scaler->policy(), input.observation, true); !ok) return ok;
        if (auto ok = check_pushed(*scaler->scaler, input.observation.samples); !ok) return ok;
        result<std::vector<sample>> samples{std::vector<sample>()};
        if (scaler->scaler->due(input.observation.now_ms)) {
            samples = fetch(*scaler, input.observation.now_ms, *limits, input.observation.samples);
            if (!samples) return samples.take_failure();
            explain(*scaler->scaler, input);
            input.observation.samples = *samples;
        }
        return decide_and_report(*scaler->scaler, input.observation, out, report);
    });
}

gputide_status gputide_scaler_record(gputide_scaler* scaler, gputide_decision* decision, int32_t applied,
                                     int64_t now_ms, gputide_error* err) {
    return guarded(err, {{scaler, "scaler"}}, [&]() -> result<void> {
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        result<returned_decision> returned = read_decision(decision);
        if (!returned) return returned.take_failure();
        auto& [recorded, message] = *returned;
        if (auto ok = scaler->scaler->record(recorded, applied != 0, now_ms, message); !ok) return ok;
        write_decision(recorded, decision);
        return {};
    });
}

namespace {

// Returns a text made from the scaler by `make`, for the functions below.
gputide_status give(const gputide_scaler* scaler, gputide_text* out, gputide_error* err,
                    function_ref<std::string(const runtime::scaler&)> make) {
    return guarded(err, {{scaler, "scaler"}, {out, "out"}},
                   [&]() -> result<void> { return give_text(make(*scaler->scaler), out); });
}

}  // namespace

gputide_status gputide_scaler_describe(const gputide_scaler* scaler, gputide_text* json, gputide_error* err) {
    return give(scaler, json, err, [](const runtime::scaler& opened) {
        const decide::decision& last = opened.last_decision();
        json_writer out;
        out.begin_object().key("policy").raw(pipeline::policy_json(opened.policy()));
        out.key("conditions").raw(decide::conditions_json(opened.policy(), last, runtime::details_of(opened, last)));
        out.key("metrics").raw(runtime::reads_json(opened, last.now_ms));
        return out.end_object().take();
    });
}

gputide_status gputide_scaler_save(const gputide_scaler* scaler, gputide_text* out, gputide_error* err) {
    return give(scaler, out, err,
                [](const runtime::scaler& opened) { return decide::save_state(opened.policy(), opened.state()); });
}

gputide_status gputide_scaler_load(gputide_scaler* scaler, const char* text, int64_t size_bytes, gputide_error* err) {
    return guarded(err, {{scaler, "scaler"}}, [&]() -> result<void> {
        result<std::string_view> content = input_text(text, size_bytes, "text");
        if (!content) return content.take_failure();
        result<decide::state> loaded = decide::load_state(scaler->scaler->policy(), *content);
        if (!loaded) return loaded.take_failure();
        scaler->scaler->set_state(std::move(*loaded));
        return {};
    });
}
