#include "nodes/read/snapshot.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/hardware.hpp"
#include "nodes/read/objects.hpp"
#include "nodes/read/values.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

using text::severity;

bool makes_pods(std::string_view kind) {
    static constexpr std::array<std::string_view, 5> kinds{"Job", "Deployment", "ReplicaSet", "StatefulSet",
                                                           "DaemonSet"};
    return is_one_of(kind, kinds);
}

// The items of a NodeList, PodList or PodDisruptionBudgetList have no kind.
std::string kind_of(const value_reader& object, std::string_view list) {
    if (!object.is_mapping()) return {};
    std::string kind = object.text("kind");
    if (!kind.empty() || list != "items") return kind;
    const value_reader spec = object.member("spec");
    const value_reader status = object.member("status");
    if (spec.has("containers")) return "Pod";
    if (status.has("disruptionsAllowed")) return "PodDisruptionBudget";
    if (status.has("desiredNumberScheduled")) return "DaemonSet";
    if (spec.has("persistentVolumeReclaimPolicy")) return "PersistentVolume";
    if (spec.has("accessModes")) return "PersistentVolumeClaim";
    if (status.has("allocatable") || status.has("nodeInfo")) return "Node";
    if (object.member("template").has("spec")) return "PodTemplate";
    if (spec.has("podGroups")) return "Workload";
    if (spec.has("schedulingPolicy")) return "PodGroup";
    return std::string(device_objects::kind_of(spec));
}

// Reads an object into a list; removes it again after an error, so that an incomplete object never counts.
template <class Object>
bool add_whole(std::vector<Object>& list, const value_reader& reader, Object (*read)(const value_reader&)) {
    const text::report& findings = reader.source().findings;
    const std::size_t before = findings.count(severity::error);
    list.push_back(read(reader));
    if (findings.count(severity::error) == before) return true;
    list.pop_back();
    return false;
}

// Registers the last object of the list by its name; removes it and reports an error if the name is known.
template <class Object, class Positions>
bool keep_new(std::vector<Object>& list, Positions& known, const std::string& name, std::string_view noun,
              const value_reader& reader) {
    if (known.try_emplace(name, list.size() - 1).second) return true;
    reader.error("duplicate", format_text("the {} {} stands here a second time", noun, in_quotes(name)),
                 "keep one of them");
    list.pop_back();
    return false;
}

// Reads a pod of gputide's format, without its node.
placed_pod read_own_pod(const value_reader& reader) { return {read_pod(reader), {}, {}, {}, {}}; }

}  // namespace

void snapshot::read(const std::string& file, std::string_view text, text::report& findings) {
    read_items(file, text, findings, [&](const text_item& item) {
        // Each item has its own report, as counting the errors of a long one would take longer and longer.
        text::report own;
        const bool has_enough = findings.full(severity::error);
        const item_source own_source{item.at, dialect::own, own, has_enough};
        const item_source kubernetes_source{item.at, dialect::kubernetes, own, has_enough};
        const value_reader object(own_source);
        const std::string kind = kind_of(object, item.member);
        if (item.member == "events") {  // events have a kind, too
            take_event(object);
        } else if (is_managed_cluster(object)) {  // its kind is not from Kubernetes
            take_aks(object);
        } else if (!kind.empty() && kind != "List" && !std::string_view(kind).ends_with("List")) {
            take_kubernetes(value_reader(kubernetes_source), kind);
        } else if (is_agent_pool(object)) {
            take_pool(object, read_agent_pool);
        } else if (item.member == "pools") {
            if (take_pool(object, read_pool) && !object.has("size")) pools_without_size_.push_back(pools_.size() - 1);
        } else if (item.member == "nodes") {
            take_node(object, read_node);
        } else if (item.member == "pods") {
            if (take_pod(object, read_own_pod)) pods_.back().node = object.text("node");
        } else if (item.member == "groups") {
            add_whole(groups_, object, read_group);
        } else if (item.member.empty()) {
            take_object(object);
        } else {
            object.warning("unknown-object",
                           format_text("{} is not pools, nodes, pods or groups, so each of its objects needs a kind",
                                       in_quotes(item.member)));
        }
        for (text::finding& finding : own.findings)
            findings.add(finding.severity, finding.code, std::move(finding.at), finding.message, finding.remedy);
    });
}

