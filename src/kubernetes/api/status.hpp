// The status of a ScaledObject as KEDA writes it, which `kubectl get so` shows.  Used if KEDA does not write the status.
// Reads it to a value that can be compared, and writes a merge patch.  Pure.
// Fields: kedacore/keda apis/keda/v1alpha1/scaledobject_types.go.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::kubernetes {

struct status_condition {
    std::string type;    // "Ready"
    std::string status;  // "True", "False", "Unknown"
    std::string reason;
    std::string message;

    friend bool operator==(const status_condition&, const status_condition&) = default;
};

struct metric_health {
    std::int32_t failures = 0;  // consecutive
    bool is_failing = false;

    friend bool operator==(const metric_health&, const metric_health&) = default;
};

struct scaled_object_status {
    std::string target_group, target_version, target_kind, target_plural;  // "": unknown
    std::optional<std::int32_t> original_replicas;                         // at the first reconciliation
    std::int64_t last_active_s = 0;                                        // Unix seconds; 0: never
    std::string trigger_types;                                             // "prometheus,cron"
    std::vector<status_condition> conditions;
    std::map<std::string, metric_health> health;  // by metric name: "s0-prometheus"

    friend bool operator==(const scaled_object_status&, const scaled_object_status&) = default;
};

// Returns "apps/v1.Deployment", or "v1.ReplicationController" for the core group.
std::string kind_text(const std::string& group, const std::string& version, const std::string& kind);

scaled_object_status read_status(simdjson::dom::object scaled_object);

// Returns a merge patch.  Replaces the whole list of conditions; leaves unknown members unchanged.
std::string status_patch(const scaled_object_status& wanted);

}  // namespace gputide::kubernetes
