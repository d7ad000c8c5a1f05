// The validated manifest. decide/ uses `scaling`; source/ uses triggers and metrics. load() in load.hpp returns it.  Plain
// values, no documents.
#pragma once

#include "base/error.hpp"
#include "base/secret.hpp"
#include "manifest/scaling.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::manifest {

// Settings gputide.io/* of one trigger: how its source reads the value.  The inherited metric_rules define how a decision
// uses the sample.
struct trigger_rules : metric_rules {
    std::string reduce;           // avg, max, min, sum, pNN; "": several series are an error
    bool accept_partial = false;  // gputide.io/accept-partial: accepts a response that its peer marks as incomplete
    bool last_non_null = false;   // gputide.io/last-non-null: skip null points at the end of a series
    bool pairs_hold_equals =
        false;  // gputide.io/pairs-hold-equals: "k=v=w" is k and "v=w" (customHeaders and similar keys)
    original_versions versions;  // of KEDA and Kubernetes, from the manifest; the source behaves as they do
};

// The resolved authenticationRef: the TriggerAuthentication with the values of its Secrets.
struct authentication {
    std::string provider;  // podIdentity.provider as written; "": none
    std::optional<std::string> identity_id;
    std::optional<std::string> identity_tenant_id;
    std::optional<std::string> identity_authority_host;
    std::optional<std::string> identity_cloud;  // of azureServicePrincipal: "AzureUSGovernmentCloud"
    std::optional<std::string> role_arn;
    std::optional<std::string> external_id;
    std::string identity_owner;
    std::map<std::string, secret_text> parameters;  // authParams by name
    bool is_cluster_wide = false;                   // from a ClusterTriggerAuthentication
};

// One entry of triggers[], as written.  The source of its type reads the metadata.
struct trigger {
    std::int32_t index = 0;
    std::string type;        // "prometheus"
    std::string name;        // may be empty
    std::string name_space;  // of its manifest; "": a trigger without a manifest
    std::string owner;       // name of its manifest
    std::map<std::string, std::string> metadata;
    std::map<std::string, place> metadata_places;
    target_type metric_type = target_type::average_value;
    bool is_resource = false;  // its value is the pods' own resource use, which the HPA reads itself
    bool use_cached_metrics = false;
    trigger_rules rules;  // its own keys, else the manifest's annotations
    authentication auth;
    std::map<std::string, secret_text> resolved_env;  // for <key>FromEnv
    place at;
    bool has_errors = false;  // parsing it found an error; checks by its source are skipped

    std::string label() const;  // "trigger 0 (prometheus)", with its name if it has one
};

// One entry of metrics[] of a HorizontalPodAutoscaler.
struct hpa_metric : metric_subject {
    metric_kind kind = metric_kind::external;
    std::string name;  // metric or resource name
    target_type type = target_type::average_value;
    std::int64_t target_milli = 0;     // value or averageValue
    std::int32_t utilization_pct = 0;  // averageUtilization
    trigger_rules rules;               // of its gputide.io/source.<name>, else the manifest's annotations
    std::optional<trigger> source;     // gputide.io/source.<name>: the source of an External metric's value
    place at;
};

struct spec {
    gputide::manifest::scaling scaling;
    std::string hpa_name;  // of the HPA that KEDA creates for a ScaledObject: horizontalPodAutoscalerConfig.name
    std::vector<trigger> triggers;      // of a ScaledObject
    std::vector<hpa_metric> metrics;    // of a HorizontalPodAutoscaler
    bool metrics_from_cluster = false;  // gputide.io/metrics-from: kubernetes
    std::vector<secret_text> values;    // substituted for ${NAME}; removed from messages
    bool metrics_from_host = false;     // gputide.io/metrics-from: host is written in the manifest
};

}  // namespace gputide::manifest
