// A metric's past, asked of the manifest's own source in pieces that Prometheus answers.
#pragma once

#include "commands.hpp"
#include "gputide/gputide.hpp"

#include <string>
#include <vector>

namespace gputided {

// --from .. --to in steps of --step, 10,000 points a query (Prometheus refuses more than 11,000); progress on stderr.
// --cache FILE: what was fetched is appended there piece by piece, and what is there already is not asked for again.  The file
// is CSV that --series takes.  Throws gputide::failure, usage_error.
void fetch_past(const replay_options& from, const std::string& scaler, const std::vector<manifest_file>& files,
                gputide::series& into);

}  // namespace gputided
