// Which of the listed pods a plan places, which hold a place, and which it leaves out.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/fit.hpp"
#include "nodes/hardware.hpp"
#include "nodes/read/snapshot.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

using text::severity;

bool is_placeholder(const pod& pod) { return find_text(pod.labels, placeholder_label) != nullptr; }

void leave_out(std::vector<left_out>& all, const std::string& why, const pod& pod) {
    auto at = std::ranges::find_if(all, [&](const left_out& entry) { return entry.why == why; });
    if (at == all.end()) at = all.insert(all.end(), {why, 0, full_name(pod)});
    ++at->pods;
}

bool is_of(const pod& pod, const workload& by) {
    if (pod.name_space != by.group.pod.name_space) return false;
    const controller& self = *by.group.pod.owner;
    const bool owned = pod.owner && (self.uid.empty() ? pod.owner->kind == self.kind && pod.owner->name == self.name
                                                      : pod.owner->uid == self.uid);
    // A Deployment's pods belong to its ReplicaSet.
    return owned || (self.kind == "Deployment" && pod.owner && pod.owner->kind == "ReplicaSet" &&
                     !by.selector.empty() && labels_match(by.selector, pod.labels));
}

// Holds the devices of a pod that do not follow from its claims: all of them if a claim is not known, and those that a nominated pod
// will get.
void hold_devices(const pod& pod, bool is_bound, node_shape& shape) {
    if (shape.devices == nullptr) return;
    if (!pod.claims.empty() && !pod.placement.unmodeled.empty()) {
        shape.devices_held.assign(shape.devices_held.size(), true);
    } else if (!is_bound && pod.placement.claims != nullptr) {
        device_matches matches;
        hold_devices_for(*pod.placement.claims, 1, shape, matches);
    }
}

}  // namespace

void snapshot::find_volumes(placement& asks, const std::string& name_space) const {
    for (const std::string& name : asks.volume_claims) {
        const auto claim = volume_claims_.find(name_space + "/" + name);
        if (claim == volume_claims_.end()) {
            asks.unmodeled.push_back(format_text(
                "its PersistentVolumeClaim {} is not listed, so that the zone of its volume is unknown", name));
            continue;
        }
        if (claim->second.empty()) continue;  // bound where the pod will run
        const auto volume = volumes_.find(claim->second);
        if (volume == volumes_.end()) {
            asks.unmodeled.push_back(
                format_text("its PersistentVolume {} is not listed, so that its zone is unknown", claim->second));
        } else {
            asks.volume_terms.insert(asks.volume_terms.end(), volume->second.begin(), volume->second.end());
        }
    }
}

// kubernetes/autoscaler utils/kubernetes/listers.go, core/static_autoscaler.go: finished pods and running ones below the
// priority cutoff count nowhere; a pod with a nominated node counts there.
void snapshot::place_pods(cluster& out, std::vector<pod>& pending, text::report& findings) {
    for (placed_pod& waiting : pods_) {
        pod& pod = waiting.pod;
        if (pod.finished()) continue;
        for (const disruption_budget& budget : kubernetes_budgets_) {
            if (covers(budget, pod)) pod.budgets.push_back(budget.name_space + "/" + budget.name);
        }
        find_volumes(pod.placement, pod.name_space);
        const bool bound = !waiting.node.empty();
        if (!bound && pod.deleted_ms) continue;
        if (!bound && !waiting.gates.empty()) {
            leave_out(out.not_planned, "scheduling_gates:" + waiting.gates, pod);
            continue;
        }
        const auto at = node_positions_.find(bound ? waiting.node : waiting.nominated);
        const bool has_node = at != node_positions_.end();
        if (is_placeholder(pod)) {
            if (has_node) nodes_[at->second].held = true;
            leave_out(out.not_planned, "placeholder", pod);
        } else if (has_node && pod.priority < how.priority_cutoff) {
            leave_out(out.not_planned, "below_priority_cutoff", pod);
        } else if (has_node) {
            hold_devices(pod, bound, nodes_[at->second].shape);
            nodes_[at->second].pods.push_back(std::move(pod));
        } else if (bound) {
            findings.add(severity::warning, "unknown-node", waiting.where,
                         format_text("{} stands on the node {}, which is not listed; it is left out", full_name(pod),
                                     in_quotes(waiting.node)));
        } else if (pod.phase == phase::pending) {
            pending.push_back(std::move(pod));
        }
    }
}

// A workload stands for pods that do not exist yet: not for those that are listed, nor for what another one creates.
void snapshot::add_workloads() {
    for (workload& each : workloads_) {
        const bool listed =
            std::ranges::any_of(pods_, [&](const placed_pod& waiting) { return is_of(waiting.pod, each); });
        const bool created = std::ranges::any_of(workloads_, [&](const workload& other) {
            return !each.owner_uid.empty() && other.group.pod.owner->uid == each.owner_uid;
        });
        if (listed || created || is_placeholder(each.group.pod)) continue;
        const controller& self = *each.group.pod.owner;
        if (each.group.count > 0)  // a suspended Job creates no pods: its Workload stands for them
            expected_owners_.insert(gang_objects::object_key(self.kind, each.group.pod.name_space, self.name));
        find_volumes(each.group.pod.placement, each.group.pod.name_space);
        groups_.push_back(each.group);
    }
}

// A CapacityBuffer keeps nodes ready by pods that cluster-autoscaler only imagines: its empty nodes are held as by placeholder pods.
void snapshot::hold_buffered() {
    for (const pod_group& buffer : gangs_.own_buffers()) {
        std::int64_t left = buffer.count;
        for (node& node : nodes_) {
            const placement& asks = buffer.pod.placement;
            const bool is_empty = std::ranges::all_of(node.pods, [](const pod& pod) { return pod.goes_with_node(); });
            if (left <= 0 || node.held || !is_empty || !why_not(asks, node.shape, {}, node.name).empty()) continue;
            node.held = true;
            --left;
        }
    }
}

// Nodes as the scheduler sees them, and startup taints as upstream: such a node is not ready.
void snapshot::mark_nodes() {
    for (node& node : nodes_) {
        std::erase_if(node.pods, [&](const pod& pod) { return pod.priority < how.priority_cutoff; });
        std::vector<taint>& taints = node.shape.taints;
        const auto add = [&](std::string_view key) {
            const bool known = std::ranges::any_of(taints, [&](const taint& taint) { return taint.key == key; });
            if (!known) taints.push_back({std::string(key), "", "NoSchedule"});
        };
        if (!node.schedulable) add("node.kubernetes.io/unschedulable");
        if (node.deleting) add("ToBeDeletedByClusterAutoscaler");
        node.ready = node.ready && std::ranges::none_of(taints, [&](const taint& taint) {
                         return is_startup_taint(taint.key, how.startup_taints);
                     });
    }
}

// The DaemonSets that are listed take their part of a new node; a node of the pool has their pods already.
void snapshot::add_daemons(cluster& cluster) const {
    for (pool& pool : cluster.pools) {
        const bool has_node =
            std::ranges::any_of(cluster.nodes, [&](const node& node) { return node.pool == pool.id; });
        if (has_node || !pool.shape || !pool.shape->daemon_requests.empty()) continue;
        for (const workload& daemons : daemon_sets_) {
            const placement& asks = daemons.group.pod.placement;
            if (!selector_matches(asks, *pool.shape, {}) ||
                first_untolerated(asks.tolerations, pool.shape->taints) != nullptr)
                continue;
            pool.shape->daemon_requests.add(asks.requests);
            pool.shape->daemon_requests.add(pods_name, 1);
        }
    }
}

}  // namespace gputide::nodes
