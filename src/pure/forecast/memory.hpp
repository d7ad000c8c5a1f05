// The state of one forecast and its parts: a value type of fixed size without pointers.  A copy continues independently from the
// same state. Save it (text.hpp) to survive a restart.
// Uses only the four operations, comparisons and ceil, for which IEEE 754 defines one result: without contraction
// (-ffp-contract=off) results are bit-identical on every machine.
#pragma once

#include "forecast/settings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace gputide::forecast {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();  // missing value
constexpr bool is_none(double value) noexcept { return value != value; }

inline constexpr double day_s = 86'400;
inline constexpr double week_s = 604'800;
inline constexpr double usual_error_s = 28'800;  // time constant of the error scales: 8 h

constexpr double clip(double value, double min, double max) noexcept {
    return value < min ? min : value > max ? max : value;
}
constexpr double magnitude(double value) noexcept { return value < 0 ? -value : value; }

// Divides and rounds down, also below 0: floor_div(-1, 60) → -1, floor_mod(-1, 60) → 59.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) noexcept { return a % b + (a % b < 0 ? b : 0); }

// The five parts that are added to the last value, and their weights.

inline constexpr std::size_t part_count = 5;
using parts = std::array<double, part_count>;  // day, week, hour, trend, noise

enum part : std::size_t { day_part = 0, week_part = 1, hour_part = 2, trend_part = 3, noise_part = 4 };
inline constexpr std::array<std::string_view, part_count> part_names{"day", "week", "hour", "trend", "noise"};

// Returns Σ weight · value, first to last.
constexpr double weighted_sum(const parts& weights, const parts& values) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < part_count; ++i) sum += weights[i] * values[i];
    return sum;
}

// Groups readings by time slot: the mean of a slot's readings is available when a later slot begins.

// Limit of readings, so that squares and sums stay finite.  Larger, NaN, infinite and negative readings are ignored.
inline constexpr double largest_reading = 1e100;

struct open_slot {
    bool begun = false;       // false: no pass yet
    std::int64_t number = 0;  // floor(time / slot)
    double sum = 0.0;         // of its readings, in order of arrival
    std::int64_t count = 0;
    std::int64_t late = 0;  // total number of readings ignored because their slot had ended
};

enum class passage {
    same,      // the open slot, or the first slot
    ended,     // a later slot: the open slot has ended
    late,      // an earlier slot that has ended: this pass is ignored
    set_back,  // the clock was set back by more than h slots: all rows become invalid
};

struct slot_end {
    gputide::forecast::passage passage = passage::same;
    std::int64_t number = 0;  // the slot that ended, if passage is ended
    double mean = no_number;  // of its readings; missing without readings
    // Number of slots without a pass after it; at most h, the rest of a longer gap is skipped.
    std::int64_t missing = 0;
};

// Records a pass in slot `number`, which becomes the open slot unless it is late.
// Example: h = 2, open 541 with readings 2 and 4, pass in 544 → ended 541, mean 3, missing 2 (542, 543).
slot_end enter(open_slot& slot, std::int64_t number, std::int64_t slots_ahead) noexcept;

void add_reading(open_slot& slot, double value) noexcept;

// The mean load by position in a period (a day, a week or an hour in UTC), updated with each visit.

struct profile_rule {
    std::int64_t buckets = 0;           // in the period
    std::int64_t slots_per_bucket = 1;  // "width"
    double gain = 0.0;                  // minimum weight of a new visit in a bucket's mean

    static constexpr profile_rule of(std::int64_t period_ms, std::int64_t bucket_ms, std::int64_t slot_ms,
                                     double gain) noexcept {
        return {period_ms / bucket_ms, bucket_ms / slot_ms, gain};
    }
};

// The open bucket.  Its number counts from 1970; `number` modulo `buckets` is its position in the period.
struct open_bucket {
    std::int64_t number = 0;
    double sum = 0.0;
    std::int64_t count = 0;  // 0: no bucket is open
};

