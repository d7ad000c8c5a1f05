#include "base/saturate.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "nodes/fit.hpp"
#include "nodes/hardware.hpp"
#include "nodes/node.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::string_view autoscaler_prefix = "cluster-autoscaler.kubernetes.io/";

std::string annotation(const text_map& all, std::string_view name) {
    return text_of(all, std::string(autoscaler_prefix) + std::string(name));
}

std::int64_t number_of(const text_map& labels, std::string_view name) {
    return std::max<std::int64_t>(0, parse_int64(text_of(labels, name)).value_or(0));
}

// Reads the labels of NVIDIA's feature discovery (NVIDIA/k8s-device-plugin docs/gpu-feature-discovery): memory in MiB,
// per GPU or, if all of them are partitioned alike, per slice.
std::optional<gpu_info> gpu_of(const text_map& labels) {
    const std::string* const product = find_text(labels, "nvidia.com/gpu.product");
    if (product == nullptr) return std::nullopt;
    gpu_info out;
    out.model = *product;
    out.memory_bytes = number_of(labels, "nvidia.com/gpu.memory") << 20;
    out.count = number_of(labels, "nvidia.com/gpu.count");
    out.sharing.replicas = std::max<std::int64_t>(1, number_of(labels, "nvidia.com/gpu.replicas"));
    const std::string strategy = text_of(labels, "nvidia.com/gpu.sharing-strategy");
    if (strategy == "mps") out.sharing.strategy = sharing_strategy::mps;
    if (strategy == "time-slicing") out.sharing.strategy = sharing_strategy::time_slicing;
    const std::size_t mig = out.model.find("-MIG-");
    if (mig != std::string::npos) {
        out.sharing.strategy = sharing_strategy::mig_single;
        out.sharing.profiles.push_back({out.model.substr(mig + 5), 1});
        out.model.resize(mig);
    }
    return out;
}

bool is_ready(const value_reader& object) {
    for (const value_reader item : object.member("status", "conditions").items()) {
        if (item.text("type") == "Ready") return item.text("status") == "True";
    }
    return false;
}

// Tells whether a volume's content would be lost, unless the annotation names it.
bool has_local_storage(const value_reader& spec, const text_map& annotations) {
    const std::string names = annotation(annotations, "safe-to-evict-local-volumes");
    const std::vector<std::string_view> safe = split(names, ',');
    for (const value_reader item : spec.member("volumes").items()) {
        const value_reader empty_dir = item.member("emptyDir");
        const bool lost = item.has("hostPath") || (empty_dir && empty_dir.text("medium") != "Memory");
        if (lost && !is_one_of(item.text("name"), safe)) return true;
    }
    return false;
}

phase phase_of(const std::string& text) {
    if (text == "Running") return phase::running;
    if (text == "Succeeded") return phase::succeeded;
    if (text == "Failed") return phase::failed;
    return text == "Pending" || text.empty() ? phase::pending : phase::unknown;
}

std::vector<claim_reference> claims_in(const value_reader& spec) {
    std::vector<claim_reference> out;
    for (const value_reader item : spec.member("resourceClaims").items())
        out.push_back({item.text("name"), item.text("resourceClaimName"), item.text("resourceClaimTemplateName")});
    return out;
}

// The claims that were created from templates have names of their own.
void take_claim_names(const value_reader& status, std::vector<claim_reference>& claims) {
    for (const value_reader item : status.member("resourceClaimStatuses").items()) {
        for (claim_reference& claim : claims) {
            if (claim.name == item.text("name") && claim.claim.empty()) claim.claim = item.text("resourceClaimName");
        }
    }
}

