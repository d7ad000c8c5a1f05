// The keys of an azure-monitor trigger (kedacore/keda pkg/scalers/azure_monitor_scaler.go).
#pragma once

#include "config/field.hpp"
#include "source/azure/keys.hpp"
#include "source/keys.hpp"

namespace gputide::source::azure_monitor {

inline constexpr auto keys =
    config::fields({
        {.names = {"resourceURI"},
         .required = true,
         .of_access = true,
         .range = "`provider/type/name`; with `gputide.io/batch-region` 1 to 50, separated by commas",
         .meaning = "the resource whose metric is read"},
        {.names = {"tenantId"},
         .required = true,
         .of_access = true,
         .meaning = "where the application or identity lives"},
        {.names = {"subscriptionId"}, .required = true, .of_access = true, .meaning = "of the resource"},
        {.names = {"resourceGroupName"}, .required = true, .of_access = true, .meaning = "of the resource"},
        {.names = {"metricName"}, .required = true, .meaning = "the metric, as Azure's list of metrics spells it"},
        {.names = {"metricNamespace"},
         .otherwise = "the resource's own",
         .meaning = "where a resource has several namespaces of metrics"},
        {.names = {"metricFilter"}, .range = "OData: `instance eq '*'`", .meaning = "chooses and splits dimensions"},
        {.names = {"metricAggregationType"},
         .required = true,
         .range = "`Average`, `Total`, `Maximum`, `Minimum`, `Count`; letter case counts",
         .meaning = "which number of a point counts"},
        {.names = {"metricAggregationInterval"},
         .otherwise = "`0:5:0`",
         .range = "`h:m:s`, from one second to 93 days",
         .meaning = "how far back the request looks (a span, no interval); the newest point counts"},
        {.names = {"metricInterval"},
         .otherwise = "Azure's choice",
         .range = "an ISO 8601 duration such as `PT1M`, or `FULL`",
         .meaning = "the time between two points, which Azure aggregates to one"},
    }) +
    target_value_keys +
    config::fields({
        {.names = {"activeDirectoryClientId"},
         .places = {origin::metadata, origin::auth, origin::env},
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "the application that asks"},
        {.names = {"activeDirectoryClientPassword"},
         .places = {origin::metadata, origin::auth, origin::env},
         .type = value_type::secret,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "its secret"},
        {.names = {"azureResourceManagerEndpoint"},
         .of_access = true,
         .otherwise = "required for cloud `Private`",
         .range = "an https URL",
         .meaning = "the resource manager of a cloud of one's own"},
        {.names = {"gputide.io/batch-region"},
         .of_access = true,
         .otherwise = "the resource manager is asked",
         .range = "a region such as `eastus`",
         .meaning = "asks the regional endpoint, which takes up to 50 resources of one subscription in one request"},
    }) +
    azure::cloud_keys;

}  // namespace gputide::source::azure_monitor
