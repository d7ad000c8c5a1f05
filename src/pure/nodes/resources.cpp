#include "nodes/resources.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::array<std::string_view, 5> known_gpus{nvidia_gpu_name, "habana.ai/gaudi", "gpu.intel.com/xe",
                                                     "amd.com/gpu", "microsoft.com/directx"};

bool before(const resource& resource, std::string_view name) { return resource.name < name; }

}  // namespace

const resource* resource_list::find(std::string_view name) const {
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

bool is_known_gpu(std::string_view name) {
    return std::find(known_gpus.begin(), known_gpus.end(), name) != known_gpus.end();
}

bool is_gpu(std::string_view name) { return name.starts_with(nvidia_prefix) || is_known_gpu(name); }

std::int64_t gpu_count(const resource_list& amounts) {
    std::int64_t sum = 0;
    for (const resource& amount : amounts) {
        if (is_gpu(amount.name)) sum = add_saturating(sum, amount.amount);
    }
    return sum;
}

}  // namespace gputide::nodes