pod pod_of(const value_reader& metadata, const value_reader& spec, const value_reader& status) {
    pod out;
    const text_map annotations = metadata.texts("annotations");
    out.name = metadata.text("name");
    out.name_space = metadata.text("namespace", "default");
    out.labels = metadata.texts("labels");
    out.owner = owner_of(metadata);
    out.created_ms = metadata.time_ms("creationTimestamp");
    out.deleted_ms = metadata.time_ms("deletionTimestamp");
    out.placement = read_kubernetes_placement(spec, status, out);
    out.claims = claims_in(spec);
    out.priority = read_priority(spec);
    out.grace_ms = multiply_saturating(spec.integer("terminationGracePeriodSeconds", 30), 1000);
    out.mirror = annotations.contains("kubernetes.io/config.mirror");
    out.safe_to_evict = annotation(annotations, "safe-to-evict");
    out.scale_up_delay_ms = parse_go_duration_ms(annotation(annotations, "pod-scale-up-delay")).value_or(0);
    out.local_storage = has_local_storage(spec, annotations);
    out.gang = gang_of(out.labels, annotations, spec, out.name_space);
    if (const std::string key = required_topology(annotations); !key.empty())
        out.placement.unmodeled.push_back(one_domain_text(key));
    return out;
}

}  // namespace

std::optional<controller> owner_of(const value_reader& metadata) {
    for (const value_reader item : metadata.member("ownerReferences").items()) {
        if (item.flag("controller"))
            return controller{item.text("kind"), item.text("name"), item.text("uid"), true, {}};
    }
    return std::nullopt;
}

node read_kubernetes_node(const value_reader& object) {
    node out;
    const value_reader metadata = object.member("metadata");
    out.name = metadata.text("name");
    out.shape.labels = metadata.texts("labels");
    out.created_ms = metadata.time_ms("creationTimestamp");
    out.deleting = metadata.has("deletionTimestamp");
    out.keep = annotation(metadata.texts("annotations"), "scale-down-disabled") == "true";
    if (out.name.empty()) object.error("missing", "metadata.name: expected the node's name");
    out.pool = pool_named_by(out.shape.labels);
    out.shape.gpu = gpu_of(out.shape.labels);
    out.shape.taints = read_taints(object.member("spec", "taints"));
    out.schedulable = !object.member("spec").flag("unschedulable");
    out.deleting = out.deleting || std::ranges::any_of(out.shape.taints, [](const taint& taint) {
                       return taint.key == "ToBeDeletedByClusterAutoscaler";
                   });
    out.shape.capacity = object.member("status").amounts("capacity");
    out.shape.allocatable = object.member("status").amounts("allocatable");
    if (out.shape.allocatable.empty())
        object.error("missing", "status.allocatable: expected what the node has for pods",
                     "read the nodes again with kubectl get nodes -o json");
    out.ready = is_ready(object);
    return out;
}

placed_pod read_kubernetes_pod(const value_reader& object) {
    placed_pod out;
    const value_reader metadata = object.member("metadata");
    const value_reader spec = object.member("spec");
    if (!metadata || !spec) {
        object.error("missing", "expected metadata and spec of a pod");
        return out;
    }
    const value_reader status = object.member("status");
    out.pod = pod_of(metadata, spec, status);
    if (out.pod.name.empty()) metadata.error("missing", "name: expected the pod's name");
    out.node = spec.text("nodeName");
    for (const value_reader gate : spec.member("schedulingGates").items()) append_item(out.gates, gate.text("name"));
    out.pod.phase = phase_of(status.text("phase"));
    out.nominated = status.text("nominatedNodeName");
    take_claim_names(status, out.pod.claims);
    return out;
}

pod_group read_pod_template(const value_reader& pod_template, const std::string& name, const std::string& name_space,
                            std::string kind) {
    pod_group out;
    const value_reader spec = pod_template.member("spec");
    if (!spec) {
        pod_template.error("missing", "spec: expected what the pods are");
        return out;
    }
    out.pod = pod_of(pod_template.member("metadata").or_else(pod_template), spec, {});
    out.pod.name = name;
    out.pod.name_space = name_space;
    out.pod.owner = controller{std::move(kind), name, {}, true, {}};
    out.name = full_name(out.pod);
    return out;
}

namespace {

// Returns the number of pods that a workload has yet to create.
std::int64_t missing_pods(const value_reader& object, const value_reader& spec, bool job) {
    std::int64_t out = spec.integer(job ? "parallelism" : "replicas", 1);
    if (job) out = std::min(out, spec.integer("completions", out));
    if (job && spec.flag("suspend")) return 0;
    const value_reader status = object.member("status");
    if (!status) return out;
    if (job && has_condition(object, {"Complete", "Failed"})) return 0;
    if (job && spec.has("completions"))
        out = std::min(out, subtract_saturating(spec.integer("completions"), status.integer("succeeded")));
    return std::max<std::int64_t>(0, subtract_saturating(out, status.integer(job ? "ready" : "readyReplicas")));
}

}  // namespace

