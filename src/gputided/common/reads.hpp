// What gputide_scaler_metrics and gputide_runtime_describe tell of a scaler's last reads, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputided {

struct metric_read {
    std::string name;
    std::optional<double> value;
    std::optional<std::int64_t> age_ms;
    std::int64_t latency_ms = 0;
    std::string asks;               // the query, or the metric on a page; "": there is no such thing
    bool is_empty_as_zero = false;  // nothing came, and ignoreNullValues made 0 of it
    std::string error_status;       // "E_AUTH"; "": the read went well, or there was none
    std::string error;              // place and message
    std::string body;  // start of the response that caused it; may be an internal service's: not for every reader
};

// What that means, and what would be safer: for the log and the page.
inline constexpr char empty_as_zero_text[] =
    "empty answer read as 0 (ignoreNullValues), which scales down; gputide.io/no-data: hold keeps the size instead";

// Returns the error with the start of the response, for the log and for readers with a login.
std::string whole_error(const metric_read& read);

std::vector<metric_read> last_reads(std::string_view text);

}  // namespace gputided
