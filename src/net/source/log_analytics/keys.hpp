// The keys of an azure-log-analytics trigger (kedacore/keda pkg/scalers/azure_log_analytics_scaler.go).
#pragma once

#include "config/field.hpp"
#include "source/azure/keys.hpp"

namespace gputide::source::log_analytics {

using config::origin;
using config::value_type;

inline constexpr config::origins anywhere = {origin::auth, origin::metadata, origin::env};

inline constexpr auto keys =
    config::fields({
        {.names = {"workspaceId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required",
         .range = "a GUID",
         .meaning = "the workspace's id (not its name)"},
        {.names = {"query"},
         .places = anywhere,
         .otherwise = "required",
         .range = "KQL",
         .meaning = "must give one table with one row, whose first cell is the number; several rows need a reducer"},
        {.names = {"threshold"},
         .places = anywhere,
         .type = value_type::number,
         .otherwise = "required",
         .meaning = "the target"},
        {.names = {"activationThreshold"},
         .places = anywhere,
         .type = value_type::number,
         .fallback = "0",
         .meaning = "above it the workload is active"},
        {.names = {"tenantId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "where the application lives"},
        {.names = {"clientId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "the application that asks"},
        {.names = {"clientSecret"},
         .places = anywhere,
         .type = value_type::secret,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "its secret"},
        {.names = {"logAnalyticsResourceURL"},
         .of_access = true,
         .otherwise = "required for cloud `Private`",
         .range = "an https URL",
         .meaning = "the query API of a cloud of one's own"},
        {.names = {"unsafeSsl"},
         .type = value_type::flag,
         .fallback = "false",
         .meaning = "do not verify the service's certificate"},
        {.names = {"timeout"},
         .type = value_type::duration,
         .otherwise = "3 s",
         .range = "up to a day",
         .meaning = "for the request"},
        {.names = {"gputide.io/timespan"},
         .otherwise = "`P31D`; profile strict: none",
         .range = "an ISO 8601 duration such as `PT10M`, or start/end",
         .meaning = "the service takes the intersection of this and of the query's own times"},
    }) +
    azure::cloud_keys;

}  // namespace gputide::source::log_analytics
