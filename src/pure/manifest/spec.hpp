// The validated manifests, and the types of triggers and identities that they may name. decide/ uses `scaling`; source/ uses triggers
// and metrics; jobs/ uses scaled_job. load() in load.hpp returns them.  Values, and the functions that report their faults.
#pragma once

#include "base/error.hpp"
#include "base/secret.hpp"
#include "manifest/scaling.hpp"
#include "text/field.hpp"
#include "text/mapping.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// ---- a ScaledJob of KEDA (keda.sh/v1alpha1), which creates Jobs for the items of a queue

struct scaling_strategy {
    std::string name;                             // default, custom, accurate, eager; "": default
    std::int32_t queue_length_deduction = 0;      // custom
    std::string running_job_fraction;             // custom: text for Go's ParseFloat, "0.5" for half
    std::vector<std::string> pending_conditions;  // pendingPodConditions
    std::string calculation;                      // multipleScalersCalculation: max, min, avg, sum; "": max
};

struct job_rollout {
    bool is_gradual = false;     // immediate: Jobs of an older generation are deleted
    bool is_foreground = false;  // propagation policy of these deletions
};

struct scaled_job {
    std::string name;
    std::string name_space = "default";
    std::string uid;
    std::int64_t generation = 0;
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    gputide::manifest::profile profile = gputide::manifest::profile::standard;
    original_versions versions;

    std::int64_t gpus_per_job_milli = 1000;  // gputide.io/gpus-per-replica
    double cost_per_gpu_hour = 0.0;          // 0: unknown

    std::int32_t polling_interval_s = 30;
    std::optional<std::int32_t> min, max;
    std::int32_t successful_limit = 100, failed_limit = 100;  // finished Jobs to keep
    scaling_strategy strategy;
    job_rollout rollout;

    std::map<std::string, std::string> template_labels;  // of jobTargetRef.template
    std::string restart_policy;
};

// A ScaledJob with its triggers.
struct written_scaled_job {
    scaled_job job;
    std::vector<trigger> triggers;
    place at;
};

// ---- types of triggers and identities; the modules that implement them pass a row for each

using namespace text;

// A validation error: a path below the manifest's root, the text of KEDA or the API server, and a remedy.
struct violation {
    std::string path;
    std::string message;
    std::string remedy;
    std::string_view code = "invalid-value";  // a literal
};
using violations = std::vector<violation>;

// A path in two parts, so that the caller does not join them: {path, ".type"}.
struct violation_path {
    template <std::convertible_to<std::string_view> Text>
    violation_path(const Text& path, std::string_view below = {})  // NOLINT: implicit by design
        : above(path), rest(below) {}
    std::string_view above, rest;
};

void add_violation(violations& out, const violation_path& path, std::string_view message, std::string_view remedy,
                   std::string_view code = "invalid-value");

// Reports the violations at their places below `root`.
void add_violations(report& findings, const cursor& root, const violations& found, severity level = severity::error);

struct trigger_kind {
    std::string_view type;                      // of triggers[]
    std::span<const field> keys;                // of its metadata and authentication
    bool is_resource = false;                   // resource use of the pods, which the HPA reads itself
    bool can_cache = true;                      // supports useCachedMetrics
    std::string_view target_key = "threshold";  // key of the target
    bool is_schedule = false;                   // its value depends only on the time
};

// Services that accept the tokens of an identity.
enum class identity_family : std::int32_t {
    none = 0,    // no service
    azure = 1,   // Entra tokens
    aws = 2,     // keys that sign requests
    google = 3,  // OAuth tokens of Google
    bearer = 4,  // any bearer token, from a file or a program
};

// A setting that another program injects into a pod's environment for an identity, and the block's member that overrides it.
struct injected_setting {
    std::string_view shown_as;  // "client"; "": not shown separately
    std::string_view variable;
    std::string_view key;                                              // of the block; "": the block has no key for it
    std::optional<std::string> authentication::*written_as = nullptr;  // value of that key; null: no key
    bool is_needed = true;
};

struct identity_kind {
    std::string_view provider;  // value of podIdentity.provider
    identity_family family = identity_family::none;
    bool is_of_keda = false;  // a provider of KEDA; else one of this library
    bool is_advised = true;   // false: known, but deprecated
    // Returns what KEDA's webhook rejects in the block, with paths below it; null: no specific rules.
    violations (*check)(const authentication& identity) = nullptr;
    std::span<const injected_setting> injected = {};
    std::string_view principal_proof = {};  // the member of azureServicePrincipal that it accepts; "": none
};

struct known_kinds {
    std::span<const trigger_kind> triggers;
    std::span<const identity_kind> identities;

    const trigger_kind* trigger(std::string_view type) const;  // null: unknown type
    // Tells whether the table of a type has this gputide.io/ key; its source then reads it.
    bool has_key(std::string_view key) const;
};

const identity_kind* find_identity(std::span<const identity_kind> identities, std::string_view provider);

// Returns "azure-workload, aws, gcp, none, or one of gputide's own: ...".
std::string providers_in_words(std::span<const identity_kind> identities);

// ---- metrics without a source: the texts of check and doctor

// Return the message and the remedy.
std::string unfed_text(metric_kind kind, const std::string& name);
std::string unfed_remedy(metric_kind kind, const std::string& name);

}  // namespace gputide::manifest
