#include "config/requests.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"

#include <algorithm>
#include <string_view>

namespace gputide::config {
namespace {

const node* member(const node* object, std::string_view key) {
    if (object == nullptr || object->kind != node_kind::mapping) return nullptr;
    const node* found = object->find(key);
    return found == nullptr || is_null(*found) ? nullptr : found;
}

std::span<const node> items(const node* list) {
    if (list == nullptr || list->kind != node_kind::sequence) return {};
    return list->children;
}

std::string text(const node* object, std::string_view key) {
    const node* found = member(object, key);
    return found == nullptr ? std::string() : scalar_text(*found).value_or("");
}

// A text that is not a quantity (an unreplaced ${NAME}) may be one.
bool is_above_zero(const node* amounts, std::string_view resource) {
    const node* found = member(amounts, resource);
    if (found == nullptr) return false;
    const result<quantity> amount = parse_quantity(scalar_text(*found).value_or(""));
    return !amount || amount->milli > 0;
}

// resources: {requests, limits} of a container or a pod.
bool is_set(const node* resources, std::string_view resource) {
    return is_above_zero(member(resources, "requests"), resource) ||
           is_above_zero(member(resources, "limits"), resource);
}

bool is_default_of(const other_object& range, std::string_view resource) {
    const std::span<const node> limits = items(member(member(range.at.at, "spec"), "limits"));
    return std::any_of(limits.begin(), limits.end(), [&](const node& limit) {
        return text(&limit, "type") == "Container" && (is_above_zero(member(&limit, "defaultRequest"), resource) ||
                                                       is_above_zero(member(&limit, "default"), resource));
    });
}

class webhook {
  public:
    webhook(const scaling& scaling, const collection& documents) : scaling_(scaling), documents_(documents) {}

    const node* pod_spec() const {
        for (const other_object& one : documents_.others) {
            if (one.api_version != scaling_.target_api_version || one.kind != scaling_.target_kind) continue;
            if (one.name == scaling_.target_name && one.name_space == scaling_.name_space)
                return member(member(member(one.at.at, "spec"), "template"), "spec");
        }
        return nullptr;
    }

    // The first container without one; "" where all is well.
    std::string lacking(const node* pod, const trigger& trigger) const {
        const auto named = trigger.metadata.find("containerName");
        const std::string only = named == trigger.metadata.end() ? "" : named->second;
        const bool pod_counts = holds(version_rule::counts_pod_requests, scaling_.controller.versions);
        if (only.empty() && pod_counts && is_set(member(pod, "resources"), trigger.type)) return {};
        if (has_default(trigger.type)) return {};
        for (const node& container : items(member(pod, "containers"))) {
            std::string name = text(&container, "name");
            if (!only.empty() && name != only) continue;
            if (!is_set(member(&container, "resources"), trigger.type)) return name;
        }
        return {};
    }

  private:
    bool has_default(std::string_view resource) const {
        return std::any_of(documents_.others.begin(), documents_.others.end(), [&](const other_object& one) {
            return one.kind == "LimitRange" && one.name_space == scaling_.name_space && is_default_of(one, resource);
        });
    }

    const scaling& scaling_;
    const collection& documents_;
};

}  // namespace

void check_requests(const spec& spec, const collection& documents, report& findings) {
    const webhook rules(spec.scaling, documents);
    const node* pod = rules.pod_spec();
    if (pod == nullptr) return;
    for (const trigger& one : spec.triggers) {
        if (!one.is_resource) continue;
        const std::string container = rules.lacking(pod, one);
        if (container.empty()) continue;
        findings.add(severity::error, "missing-requests", one.at,
                     format_text("the scaledobject has a {} trigger but the container {} doesn't have the {} request "
                                 "defined",
                                 one.type, container, one.type),
                     format_text("add resources.requests.{} to the container of {} {}", one.type,
                                 spec.scaling.target_kind, spec.scaling.target_name));
    }
}

}  // namespace gputide::config
