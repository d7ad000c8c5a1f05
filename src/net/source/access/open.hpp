// From authModes and pod identity to an authenticator.  Reads the environment and the file of a key where services.host is
// set; sends nothing.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "source/access/settings.hpp"
#include "source/source.hpp"

#include <string>

namespace gputide::source::access {

// The first of bearer, basic, custom gives the header; tls the client certificate; settings.oauth a token for `address`, asked for
// with the same TLS settings.  Without authModes the identity gives
// tokens for Azure's or Google's managed Prometheus, a bearer token for hosts that the host program names, or keys that sign
// requests to Amazon's.  `ca` and unsafeSsl hold with every mode; in the strict profile KEDA's
// transports decide: `ca` counts with authModes only, and tls, ca and azure drop unsafeSsl.
//   address   of the endpoint: the region to sign for and the place that a token is for, where nothing else names them;
//             "": several endpoints, or none of a cloud
result<auth::authenticator> open(const settings& settings, const std::string& address, const services& services);

// What is wrong with the choice of a cloud, before anything is opened.
result<void> check_cloud(const settings& settings);

}  // namespace gputide::source::access
