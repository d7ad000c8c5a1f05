// Which of the two grammars a /metrics answer is written in.  Pure.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::formats::exposition {

enum class format : std::int32_t {
    text = 0,         // text/plain 0.0.4 and 1.0.0 (quoted names)
    openmetrics = 1,  // application/openmetrics-text 1.0.0
};

// By the media type of a Content-Type; missing and unknown ones count as text, as Prometheus 2 has it (exporters that set
// none are common).  The protobuf form is refused.
result<format> format_of(std::string_view content_type);

// What to send as Accept: the older grammar is the simpler one, and every exporter has it.
inline constexpr std::string_view accept = "text/plain;version=0.0.4;q=0.9,*/*;q=0.1";

}  // namespace gputide::formats::exposition
