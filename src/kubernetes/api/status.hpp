// The status of a ScaledObject, which `kubectl get so` shows, in KEDA's terms; for objects without a status written by KEDA.
// In: the object as the server has it; out: a value to compare, and a merge patch that makes the status another value.  Pure.
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
    std::int32_t failures = 0;  // in a row
    bool is_failing = false;

    friend bool operator==(const metric_health&, const metric_health&) = default;
};

struct scaled_object_status {
    std::string target_group, target_version, target_kind, target_plural;  // "": not known yet
    std::optional<std::int32_t> original_replicas;                         // at first sight
    std::int64_t last_active_s = 0;                                        // Unix; 0: never
    std::string trigger_types;                                             // "prometheus,cron"
    std::vector<status_condition> conditions;
    std::map<std::string, metric_health> health;  // by metric: "s0-prometheus"

    friend bool operator==(const scaled_object_status&, const scaled_object_status&) = default;
};

// "apps/v1.Deployment"; of the core group "v1.ReplicationController".
std::string kind_text(const std::string& group, const std::string& version, const std::string& kind);

scaled_object_status read_status(simdjson::dom::object scaled_object);

// The list of conditions goes as a whole; members that are not known are left as they are.
std::string status_patch(const scaled_object_status& wanted);

}  // namespace gputide::kubernetes
