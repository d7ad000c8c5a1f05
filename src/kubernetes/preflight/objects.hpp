// Reads the scalers of a cluster, the TriggerAuthentications and the kinds that they name, page after page, all lists side by
// side.  Nothing is watched, and no Secret is read.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/preflight/needs.hpp"

#include <functional>
#include <vector>

namespace gputide::doctor {

using questions = std::function<std::vector<kubernetes::reply>(const std::vector<kubernetes::api_request>&)>;

seen_objects see_objects(const kubernetes::settings& settings, const questions& replies_to);

}  // namespace gputide::doctor
