// The pages that a daemon has whatever it scales.
#pragma once

#include "run/pages/board.hpp"
#include "run/pages/web.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

bool is_health_page(const web_request& request);

// /healthz: whether the loop came round in time; /readyz: as `readiness` says.  404 for any other.
//   alive_until_ms   steady
web_answer health_page(const web_request& request, std::int64_t alive_until_ms,
                       const std::function<web_answer()>& readiness);

// The status page and its data; 421 where the browser was sent here under a name that is not in `hosts` nor this machine's.
// Nothing: another page.
//   mode     of status_json()
//   runtime  as gputide_runtime_stats tells
std::optional<web_answer> board_page(const web_request& request, const std::vector<std::string>& hosts,
                                     const board& scalers, const std::string& mode,
                                     const std::function<std::string()>& runtime);

web_answer metrics_answer(std::string page);

}  // namespace gputided
