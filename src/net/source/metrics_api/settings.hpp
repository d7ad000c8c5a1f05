// The metadata of a metrics-api trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/metrics_api_scaler.go).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/access/settings.hpp"
#include "source/metrics_api/location.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::source::metrics_api {

enum class format : std::int32_t { json = 0, yaml = 1, prometheus = 2 };

struct settings {
    std::string url;
    metrics_api::format format = metrics_api::format::json;
    std::string location;                  // as written
    std::vector<step> path;                // json, yaml
    formats::exposition::selector series;  // prometheus
    secret_text query_key;                 // "api_key=…", escaped, for the URL; empty: none
    std::int64_t timeout_ms = 0;

    access::settings access;
    bool sends_custom = false;  // authModes custom is written
    source::target target;
    source::reduction reduction = {.reduce = {}, .ignore_null = false};
    std::int64_t max_age_ms = 0;
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking = nullptr);

}  // namespace gputide::source::metrics_api
