// Versions and names of gputide.h, credentials of source.h.
#include "door/call.hpp"

namespace conformance {
namespace {

void version(call& call) { call.result["version"] = gputide_version(); }
void abi_version(call& call) { call.result["number"] = gputide_abi_version(); }
void features(call& call) { call.result["features"] = gputide_features(); }
void name_status(call& call) { call.result["name"] = gputide_status_name(call.int32("status")); }
void name_action(call& call) { call.result["name"] = gputide_action_name(call.int32("action")); }
void name_sample_state(call& call) { call.result["name"] = gputide_sample_state_name(call.int32("state")); }
void build_info(call& call) { call.result["json"] = json_text(gputide_build_info()); }

void open_credential(call& call) {
    const std::string text = call.text("text");
    call.opens(gputide_credential_free, gputide_credential_open, text.data(), static_cast<std::int64_t>(text.size()),
               call.options());
}

void get_token(call& call) {
    const std::string scope = call.text("scope");
    auto info = sized<gputide_token_info>();
    gputide_text token{nullptr, 0};
    if (call.works(gputide_credential_token, call.handle<const gputide_credential>("credential"), scope.c_str(),
                   call.int32("timeout_ms"), static_cast<const gputide_cancel*>(nullptr), &token, &info)) {
        call.put_text("token", token);
        call.result["info"] = {{"expires_at_ms", json_integer(info.expires_at_ms)},
                               {"refresh_at_ms", json_integer(info.refresh_at_ms)},
                               {"usable_until_ms", json_integer(info.usable_until_ms)}};
    }
    gputide_text_free(&token);
}

void invalidate(call& call) {
    const std::string scope = call.text("scope");
    const std::string token = call.text("token");
    call.works(gputide_credential_invalidate, call.handle<const gputide_credential>("credential"), scope.c_str(),
               token.data(), static_cast<std::int64_t>(token.size()));
}

void claims(call& call) {
    const std::string token = call.text("token");
    call.gives_text("json", gputide_token_claims, token.data(), static_cast<std::int64_t>(token.size()));
}

}  // namespace

std::vector<call_entry> library_calls() {
    return {{"version", {}, &version},         {"abi.version", {}, &abi_version},
            {"features", {}, &features},       {"status.name", {}, &name_status},
            {"action.name", {}, &name_action}, {"sample.state_name", {}, &name_sample_state},
            {"build.info", {}, &build_info}};
}

std::vector<call_entry> credential_calls() {
    return {{"credential.open", {}, &open_credential},
            {"credential.token", {"credential"}, &get_token},
            {"credential.invalidate", {"credential"}, &invalidate},
            {"token.claims", {}, &claims}};
}

}  // namespace conformance
