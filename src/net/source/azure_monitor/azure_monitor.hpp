// The trigger type azure-monitor (kedacore/keda pkg/scalers/azure_monitor_scaler.go): keys, settings, requests, responses,
// result.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/azure/azure.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::source::azure_monitor {

inline constexpr auto keys =
    text::fields({
        {.names = {"resourceURI"},
         .required = true,
         .of_access = true,
         .range = "`provider/type/name`; with `gputide.io/batch-region` 1 to 50, separated by commas",
         .meaning = "the resource of the metric"},
        {.names = {"tenantId"},
         .required = true,
         .of_access = true,
         .meaning = "tenant of the application or identity"},
        {.names = {"subscriptionId"}, .required = true, .of_access = true, .meaning = "of the resource"},
        {.names = {"resourceGroupName"}, .required = true, .of_access = true, .meaning = "of the resource"},
        {.names = {"metricName"}, .required = true, .meaning = "the metric, as Azure's list of metrics spells it"},
        {.names = {"metricNamespace"},
         .otherwise = "the resource's own",
         .meaning = "required if the resource has several metric namespaces"},
        {.names = {"metricFilter"}, .range = "OData: `instance eq '*'`", .meaning = "chooses and splits dimensions"},
        {.names = {"metricAggregationType"},
         .required = true,
         .range = "`Average`, `Total`, `Maximum`, `Minimum`, `Count`; case-sensitive",
         .meaning = "the aggregation that is read from each point"},
        {.names = {"metricAggregationInterval"},
         .otherwise = "`0:5:0`",
         .range = "`h:m:s`, from one second to 93 days",
         .meaning = "length of the queried time range, which ends now; the newest point is used"},
        {.names = {"metricInterval"},
         .otherwise = "Azure's choice",
         .range = "an ISO 8601 duration such as `PT1M`, or `FULL`",
         .meaning = "time grain: Azure aggregates each period of this length to one point"},
    }) +
    target_value_keys +
    text::fields({
        {.names = {"activeDirectoryClientId"},
         .places = {origin::metadata, origin::auth, origin::env},
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "client ID of the application"},
        {.names = {"activeDirectoryClientPassword"},
         .places = {origin::metadata, origin::auth, origin::env},
         .type = value_type::secret,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "client secret of the application"},
        {.names = {"azureResourceManagerEndpoint"},
         .of_access = true,
         .otherwise = "required for cloud `Private`",
         .range = "an https URL",
         .meaning = "the Resource Manager endpoint of a private cloud"},
        {.names = {"gputide.io/batch-region"},
         .of_access = true,
         .otherwise = "the Resource Manager is used",
         .range = "a region such as `eastus`",
         .meaning = "uses the regional endpoint, which accepts up to 50 resources of one subscription per request"},
    }) +
    azure::cloud_keys;

// Settings, with KEDA's rules and error texts (kedacore/keda pkg/scalers/azure_monitor_scaler.go).

inline constexpr std::int64_t default_span_ms = 300'000;

struct settings : azure::settings {
    // "/subscriptions/S/resourceGroups/G/providers/<namespace>/<type>/<name>"; several only in a batch request.
    std::vector<std::string> resources;
    std::string subscription;
    std::string metric;
    std::string name_space;
    std::string filter;       // OData: "instance eq '*'"
    std::string interval;     // time grain of the points: "PT1M"; "": Azure's default
    std::string aggregation;  // Average, Total, Maximum, Minimum, Count; in strict also None

    // Length of the time range.  KEDA parses the numbers of h:m:s at each poll, so strict reports their error at each poll.
    std::int64_t span_ms = default_span_ms;
    std::string span_error;

    bool batch = false;  // use the regional endpoint for many resources instead of the Resource Manager
    // Skips points without the aggregation at the end of a series; in strict only if the trigger asks for it
    bool last_non_null = true;

    bool reads_as_keda() const { return strict && !last_non_null && reduction.reduce.empty(); }
};

result<settings> read_settings(trigger_reader& read);

// Parses a metrics response to the series of one metric, or the reason why there are none.  Pure.
// {"value":[{"name":{"value"},"errorCode","timeseries":[{"metadatavalues":[..],"data":[{"timeStamp","average"?}]}]}]}
//
// A series keeps the points that have the requested aggregation, in time order.  Null and absent both mean no value; 0 is a
// value.  Names of metrics and resource IDs are compared without case.

// Error classes: no_data without a metric, series or points; protocol for another metric than the requested one; peer if the
// metric has an errorCode.  In a batch response, the response for many resources, each series has the label `resourceid`.  A
// resource without a response, or with an error, has a warning and makes the reading partial; the other resources keep their
// values.
result<reading> parse(const http::answer& answer, const settings& settings);

// Reduces series to one sample by the rules of an azure-monitor trigger.  Pure.
//   no series with a value   no_data        (a point without the aggregation is not 0)
//   one series               its newest value
//   several series           gputide.io/reduce over those that have a value; without it ambiguous
//   resources missing        partial, unless gputide.io/accept-partial

fetched judge(const reading& reading, const settings& settings);

// The trigger type azure-monitor: metrics of Azure resources from the Resource Manager, or of many resources at once from the
// batch endpoint.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::azure_monitor
