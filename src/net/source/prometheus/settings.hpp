// The metadata of a prometheus trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/prometheus_scaler.go, pkg/scalers/authentication).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/access/settings.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace gputide::source::prometheus {

// What is asked and how the answer is judged: all that a source keeps when it is open.
struct query_settings {
    std::string server_address;
    std::string query;
    std::string name_space;  // namespace= for tenancy
    std::map<std::string, std::string> headers;
    std::map<std::string, std::string> parameters;
    bool unsafe_ssl = false;
    bool post = false;            // gputide.io/http-method: POST for short queries as well
    bool strict = false;          // as KEDA, defects included
    std::int64_t timeout_ms = 0;  // 0: limits::default_http_timeout_ms

    source::reduction reduction;
    std::int64_t max_age_ms = 0;  // 0: no limit, and no second query
    std::string age_query;        // gives the time of the oldest sample as Unix seconds; set where max_age_ms is

    std::int64_t attempt_timeout_ms() const;
};

// And what it scales by, which goes into its description, and who asks.
struct settings : query_settings {
    source::target target;
    access::settings access;
    const preset* filled_by = nullptr;  // the preset that gave the query
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking = nullptr);

}  // namespace gputide::source::prometheus
