// Versions, names and the check of a manifest of gputide.h, quantities and credentials of source.h.
#include "protocol/call.hpp"

namespace conformance {
namespace {

void version(call& request) { request.result["version"] = gputide_version(); }
void abi_version(call& request) { request.result["number"] = gputide_abi_version(); }
void features(call& request) { request.result["features"] = gputide_features(); }
void name_status(call& request) { request.result["name"] = gputide_status_name(request.int32("status")); }
void name_action(call& request) { request.result["name"] = gputide_action_name(request.int32("action")); }
void name_sample_state(call& request) { request.result["name"] = gputide_sample_state_name(request.int32("state")); }
void build_info(call& request) { request.result["json"] = json_text(gputide_build_info()); }

// Findings are written on success and beside the error.
void check_manifest(call& request) {
    const std::string manifest = request.text("manifest");
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    request.works(gputide_manifest_check, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                  request.options(), &report, &lines);
    if (report.data != nullptr) request.put_text("report", report);
    if (lines.data != nullptr) request.put_text("lines", lines);
    gputide_text_free(&report);
    gputide_text_free(&lines);
}

void quantity(call& request) {
    const std::string text = request.text("text");
    std::int64_t milli = 0;
    if (request.works(gputide_quantity, text.data(), static_cast<std::int64_t>(text.size()), &milli))
        request.result["milli"] = json_integer(milli);
}

}  // namespace

std::vector<call_entry> library_calls() {
    return {{"version", {}, &version},         {"abi.version", {}, &abi_version},
            {"features", {}, &features},       {"status.name", {}, &name_status},
            {"action.name", {}, &name_action}, {"sample.state_name", {}, &name_sample_state},
            {"build.info", {}, &build_info},   {"manifest.check", {}, &check_manifest},
            {"quantity", {}, &quantity}};
}

#ifndef GPUTIDE_PURE_ONLY
namespace {

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
                      request.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr), &token, &info)) {
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

}  // namespace

std::vector<call_entry> credential_calls() {
    return {{"credential.open", {}, &open_credential},
            {"credential.token", {"credential"}, &get_token},
            {"credential.invalidate", {"credential"}, &invalidate},
            {"token.claims", {}, &claims}};
}
#endif

}  // namespace conformance
