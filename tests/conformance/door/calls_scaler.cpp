// Section 1 of gputide.h and section 10 of source.h: a manifest at work, and diagnosed.
#include "door/call.hpp"

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

void open_scaler(call& one) {
    const std::string manifest = one.text("manifest");
    one.opens(gputide_scaler_free, gputide_scaler_open, manifest.data(), static_cast<std::int64_t>(manifest.size()),
              one.options());
}

void tick(call& one) {
    const owned_observation seen(one.object("seen"));
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    const bool reports = one.flag("report");
    if (one.works(gputide_scaler_tick, one.handle<gputide_scaler>("scaler"), seen.get(), one.int32("timeout_ms"),
                  no_cancel, &decision, reports ? &report : nullptr)) {
        one.keep_decision(decision);
        if (reports) one.put_text("report", report);
    }
    gputide_text_free(&report);
}

void record(call& one) {
    gputide_decision& decision = one.named_decision();
    const std::string message = one.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (one.works(gputide_scaler_record, one.handle<gputide_scaler>("scaler"), &decision, one.int32("applied"),
                  one.integer("now_ms")))
        one.result["decision"] = decision_json(decision);
}

void describe(call& one) {
    one.gives_text("json", gputide_scaler_describe, one.handle<const gputide_scaler>("scaler"));
}
void save(call& one) { one.gives_text("text", gputide_scaler_save, one.handle<const gputide_scaler>("scaler")); }

void load(call& one) {
    const std::string text = one.text("text");
    one.works(gputide_scaler_load, one.handle<gputide_scaler>("scaler"), text.data(),
              static_cast<std::int64_t>(text.size()));
}

void diagnose(call& one) {
    const std::string manifest = one.text("manifest");
    const owned_observation seen(one.object("seen"));
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    if (one.works(gputide_doctor, manifest.data(), static_cast<std::int64_t>(manifest.size()), one.options(),
                  one.has("seen") ? seen.get() : nullptr, one.int32("timeout_ms"), no_cancel, &report, &lines)) {
        one.put_text("report", report);
        one.put_text("lines", lines);
    }
    gputide_text_free(&report);
    gputide_text_free(&lines);
}

}  // namespace

std::vector<call_entry> scaler_calls() {
    return {{"scaler.open", {}, &open_scaler},
            {"scaler.tick", {"scaler"}, &tick},
            {"scaler.record", {"scaler", "decision"}, &record},
            {"scaler.describe", {"scaler"}, &describe},
            {"scaler.save", {"scaler"}, &save},
            {"scaler.load", {"scaler"}, &load},
            {"doctor", {}, &diagnose}};
}

}  // namespace conformance
