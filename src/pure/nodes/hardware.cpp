#include "nodes/hardware.hpp"

#include "base/saturate.hpp"
#include "base/text.hpp"
#include "nodes/dra/device.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {

namespace {

constexpr std::string_view mig_prefix = "nvidia.com/mig-";
constexpr std::int64_t gigabyte = 1'000'000'000;
constexpr std::int64_t compute_slices = 7;
constexpr std::int64_t memory_slices = 8;

std::optional<std::int64_t> whole_number(std::string_view text) {
    const std::optional<std::int64_t> value = parse_int64(text);
    return value && *value > 0 ? value : std::nullopt;
}

// Returns a profile's part of the 8 memory slices: 1g 1, 2g 2, 3g and 4g 4, 7g 8; a 1g with more than an eighth has
// double memory.
std::int64_t memory_slices_of(const mig_profile& profile, std::int64_t gpu_memory_bytes) {
    if (profile.slices >= 7) return 8;
    if (profile.slices >= 3) return 4;
    if (profile.slices == 2) return 2;
    // 1g.10gb is a single slice of 80 GB and a double one of 40 GB; names round sizes up to whole gigabytes.
    const bool is_double = gpu_memory_bytes > 0 && profile.memory_bytes * 6 > gpu_memory_bytes;
    return is_double ? 2 : 1;
}

}  // namespace

std::optional<mig_profile> parse_mig_profile(std::string_view text) {
    for (const std::string_view media : {"+me", ".me"}) {
        if (text.ends_with(media)) text.remove_suffix(media.size());
    }
    const std::size_t dot = text.find("g.");
    if (dot == std::string_view::npos || !text.ends_with("gb")) return std::nullopt;
    const auto slices = whole_number(text.substr(0, dot));
    const auto gigabytes = whole_number(text.substr(dot + 2, text.size() - dot - 4));
    if (!slices || !gigabytes || *slices > compute_slices) return std::nullopt;
    return mig_profile{*slices, multiply_saturating(*gigabytes, gigabyte)};
}

std::optional<mig_profile> profile_of_resource(std::string_view resource_name) {
    if (!resource_name.starts_with(mig_prefix)) return std::nullopt;
    return parse_mig_profile(resource_name.substr(mig_prefix.size()));
}

std::int64_t max_instances(const mig_profile& profile, std::int64_t gpu_memory_bytes) {
    return std::min(compute_slices / profile.slices, memory_slices / memory_slices_of(profile, gpu_memory_bytes));
}

bool can_be_cut(std::span<const mig_count> profiles, std::int64_t gpu_memory_bytes) {
    std::int64_t compute = 0;
    std::int64_t memory = 0;
    for (const mig_count& count : profiles) {
        const std::optional<mig_profile> profile = parse_mig_profile(count.profile);
        if (!profile || count.count < 0) return false;
        compute = add_saturating(compute, multiply_saturating(profile->slices, count.count));
        memory = add_saturating(memory, multiply_saturating(memory_slices_of(*profile, gpu_memory_bytes), count.count));
    }
    return compute <= compute_slices && memory <= memory_slices;
}

resource_list advertised(const gpu_info& gpu) {
    resource_list out;
    const gpu_sharing& sharing = gpu.sharing;
    switch (sharing.strategy) {
        case sharing_strategy::none:
            out.set(gpu.resource, gpu.count);
            break;
        case sharing_strategy::time_slicing:
        case sharing_strategy::mps:
            out.set(gpu.resource + (sharing.rename ? ".shared" : ""), multiply_saturating(gpu.count, sharing.replicas));
            break;
        case sharing_strategy::mig_single: {
            std::int64_t instances = 0;
            for (const mig_count& profile : sharing.profiles) instances = add_saturating(instances, profile.count);
            out.set(gpu.resource, multiply_saturating(gpu.count, instances));
            break;
        }
        case sharing_strategy::mig_mixed: {
            const std::int64_t cut = std::clamp<std::int64_t>(sharing.mig_gpus.value_or(gpu.count), 0, gpu.count);
            for (const mig_count& profile : sharing.profiles) {
                // Device plugins write the media-engine variant 1g.10gb+me as 1g.10gb.me: names cannot have a '+'.
                std::string name = profile.profile;
                std::replace(name.begin(), name.end(), '+', '.');
                out.add(std::string(mig_prefix) + name, multiply_saturating(cut, profile.count));
            }
            if (cut < gpu.count) out.set(gpu.resource, gpu.count - cut);
            break;
        }
    }
    return out;
}

