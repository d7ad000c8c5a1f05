#include "base/json_writer.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "kubernetes/api/objects.hpp"

#include <limits>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;
using formats::text_in;
using simdjson::SUCCESS;

constexpr std::int64_t ms_per_s = 1'000;
constexpr const char* failing_word = "Failing";

std::optional<std::int32_t> count_of(dom::object object, std::string_view name) {
    const auto count = formats::integer_of(object, name);
    if (!count || *count < 0 || *count > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<std::int32_t>(*count);
}

// {"s0-prometheus":{"numberOfFailures":3,"status":"Failing"}}
void read_health(dom::object all, std::map<std::string, metric_health>& into) {
    for (const auto& [metric, value] : all) {
        dom::object object;
        if (value.get(object) != SUCCESS) continue;
        into[std::string(metric)] = {count_of(object, "numberOfFailures").value_or(0),
                                     text_in(object, "status") == failing_word};
    }
}

}  // namespace

std::string kind_text(const std::string& group, const std::string& version, const std::string& kind) {
    return (group.empty() ? "" : group + "/") + version + "." + kind;
}

scaled_object_status read_status(dom::object scaled_object) {
    scaled_object_status out;
    const auto status = formats::object_of(scaled_object, "status");
    if (!status) return out;
    if (const auto target = formats::object_of(*status, "scaleTargetGVKR")) {
        out.target_group = text_in(*target, "group");
        out.target_version = text_in(*target, "version");
        out.target_kind = text_in(*target, "kind");
        out.target_plural = text_in(*target, "resource");
    }
    out.original_replicas = count_of(*status, "originalReplicaCount");
    const auto active_ms = parse_rfc3339(text_in(*status, "lastActiveTime"));
    if (active_ms) out.last_active_s = *active_ms / ms_per_s;
    out.trigger_types = text_in(*status, "triggersTypes");
    if (const auto health = formats::object_of(*status, "health")) read_health(*health, out.health);
    formats::for_each_object(*status, "conditions", [&out](dom::object condition) {
        out.conditions.push_back({text_in(condition, "type"), text_in(condition, "status"),
                                  text_in(condition, "reason"), text_in(condition, "message")});
    });
    return out;
}

std::string status_patch(const scaled_object_status& wanted) {
    json_writer out;
    out.begin_object().key("status").begin_object();
    if (!wanted.target_plural.empty()) {
        out.member("scaleTargetKind", kind_text(wanted.target_group, wanted.target_version, wanted.target_kind))
            .key("scaleTargetGVKR")
            .begin_object();
        out.member("group", wanted.target_group).member("version", wanted.target_version);
        out.member("kind", wanted.target_kind).member("resource", wanted.target_plural).end_object();
    }
    if (wanted.original_replicas) out.member("originalReplicaCount", *wanted.original_replicas);
    if (wanted.last_active_s != 0) out.member("lastActiveTime", format_rfc3339_s(wanted.last_active_s * ms_per_s));
    out.member("triggersTypes", wanted.trigger_types).key("conditions").begin_array();
    for (const status_condition& condition : wanted.conditions) {
        out.begin_object().member("type", condition.type).member("status", condition.status);
        out.member("reason", condition.reason).member("message", condition.message).end_object();
    }
    out.end_array();
    if (!wanted.health.empty()) {
        out.key("health").begin_object();
        for (const auto& [metric, value] : wanted.health) {
            out.key(metric).begin_object().member("numberOfFailures", value.failures);
            out.member("status", value.is_failing ? failing_word : "Happy").end_object();
        }
        out.end_object();
    }
    return out.end_object().end_object().take();
}

}  // namespace gputide::kubernetes
