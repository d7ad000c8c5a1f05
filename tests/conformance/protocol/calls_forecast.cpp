// Section 14 of plan.h: the forecast alone.
#include "protocol/call.hpp"

namespace conformance {
namespace {

void open_forecast(call& call) {
    const std::string settings = call.text("settings");
    call.opens(gputide_forecast_free, gputide_forecast_open, settings.empty() ? nullptr : settings.data(),
               static_cast<std::int64_t>(settings.size()));
}

void add(call& call) {
    call.works(gputide_forecast_add, call.handle<gputide_forecast>("forecast"), call.integer("now_ms"),
               real_in(call.object("load")));
}

void floor(call& call) {
    auto out = sized<gputide_floor>();
    if (!call.works(gputide_forecast_floor, call.handle<const gputide_forecast>("forecast"),
                    real_in(call.object("target")), call.int32("reactive_replicas"), call.int32("current_replicas"),
                    call.int32("max_replicas"), &out)) {
        return;
    }
    if (call.has("as")) call.opened().floors[call.name("as")] = out;
    call.result["floor"] = {{"state", out.state},
                            {"reason", out.reason},
                            {"replicas", out.replicas},
                            {"need_replicas", out.need_replicas},
                            {"floor_load", json_real(out.floor_load)}};
}

// The written size is a floor's, or given.
void charge(call& call) {
    const std::int32_t written =
        call.has("floor") ? call.opened().floors.at(call.name("floor")).replicas : call.int32("written_replicas");
    call.works(gputide_forecast_charge, call.handle<gputide_forecast>("forecast"), written,
               call.int32("shadow_replicas"));
}

void describe(call& call) {
    call.gives_text("json", gputide_forecast_describe, call.handle<const gputide_forecast>("forecast"));
}

void save(call& call) {
    call.gives_text("text", gputide_forecast_save, call.handle<const gputide_forecast>("forecast"));
}

void load(call& call) {
    const std::string text = call.text("text");
    call.works(gputide_forecast_load, call.handle<gputide_forecast>("forecast"), text.data(),
               static_cast<std::int64_t>(text.size()));
}

}  // namespace

std::vector<call_entry> forecast_calls() {
    return {{"forecast.open", {}, &open_forecast},          {"forecast.add", {"forecast"}, &add},
            {"forecast.floor", {"forecast"}, &floor},       {"forecast.charge", {"forecast"}, &charge},
            {"forecast.describe", {"forecast"}, &describe}, {"forecast.save", {"forecast"}, &save},
            {"forecast.load", {"forecast"}, &load}};
}

}  // namespace conformance
