// Calls of source.h, and a scaler, which reads its sources itself.
#include "protocol/call.hpp"

#include <cstdint>

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

// ---- credentials
void open_credential(call& request) {
    const std::string text = request.text("text");
    request.opens(gputide_credential_free, gputide_credential_open, text.data(), static_cast<std::int64_t>(text.size()),
                  request.options());
}

void get_token(call& request) {
    const std::string scope = request.text("scope");
    auto info = sized<gputide_token_info>();
    gputide_text token{nullptr, 0};
    if (request.works(gputide_credential_token, request.handle<const gputide_credential>("credential"), scope.c_str(),
                      request.int32("timeout_ms"), no_cancel, &token, &info)) {
        request.put_text("token", token);
        request.result["info"] = {{"expires_at_ms", json_integer(info.expires_at_ms)},
                                  {"refresh_at_ms", json_integer(info.refresh_at_ms)},
                                  {"usable_until_ms", json_integer(info.usable_until_ms)}};
    }
    gputide_text_free(&token);
}

void invalidate(call& request) {
    const std::string scope = request.text("scope");
    const std::string token = request.text("token");
    request.works(gputide_credential_invalidate, request.handle<const gputide_credential>("credential"), scope.c_str(),
                  token.data(), static_cast<std::int64_t>(token.size()));
}

void claims(call& request) {
    const std::string token = request.text("token");
    request.gives_text("json", gputide_token_claims, token.data(), static_cast<std::int64_t>(token.size()));
}

// ---- one metric
void open_source(call& request) {
    const std::string text = request.text("text");
    request.opens(gputide_source_free, gputide_source_open, text.data(), static_cast<std::int64_t>(text.size()),
                  request.options());
}

// A failed read gives its sample beside the error.
void put_sample(call& request, const gputide_sample& sample) {
    if (sample.state != 0 || !request.result.contains("error")) request.result["sample"] = sample_json(sample);
}

void fetch(call& request) {
    auto sample = sized<gputide_sample>();
    request.works(gputide_source_fetch, request.handle<gputide_source>("source"), request.integer("now_ms"),
                  request.int32("timeout_ms"), no_cancel, &sample);
    put_sample(request, sample);
}

void fetch_all(call& request) {
    request.gives_text("json", gputide_source_fetch_all, request.handle<gputide_source>("source"),
                       request.integer("now_ms"), request.int32("timeout_ms"), no_cancel);
}

void write_request(call& request) {
    request.gives_text("json", gputide_source_request, request.handle<const gputide_source>("source"),
                       request.integer("now_ms"));
}

void parse_all(call& request) {
    const std::string headers = request.text("headers");
    const std::string body = request.text("body");
    request.gives_text("json", gputide_source_parse_all, request.handle<const gputide_source>("source"),
                       request.int32("http_status"), headers.data(), static_cast<std::int64_t>(headers.size()),
                       body.data(), static_cast<std::int64_t>(body.size()));
}

void describe_source(call& request) {
    request.gives_text("json", gputide_source_describe, request.handle<const gputide_source>("source"));
}

void parse(call& request) {
    const std::string body = request.text("body");
    auto sample = sized<gputide_sample>();
    request.works(gputide_source_parse, request.handle<const gputide_source>("source"), request.int32("http_status"),
                  body.data(), static_cast<std::int64_t>(body.size()), &sample);
    put_sample(request, sample);
}

// ---- a manifest at work, and diagnosed
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

std::vector<call_entry> source_calls() {
    return {{"credential.open", {}, &open_credential},
            {"credential.token", {"credential"}, &get_token},
            {"credential.invalidate", {"credential"}, &invalidate},
            {"token.claims", {}, &claims},
            {"source.open", {}, &open_source},
            {"source.fetch", {"source"}, &fetch},
            {"source.fetch_all", {"source"}, &fetch_all},
            {"source.request", {"source"}, &write_request},
            {"source.parse", {"source"}, &parse},
            {"source.parse_all", {"source"}, &parse_all},
            {"source.describe", {"source"}, &describe_source},
            {"scaler.open", {}, &open_scaler},
            {"scaler.tick", {"scaler"}, &tick},
            {"scaler.record", {"scaler", "decision"}, &record},
            {"scaler.describe", {"scaler"}, &describe},
            {"scaler.save", {"scaler"}, &save},
            {"scaler.load", {"scaler"}, &load},
            {"doctor", {}, &diagnose}};
}

}  // namespace conformance
