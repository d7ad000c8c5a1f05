// Implements section 14 of plan.h: a forecast without a manifest.
#include "forecast/forecast.hpp"

#include "base/time.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"
#include "forecast/text.hpp"
#include "gputide/plan.h"

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

static_assert(same(GPUTIDE_FORECAST_WARMING, forecast::state::warming) &&
              same(GPUTIDE_FORECAST_OFF, forecast::state::off) &&
              same(GPUTIDE_FORECAST_SPENT, forecast::state::spent) && same(GPUTIDE_FORECAST_ON, forecast::state::on));
static_assert(same(GPUTIDE_FLOOR_RAISED, forecast::floor_reason::raised) &&
              same(GPUTIDE_FLOOR_WITHIN_REACTIVE, forecast::floor_reason::within_reactive) &&
              same(GPUTIDE_FLOOR_CAPPED_BY_MAX, forecast::floor_reason::capped_by_max) &&
              same(GPUTIDE_FLOOR_CAPPED_BY_RAISE, forecast::floor_reason::capped_by_raise));
static_assert(same(GPUTIDE_FLOOR_OBSERVE, forecast::floor_reason::observe) &&
              same(GPUTIDE_FLOOR_WARMING_UP, forecast::floor_reason::warming_up) &&
              same(GPUTIDE_FLOOR_NOT_BETTER, forecast::floor_reason::not_better));
static_assert(same(GPUTIDE_FLOOR_BUDGET_SPENT, forecast::floor_reason::budget_spent) &&
              same(GPUTIDE_FLOOR_NO_RECENT_VALUE, forecast::floor_reason::no_recent_value) &&
              same(GPUTIDE_FLOOR_AT_ZERO, forecast::floor_reason::at_zero));

result<void> check_size(std::int32_t replicas, const char* name) {
    if (replicas >= 0) return {};
    return fail(status::invalid, "{}: expected 0 or more, got {}", name, replicas);
}

std::string description_of(const gputide_forecast& handle) {
    json_writer out;
    out.begin_object();
    const forecast::report report = forecast::report_of(handle.memory, handle.settings);
    forecast::write_report(out, report, handle.settings);
    forecast::write_ahead(out, forecast::forecasts_ahead(handle.memory, handle.settings));
    forecast::write_parts(out, "weights", report.weights);
    out.member("band", report.band).member("scored", report.scored).member("late", report.late);
    forecast::write_settings(out, handle.settings);
    return out.end_object().take();
}

}  // namespace

gputide_status gputide_forecast_open(const char* settings, int64_t size_bytes, gputide_forecast** out,
                                     gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<std::string_view> text = optional_text(settings, size_bytes, "settings");
        if (!text) return text.take_failure();
        result<forecast::settings> chosen = forecast::read_settings(*text);
        if (!chosen) return chosen.take_failure();
        *out = make_handle<gputide_forecast>(*chosen);
        return {};
    });
}

void gputide_forecast_free(gputide_forecast* forecast) { end(forecast); }

gputide_status gputide_forecast_add(gputide_forecast* forecast, int64_t now_ms, double load, gputide_error* err) {
    return guarded(err, {{forecast, "forecast"}}, [&]() -> result<void> {
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        forecast::read(forecast->memory, forecast->settings, now_ms, load);
        return {};
    });
}

gputide_status gputide_forecast_floor(const gputide_forecast* forecast, double target, int32_t reactive_replicas,
                                      int32_t current_replicas, int32_t max_replicas, gputide_floor* out,
                                      gputide_error* err) {
    return guarded(err, {{forecast, "forecast"}}, [&]() -> result<void> {
        if (!(target > 0 && std::isfinite(target)))
            return fail(status::invalid, "target: expected the load that one replica takes, a number above 0");
        if (result<void> ok = check_size(reactive_replicas, "reactive_replicas"); !ok) return ok;
        if (result<void> ok = check_size(current_replicas, "current_replicas"); !ok) return ok;
        if (result<void> ok = check_size(max_replicas, "max_replicas"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        const forecast::state state = forecast::state_of(forecast->memory, forecast->settings);
        const forecast::floor_result floor = forecast::floor_of(
            {forecast->memory.floor_load, state, target, reactive_replicas, current_replicas, max_replicas},
            forecast->settings);
        write_struct(out, gputide_floor{0, static_cast<int32_t>(state), static_cast<int32_t>(floor.reason),
                                        floor.replicas, floor.need, 0, forecast->memory.floor_load});
        return {};
    });
}

gputide_status gputide_forecast_charge(gputide_forecast* forecast, int32_t written_replicas, int32_t shadow_replicas,
                                       gputide_error* err) {
    return guarded(err, {{forecast, "forecast"}}, [&]() -> result<void> {
        if (result<void> ok = check_size(written_replicas, "written_replicas"); !ok) return ok;
        if (result<void> ok = check_size(shadow_replicas, "shadow_replicas"); !ok) return ok;
        forecast::book(forecast->memory, written_replicas, shadow_replicas);
        return {};
    });
}

gputide_status gputide_forecast_describe(const gputide_forecast* forecast, gputide_text* json, gputide_error* err) {
    return guarded(err, {{forecast, "forecast"}, {json, "json"}},
                   [&]() -> result<void> { return give_text(description_of(*forecast), json); });
}

gputide_status gputide_forecast_save(const gputide_forecast* forecast, gputide_text* out, gputide_error* err) {
    return guarded(err, {{forecast, "forecast"}, {out, "out"}}, [&]() -> result<void> {
        return give_text(forecast::save(forecast->memory, forecast->settings), out);
    });
}

gputide_status gputide_forecast_load(gputide_forecast* forecast, const char* text, int64_t size_bytes,
                                     gputide_error* err) {
    return guarded(err, {{forecast, "forecast"}}, [&]() -> result<void> {
        result<std::string_view> saved = input_text(text, size_bytes, "text");
        if (!saved) return saved.take_failure();
        result<forecast::memory> memory = forecast::load(*saved, forecast->settings);
        if (!memory) return memory.take_failure();
        forecast->memory = *memory;
        return {};
    });
}

const char* gputide_forecast_state_name(int32_t state) {
    const std::string_view word = forecast::name(static_cast<forecast::state>(state));
    return word.empty() ? "unknown" : word.data();  // of literals: NUL-terminated
}

const char* gputide_floor_reason_name(int32_t reason) {
    const std::string_view word = forecast::name(static_cast<forecast::floor_reason>(reason));
    return word.empty() ? "unknown" : word.data();  // as above
}
