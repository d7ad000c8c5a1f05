#include "forecast/profile.hpp"

#include <algorithm>
#include <limits>

namespace gputide::forecast {

namespace {

void end_visit(const profile_rule& rule, const profile_view& profile) noexcept {
    const open_bucket& open = profile.open;
    if (open.count * 2 < rule.slots_per_bucket) return;
    const auto at = static_cast<std::size_t>(floor_mod(open.number, rule.buckets));
    const double share = std::max(rule.gain, 1.0 / (profile.visits[at] + 1.0));
    profile.means[at] += share * (open.sum / static_cast<double>(open.count) - profile.means[at]);
    if (profile.visits[at] < std::numeric_limits<std::uint8_t>::max()) ++profile.visits[at];
}

}  // namespace

void learn(const profile_rule& rule, const profile_view& profile, std::int64_t slot, double value) noexcept {
    const std::int64_t bucket = floor_div(slot, rule.slots_per_bucket);
    if (profile.open.count > 0 && bucket != profile.open.number) {
        end_visit(rule, profile);
        profile.open = {};
    }
    profile.open.number = bucket;
    profile.open.sum += value;
    ++profile.open.count;
}

double value_at(const profile_rule& rule, std::span<const double> means, std::span<const std::uint8_t> visits,
                std::int64_t slot) noexcept {
    const std::int64_t width = rule.slots_per_bucket;
    const std::int64_t middle = 2 * slot + 1 - width;
    const std::int64_t bucket = floor_div(middle, 2 * width);
    const auto here = static_cast<std::size_t>(floor_mod(bucket, rule.buckets));
    const auto next = static_cast<std::size_t>(floor_mod(bucket + 1, rule.buckets));
    if (visits[here] == 0 || visits[next] == 0) return no_number;
    const double x = static_cast<double>(floor_mod(middle, 2 * width)) / static_cast<double>(2 * width);
    return means[here] + x * (means[next] - means[here]);
}

}  // namespace gputide::forecast
