// Reads the scalers of a cluster, the TriggerAuthentications and the kinds that they name, page after page, all lists side by
// side.  Nothing is watched, and no Secret is read.
#pragma once

#include "cluster/api.hpp"
#include "cluster/settings.hpp"
#include "doctor/cluster/needs.hpp"

#include <functional>
#include <vector>

namespace gputide::doctor {

using questions = std::function<std::vector<cluster::reply>(const std::vector<cluster::api_request>&)>;

seen_objects see_objects(const cluster::settings& settings, const questions& replies_to);

}  // namespace gputide::doctor