// The arrays of a profile, each with at least `buckets` elements.
struct profile_view {
    std::span<double> means;
    std::span<std::uint8_t> visits;  // up to 255; 0: never visited
    open_bucket& open;
};

// Adds the value of slot k.  When another bucket begins, the previous visit counts if at least half of its slots had a value:
//   mean += max(gain, 1 / (visits + 1)) · (sum / count - mean)
// Example: gain 0.3, mean 10 after 1 visit, a visit of 20 and 30 → 10 + 0.5 · 15 = 17.5.
void learn(const profile_rule& rule, const profile_view& profile, std::int64_t slot, double value) noexcept;

// Interpolates at the middle of slot k between the middles of two buckets:
//   u = 2k + 1 - width, i = u div 2width, x = (u mod 2width) / 2width → m[i] + x · (m[i+1] - m[i])
// Missing until both were visited.  Example: width 5, k = 4: u = 4, i = 0, x = 0.4; m = 10, 20 → 14.
double value_at(const profile_rule& rule, std::span<const double> means, std::span<const std::uint8_t> visits,
                std::int64_t slot) noexcept;

// Storage for the maximum number of buckets of a period at any slot length.
template <std::size_t Buckets>
struct profile {
    std::array<double, Buckets> means{};
    std::array<std::uint8_t, Buckets> visits{};
    open_bucket open;

    profile_view view() noexcept { return {means, visits, open}; }
};

// Learns the weight of each part: least squares with exponential forgetting and bounds, by coordinate descent; an unusually
// large error has less weight (Huber's weight).

inline constexpr std::size_t pair_count = part_count * (part_count + 1) / 2;

// Returns the index of S[i][j], i <= j: 00 01 02 03 04 11 12 … 44.
constexpr std::size_t pair_at(std::size_t i, std::size_t j) noexcept {
    return i <= j ? i * part_count - i * (i + 1) / 2 + j : pair_at(j, i);
}

struct weights {
    std::array<double, pair_count> products{};  // S: Σ o · f · f, symmetric
    parts targets{};                            // r: Σ o · f · (v - v')
    double loads = 0.0;                         // Q: Σ o · v'², the scale of the ridge
    double usual_error = 0.0;                   // E
    parts values{};                             // w; initially 0: the first forecast equals the last value
};

// A past forecast: its parts f, the value v' at its start, and the errors of the forecast and of the last value (e = v - F,
// en = v - v').
struct lesson {
    const parts& factors;
    double last_value;
    double error;
    double error_last_value;
};

// Learns one lesson, with λ = 1 - slot / day, and o = E / |e| if |e| is above the usual error E, else 1:
//   S = λS + o·f·f, r = λr + o·f·en, Q = λQ + o·v'²
//   w[i] = clip((r[i] - Σ_{j≠i} S[i][j]·w[j]) / (1.02·S[i][i] + 1e-9·Q), low[i], high[i]), one sweep
// Example: first lesson f = (0, 0, 0, 2, 0), v' = 100, en = 1: S33 = 4, r3 = 2, Q = 10^4 → w3 = 2 / 4.08001 = 0.4902.
void learn(weights& weights, const lesson& lesson, double slot_s) noexcept;

// The forecast's accuracy compared with "the load stays the same", and the band widths.

// Upper edge = forecast + width · scale.  The width is adjusted so that the load is at or below the edge as often as the
// quantile requires (adaptive conformal inference in its simplest form).
struct band {
    double width = 1.5;  // q
    double scale = 0.0;  // s: the usual error over about 8 h; 0: unknown

    double reach() const noexcept { return width * scale; }
};

struct score {
    double loss = 0.0;             // of the forecast's upper edge; this and all sums below over about a day
    double loss_last_value = 0.0;  // of the last value
    double error = 0.0;            // Σ|e|
    double error_last_value = 0.0;
    double held = 0.0;   // Σ[v <= U]
    double count = 0.0;  // Σ1
    band edge;
    band edge_last_value;
    std::int64_t scored = 0;  // number of scored slots
    bool in_use = false;
};

