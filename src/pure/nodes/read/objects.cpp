#include "nodes/read/objects.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/hardware.hpp"
#include "nodes/read/devices.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::int64_t max_pods_of_group = 10'000'000;
constexpr std::int64_t max_nodes_of_pool = 100'000;
constexpr double ms_per_s = 1000.0;

std::vector<host_port> read_ports(const value_reader& list) {
    std::vector<host_port> out;
    for (const value_reader item : list.items()) {
        host_port port;
        if (item.is_mapping()) {
            item.only({"port", "protocol", "address"});
            port = {static_cast<std::int32_t>(item.integer("port")), item.text("protocol", "TCP"),
                    item.text("address")};
        } else {
            port.port = static_cast<std::int32_t>(item.signed_integer().value_or(0));
        }
        if (port.port < 1 || port.port > 65535) item.error("port", "expected a port from 1 to 65535");
        out.push_back(std::move(port));
    }
    return out;
}

placement read_placement(const value_reader& reader) {
    placement out;
    out.requests = reader.amounts("requests");
    out.node_selector = reader.texts("node_selector");
    out.node_affinity = read_affinity(reader.member("node_affinity"), "match_expressions", "match_fields");
    out.tolerations = read_tolerations(reader.member("tolerations"));
    out.gpu_models = reader.words("gpu_models");
    out.gpu_memory_min_bytes = reader.integer("gpu_memory_min_bytes");
    out.ports = read_ports(reader.member("ports"));
    if (reader.flag("spread"))
        out.unmodeled.emplace_back("its spread over nodes is not described; Kubernetes' own Pods are read with theirs");
    return out;
}

phase read_phase(const value_reader& reader, phase otherwise) {
    static constexpr std::array<std::string_view, 5> names{"Pending", "Running", "Succeeded", "Failed", "Unknown"};
    const std::string text = reader.text("phase");
    if (text.empty()) return otherwise;
    const std::optional<std::size_t> read = reader.choice("phase", text, names, "phase");
    return read ? static_cast<phase>(*read) : otherwise;
}

// A text names the kind; without one the pod is assumed to belong to a ReplicaSet, and null means without a controller.
std::optional<controller> read_owner(const value_reader& pod) {
    if (pod.tree().find("owner") == nullptr) return controller{"ReplicaSet", {}, {}, true, {}};
    const value_reader owner = pod.member("owner");
    if (!owner) return std::nullopt;
    if (!owner.is_mapping()) return controller{owner.own_text().value_or(""), {}, {}, true, {}};
    owner.only({"kind", "name", "uid", "found", "replicas"});
    controller out{
        owner.text("kind", "ReplicaSet"), owner.text("name"), owner.text("uid"), owner.flag("found", true), {}};
    if (owner.has("replicas")) out.replicas = owner.integer("replicas");
    return out;
}

sharing_strategy read_strategy(const value_reader& reader) {
    static constexpr std::array<std::string_view, 5> names{"none", "time-slicing", "mps", "mig-single", "mig-mixed"};
    return static_cast<sharing_strategy>(
        reader.choice("strategy", reader.text("strategy", names[0]), names, "sharing").value_or(0));
}

void check_profiles(const value_reader& reader, const gpu_info& gpu) {
    for (const mig_count& profile : gpu.sharing.profiles) {
        if (profile.profile.empty()) return;  // a number of instances without details
        if (!parse_mig_profile(profile.profile))
            reader.error("mig-profile",
                         format_text("expected a MIG profile such as 1g.10gb, got {}", in_quotes(profile.profile)));
    }
    if (!can_be_cut(gpu.sharing.profiles, gpu.memory_bytes))
        reader.warning("mig-profile", "these profiles need more than the 7 compute or 8 memory slices of one GPU");
}

// Reads "profiles": {"1g.10gb": 7}, or "profile": "1g.10gb" with the maximum of instances, or "instances" of them.
gpu_sharing read_sharing(const value_reader& reader, const gpu_info& gpu) {
    reader.only({"strategy", "replicas", "rename", "profiles", "profile", "instances", "mig_gpus"});
    gpu_sharing out;
    out.strategy = read_strategy(reader);
    out.replicas = std::max<std::int64_t>(1, reader.integer("replicas", 1));
    out.rename = reader.flag("rename");
    for (const value_reader count : reader.member("profiles").members())
        out.profiles.push_back({std::string(count.name()), count.own_integer()});
    if (const std::string profile = reader.text("profile"); !profile.empty()) {
        const std::optional<mig_profile> known = parse_mig_profile(profile);
        out.profiles.push_back(
            {profile, reader.integer("instances", known ? max_instances(*known, gpu.memory_bytes) : 0)});
    }
    if (out.profiles.empty() && reader.has("instances")) out.profiles.push_back({{}, reader.integer("instances")});
    if (reader.has("mig_gpus")) out.mig_gpus = reader.integer("mig_gpus");
    return out;
}

