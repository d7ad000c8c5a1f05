// Section 1 of gputide.h and section 10 of source.h: a manifest at work, and diagnosed.
#include "protocol/call.hpp"

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

void open_scaler(call& request) {
    const std::string manifest = request.text("manifest");
    request.opens(gputide_scaler_free, gputide_scaler_open, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                  request.options());
}

void tick(call& request) {
    const owned_observation seen(request.object("seen"));
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    const bool reports = request.flag("report");
    if (request.works(gputide_scaler_tick, request.handle<gputide_scaler>("scaler"), seen.get(),
                      request.int32("timeout_ms"), no_cancel, &decision, reports ? &report : nullptr)) {
        request.keep_decision(decision);
        if (reports) request.put_text("report", report);
    }
    gputide_text_free(&report);
}

void record(call& request) {
    gputide_decision& decision = request.named_decision();
    const std::string message = request.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (request.works(gputide_scaler_record, request.handle<gputide_scaler>("scaler"), &decision,
                      request.int32("applied"), request.integer("now_ms")))
        request.result["decision"] = decision_json(decision);
}

void describe(call& request) {
    request.gives_text("json", gputide_scaler_describe, request.handle<const gputide_scaler>("scaler"));
}
void save(call& request) {
    request.gives_text("text", gputide_scaler_save, request.handle<const gputide_scaler>("scaler"));
}

void load(call& request) {
    const std::string text = request.text("text");
    request.works(gputide_scaler_load, request.handle<gputide_scaler>("scaler"), text.data(),
                  static_cast<std::int64_t>(text.size()));
}

void diagnose(call& request) {
    const std::string manifest = request.text("manifest");
    const owned_observation seen(request.object("seen"));
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    if (request.works(gputide_doctor, manifest.data(), static_cast<std::int64_t>(manifest.size()), request.options(),
                      request.has("seen") ? seen.get() : nullptr, request.int32("timeout_ms"), no_cancel, &report,
                      &lines)) {
        request.put_text("report", report);
        request.put_text("lines", lines);
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
