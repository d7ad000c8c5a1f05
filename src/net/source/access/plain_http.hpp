// The warning of a credential that would travel readable for everybody on the way.
#pragma once

#include "config/parameters.hpp"
#include "config/report.hpp"
#include "source/access/settings.hpp"

#include <string_view>

namespace gputide::source::access {

// Where `url`, written under `key`, is plain http to another machine and something is sent that must stay secret.  Fetch
// refuses it unless the host allows it (http/message.hpp); findings may be null.
void warn_plain_http(const config::trigger& trigger, const config::parameters& parameters, std::string_view key,
                     std::string_view url, const settings& access, config::report* findings);

// The same for the token endpoint of authModes oauth, to which the client's secret goes.
void warn_oauth_over_http(const config::trigger& trigger, const config::parameters& parameters, const settings& access,
                          config::report* findings);

}  // namespace gputide::source::access
