// The keys of external and external-push triggers (kedacore/keda pkg/scalers/external_scaler.go).  All metadata, these keys
// included, goes to the external scaler as it is.
#pragma once

#include "config/field.hpp"

namespace gputide::source::external {

using config::origin;
using config::value_type;

inline constexpr auto keys = config::fields({
    {.names = {"scalerAddress"},
     .required = true,
     .of_access = true,
     .range = "`host:port`, `dns:///host:port`; without a port 443",
     .meaning = "the external scaler, which is asked over gRPC"},
    {.names = {"enableTLS"},
     .type = value_type::flag,
     .of_access = true,
     .fallback = "false",
     .meaning = "TLS; `caCert` or `tlsClientCert` alone switches it on as well"},
    {.names = {"unsafeSsl"},
     .type = value_type::flag,
     .of_access = true,
     .fallback = "false",
     .meaning = "with TLS: do not verify the server's certificate"},
    {.names = {"caCert"},
     .places = {origin::auth},
     .type = value_type::secret,
     .of_access = true,
     .range = "PEM",
     .meaning = "the CA of its certificate, instead of the system's"},
    {.names = {"tlsClientCert"},
     .places = {origin::auth},
     .type = value_type::secret,
     .of_access = true,
     .range = "PEM",
     .meaning = "the client's certificate"},
    {.names = {"tlsClientKey"},
     .places = {origin::auth},
     .type = value_type::secret,
     .of_access = true,
     .range = "PEM, unlocked",
     .meaning = "the client's key"},
    {.names = {"threshold", "targetValue", "value"},
     .range = "what is no number belongs to the external scaler alone",
     .meaning = "the target of a number that the host brings; what the external scaler names goes before"},
    {.names = {"activationThreshold", "activationTargetValue", "activationValue"},
     .range = "as above",
     .meaning = "of a number that the host brings: above it the workload is active"},
});

}  // namespace gputide::source::external
