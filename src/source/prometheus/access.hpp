// From authModes and pod identity to an authenticator.  Reads the environment (workload identity) where `with.host` is
// set; sends nothing.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "source/prometheus/settings.hpp"
#include "source/source.hpp"

namespace gputide::source::prometheus {

// The first of bearer, basic, custom gives the header; tls the client certificate.  Without authModes, azure-workload
// gives tokens for Azure Managed Prometheus.  `ca` and unsafeSsl hold with every mode; in the strict profile KEDA's
// transports decide: `ca` counts with authModes only, and tls, ca and azure drop unsafeSsl.
result<auth::authenticator> open_access(const settings& from, const config::authentication& identity,
                                        const services& with);

}  // namespace gputide::source::prometheus
