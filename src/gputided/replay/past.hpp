// A metric's past, asked of the manifest's own source in pieces that Prometheus answers.
#pragma once

#include "gputide/gputide.hpp"
#include "replay/replay.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

// --from, and so much before it, .. --to in steps of --step, 10,000 points a query (Prometheus refuses more than 11,000); progress on stderr.
// With --cache what was fetched is kept (cache.hpp), and what is there already is not asked for again.
// Throws gputide::failure, usage_error.
void fetch_past(const replay_options& options, std::int64_t before_ms, const std::string& scaler,
                const std::vector<manifest_file>& files, gputide::series& series);

}  // namespace gputided
