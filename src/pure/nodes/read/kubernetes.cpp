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
    const auto found = all.find(std::string(autoscaler_prefix) + std::string(name));
    return found != all.end() ? found->second : std::string();
}

const std::string* label_of(const text_map& labels, std::string_view name) {
    const auto found = labels.find(std::string(name));
    return found != labels.end() ? &found->second : nullptr;
}

std::int64_t number_of(const text_map& labels, std::string_view name) {
    const std::string* const text = label_of(labels, name);
    return text != nullptr ? std::max<std::int64_t>(0, parse_int64(*text).value_or(0)) : 0;
}

// Reads the labels of NVIDIA's feature discovery (NVIDIA/k8s-device-plugin docs/gpu-feature-discovery): memory in MiB,
// per GPU or, if all of them are partitioned alike, per slice.
std::optional<gpu_info> gpu_of(const text_map& labels) {
    const std::string* const product = label_of(labels, "nvidia.com/gpu.product");
    if (product == nullptr) return std::nullopt;
    gpu_info out;
    out.model = *product;
    out.memory_bytes = number_of(labels, "nvidia.com/gpu.memory") << 20;
    out.count = number_of(labels, "nvidia.com/gpu.count");
    out.sharing.replicas = std::max<std::int64_t>(1, number_of(labels, "nvidia.com/gpu.replicas"));
    const std::string* const strategy = label_of(labels, "nvidia.com/gpu.sharing-strategy");
    if (strategy != nullptr && *strategy == "mps") out.sharing.strategy = sharing_strategy::mps;
    if (strategy != nullptr && *strategy == "time-slicing") out.sharing.strategy = sharing_strategy::time_slicing;
    const std::size_t mig = out.model.find("-MIG-");
    if (mig != std::string::npos) {
        out.sharing.strategy = sharing_strategy::mig_single;
        out.sharing.profiles.push_back({out.model.substr(mig + 5), 1});
        out.model.resize(mig);
    }
    return out;
}

bool is_ready(const value_reader& object) {
    const auto conditions = object.member("status", "conditions");
    if (!conditions) return false;
    for (const value_reader& item : conditions->items()) {
        if (item.text("type") == "Ready") return item.text("status") == "True";
    }
    return false;
}

// A missing request equals the limit, as the API server sets it.
resource_list container_requests(const value_reader& container) {
    resource_list out;
    if (const auto resources = container.member("resources")) {
        out = resources->amounts("limits");
        for (const resource& resource : resources->amounts("requests")) out.set(resource.name, resource.amount);
    }
    return out;
}

// Returns max( containers + sidecars, over init containers: its own + the sidecars declared before it ), plus the
// overhead.
// kubernetes/kubernetes pkg/api/v1/resource/helpers.go; a sidecar is an init container with restartPolicy Always.
resource_list effective_requests(const value_reader& spec) {
    resource_list sum;
    if (const auto list = spec.member("containers")) {
        for (const value_reader& item : list->items()) sum.add(container_requests(item));
    }
    resource_list sidecars;
    resource_list largest;
    if (const auto list = spec.member("initContainers")) {
        for (const value_reader& item : list->items()) {
            resource_list own = container_requests(item);
            if (item.text("restartPolicy") == "Always") {
                sidecars.add(own);
            } else {
                own.add(sidecars);
                largest.raise_to(own);
            }
        }
    }
    sum.add(sidecars);
    sum.raise_to(largest);
    sum.add(spec.amounts("overhead"));
    return sum;
}

std::vector<host_port> host_ports(const value_reader& spec) {
    std::vector<host_port> out;
    const auto containers = spec.member("containers");
    if (!containers) return out;
    for (const value_reader& container : containers->items()) {
        const auto ports = container.member("ports");
        if (!ports) continue;
        for (const value_reader& item : ports->items()) {
            const std::int64_t port = item.integer("hostPort");
            if (port > 0 && port <= 65535)
                out.push_back({static_cast<std::int32_t>(port), item.text("protocol", "TCP"), item.text("hostIP")});
        }
    }
    return out;
}

placement placement_of(const value_reader& spec) {
    placement out;
    out.requests = effective_requests(spec);
    out.node_selector = spec.texts("nodeSelector");
    if (const auto terms = spec.member("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                                       "nodeSelectorTerms"))
        out.node_affinity = read_terms(*terms, "matchExpressions", "matchFields");
    if (const auto list = spec.member("tolerations")) out.tolerations = read_tolerations(*list);
    out.ports = host_ports(spec);
    out.spread = spec.has("topologySpreadConstraints") || spec.member("affinity", "podAntiAffinity").has_value() ||
                 spec.member("affinity", "podAffinity").has_value();
    return out;
}

std::optional<controller> owner_of(const value_reader& metadata) {
    const auto list = metadata.member("ownerReferences");
    if (!list) return std::nullopt;
    for (const value_reader& item : list->items()) {
        if (item.flag("controller"))
            return controller{item.text("kind"), item.text("name"), item.text("uid"), true, {}};
    }
    return std::nullopt;
}

// Tells whether a volume's content would be lost, unless the annotation names it.
bool has_local_storage(const value_reader& spec, const text_map& annotations) {
    const auto volumes = spec.member("volumes");
    if (!volumes) return false;
    const std::string names = annotation(annotations, "safe-to-evict-local-volumes");
    const std::vector<std::string_view> safe = split(names, ',');
    for (const value_reader& item : volumes->items()) {
        const auto empty_dir = item.member("emptyDir");
        const bool lost = item.has("hostPath") || (empty_dir && empty_dir->text("medium") != "Memory");
        if (lost && std::find(safe.begin(), safe.end(), item.text("name")) == safe.end()) return true;
    }
    return false;
}

phase phase_of(const std::string& text) {
    if (text == "Running") return phase::running;
    if (text == "Succeeded") return phase::succeeded;
    if (text == "Failed") return phase::failed;
    return text == "Pending" || text.empty() ? phase::pending : phase::unknown;
}

pod pod_of(const value_reader& metadata, const value_reader& spec) {
    pod out;
    const text_map annotations = metadata.texts("annotations");
    out.name = metadata.text("name");
    out.name_space = metadata.text("namespace", "default");
    out.labels = metadata.texts("labels");
    out.owner = owner_of(metadata);
    out.created_ms = metadata.time_ms("creationTimestamp");
    out.deleted_ms = metadata.time_ms("deletionTimestamp");
    out.placement = placement_of(spec);
    if (const auto priority = spec.member("priority"))
        out.priority = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(priority->signed_integer().value_or(0), INT32_MIN, INT32_MAX));
    out.grace_ms = multiply_saturating(spec.integer("terminationGracePeriodSeconds", 30), 1000);
    out.mirror = annotations.contains("kubernetes.io/config.mirror");
    out.safe_to_evict = annotation(annotations, "safe-to-evict");
    out.scale_up_delay_ms = parse_go_duration_ms(annotation(annotations, "pod-scale-up-delay")).value_or(0);
    out.local_storage = has_local_storage(spec, annotations);
    return out;
}

}  // namespace

