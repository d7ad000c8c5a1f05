// Reads the pools of providers: Karpenter's NodePools, and the agent pools of AKS.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/fit.hpp"
#include "nodes/hardware.hpp"
#include "nodes/read/objects.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace gputide::nodes {
namespace {

constexpr std::string_view azure_prefix = "karpenter.azure.com/";
constexpr std::int64_t max_nodes_of_size = 100'000;  // of a size without a limit

std::string pool_id(const std::string& name, std::string_view size) { return name + "/" + std::string(size); }

// Parses "Standard_NC40ads_H100_v5": family N, version 5.
std::string version_of(std::string_view size) {
    const std::size_t at = size.rfind("_v");
    return at == std::string_view::npos ? "1" : std::string(size.substr(at + 2));
}

// Adds the labels that the provider writes on a node of that size.
text_map labels_of(const node_size& size) {
    const auto azure = [](std::string_view name) { return std::string(azure_prefix) + std::string(name); };
    return {{std::string(size_key), std::string(size.name)},
            {"kubernetes.io/arch", "amd64"},
            {"kubernetes.io/os", "linux"},
            {azure("sku-name"), std::string(size.name)},
            {azure("sku-family"), "N"},
            {azure("sku-version"), version_of(size.name)},
            {azure("sku-cpu"), std::to_string(size.cpus)},
            {azure("sku-memory"), std::to_string(size.memory_gib * 1024)},
            {azure("sku-gpu-name"), std::string(size.model)},
            {azure("sku-gpu-manufacturer"), size.resource == nvidia_gpu_name ? "nvidia" : "amd"},
            {azure("sku-gpu-count"), std::to_string(size.gpus)}};
}

// Applies a requirement: for a property of sizes it is a filter; for another key, one value is a label of the nodes,
// and several leave the label open.
void take_requirement(const value_reader& reader, const requirement& requirement, node_pool& node_pool) {
    if (requirement.op == "In" && requirement.values.size() == 1) {
        node_pool.shape.labels[requirement.key] = requirement.values.front();
    } else if (requirement.op == "In" && requirement.values.size() > 1) {
        reader.note("open-requirement",
                    format_text("{} has several values: pods that ask for one of them find none in this plan",
                                requirement.key));
    }
}

std::vector<requirement> requirements_of_size(const value_reader& spec, node_pool& node_pool) {
    const text_map known = labels_of(known_sizes().front());
    std::vector<requirement> about_size;
    for (const value_reader item : spec.member("template", "spec", "requirements").items()) {
        requirement read{item.text("key"), item.text("operator"), item.words("values")};
        if (read.key == size_key) {
            for (const std::string& size : read.op == "In" ? read.values : std::vector<std::string>{}) {
                if (find_size(size) == nullptr)
                    item.warning(
                        "unknown-sku", format_text("{} is not in the table of GPU sizes", in_quotes(size)),
                        "list a node of this size, or write a pool with the allocatable resources of this size");
            }
        }
        if (known.contains(read.key)) {
            about_size.push_back(std::move(read));
        } else {
            take_requirement(item, read, node_pool);
        }
    }
    return about_size;
}

// Returns the number of nodes of a size that fit the limits on their own.
std::int64_t limit_of(const node_shape& shape, const std::vector<resource_bounds>& bounds) {
    std::int64_t out = max_nodes_of_size;
    for (const resource_bounds& bound : bounds) {
        const std::int64_t each = amount_of_node(shape, bound.resource);
        if (each > 0) out = std::min(out, bound.max.value_or(max_nodes_of_size) / each);
    }
    return out;
}

void add_sizes(const std::vector<requirement>& about_size, node_pool& node_pool) {
    for (const node_size& size : known_sizes()) {
        const text_map labels = labels_of(size);
        const bool allowed = !size.retired && std::ranges::all_of(about_size, [&](const requirement& each) {
            return requirement_holds(each, &labels.at(each.key));
        });
        if (!allowed) continue;
        pool pool;
        pool.id = pool_id(node_pool.name, size.name);
        pool.sku = size.name;
        pool.family = node_pool.name;
        pool.shape = node_pool.shape;
        pool.shape->labels.insert(labels.begin(), labels.end());
        add_size(size, *pool.shape);
        pool.max = limit_of(*pool.shape, node_pool.bounds);
        node_pool.pools.push_back(std::move(pool));
    }
}

std::vector<resource_bounds> read_limits(const value_reader& spec, const std::string& name) {
    std::vector<resource_bounds> out;
    for (const resource& resource : spec.amounts("limits")) out.push_back({resource.name, 0, resource.amount, name});
    return out;
}

}  // namespace

