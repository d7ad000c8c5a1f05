// Section 1 of gputide.h and section 10 of source.h: a manifest checked, at work, and diagnosed.
#include "door/call.hpp"

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

// Findings are written on success and beside the error.
void check_manifest(call& call) {
    const std::string manifest = call.text("manifest");
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    call.works(gputide_manifest_check, manifest.data(), static_cast<std::int64_t>(manifest.size()), call.options(),
               &report, &lines);
    if (report.data != nullptr) call.put_text("report", report);
    if (lines.data != nullptr) call.put_text("lines", lines);
    gputide_text_free(&report);
    gputide_text_free(&lines);
}

void open_scaler(call& call) {
    const std::string manifest = call.text("manifest");
    call.opens(gputide_scaler_free, gputide_scaler_open, manifest.data(), static_cast<std::int64_t>(manifest.size()),
               call.options());
}

void tick(call& call) {
    const owned_observation seen(call.object("seen"));
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    const bool reports = call.flag("report");
    if (call.works(gputide_scaler_tick, call.handle<gputide_scaler>("scaler"), seen.get(), call.int32("timeout_ms"),
                   no_cancel, &decision, reports ? &report : nullptr)) {
        call.keep_decision(decision);
        if (reports) call.put_text("report", report);
    }
    gputide_text_free(&report);
}

void record(call& call) {
    gputide_decision& decision = call.named_decision();
    const std::string message = call.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (call.works(gputide_scaler_record, call.handle<gputide_scaler>("scaler"), &decision, call.int32("applied"),
                   call.integer("now_ms")))
        call.result["decision"] = decision_json(decision);
}

void describe(call& call) {
    call.gives_text("json", gputide_scaler_describe, call.handle<const gputide_scaler>("scaler"));
}
void save(call& call) { call.gives_text("text", gputide_scaler_save, call.handle<const gputide_scaler>("scaler")); }

void load(call& call) {
    const std::string text = call.text("text");
    call.works(gputide_scaler_load, call.handle<gputide_scaler>("scaler"), text.data(),
               static_cast<std::int64_t>(text.size()));
}

void diagnose(call& call) {
    const std::string manifest = call.text("manifest");
    const owned_observation seen(call.object("seen"));
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    if (call.works(gputide_doctor, manifest.data(), static_cast<std::int64_t>(manifest.size()), call.options(),
                   call.has("seen") ? seen.get() : nullptr, call.int32("timeout_ms"), no_cancel, &report, &lines)) {
        call.put_text("report", report);
        call.put_text("lines", lines);
    }
    gputide_text_free(&report);
    gputide_text_free(&lines);
}

}  // namespace

std::vector<call_entry> scaler_calls() {
    return {{"manifest.check", {}, &check_manifest},    {"scaler.open", {}, &open_scaler},
            {"scaler.tick", {"scaler"}, &tick},         {"scaler.record", {"scaler", "decision"}, &record},
            {"scaler.describe", {"scaler"}, &describe}, {"scaler.save", {"scaler"}, &save},
            {"scaler.load", {"scaler"}, &load},         {"doctor", {}, &diagnose}};
}

}  // namespace conformance