node read_kubernetes_node(const value_reader& object) {
    node out;
    const auto metadata = object.member("metadata");
    if (metadata) {
        out.name = metadata->text("name");
        out.shape.labels = metadata->texts("labels");
        out.created_ms = metadata->time_ms("creationTimestamp");
        out.deleting = metadata->has("deletionTimestamp");
        out.keep = annotation(metadata->texts("annotations"), "scale-down-disabled") == "true";
    }
    if (out.name.empty()) object.error("missing", "metadata.name: expected the node's name");
    out.pool = pool_named_by(out.shape.labels);
    out.shape.gpu = gpu_of(out.shape.labels);
    if (const auto list = object.member("spec", "taints")) out.shape.taints = read_taints(*list);
    if (const auto spec = object.member("spec")) out.schedulable = !spec->flag("unschedulable");
    out.deleting =
        out.deleting || std::any_of(out.shape.taints.begin(), out.shape.taints.end(),
                                    [](const taint& taint) { return taint.key == "ToBeDeletedByClusterAutoscaler"; });
    const auto status = object.member("status");
    if (status) {
        out.shape.capacity = status->amounts("capacity");
        out.shape.allocatable = status->amounts("allocatable");
    }
    if (out.shape.allocatable.empty())
        object.error("missing", "status.allocatable: expected what the node has for pods",
                     "read the nodes again with kubectl get nodes -o json");
    out.ready = is_ready(object);
    return out;
}

placed_pod read_kubernetes_pod(const value_reader& object) {
    placed_pod out;
    const auto metadata = object.member("metadata");
    const auto spec = object.member("spec");
    if (!metadata || !spec) {
        object.error("missing", "expected metadata and spec of a pod");
        return out;
    }
    out.pod = pod_of(*metadata, *spec);
    if (out.pod.name.empty()) metadata->error("missing", "name: expected the pod's name");
    out.node = spec->text("nodeName");
    out.gated = spec->has("schedulingGates") && !spec->member("schedulingGates")->items().empty();
    if (const auto status = object.member("status")) out.pod.phase = phase_of(status->text("phase"));
    return out;
}

pod_group read_workload(const value_reader& object) {
    pod_group out;
    const auto metadata = object.member("metadata");
    const auto spec = object.member("spec");
    const auto template_spec = object.member("spec", "template", "spec");
    if (!metadata || !template_spec) {
        object.error("missing", "expected metadata and spec.template.spec of what makes pods");
        return out;
    }
    const auto template_metadata = object.member("spec", "template", "metadata");
    out.pod = pod_of(template_metadata.value_or(*metadata), *template_spec);
    out.pod.name = metadata->text("name");
    out.pod.name_space = metadata->text("namespace", "default");
    out.pod.owner = controller{object.text("kind"), out.pod.name, metadata->text("uid"), true, {}};
    const bool job = out.pod.owner->kind == "Job";
    out.count = spec->integer(job ? "parallelism" : "replicas", 1);
    if (job) out.count = std::min(out.count, spec->integer("completions", out.count));
    out.name = full_name(out.pod);
    return out;
}

disruption_budget read_budget(const value_reader& object) {
    disruption_budget out;
    if (const auto metadata = object.member("metadata")) {
        out.name = metadata->text("name");
        out.name_space = metadata->text("namespace", "default");
    }
    if (const auto selector = object.member("spec", "selector")) {
        for (const auto& [key, value] : selector->texts("matchLabels")) out.selector.push_back({key, "In", {value}});
        if (const auto list = selector->member("matchExpressions")) {
            for (const value_reader& item : list->items())
                out.selector.push_back({item.text("key"), item.text("operator"), item.words("values")});
        }
    }
    if (const auto status = object.member("status")) out.allowed = status->integer("disruptionsAllowed");
    return out;
}

bool covers(const disruption_budget& budget, const pod& pod) {
    return budget.name_space == pod.name_space &&
           std::all_of(budget.selector.begin(), budget.selector.end(), [&](const requirement& each) {
               const auto found = pod.labels.find(each.key);
               return requirement_holds(each, found != pod.labels.end() ? &found->second : nullptr);
           });
}

}  // namespace gputide::nodes