node_pool read_node_pool(const value_reader& object) {
    node_pool out;
    out.name = object.member("metadata").text("name");
    if (out.name.empty()) object.error("missing", "metadata.name: expected the NodePool's name");
    const value_reader spec = object.member("spec");
    if (!spec) {
        object.error("missing", "spec: expected what the NodePool's nodes are");
        return out;
    }
    if (spec.has("replicas")) {
        object.note("static-node-pool",
                    format_text("{} has replicas of its own: no pod makes it grow", in_quotes(out.name)));
        return out;
    }
    out.shape.labels = spec.member("template", "metadata").texts("labels");
    out.shape.labels["karpenter.sh/nodepool"] = out.name;
    out.shape.taints = read_taints(spec.member("template", "spec", "taints"));
    out.bounds = read_limits(spec, out.name);
    out.weight = spec.integer("weight");
    const std::vector<requirement> about_size = requirements_of_size(spec, out);
    const std::string group = spec.member("template", "spec", "nodeClassRef").text("group", "karpenter.azure.com");
    if (group != "karpenter.azure.com") {
        object.warning("unknown-sizes",
                       format_text("the sizes of {} are not known: only kinds of nodes that are there can grow", group),
                       "list its nodes, or write pools with their allocatable");
        return out;
    }
    add_sizes(about_size, out);
    if (out.pools.empty())
        object.warning("no-size", "its requirements allow none of the known GPU sizes",
                       "a NodePool without GPUs grows where its nodes are listed");
    return out;
}

void join_node_pools(std::vector<node_pool>& all, std::vector<pool>& pools, std::vector<node>& nodes, options& how) {
    std::unordered_map<std::string, std::size_t> places;
    std::unordered_map<std::string, const node_pool*> names;
    for (node_pool& node_pool : all) {
        names.emplace(node_pool.name, &node_pool);
        for (pool& each : node_pool.pools) {
            places.emplace(each.id, pools.size());
            pools.push_back(std::move(each));
        }
        how.bounds.insert(how.bounds.end(), node_pool.bounds.begin(), node_pool.bounds.end());
        if (node_pool.weight == 0) continue;
        // Names have only letters, digits, - and ., and the . of a pattern matches itself, too.
        if (auto only = pattern::compile("^" + node_pool.name + "/", pattern::dot::not_newline))
            how.priorities.push_back({node_pool.weight, {}}), how.priorities.back().pools.push_back(*std::move(only));
    }
    for (node& node : nodes) {
        const auto of = names.find(node.pool);
        const std::string* const size = find_text(node.shape.labels, size_key);
        if (of == names.end() || size == nullptr) continue;
        node.pool = pool_id(of->first, *size);
        const auto [at, is_new] = places.emplace(node.pool, pools.size());
        if (is_new) {
            pool made;
            made.id = node.pool;
            made.sku = *size;
            made.family = of->first;
            made.max = limit_of(node.shape, of->second->bounds);
            pools.push_back(std::move(made));
        }
        pool& counted = pools[at->second];
        ++counted.size;
        counted.max = std::max(counted.max, counted.size);
    }
}

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

// Parses "sku=gpu:NoSchedule"; nothing for an invalid taint.
std::optional<taint> parse_taint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
    const std::string_view pair = text.substr(0, colon);
    const std::size_t equals = pair.find('=');
    if (equals == 0) return std::nullopt;
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    return taint{std::string(pair.substr(0, equals)), std::string(value), std::string(text.substr(colon + 1))};
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
    shape.labels.insert_or_assign(std::string(size_key), pool.sku);
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

}  // namespace gputide::nodes
