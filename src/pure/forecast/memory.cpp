// The parts of a forecast; memory.hpp has their formulas.
#include "forecast/memory.hpp"

#include <algorithm>
#include <limits>

namespace gputide::forecast {

slot_end enter(open_slot& slot, std::int64_t number, std::int64_t slots_ahead) noexcept {
    slot_end out;
    if (slot.begun && number == slot.number) return out;
    if (slot.begun && number < slot.number && slot.number - number <= slots_ahead) {
        ++slot.late;
        out.passage = passage::late;
        return out;
    }
    if (slot.begun && number > slot.number) {
        out.passage = passage::ended;
        out.number = slot.number;
        if (slot.count > 0) out.mean = slot.sum / static_cast<double>(slot.count);
        out.missing = std::min(number - slot.number - 1, slots_ahead);
    } else if (slot.begun) {
        out.passage = passage::set_back;
    }
    slot.begun = true;
    slot.number = number;
    slot.sum = 0.0;
    slot.count = 0;
    return out;
}

void add_reading(open_slot& slot, double value) noexcept {
    if (!(value >= 0 && value <= largest_reading)) return;
    slot.sum += value;
    ++slot.count;
}

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

namespace {

constexpr parts lowest{0, 0, 0, -0.5, 0};
constexpr parts highest{1.25, 1.25, 1.25, 1.5, 1};

double huber_weight(double usual, double size) noexcept { return usual > 0 && size > usual ? usual / size : 1.0; }

void add(weights& weights, const lesson& lesson, double share, double kept) noexcept {
    std::size_t at = 0;
    for (std::size_t i = 0; i < part_count; ++i) {
        const double weighted = share * lesson.factors[i];
        for (std::size_t j = i; j < part_count; ++j, ++at) {
            weights.products[at] = kept * weights.products[at] + weighted * lesson.factors[j];
        }
        weights.targets[i] = kept * weights.targets[i] + weighted * lesson.error_last_value;
    }
    weights.loads = kept * weights.loads + share * (lesson.last_value * lesson.last_value);
}

// Updates each weight in turn, using the current values of the others.
void sweep(weights& weights) noexcept {
    for (std::size_t i = 0; i < part_count; ++i) {
        double left = weights.targets[i];
        for (std::size_t j = 0; j < part_count; ++j) {
            if (j != i) left -= weights.products[pair_at(i, j)] * weights.values[j];
        }
        const double divisor = 1.02 * weights.products[pair_at(i, i)] + 1e-9 * weights.loads;
        weights.values[i] = divisor == 0 ? 0.0 : clip(left / divisor, lowest[i], highest[i]);
    }
}

}  // namespace

void learn(weights& weights, const lesson& lesson, double slot_s) noexcept {
    const double size = magnitude(lesson.error);
    const double share = huber_weight(weights.usual_error, size);
    if (weights.usual_error == 0) {
        weights.usual_error = size;
    } else {
        weights.usual_error +=
            slot_s / usual_error_s * (std::min(size, 10 * weights.usual_error) - weights.usual_error);
    }
    add(weights, lesson, share, 1 - slot_s / day_s);
    sweep(weights);
}

namespace {

// Returns the pinball loss.  Examples: quantile 0.9, 2 short → 1.8; 2 too many → 0.2.
double pinball(double quantile, double shortage) noexcept {
    return shortage >= 0 ? quantile * shortage : (quantile - 1) * shortage;
}

// Updates q = clip(q + 0.02 · ([e > q·s] - (1 - quantile)), 0, 10), then s from |e|.
void follow(band& band, double error, double quantile, double slot_s) noexcept {
    if (band.scale > 0) {
        const double missed = error > band.reach() ? 1.0 : 0.0;
        band.width = clip(band.width + 0.02 * (missed - (1 - quantile)), 0, 10);
    }
    const double size = magnitude(error);
    band.scale = band.scale == 0 ? size : band.scale + slot_s / usual_error_s * (size - band.scale);
}

}  // namespace

void add(score& score, const outcome& outcome, const settings& settings) noexcept {
    const double slot_s = static_cast<double>(settings.slot_ms) / 1000;
    const double kept = 1 - slot_s / day_s;
    const double quantile = settings.quantile_percent / 100;
    score.loss = kept * score.loss + pinball(quantile, outcome.value - outcome.upper);
    score.loss_last_value = kept * score.loss_last_value + pinball(quantile, outcome.value - outcome.upper_last_value);
    score.error = kept * score.error + magnitude(outcome.error);
    score.error_last_value = kept * score.error_last_value + magnitude(outcome.error_last_value);
    score.held = kept * score.held + (outcome.value <= outcome.upper ? 1.0 : 0.0);
    score.count = kept * score.count + 1.0;
    follow(score.edge, outcome.error, quantile, slot_s);
    follow(score.edge_last_value, outcome.error_last_value, quantile, slot_s);
    ++score.scored;
    if (!is_warm(score, settings)) return;
    const double by = skill(score);
    score.in_use = score.in_use ? by >= 0 : by >= 0.02;
}

bool is_warm(const score& score, const settings& settings) noexcept {
    return score.scored >= (settings.warmup_ms + settings.slot_ms - 1) / settings.slot_ms;
}

double skill(const score& score) noexcept {
    return score.loss_last_value == 0 ? 0.0 : 1 - score.loss / score.loss_last_value;
}

void end_slot(account& account, const booking& booking, double slot_s) noexcept {
    if (booking.passes == 0) return;
    const auto passes = static_cast<double>(booking.passes);
    const double extra = booking.extra / passes;
    const double shadow = booking.shadow / passes;
    if (!(shadow > 0)) return;
    const double kept = 1 - slot_s / week_s;
    account.extra = std::max(0.0, account.extra * kept + extra);
    account.shadow = account.shadow * kept + shadow;
}

double spent(const account& account) noexcept { return account.shadow > 0 ? account.extra / account.shadow : 0.0; }

purse purse_of(const settings& settings, const account& account) noexcept {
    if (!settings.budget_percent) return {};
    const double budget = *settings.budget_percent / 100;
    const double share = spent(account);
    return {clip((share / budget - 0.5) / 0.5, 0, 1), share >= budget};
}

}  // namespace gputide::forecast
