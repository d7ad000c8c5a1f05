// What the status page draws, as JSON: all scalers as they are now, and what one of them did before.
#pragma once

#include "run/pages/board.hpp"

#include <string>

namespace gputided {

// {"version","time_ms","mode","poll_lag_ms","in_flight","broken":[{"file","why"}],"changes":[{"time_ms","scaler","from","to",
// "why","written"}],"scalers":[{"name","namespace",...}]}, the newest change first
//   has_login   adds to an error how the response to blame begins: it may be an internal service's
std::string status_json(const numbers& all, const std::string& runtime, const std::string& mode, bool has_login);

// {"points":[[time_ms,current,desired,[value of each metric or null]]],"queries":[what each metric asks]}; nothing for a name that is not there.
std::string history_json(const numbers& all, const std::string& scaler);

}  // namespace gputided
