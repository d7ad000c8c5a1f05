#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/hardware.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

// ARM puts the members that az prints at the top level into `properties`.
value_reader properties_of(const value_reader& object) { return object.member("properties").or_else(object); }

struct gpu_profile {
    std::string_view name;
    std::int32_t slices;         // of 7, of compute
    std::int32_t memory_slices;  // of 8
    std::int32_t instances;      // on one GPU
};

// NVIDIA/mig-parted examples/config.yaml; AKS has one profile for all GPUs of a pool.
constexpr std::array<gpu_profile, 5> gpu_profiles{
    {{"MIG1g", 1, 1, 7}, {"MIG2g", 2, 2, 3}, {"MIG3g", 3, 4, 2}, {"MIG4g", 4, 4, 1}, {"MIG7g", 7, 8, 1}}};

// Returns the profile: MIG1g on a GPU of 80 GB → 1g.10gb; 94 GB → 1g.12gb: eighths, rounded.
std::string profile_name(const gpu_profile& profile, std::int32_t memory_gb) {
    return format_text("{}g.{}gb", profile.slices, (memory_gb * profile.memory_slices + 4) / 8);
}

void take_gpu_profile(const value_reader& reader, const node_size& size, node_shape& shape) {
    const std::string written = reader.text("gpuInstanceProfile");
    if (written.empty()) return;
    const auto* const known = std::ranges::find_if(
        gpu_profiles, [&](const gpu_profile& profile) { return equal_ignoring_case(profile.name, written); });
    if (known == gpu_profiles.end())
        return reader.error("mig-profile",
                            format_text("gpuInstanceProfile: expected MIG1g, MIG2g, MIG3g, MIG4g or MIG7g, got {}",
                                        in_quotes(written)));
    shape.gpu.emplace();
    shape.gpu->sharing.strategy = sharing_strategy::mig_single;
    shape.gpu->sharing.profiles.push_back({profile_name(*known, size.memory_gb), known->instances});
    reader.note("mig-strategy",
                "its slices are planned as nvidia.com/gpu, as the device plugin's strategy single shows them",
                "write the pool yourself with strategy mig-mixed where yours is mixed");
}

void take_size(const value_reader& reader, pool& pool) {
    const node_size* const known = find_size(pool.sku);
    if (known == nullptr) {
        return reader.note("unknown-sku",
                           format_text("vmSize: {} is not in the table of GPU sizes; one of its nodes is its template",
                                       in_quotes(pool.sku)),
                           "list the cluster's nodes too");
    }
    node_shape shape;
    shape.labels = reader.texts("nodeLabels");
    for (const std::string_view name : {"agentpool", "kubernetes.azure.com/agentpool"})
        shape.labels.insert_or_assign(std::string(name), pool.id);
    shape.labels.insert_or_assign("node.kubernetes.io/instance-type", pool.sku);
    for (const std::string& text : reader.words("nodeTaints")) {
        if (std::optional<taint> value = parse_taint(text)) {
            shape.taints.push_back(*std::move(value));
        } else {
            reader.error("taint", format_text("nodeTaints: expected key=value:effect, got {}", in_quotes(text)));
        }
    }
    take_gpu_profile(reader, *known, shape);
    if (const std::int64_t disk_gib = reader.integer("osDiskSizeGB"); disk_gib > 0)
        shape.allocatable.set("ephemeral-storage", std::min<std::int64_t>(disk_gib, 1 << 20) << 30);
    add_size(*known, shape);
    pool.shape = std::move(shape);
}

void take_bounds(const value_reader& reader, pool& pool) {
    pool.size = reader.integer("count");
    if (!reader.flag("enableAutoScaling")) {
        pool.min = pool.max = pool.size;
        return reader.note(
            "fixed-count", format_text("the autoscaler of {} is off: the plan leaves its count as it is", pool.id),
            "az aks nodepool update --enable-cluster-autoscaler, or write the pool with a max of your own");
    }
    pool.min = reader.integer("minCount");
    pool.max = reader.integer("maxCount");
    if (pool.min > pool.max)
        reader.error("min-above-max", format_text("minCount {} is above maxCount {}", pool.min, pool.max),
                     "swap them or raise maxCount");
}

}  // namespace

bool is_agent_pool(const value_reader& object) { return properties_of(object).has("vmSize"); }

bool is_managed_cluster(const value_reader& object) { return properties_of(object).has("agentPoolProfiles"); }

pool read_agent_pool(const value_reader& object) {
    const value_reader reader = properties_of(object);
    pool out;
    out.id = object.text("name", reader.text("name"));
    if (out.id.empty()) object.error("missing", "name: expected the agent pool's name");
    out.sku = reader.text("vmSize");
    take_bounds(reader, out);
    take_size(reader, out);
    return out;
}

std::optional<taint> parse_taint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
    const std::string_view pair = text.substr(0, colon);
    const std::size_t equals = pair.find('=');
    if (equals == 0) return std::nullopt;
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    return taint{std::string(pair.substr(0, equals)), std::string(value), std::string(text.substr(colon + 1))};
}

}  // namespace gputide::nodes