std::int64_t unit_memory_bytes(const gpu_info& gpu, std::string_view resource_name) {
    if (const std::optional<mig_profile> profile = profile_of_resource(resource_name)) return profile->memory_bytes;
    const gpu_sharing& sharing = gpu.sharing;
    if (sharing.strategy == sharing_strategy::mps && sharing.replicas > 0) return gpu.memory_bytes / sharing.replicas;
    if (sharing.strategy != sharing_strategy::mig_single || sharing.profiles.empty()) return gpu.memory_bytes;
    const std::optional<mig_profile> profile = parse_mig_profile(sharing.profiles.front().profile);
    return profile ? profile->memory_bytes : gpu.memory_bytes;
}

bool is_startup_taint(std::string_view key, const std::vector<std::string>& given) {
    return key.starts_with("startup-taint.cluster-autoscaler.kubernetes.io/") ||
           key.starts_with("ignore-taint.cluster-autoscaler.kubernetes.io/") ||
           std::ranges::find(given, key) != given.end();
}

namespace {

// kubernetes/autoscaler utils/taints/taints.go: taints of a node's life cycle do not belong to the pool.
bool is_passing(std::string_view key, const options& how) {
    static constexpr std::array<std::string_view, 6> passing{"ToBeDeletedByClusterAutoscaler",
                                                             "DeletionCandidateOfClusterAutoscaler",
                                                             "node.cloudprovider.kubernetes.io/uninitialized",
                                                             "node.cloudprovider.kubernetes.io/shutdown",
                                                             "cloud.google.com/impending-node-termination",
                                                             "NodeWithImpairedVolumes"};
    return is_one_of(key, passing) || key.starts_with("node.kubernetes.io/") ||
           key.starts_with("status-taint.cluster-autoscaler.kubernetes.io/") ||
           is_startup_taint(key, how.startup_taints) ||
           std::ranges::find(how.status_taints, key) != how.status_taints.end();
}

// Returns the node as a template of its pool: without the hostname label and temporary taints, with those of the options.
// Counts the requests of its DaemonSet and mirror pods as daemon_requests, because every node of the pool will have them.
node_shape template_of(const node& node, const options& how) {
    node_shape out = node.shape;
    out.labels.erase(std::string(hostname_key));
    out.devices_held = held_by_daemons(node);
    std::erase_if(out.taints, [&](const taint& taint) { return is_passing(taint.key, how); });
    for (const pod& each : node.pods) {
        if (each.deleted_ms || !each.goes_with_node()) continue;
        out.daemon_requests.add(each.placement.requests);
        out.daemon_requests.add(pods_name, 1);
    }
    return out;
}

}  // namespace

void complete_templates(std::vector<pool>& pools, std::span<const node> nodes, const options& how) {
    for (pool& pool : pools) {
        if (pool.shape) continue;
        const node* best = nullptr;
        for (const node& each : nodes) {
            const bool has_its_gpus =
                !has_gpu_label(each.shape) || each.shape.devices != nullptr || offers_gpu(each.shape.allocatable);
            if (each.pool != pool.id || each.deleting || !has_its_gpus) continue;
            const bool good = each.ready && each.schedulable;
            if (best == nullptr || good) best = &each;
            if (good) break;
        }
        if (best != nullptr) pool.shape = template_of(*best, how);
    }
}

// Sources: Azure's size pages (MicrosoftDocs/azure-compute-docs articles/virtual-machines/sizes/gpu-accelerated) for GPUs and
// their memory, kubernetes/autoscaler cloudprovider/azure/azure_instance_types.go (cluster-autoscaler-1.36.1) for vCPUs and
// memory; read 2026-07.  The K80 sizes are retired.

