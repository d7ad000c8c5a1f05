// The keys that azure-monitor and azure-log-analytics have alike.
#pragma once

#include "config/field.hpp"

namespace gputide::source::azure {

inline constexpr auto cloud_keys = config::of_access(config::fields({
    {.names = {"cloud"},
     .otherwise = "`AzurePublicCloud`",
     .range = "`AzurePublicCloud`, `AzureUSGovernmentCloud`, `AzureChinaCloud`, `Private`; letter case does not count",
     .meaning = "where the API and the identities live"},
    {.names = {"activeDirectoryEndpoint"},
     .otherwise = "the cloud's own",
     .meaning = "where identities sign in; a host that is none of Azure's must be allowed by the host program"},
}));

}  // namespace gputide::source::azure
