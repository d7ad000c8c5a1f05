// Versions, names and the check of a manifest of gputide.h, quantities and credentials of source.h.
#include "door/call.hpp"

namespace conformance {
namespace {

void version(call& one) { one.result["version"] = gputide_version(); }
void abi_version(call& one) { one.result["number"] = gputide_abi_version(); }
void features(call& one) { one.result["features"] = gputide_features(); }
void name_status(call& one) { one.result["name"] = gputide_status_name(one.int32("status")); }
void name_action(call& one) { one.result["name"] = gputide_action_name(one.int32("action")); }
void name_sample_state(call& one) { one.result["name"] = gputide_sample_state_name(one.int32("state")); }
void build_info(call& one) { one.result["json"] = json_text(gputide_build_info()); }

// Findings are written on success and beside the error.
void check_manifest(call& one) {
    const std::string manifest = one.text("manifest");
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    one.works(gputide_manifest_check, manifest.data(), static_cast<std::int64_t>(manifest.size()), one.options(),
              &report, &lines);
    if (report.data != nullptr) one.put_text("report", report);
    if (lines.data != nullptr) one.put_text("lines", lines);
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

void open_credential(call& one) {
    const std::string text = one.text("text");
    one.opens(gputide_credential_free, gputide_credential_open, text.data(), static_cast<std::int64_t>(text.size()),
              one.options());
}

void get_token(call& one) {
    const std::string scope = one.text("scope");
    auto info = sized<gputide_token_info>();
    gputide_text token{nullptr, 0};
    if (one.works(gputide_credential_token, one.handle<const gputide_credential>("credential"), scope.c_str(),
                  one.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr), &token, &info)) {
        one.put_text("token", token);
        one.result["info"] = {{"expires_at_ms", json_integer(info.expires_at_ms)},
                              {"refresh_at_ms", json_integer(info.refresh_at_ms)},
                              {"usable_until_ms", json_integer(info.usable_until_ms)}};
    }
    gputide_text_free(&token);
}

void invalidate(call& one) {
    const std::string scope = one.text("scope");
    const std::string token = one.text("token");
    one.works(gputide_credential_invalidate, one.handle<const gputide_credential>("credential"), scope.c_str(),
              token.data(), static_cast<std::int64_t>(token.size()));
}

void claims(call& one) {
    const std::string token = one.text("token");
    one.gives_text("json", gputide_token_claims, token.data(), static_cast<std::int64_t>(token.size()));
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
