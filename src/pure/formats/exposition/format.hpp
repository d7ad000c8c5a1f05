// Selects the grammar of a /metrics response.  Pure.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::formats::exposition {

enum class format : std::int32_t {
    text = 0,         // text/plain 0.0.4 and 1.0.0 (quoted names)
    openmetrics = 1,  // application/openmetrics-text 1.0.0
};

// Selects the grammar by the media type of a Content-Type.  A missing or unknown type counts as text, as in Prometheus 2
// (exporters without a type are common).  The protobuf format is rejected.
result<format> format_of(std::string_view content_type);

// The Accept header: the older grammar is simpler, and every exporter supports it.
inline constexpr std::string_view accept = "text/plain;version=0.0.4;q=0.9,*/*;q=0.1";

}  // namespace gputide::formats::exposition
