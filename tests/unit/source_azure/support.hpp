// Triggers, answers and a pod for the tests of the Azure sources.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"
#include "source/source.hpp"
#include "support/open_source.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gputide::testing {

using metadata = std::map<std::string, std::string>;

inline constexpr std::string_view workspace = "074dd9f8-c368-4220-9400-acb6e80fc325";
inline constexpr std::int64_t noon_ms = 1'760'000'000'000;  // 2025-10-09T08:53:20Z

inline manifest::trigger trigger_of(std::string type, metadata keys, const metadata& more) {
    manifest::trigger out;
    out.type = std::move(type);
    out.metadata = std::move(keys);
    for (const auto& [key, value] : more) out.metadata[key] = value;
    out.auth.provider = "azure-workload";
    return out;
}

// `more` adds and replaces keys; an empty value counts as absent.
inline manifest::trigger monitor_trigger(const metadata& more = {}) {
    return trigger_of("azure-monitor",
                      {{"resourceURI", "Microsoft.Compute/virtualMachineScaleSets/gpu"},
                       {"tenantId", "t1"},
                       {"subscriptionId", "s1"},
                       {"resourceGroupName", "g1"},
                       {"metricName", "GpuUtil"},
                       {"metricAggregationType", "Average"},
                       {"targetValue", "80"}},
                      more);
}

inline manifest::trigger logs_trigger(const metadata& more = {}) {
    return trigger_of(
        "azure-log-analytics",
        {{"workspaceId", std::string(workspace)}, {"query", "T | summarize max(Val)"}, {"threshold", "80"}}, more);
}

inline manifest::trigger with_secret(manifest::trigger from, const metadata& parameters) {
    from.auth.provider = "";
    for (const auto& [key, value] : parameters) from.auth.parameters.emplace(key, secret_text(value));
    return from;
}

inline http::answer answered(std::int32_t status, std::string body) {
    http::answer out;
    out.response.status = status;
    out.response.body = std::move(body);
    return out;
}

// The metric GpuUtil with these series: {"data":[..]},{..}
inline std::string metrics_body(const std::string& series) {
    return R"({"value":[{"name":{"value":"gpuutil"},"errorCode":"Success","timeseries":[)" + series + "]}]}";
}

inline std::string table_body(const std::string& columns, const std::string& rows, const std::string& more = {}) {
    return R"({"tables":[{"name":"PrimaryResult","columns":[)" + columns + R"(],"rows":[)" + rows + "]}]" + more + "}";
}

inline source::fetched judged(const manifest::trigger& from, const http::answer& got,
                              const manifest::trigger_rules& rules = {},
                              manifest::profile as = manifest::profile::standard) {
    const auto opened = testing::open_source(from, rules, as, {});
    if (!opened) return {{}, {}, opened.failure()};
    return (*opened)->judge((*opened)->read(got));
}

// An Azure pod: environment and projected token.
class pod final : public auth::surroundings {
  public:
    std::optional<std::string> environment(const std::string& name) const override {
        if (name == "AZURE_CLIENT_ID") return "11111111-1111-1111-1111-111111111111";
        if (name == "AZURE_TENANT_ID") return "22222222-2222-2222-2222-222222222222";
        if (name == "AZURE_FEDERATED_TOKEN_FILE") return "/var/run/token";
        return std::nullopt;
    }
    result<secret_text> read_file(const std::string&, std::size_t) const override {
        return secret_text(std::string("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln"));
    }
};

}  // namespace gputide::testing