gpu_info read_gpu(const value_reader& reader) {
    reader.only({"model", "memory_bytes", "count", "resource", "sharing"});
    gpu_info out;
    out.model = reader.text("model");
    out.memory_bytes = reader.integer("memory_bytes");
    out.count = reader.integer("count");
    out.resource = reader.text("resource", nvidia_gpu_name);
    if (const value_reader sharing = reader.member("sharing")) {
        out.sharing = read_sharing(sharing, out);
        check_profiles(sharing, out);
    }
    return out;
}

// Adds the resources that the GPU configuration implies, if allocatable has no GPU.
void add_advertised(node_shape& shape) {
    if (!shape.gpu || gpu_count(shape.allocatable) > 0) return;
    for (const resource& resource : advertised(*shape.gpu)) {
        shape.allocatable.set(resource.name, resource.amount);
        if (!shape.capacity.empty()) shape.capacity.set(resource.name, resource.amount);
    }
}

node_shape read_shape(const value_reader& reader) {
    node_shape out;
    out.labels = reader.texts("labels");
    out.taints = read_taints(reader.member("taints"));
    out.capacity = reader.amounts("capacity");
    out.allocatable = reader.has("allocatable") ? reader.amounts("allocatable") : out.capacity;
    out.daemon_requests = reader.amounts("daemon_requests");
    if (const std::int64_t cpu = out.allocatable.of(cpu_name); cpu > 0 && cpu < 1000)
        reader.warning("small-node",
                       format_text("a bare number of cpu is millicores: its nodes have {}", amount_text(cpu_name, cpu)),
                       "quote a quantity such as \"4\", or write 4000");
    if (const value_reader gpu = reader.member("gpu")) out.gpu = read_gpu(gpu);
    out.devices = read_own_slices(reader.member("resource_slices"));
    return out;
}

}  // namespace

std::vector<toleration> read_tolerations(const value_reader& list) {
    std::vector<toleration> out;
    for (const value_reader item : list.items())
        out.push_back({item.text("key"), item.text("operator"), item.text("value"), item.text("effect")});
    return out;
}

std::vector<taint> read_taints(const value_reader& list) {
    std::vector<taint> out;
    for (const value_reader item : list.items())
        out.push_back({item.text("key"), item.text("value"), item.text("effect", "NoSchedule")});
    return out;
}

std::vector<requirement> read_requirements(const value_reader& list) {
    std::vector<requirement> out;
    for (const value_reader item : list.items())
        out.push_back({item.text("key"), item.text("operator"), item.words("values")});
    return out;
}

std::optional<std::vector<affinity_term>> read_affinity(const value_reader& list, std::string_view expressions,
                                                        std::string_view fields) {
    if (!list) return std::nullopt;
    std::vector<affinity_term> out;
    for (const value_reader item : list.items())
        out.push_back({read_requirements(item.member(expressions)), read_requirements(item.member(fields))});
    return out;
}

std::int32_t read_priority(const value_reader& owner) {
    const std::int64_t read = owner.member("priority").signed_integer().value_or(0);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(read, INT32_MIN, INT32_MAX));
}

pod read_pod(const value_reader& reader) {
    reader.only({"name",
                 "namespace",
                 "node",
                 "labels",
                 "requests",
                 "node_selector",
                 "node_affinity",
                 "tolerations",
                 "gpu_models",
                 "gpu_memory_min_bytes",
                 "ports",
                 "spread",
                 "owner",
                 "phase",
                 "priority",
                 "created_ms",
                 "deleted_ms",
                 "grace_ms",
                 "scale_up_delay_ms",
                 "mirror",
                 "local_storage",
                 "safe_to_evict",
                 "budgets",
                 "gang"});
    pod out;
    out.name = reader.text("name");
    out.name_space = reader.text("namespace");
    out.placement = read_placement(reader);
    out.labels = reader.texts("labels");
    out.owner = read_owner(reader);
    out.phase = read_phase(reader, reader.has("node") ? phase::running : phase::pending);
    out.priority = read_priority(reader);
    out.created_ms = reader.time_ms("created_ms");
    out.deleted_ms = reader.time_ms("deleted_ms");
    out.grace_ms = reader.integer("grace_ms", out.grace_ms);
    out.scale_up_delay_ms = reader.integer("scale_up_delay_ms");
    out.mirror = reader.flag("mirror");
    out.local_storage = reader.flag("local_storage");
    out.safe_to_evict = reader.text("safe_to_evict");
    out.budgets = reader.words("budgets");
    out.gang = reader.text("gang");
    return out;
}

