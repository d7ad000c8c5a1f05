#include "nodes/node.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/saturate.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gputide::nodes {

namespace {

bool before(const resource& resource, std::string_view name) { return resource.name < name; }

}  // namespace

const resource* resource_list::find(std::string_view name) const {
    constexpr std::size_t few = 8;  // comparing them all is faster: most names differ in size
    if (sorted_.size() <= few) {
        const auto found = std::ranges::find_if(sorted_, [&](const resource& each) { return each.name == name; });
        return found != sorted_.end() ? &*found : nullptr;
    }
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), name, before);
    return at != sorted_.end() && at->name == name ? &*at : nullptr;
}

std::int64_t resource_list::of(std::string_view name) const {
    const resource* const found = find(name);
    return found != nullptr ? found->amount : 0;
}

void resource_list::set(std::string_view name, std::int64_t amount) {
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), name, before);
    if (at != sorted_.end() && at->name == name) {
        at->amount = amount;
    } else {
        sorted_.insert(at, {std::string(name), amount});
    }
}

void resource_list::add(std::string_view name, std::int64_t amount) { set(name, add_saturating(of(name), amount)); }

void resource_list::add(const resource_list& more) {
    for (const resource& resource : more) add(resource.name, resource.amount);
}

void resource_list::subtract(const resource_list& less) {
    for (const resource& resource : less) set(resource.name, subtract_saturating(of(resource.name), resource.amount));
}

void resource_list::raise_to(const resource_list& min_amounts) {
    for (const resource& amount : min_amounts) {
        if (!lists(amount.name) || of(amount.name) < amount.amount) set(amount.name, amount.amount);
    }
}

bool is_gpu(std::string_view name, bool strict) {
    return (!strict && name.starts_with(nvidia_prefix)) || is_known_gpu(name);
}

std::int64_t gpu_count(const resource_list& amounts) {
    std::int64_t sum = 0;
    for (const resource& amount : amounts) {
        if (is_gpu(amount.name)) sum = add_saturating(sum, amount.amount);
    }
    return sum;
}

std::string amount_text(std::string_view name, std::int64_t amount) {
    static constexpr std::array<std::string_view, 4> units{" GiB ", " MiB ", " KiB ", " bytes of "};
    if (name == cpu_name && amount % 1000 != 0) return format_text("{}m cpu", amount);
    if (name == cpu_name) return std::to_string(amount / 1000) + (amount == 1000 ? " core" : " cores");
    const bool bytes = name == memory_name || name == "ephemeral-storage" || name.starts_with("hugepages-");
    if (!bytes) return format_text("{} {}", amount, name);
    std::size_t unit = 0;
    std::int64_t size = std::int64_t{1} << 30;
    for (; unit < 3 && (amount < size || amount % (size / 1024) != 0); ++unit) size /= 1024;
    if (amount % size == 0) return std::to_string(amount / size) + std::string(units[unit]) + std::string(name);
    // One digit, rounded down: 14.5 GiB.
    return format_text("{}.{}", amount / size, amount % size * 10 / size) + std::string(units[unit]) +
           std::string(name);
}

const std::string* find_text(const text_map& all, std::string_view name) {
    const auto found = all.find(name);
    return found != all.end() ? &found->second : nullptr;
}

std::string text_of(const text_map& all, std::string_view name) {
    const std::string* const found = find_text(all, name);
    return found != nullptr ? *found : std::string();
}

bool is_one_of(std::string_view text, std::span<const std::string_view> list) {
    return std::ranges::find(list, text) != list.end();
}

std::string full_name(const pod& pod) { return pod.name_space.empty() ? pod.name : pod.name_space + "/" + pod.name; }

// kubernetes/autoscaler simulator/drainability: deletion + grace + 30 s < now.
// Worked: deleted at 0 with the default grace, it still counts at 60 s, and no longer a moment later.
bool is_long_terminating(const pod& pod, std::int64_t now_ms) {
    constexpr std::int64_t long_terminating_ms = 30'000;
    if (!pod.deleted_ms) return false;
    return add_saturating(add_saturating(*pod.deleted_ms, pod.grace_ms), long_terminating_ms) < now_ms;
}

namespace {

constexpr std::array<std::string_view, 4> gpu_labels{"kubernetes.azure.com/accelerator", "accelerator",
                                                     "cloud.google.com/gke-accelerator",
                                                     "k8s.amazonaws.com/accelerator"};

}  // namespace

bool has_gpu_label(const node_shape& shape) {
    return std::ranges::any_of(gpu_labels,
                               [&](std::string_view label) { return find_text(shape.labels, label) != nullptr; });
}

bool has_gpu(const node_shape& shape) { return has_gpu_label(shape) || offers_gpu(shape.allocatable); }

bool offers_gpu(const resource_list& allocatable, bool strict) {
    return std::ranges::any_of(
        allocatable, [&](const resource& resource) { return resource.amount > 0 && is_gpu(resource.name, strict); });
}

bool is_ready(const node& node, bool labelled, bool strict) {
    return node.ready && (!labelled || node.shape.devices != nullptr || offers_gpu(node.shape.allocatable, strict));
}

// DaemonSet requests for resources that the template does not list are ignored.
resource_list free_of(const node_shape& shape) {
    resource_list out;
    for (const resource& resource : shape.allocatable)
        out.set(resource.name, subtract_saturating(resource.amount, shape.daemon_requests.of(resource.name)));
    return out;
}

std::int64_t amount_of_node(const node_shape& shape, std::string_view resource_name) {
    return resource_name == "nodes" ? 1 : shape.capacity_or_allocatable().of(resource_name);
}

namespace {

constexpr std::array<std::string_view, 5> pool_labels{"kubernetes.azure.com/agentpool", "agentpool",
                                                      "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup",
                                                      "karpenter.sh/nodepool"};

void take(const text_map& labels, std::string_view name, text_map& out) {
    if (const std::string* const found = find_text(labels, name)) out.emplace(name, *found);
}

}  // namespace

const pod* unmodeled_pod_of(const node& node) {
    const auto at = std::ranges::find_if(
        node.pods, [](const pod& pod) { return !pod.goes_with_node() && !pod.placement.unmodeled.empty(); });
    return at != node.pods.end() ? &*at : nullptr;
}

std::string pool_named_by(const text_map& labels) {
    for (const std::string_view name : pool_labels) {
        if (const std::string* const found = find_text(labels, name)) return *found;
    }
    return {};
}

text_map selector_of(const pool& pool) {
    text_map out;
    if (!pool.shape) return out;
    for (const std::string_view name : pool_labels) {
        if (out.empty()) take(pool.shape->labels, name, out);
    }
    if (!pool.family.empty()) take(pool.shape->labels, size_key, out);  // its pools differ only in that
    return out;
}

}  // namespace gputide::nodes
