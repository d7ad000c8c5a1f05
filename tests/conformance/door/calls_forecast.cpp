// Section 14 of plan.h: the forecast alone.
#include "door/call.hpp"

namespace conformance {
namespace {

void open_forecast(call& one) {
    const std::string settings = one.text("settings");
    one.opens(gputide_forecast_free, gputide_forecast_open, settings.empty() ? nullptr : settings.data(),
              static_cast<std::int64_t>(settings.size()));
}

void add(call& one) {
    one.works(gputide_forecast_add, one.handle<gputide_forecast>("forecast"), one.integer("now_ms"),
              real_in(one.object("load")));
}

void floor(call& one) {
    auto out = sized<gputide_floor>();
    if (!one.works(gputide_forecast_floor, one.handle<const gputide_forecast>("forecast"),
                   real_in(one.object("target")), one.int32("reactive_replicas"), one.int32("current_replicas"),
                   one.int32("max_replicas"), &out)) {
        return;
    }
    if (one.has("as")) one.opened().floors[one.name("as")] = out;
    one.result["floor"] = {{"state", out.state},
                           {"reason", out.reason},
                           {"replicas", out.replicas},
                           {"need_replicas", out.need_replicas},
                           {"floor_load", json_real(out.floor_load)}};
}

// What was written is a floor's size, or said.
void charge(call& one) {
    const std::int32_t written =
        one.has("floor") ? one.opened().floors.at(one.name("floor")).replicas : one.int32("written_replicas");
    one.works(gputide_forecast_charge, one.handle<gputide_forecast>("forecast"), written, one.int32("shadow_replicas"));
}

void describe(call& one) {
    one.gives_text("json", gputide_forecast_describe, one.handle<const gputide_forecast>("forecast"));
}

void save(call& one) { one.gives_text("text", gputide_forecast_save, one.handle<const gputide_forecast>("forecast")); }

void load(call& one) {
    const std::string text = one.text("text");
    one.works(gputide_forecast_load, one.handle<gputide_forecast>("forecast"), text.data(),
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
