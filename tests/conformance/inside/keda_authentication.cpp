// keda-prometheus, kinds auth_params (a TriggerAuthentication as the parameters of a trigger, in the strict profile) and token_policy
// (whether KEDA's operator starts).
#include "auth/open.hpp"
#include "config/load.hpp"
#include "config/token_audiences.hpp"
#include "frame/check.hpp"

namespace conformance::keda_authentication {
namespace {

namespace config = gputide::config;

json object_of(const char* version, const char* kind, const std::string& name) {
    return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}, {"namespace", "ml"}}}};
}

std::string documents_of(const json& one) {
    json authentication = object_of("keda.sh/v1alpha1", "TriggerAuthentication", "auth");
    authentication["spec"] = one.at("spec");
    json items = {authentication};
    const json secrets = one.value("secrets", json::object());  // items() borrows it
    for (const auto& [name, data] : secrets.items()) {
        json secret = object_of("v1", "Secret", name);
        secret["stringData"] = data;
        items.push_back(secret);
    }
    return json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}.dump();
}

json shown(const config::authentication& from) {
    json out = json::object();
    for (const auto& [name, value] : from.parameters) out[name] = std::string(value.reveal());
    return out;
}

// The library mints no token of a service account, so that a case with one differs.
differences check_parameters(const json& one, const json&) {
    config::surroundings host;
    host.kinds.identities = gputide::auth::identity_kinds();
    host.strict = true;
    const std::string text = documents_of(one);
    const auto loaded = config::load_identity({{"case.json", text}}, host, nullptr);
    const json& expect = one.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), loaded.ok());
    if (!loaded && !out.empty()) out.push_back("the error: " + loaded.failure().message);
    if (expect.contains("params") && loaded) expect_equal(out, "params", expect.at("params"), shown(*loaded));
    if (expect.contains("token_request")) expect_equal(out, "token_request", expect.at("token_request"), json());
    return out;
}

differences check_policy(const json& one, const json&) {
    const json& policy = one.at("policy");
    const auto got = config::read_token_policy(policy.value("mode", ""), policy.value("audiences", ""));
    differences out;
    expect_equal(out, "ok", one.at("expect").at("ok"), got.ok());
    return out;
}

const registration policies{"keda-prometheus", {"token_policy"}, &check_policy};
const registration parameters{"keda-prometheus", {"auth_params"}, &check_parameters};

}  // namespace
}  // namespace conformance::keda_authentication
