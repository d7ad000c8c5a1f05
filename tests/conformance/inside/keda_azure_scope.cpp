// keda-prometheus, azure_amp_scope: KEDA's cloud metadata → the scope that a token for Managed Prometheus is asked for.
#include "auth/azure/scopes.hpp"
#include "frame/check.hpp"

namespace conformance::keda_azure_scope {
namespace {

differences check_scope(const json& one, const json&) {
    const json metadata = one.value("metadata", json::object());
    const auto got = gputide::auth::managed_prometheus_audience(
        metadata.value("cloud", ""), metadata.value("azureManagedPrometheusResourceURL", ""), true);
    const json& expect = one.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), got.ok());
    if (!out.empty()) return out;
    if (got) {
        expect_equal(out, "scope", expect.at("scope"), got->scope);
    } else {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    return out;
}

const registration scopes{"keda-prometheus", {"azure_amp_scope"}, &check_scope};

}  // namespace
}  // namespace conformance::keda_azure_scope
