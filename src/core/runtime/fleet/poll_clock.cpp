#include "runtime/fleet/poll_clock.hpp"

#include "runtime/fleet/schedule.hpp"

#include <algorithm>

namespace gputide::runtime {
namespace {

constexpr std::int64_t slack_ms = 250;                    // that much later than asked for is how busy machines are
constexpr std::int64_t longest_step_ms = 31'536'000'000;  // a year: more is no time that anybody waited

// SplitMix64's mixer (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

}  // namespace

void poll_clock::advance(std::int64_t clock_ms, std::int64_t next_ms) {
    const bool first = !started_;
    std::int64_t step_ms = 0;
    if (!first && __builtin_sub_overflow(clock_ms, clock_ms_, &step_ms)) step_ms = 0;
    started_ = true;
    clock_ms_ = clock_ms;
    if (step_ms < 0) {
        ++steps_back_;
        return;
    }
    step_ms = std::min(step_ms, longest_step_ms);
    const std::int64_t patience_ms = std::max(slack_ms, 2 * last_step_ms_);
    last_step_ms_ = step_ms;
    std::int64_t taken_ms = step_ms;
    if (next_ms != schedule::never) {
        taken_ms = std::min(step_ms, std::max<std::int64_t>(0, next_ms - now_ms_) + patience_ms);
    }
    if (taken_ms < step_ms) ++stalls_;
    now_ms_ += taken_ms;
    stalled_ms_ += step_ms - taken_ms;
}

// FNV-1a over the name, mixed with the seed; the upper 53 bits as a fraction.
std::int64_t start_offset_ms(std::string_view name, std::uint64_t seed, std::int64_t width_ms) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    const double fraction = static_cast<double>(mixed(hash ^ mixed(seed + 0x9e3779b97f4a7c15U)) >> 11U) * 0x1.0p-53;
    return static_cast<std::int64_t>(fraction * static_cast<double>(std::max<std::int64_t>(0, width_ms)));
}

}  // namespace gputide::runtime
