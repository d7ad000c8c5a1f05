// All limits that the library puts on its input.  In bytes unless the name says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gputide::limits {

inline constexpr std::size_t manifest_bytes = std::size_t{1} << 20;
inline constexpr std::size_t manifest_depth = 64;
inline constexpr std::size_t manifest_nodes = 100'000;                // after aliases are expanded
inline constexpr std::size_t triggers = 256;                          // of one manifest
inline constexpr std::size_t response_bytes = std::size_t{16} << 20;  // before and after decompression
inline constexpr std::size_t bodies_bytes = std::size_t{256} << 20;   // of all responses in progress in the process
inline constexpr std::size_t bodies_of_endpoint_bytes = bodies_bytes / 2;  // of these, from one host and port
inline constexpr std::size_t free_body_bytes = std::size_t{64} << 10;      // of each body, not counted in bodies_bytes
inline constexpr std::size_t token_response_bytes = std::size_t{1} << 20;
inline constexpr std::size_t token_file_bytes = 65'536;
inline constexpr std::size_t secret_file_bytes = std::size_t{1} << 20;
inline constexpr std::size_t header_bytes = std::size_t{64} << 10;  // all headers of a response
inline constexpr std::size_t json_depth = 64;
inline constexpr std::size_t series = 100'000;
inline constexpr std::size_t label_value_bytes = std::size_t{1} << 20;
inline constexpr std::uint64_t pattern_steps = 100'000'000;  // for all matchers of one page; under a second
inline constexpr std::size_t state_bytes = std::size_t{1} << 20;
inline constexpr std::int64_t latest_time_ms = 253'402'300'799'999;  // Unix; the end of the year 9999
inline constexpr std::int32_t max_replicas = 2'147'483'647;
inline constexpr std::int64_t default_http_timeout_ms = 3'000;  // KEDA_HTTP_DEFAULT_TIMEOUT

}  // namespace gputide::limits