bool has_condition(const value_reader& object, std::initializer_list<std::string_view> types) {
    for (const value_reader item : object.member("status", "conditions").items()) {
        if (item.text("status") == "True" && is_one_of(item.text("type"), {types.begin(), types.size()})) return true;
    }
    return false;
}

workload read_workload(const value_reader& object) {
    workload out;
    const value_reader metadata = object.member("metadata");
    const value_reader spec = object.member("spec");
    const value_reader pod_template = spec.member("template");
    if (!metadata || !pod_template.has("spec")) {
        object.error("missing", "expected metadata and spec.template.spec of what makes pods");
        return out;
    }
    pod_group& group = out.group;
    group.pod = pod_of(pod_template.member("metadata").or_else(metadata), pod_template.member("spec"), {});
    group.pod.name = metadata.text("name");
    group.pod.name_space = metadata.text("namespace", "default");
    group.pod.owner = controller{object.text("kind"), group.pod.name, metadata.text("uid"), true, {}};
    group.count = missing_pods(object, spec, group.pod.owner->kind == "Job");
    limit_count(group);
    group.name = full_name(group.pod);
    if (const auto owner = owner_of(metadata)) out.owner_uid = owner->uid;
    out.selector = read_selector(spec.member("selector"));
    return out;
}

namespace {

constexpr std::string_view zone_key = "topology.kubernetes.io/zone";
constexpr std::string_view region_key = "topology.kubernetes.io/region";

// Returns the label of nodes that a label of a volume is about; "": none.
std::string_view topology_key_of(std::string_view key) {
    if (key == zone_key || key == "failure-domain.beta.kubernetes.io/zone") return zone_key;
    if (key == region_key || key == "failure-domain.beta.kubernetes.io/region") return region_key;
    return {};
}

// Returns what a volume's labels ask of nodes; a node without any of these labels may have it.
// kubernetes/kubernetes pkg/scheduler/framework/plugins/volumezone.
std::vector<affinity_term> terms_of_labels(const text_map& labels) {
    affinity_term out;
    for (const auto& [key, value] : labels) {
        const std::string_view topology = topology_key_of(key);
        if (topology.empty()) continue;
        requirement zone{std::string(topology), "In", {}};
        for (std::string_view part : split(value, '_')) {  // "a__b" names two zones
            if (!part.empty()) zone.values.emplace_back(part);
        }
        out.labels.push_back(std::move(zone));
    }
    if (out.labels.empty()) return {};
    affinity_term without;
    for (const std::string_view key : {zone_key, region_key})
        without.labels.push_back({std::string(key), "DoesNotExist", {}});
    return {std::move(out), std::move(without)};
}

}  // namespace

std::vector<std::vector<affinity_term>> read_volume(const value_reader& object) {
    std::vector<std::vector<affinity_term>> out;
    if (auto terms = read_affinity(object.member("spec", "nodeAffinity", "required", "nodeSelectorTerms"),
                                   "matchExpressions", "matchFields"))
        out.push_back(*std::move(terms));
    std::vector<affinity_term> of_labels = terms_of_labels(object.member("metadata").texts("labels"));
    if (!of_labels.empty()) out.push_back(std::move(of_labels));
    return out;
}

disruption_budget read_budget(const value_reader& object) {
    disruption_budget out;
    if (const value_reader metadata = object.member("metadata")) {
        out.name = metadata.text("name");
        out.name_space = metadata.text("namespace", "default");
    }
    out.selector = read_selector(object.member("spec", "selector"));
    out.allowed = object.member("status").integer("disruptionsAllowed");
    return out;
}

bool covers(const disruption_budget& budget, const pod& pod) {
    return budget.name_space == pod.name_space && labels_match(budget.selector, pod.labels);
}

}  // namespace gputide::nodes
