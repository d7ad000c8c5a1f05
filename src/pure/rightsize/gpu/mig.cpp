#include "rightsize/gpu/mig.hpp"

#include "base/format_text.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace gputide::rightsize {
namespace {

constexpr amount gb = 1'000'000'000;

// Every model has the same six kinds of slice; memory in GB.
struct sliced_model {
    std::string_view family;  // contained in the model's name
    amount memory_gb;
    amount small_gb;   // of 1g
    amount double_gb;  // of 1g with double memory, and of 2g
    amount half_gb;    // of 3g and 4g
};
constexpr std::array<sliced_model, 5> models{{{"A100", 40, 5, 10, 20},
                                              {"A100", 80, 10, 20, 40},
                                              {"H100", 80, 10, 20, 40},
                                              {"H100", 94, 12, 24, 47},
                                              {"H200", 141, 18, 35, 71}}};

mig_profile slice(std::int32_t slices, amount memory_gb, std::int32_t per_gpu) {
    return {format_text("{}g.{}gb", slices, memory_gb), memory_gb * gb, slices, per_gpu};
}

// Sizes are given in decimal or binary units, and rounded: 85899345920 bytes are the A100's 80 GB, too.
bool same_size(amount bytes, amount gigabytes) {
    const double ratio = static_cast<double>(bytes) / static_cast<double>(gigabytes * gb);
    return ratio > 0.94 && ratio < 1.08;
}

}  // namespace

double slices_needed(const gpu_need& need, double goal_util_percent, std::int32_t slices) {
    return slices * std::min(need.util_percent, 100.0) / 100.0 / (goal_util_percent / 100.0);
}

const mig_profile* smallest_profile(std::span<const mig_profile> profiles, const gpu_need& need,
                                    double goal_util_percent, std::int32_t slices) {
    const double least_slices = slices_needed(need, goal_util_percent, slices);
    const mig_profile* best = nullptr;
    for (const mig_profile& profile : profiles) {
        if (profile.memory_bytes < need.memory_bytes || profile.slices < least_slices) continue;
        const auto key = [](const mig_profile& mig_profile) {
            return std::tie(mig_profile.memory_bytes, mig_profile.slices, mig_profile.name);
        };
        if (best == nullptr || key(profile) < key(*best)) best = &profile;
    }
    return best;
}

std::vector<mig_profile> profiles_of(std::string_view model, amount memory_bytes) {
    for (const sliced_model& entry : models) {
        if (model.find(entry.family) == std::string_view::npos || !same_size(memory_bytes, entry.memory_gb)) continue;
        return {slice(1, entry.small_gb, 7), slice(1, entry.double_gb, 4), slice(2, entry.double_gb, 3),
                slice(3, entry.half_gb, 2),  slice(4, entry.half_gb, 1),   slice(7, entry.memory_gb, 1)};
    }
    return {};
}

}  // namespace gputide::rightsize