void snapshot::take_object(const value_reader& object) {
    if (object.is_list()) {  // as printed by az aks nodepool list
        for (const value_reader item : object.items()) {
            if (!is_agent_pool(item))
                item.error("unknown-object", "expected an agent pool of AKS with its vmSize");
            else
                take_pool(item, read_agent_pool);
        }
        return;
    }
    if (!object.is_mapping()) return object.error("wrong-type", "expected an object");
    if (object.has("kind")) return;                                   // a List with items that have been read
    if (object.has("value") && object.members().size() <= 2) return;  // ARM's list, with its nextLink
    object.only({"pools", "nodes", "pods", "groups", "budgets", "events", "options", "items"});
    for (const std::string_view list : {"pools", "nodes", "pods", "groups", "events", "items"}) {
        const value_reader found = object.member(list);
        if (found && !found.is_list()) found.error("wrong-type", format_text("{}: expected a list", list));
    }
    if (const value_reader budgets = object.member("budgets")) take_budgets(budgets);
    const value_reader settings = object.member("options");
    if (settings.is_list()) {
        std::vector<value_reader> words;
        for (const value_reader word : settings.items()) words.push_back(word);
        read_flags(words, how, node_bounds_);
    } else if (settings) {
        read_options(settings, how);
    }
}

void snapshot::take_aks(const value_reader& cluster) {
    const value_reader reader = cluster.member("properties").or_else(cluster);
    if (const value_reader profile = reader.member("autoScalerProfile")) read_options(profile, how);
    if (!cluster.has("properties")) return;  // its pools have been read as items
    for (const value_reader item : reader.member("agentPoolProfiles").items()) take_pool(item, read_agent_pool);
}

void snapshot::take_kubernetes(const value_reader& object, const std::string& kind) {
    if (kind == "Node") {
        take_node(object, read_kubernetes_node);
    } else if (kind == "Pod") {
        take_pod(object, read_kubernetes_pod);
    } else if (kind == "PodDisruptionBudget") {
        add_whole(kubernetes_budgets_, object, read_budget);
    } else if (devices_.take(object, kind) || gangs_.take(object, kind)) {
        return;
    } else if (kind == "PartialObjectMetadata") {  // of gputide_cluster_list
        const value_reader metadata = object.member("metadata");
        object.error("left-out",
                     format_text("{} is not in the plan: it does not fit into an answer of the API server",
                                 metadata ? in_quotes(metadata.text("name")) : "an object"),
                     "make the object smaller: what it sets, or its annotations");
    } else if (kind == "NodePool" && object.text("apiVersion").rfind("karpenter.sh/", 0) == 0) {
        add_whole(node_pools_, object, read_node_pool);
    } else if (kind == "ConfigMap" && is_priority_map(object)) {
        read_priority_map(object, how);
    } else if (const auto words = kind == "Deployment" ? autoscaler_command(object) : std::nullopt) {
        read_flags(*words, how, node_bounds_);
    } else if (makes_pods(kind)) {
        add_whole(kind == "DaemonSet" ? daemon_sets_ : workloads_, object, read_workload);
    } else if (!take_volume(object, kind)) {
        has_unused_ = true;
        object.note("unused-object", format_text("a plan has no use for a {}", kind));
    }
}

bool snapshot::take_pool(const value_reader& reader, pool (*read_object)(const value_reader&)) {
    return add_whole(pools_, reader, read_object) &&
           keep_new(pools_, pool_positions_, pools_.back().id, "pool", reader);
}

void snapshot::take_node(const value_reader& reader, node (*read_object)(const value_reader&)) {
    if (add_whole(nodes_, reader, read_object)) keep_new(nodes_, node_positions_, nodes_.back().name, "node", reader);
}

bool snapshot::take_pod(const value_reader& reader, placed_pod (*read_object)(const value_reader&)) {
    if (!add_whole(pods_, reader, read_object)) return false;
    pods_.back().where = reader.where();
    const std::string name = full_name(pods_.back().pod);
    return name.empty() || keep_new(pods_, pod_positions_, name, "pod", reader);
}

