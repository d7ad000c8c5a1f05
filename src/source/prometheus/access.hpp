// From authModes and pod identity to an authenticator.  Reads the environment (workload identity) where `with.host` is
// set; sends nothing.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "source/prometheus/settings.hpp"
#include "source/source.hpp"

namespace gputide::source::prometheus {

// The first of bearer, basic, custom gives the header; tls the client certificate.  Without authModes the identity gives
// tokens for Azure's or Google's managed Prometheus, a bearer token for hosts that the host program names, or keys that sign
// requests to Amazon's.  `ca` and unsafeSsl hold with every mode; in the strict profile KEDA's
// transports decide: `ca` counts with authModes only, and tls, ca and azure drop unsafeSsl.
result<auth::authenticator> open_access(const settings& from, const config::authentication& identity,
                                        const services& with);

// What is wrong with the choice of a cloud, before anything is opened.
result<void> check_cloud(const settings& settings);

// The identity with the key of a Google service account that its file holds, where settings.google_key_path names one.
result<config::authentication> read_key_file(const settings& settings, const services& services);

}  // namespace gputide::source::prometheus
