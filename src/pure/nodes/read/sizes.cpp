// Sources: Azure's size pages (MicrosoftDocs/azure-compute-docs articles/virtual-machines/sizes/gpu-accelerated) for GPUs and
// their memory, kubernetes/autoscaler cloudprovider/azure/azure_instance_types.go (cluster-autoscaler-1.36.1) for vCPUs and
// memory; read 2026-07.  The K80 sizes are retired.
#include "nodes/read/sizes.hpp"

#include "base/text.hpp"
#include "nodes/sharing.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::array<node_size, 26> sizes{{
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
}};

// A fraction of an A10 is shown as one GPU with that fraction of its memory.
constexpr std::array<node_size, 3> size_parts{{
    {"Standard_NV6ads_A10_v5", 1, "A10", 4, 6, 55},
    {"Standard_NV12ads_A10_v5", 1, "A10", 8, 12, 110},
    {"Standard_NV18ads_A10_v5", 1, "A10", 12, 18, 220},
}};

constexpr auto all_sizes = [] {
    std::array<node_size, sizes.size() + size_parts.size()> out{};
    std::copy(size_parts.begin(), size_parts.end(), std::copy(sizes.begin(), sizes.end(), out.begin()));
    return out;
}();

constexpr std::int64_t pods_per_node = 110;

}  // namespace

std::span<const node_size> known_sizes() { return all_sizes; }

const node_size* find_size(std::string_view name) {
    const auto at = std::find_if(all_sizes.begin(), all_sizes.end(),
                                 [&](const node_size& size) { return equal_ignoring_case(size.name, name); });
    return at != all_sizes.end() ? &*at : nullptr;
}

void add_size(const node_size& size, node_shape& shape) {
    shape.allocatable.set(cpu_name, std::int64_t{size.cpus} * 1000);
    shape.allocatable.set(memory_name, std::int64_t{size.memory_gib} << 30);
    shape.allocatable.set(pods_name, pods_per_node);
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
