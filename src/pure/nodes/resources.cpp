#include "nodes/resources.hpp"

#include "base/format_text.hpp"
#include "base/saturate.hpp"
#include "nodes/node.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::array<std::string_view, 5> known_gpus{nvidia_gpu_name, "habana.ai/gaudi", "gpu.intel.com/xe",
                                                     "amd.com/gpu", "microsoft.com/directx"};

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

bool is_known_gpu(std::string_view name) { return is_one_of(name, known_gpus); }

bool is_gpu(std::string_view name) { return name.starts_with(nvidia_prefix) || is_known_gpu(name); }

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

}  // namespace gputide::nodes