void limit_count(pod_group& group) {
    if (group.count <= max_pods_of_group) return;
    group.count = max_pods_of_group;
    group.pod.placement.unmodeled.push_back(format_text("it stands for more than {} pods", max_pods_of_group));
}

pod_group read_group(const value_reader& reader) {
    reader.only({"name", "count", "pod"});
    pod_group out;
    out.name = reader.text("name");
    out.count = reader.integer("count", 1);
    if (out.count > max_pods_of_group)
        reader.error("too-many", format_text("a group has at most {} pods, got {}", max_pods_of_group, out.count));
    if (const value_reader entry = reader.member("pod")) {
        out.pod = read_pod(entry);
    } else {
        reader.error("missing", "pod: expected the group's pod", "write what each of its pods asks for");
    }
    if (out.name.empty()) out.name = full_name(out.pod);
    return out;
}

node read_node(const value_reader& reader) {
    reader.only({"name", "pool", "labels", "taints", "capacity", "allocatable", "gpu", "resource_slices", "ready",
                 "schedulable", "deleting", "suspended", "keep", "created_ms", "gpu_utilization_percent", "pods"});
    node out;
    out.name = reader.text("name");
    if (out.name.empty()) reader.error("missing", "name: expected the node's name");
    out.pool = reader.text("pool");
    out.shape = read_shape(reader);
    out.shape.labels.try_emplace(std::string(hostname_key), out.name);  // as the kubelet adds it
    if (out.shape.allocatable.empty())
        reader.error("missing", "allocatable: expected what the node has for pods", "write cpu, memory and GPUs");
    out.ready = reader.flag("ready", true);
    out.schedulable = reader.flag("schedulable", true);
    out.deleting = reader.flag("deleting");
    out.suspended = reader.flag("suspended");
    out.keep = reader.flag("keep");
    // As the node controller taints it.
    if (!out.ready) out.shape.taints.push_back({"node.kubernetes.io/not-ready", "", "NoSchedule"});
    out.created_ms = reader.time_ms("created_ms");
    out.gpu_utilization_percent = reader.number("gpu_utilization_percent");
    for (const value_reader item : reader.member("pods").items()) {
        out.pods.push_back(read_pod(item));
        if (!item.has("phase")) out.pods.back().phase = phase::running;
    }
    return out;
}

pool read_pool(const value_reader& reader) {
    reader.only({"id", "sku", "size", "min", "max", "price_per_hour", "delay_s", "labels", "taints", "capacity",
                 "allocatable", "daemon_requests", "gpu", "resource_slices", "backoff", "unhealthy", "exists",
                 "all_or_zero"});
    pool out;
    out.id = reader.text("id");
    if (out.id.empty()) reader.error("missing", "id: expected the pool's name");
    out.sku = reader.text("sku");
    out.size = reader.integer("size");
    out.min = reader.integer("min");
    out.max = reader.integer("max", out.size);
    if (out.min > out.max)
        reader.error("min-above-max", format_text("min {} is above max {}", out.min, out.max),
                     "swap them or raise max");
    if (out.max > max_nodes_of_pool || out.size > max_nodes_of_pool)
        reader.error("too-many", format_text("a pool has at most {} nodes", max_nodes_of_pool));
    out.price_per_hour = reader.number("price_per_hour");
    if (const auto delay_s = reader.number("delay_s"))
        out.delay_ms = static_cast<std::int64_t>(std::min(*delay_s, 1e9) * ms_per_s);
    node_shape shape = read_shape(reader);
    const bool described = !shape.allocatable.empty();
    if (!described && !out.sku.empty()) {
        if (const node_size* const known = find_size(out.sku)) {
            add_size(*known, shape);
        } else {
            reader.warning("unknown-sku", format_text("sku: {} is not in the table of sizes", in_quotes(out.sku)),
                           "write the pool's allocatable, or list one of its nodes");
        }
    }
    if (!shape.allocatable.empty()) {
        add_advertised(shape);  // for templates only: an existing node lists its own resources
        out.shape = std::move(shape);
    }
    out.backed_off = reader.flag("backoff");
    out.unhealthy = reader.flag("unhealthy");
    out.exists = reader.flag("exists", true);
    out.all_or_zero = reader.flag("all_or_zero");
    return out;
}

}  // namespace gputide::nodes
