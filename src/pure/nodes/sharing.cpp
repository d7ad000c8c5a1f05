#include "nodes/sharing.hpp"

#include "base/saturate.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

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

std::int64_t most_instances(const mig_profile& profile, std::int64_t gpu_memory_bytes) {
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

}  // namespace gputide::nodes