namespace {

constexpr std::array<node_size, 29> sizes{{
    {"Standard_NC4as_T4_v3", 1, "T4", 16, 4, 28},
    {"Standard_NC8as_T4_v3", 1, "T4", 16, 8, 56},
    {"Standard_NC16as_T4_v3", 1, "T4", 16, 16, 110},
    {"Standard_NC64as_T4_v3", 4, "T4", 16, 64, 440},
    {"Standard_NC6", 1, "K80", 12, 6, 56, nvidia_gpu_name, true},
    {"Standard_NC12", 2, "K80", 12, 12, 112, nvidia_gpu_name, true},
    {"Standard_NC24", 4, "K80", 12, 24, 224, nvidia_gpu_name, true},
    {"Standard_NC6s_v3", 1, "V100", 16, 6, 112},
    {"Standard_NC12s_v3", 2, "V100", 16, 12, 224},
    {"Standard_NC24s_v3", 4, "V100", 16, 24, 448},
    {"Standard_NC24rs_v3", 4, "V100", 16, 24, 448},
    {"Standard_ND40rs_v2", 8, "V100", 32, 40, 672},
    {"Standard_NC24ads_A100_v4", 1, "A100", 80, 24, 220},
    {"Standard_NC48ads_A100_v4", 2, "A100", 80, 48, 440},
    {"Standard_NC96ads_A100_v4", 4, "A100", 80, 96, 880},
    {"Standard_ND96asr_v4", 8, "A100", 40, 96, 900},
    {"Standard_ND96amsr_A100_v4", 8, "A100", 80, 96, 1800},
    {"Standard_NC40ads_H100_v5", 1, "H100", 94, 40, 320},
    {"Standard_NC80adis_H100_v5", 2, "H100", 94, 80, 640},
    {"Standard_NCC40ads_H100_v5", 1, "H100", 94, 40, 320},
    {"Standard_ND96isr_H100_v5", 8, "H100", 80, 96, 1900},
    {"Standard_ND96isr_H200_v5", 8, "H200", 141, 96, 1850},
    {"Standard_ND96isr_MI300X_v5", 8, "MI300X", 192, 96, 1850, "amd.com/gpu"},
    {"Standard_NV36ads_A10_v5", 1, "A10", 24, 36, 440},
    {"Standard_NV36adms_A10_v5", 1, "A10", 24, 36, 880},
    {"Standard_NV72ads_A10_v5", 2, "A10", 24, 72, 880},
    // A fraction of an A10 is shown as one GPU with that fraction of its memory.
    {"Standard_NV6ads_A10_v5", 1, "A10", 4, 6, 55},
    {"Standard_NV12ads_A10_v5", 1, "A10", 8, 12, 110},
    {"Standard_NV18ads_A10_v5", 1, "A10", 12, 18, 220},
}};

constexpr std::int64_t pods_per_node = 110;
// AKS gives a node an OS disk of 128 GiB by default (osDiskSizeGB), and of more for larger sizes.
constexpr std::string_view storage_name = "ephemeral-storage";
constexpr std::int64_t default_os_disk_bytes = 128LL << 30;

}  // namespace

std::span<const node_size> known_sizes() { return sizes; }

const node_size* find_size(std::string_view name) {
    const auto at =
        std::ranges::find_if(sizes, [&](const node_size& size) { return equal_ignoring_case(size.name, name); });
    return at != sizes.end() ? &*at : nullptr;
}

void add_size(const node_size& size, node_shape& shape) {
    shape.allocatable.set(cpu_name, std::int64_t{size.cpus} * 1000);
    shape.allocatable.set(memory_name, std::int64_t{size.memory_gib} << 30);
    shape.allocatable.set(pods_name, pods_per_node);
    if (!shape.allocatable.lists(storage_name)) shape.allocatable.set(storage_name, default_os_disk_bytes);
    if (!shape.gpu) shape.gpu.emplace();
    gpu_info& gpu = *shape.gpu;
    if (gpu.model.empty()) gpu.model = size.model;
    if (gpu.memory_bytes == 0) gpu.memory_bytes = std::int64_t{size.memory_gb} * 1'000'000'000;
    if (gpu.count == 0) gpu.count = size.gpus;
    if (gpu.resource == nvidia_gpu_name) gpu.resource = size.resource;
    for (const resource& each : advertised(gpu)) shape.allocatable.set(each.name, each.amount);
    shape.labels.try_emplace("kubernetes.azure.com/accelerator", size.resource == nvidia_gpu_name ? "nvidia" : "amd");
}

}  // namespace gputide::nodes