bool snapshot::take_volume(const value_reader& object, const std::string& kind) {
    const value_reader metadata = object.member("metadata");
    if (!metadata) return false;
    if (kind == "PersistentVolume") {
        volumes_[metadata.text("name")] = read_volume(object);
    } else if (kind == "PersistentVolumeClaim") {
        volume_claims_[metadata.text("namespace", "default") + "/" + metadata.text("name")] =
            object.member("spec").text("volumeName");
    } else {
        return false;
    }
    return true;
}

void snapshot::take_event(const value_reader& reader) {
    static constexpr std::array<std::string_view, 3> kinds{"added", "failed", "removed"};
    reader.only({"kind", "pool", "nodes", "time_ms"});
    const std::optional<std::size_t> kind = reader.choice("kind", reader.text("kind"), kinds, "event");
    if (kind)
        events.push_back({static_cast<event_kind>(*kind + 1), reader.text("pool"), reader.integer("nodes"),
                          reader.time_ms("time_ms")});
}

void snapshot::take_budgets(const value_reader& reader) {
    if (!reader.is_mapping())
        return reader.error("wrong-type", "budgets: expected names, each with the disruptions that it allows");
    for (const value_reader allowed : reader.members()) budgets_[std::string(allowed.name())] = allowed.own_integer();
}

// Joins devices, claims and pods.
void snapshot::give_claims() {
    devices_.give_devices(nodes_);
    for (const placed_pod& each : pods_) {
        if (!each.pod.finished()) devices_.count_uses(each.pod, 1);
    }
    for (const pod_group& group : groups_) devices_.count_uses(group.pod, group.count);
    for (placed_pod& each : pods_) devices_.resolve(each.pod, each.node);
    for (pod_group& group : groups_) devices_.resolve(group.pod, {});
}

cluster snapshot::finish(text::report& findings) {
    const bool has_none = pods_.empty() && groups_.empty() && nodes_.empty() && pools_.empty() && node_pools_.empty();
    if (has_none && has_unused_) {
        findings.add(severity::warning, "nothing-to-plan", {},
                     "there is no pool, node or pod in what was given, so that the plan says nothing",
                     "give pools, and what kubectl get nodes,pods,pvc,pv,pdb,ds -A -o json prints");
    }
    cluster out;
    std::vector<pod> pending;
    mark_nodes();
    add_workloads();
    for (const placed_pod& each : pods_) gangs_.note(each.pod, !each.node.empty());
    for (pod_group& group : gangs_.groups(expected_owners_, findings)) {
        find_volumes(group.pod.placement, group.pod.name_space);
        groups_.push_back(std::move(group));
    }
    give_claims();
    place_pods(out, pending, findings);
    hold_buffered();
    std::vector<placed_pod>().swap(pods_);  // the plan needs the memory
    for (const disruption_budget& kubernetes_budget : kubernetes_budgets_)
        budgets_[kubernetes_budget.name_space + "/" + kubernetes_budget.name] = kubernetes_budget.allowed;
    out.pools = std::move(pools_);
    out.nodes = std::move(nodes_);
    for (const std::size_t position : pools_without_size_) {
        pool& pool = out.pools[position];
        pool.size = std::ranges::count_if(out.nodes, [&](const node& each) { return each.pool == pool.id; });
    }
    out.pending = std::move(groups_);
    for (pod_group& group : group_pods(std::move(pending))) out.pending.push_back(std::move(group));
    std::erase_if(out.pending, [](const pod_group& group) { return group.count == 0; });
    out.gangs = gangs_.gangs(out.pending);
    out.budgets = std::move(budgets_);
    join_node_pools(node_pools_, out.pools, out.nodes, how);
    join_bounds(node_bounds_, out.pools, out.nodes, findings);
    for (pool& pool : out.pools) {
        const auto price = how.prices.find(pool.sku);
        if (!pool.price_per_hour && price != how.prices.end()) pool.price_per_hour = price->second;
    }
    add_daemons(out);
    complete_templates(out.pools, out.nodes, how);
    if (devices_.has_slices()) complete_devices(out.pools, out.nodes);
    return out;
}

}  // namespace gputide::nodes