// A forecast and the actual load.
struct outcome {
    double value;
    double error;             // e = v - F
    double error_last_value;  // en = v - v'
    double upper;             // U
    double upper_last_value;  // Un
};

// Adds an outcome.  A shortage of x costs quantile · x, an excess (1 - quantile) · x: the newsvendor's cost, for both upper
// edges.  The mean error is not used, because hours with a constant load would dominate it.  The forecast is used from
// skill = 1 - loss / loss_last_value >= 0.02 on, until skill is below 0.
void add(score& score, const outcome& outcome, const settings& settings) noexcept;

bool is_warm(const score& score, const settings& settings) noexcept;  // scored >= warmup / slot
double skill(const score& score) noexcept;                            // 0 as long as the last value has no loss

// The cost of the forecast's floor: replica-hours beyond those of the shadow (the same scaler without the forecast), over about a
// week.

struct account {
    double extra = 0.0;   // X
    double shadow = 0.0;  // B
};

// The sizes that the passes of one slot reported.
struct booking {
    double extra = 0.0;   // Σ(size written - shadow's size)
    double shadow = 0.0;  // Σ shadow's size
    std::int64_t passes = 0;
};

// Updates the account at the end of a slot with passes, if the shadow had replicas. x = extra / passes and y = shadow / passes of
// the booking, μ = 1 - slot / week: X = max(0, X · μ + x), B = B · μ + y.
// Counts the written replicas, not the floor: after the floor falls, the HPA's tolerance can keep the extra replicas.
// Example: slot 60 s, X = B = 0, 2 replicas more than the shadow's 10 for a day: spent 0.2.
void end_slot(account& account, const booking& booking, double slot_s) noexcept;

// Returns X / B, a share of the shadow's replica-hours; 0 if the shadow has none.
double spent(const account& account) noexcept;

struct purse {
    double trim = 0.0;      // κ, 0..1: share of the band that the budget removes
    bool is_spent = false;  // the budget is used up: the floor is off
};

// Computes κ = clip((spent / budget - 0.5) / 0.5, 0, 1), 0 without a budget.  Example: 3.5 % of 5 % → (0.7 - 0.5) / 0.5 =
// 0.4.
purse purse_of(const settings& settings, const account& account) noexcept;

// The forecast made at the end of slot k for slot k + h, kept until that slot is scored.
struct row {
    parts factors{};                    // f
    double value = no_number;           // v of slot k; missing: no forecast
    double forecast = 0.0;              // F
    double upper = 0.0;                 // U
    double upper_last_value = 0.0;      // Un
    double requested_load = no_number;  // load to prepare for; missing: none

    bool is_empty() const noexcept { return is_none(value); }
};

// Fast and slow mean of the load; initially missing.
struct levels {
    double fast = no_number;  // l
    double slow = no_number;  // g
};

struct memory {
    open_slot open;
    booking booked;  // by the passes of the open slot

    std::int64_t ended = 0;  // slot of the newest row; valid if `begun`
    bool begun = false;      // a slot has ended
    double peak = 0.0;       // M: largest load of about a week
    profile<288> day;        // of 300 s
    profile<336> week;       // of 1800 s
    profile<60> hour;        // of one slot
    gputide::forecast::levels levels;
    gputide::forecast::weights weights;
    gputide::forecast::score score;
    gputide::forecast::account account;
    bool was_spent = false;                   // whether the budget was spent at the last row
    std::array<row, max_slots_ahead> rows{};  // slot k at k mod h

    double floor_load = no_number;  // cached largest_requested_load() of the rows
};

// Returns the largest requested load of the rows; each applies until its slot has ended.
double largest_requested_load(const memory& memory) noexcept;
static_assert(sizeof(memory) <= std::size_t{16} * 1024);

}  // namespace gputide::forecast
