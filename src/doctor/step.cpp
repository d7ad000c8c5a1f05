// Makers of steps, and the small words that their texts share.
#include "doctor/step.hpp"

namespace gputide::doctor {

const char* verdict_name(verdict what) noexcept {
    switch (what) {
        case verdict::ok:
            return "ok";
        case verdict::warning:
            return "warning";
        case verdict::failed:
            return "failed";
    }
    return "unknown";
}

step passed(std::string name, std::string seen) {
    step out;
    out.name = std::move(name);
    out.seen = std::move(seen);
    return out;
}

step doubtful(std::string name, std::string seen, std::string cause, std::string fix) {
    step out = passed(std::move(name), std::move(seen));
    out.verdict = verdict::warning;
    out.cause = std::move(cause);
    out.fix = std::move(fix);
    return out;
}

step broken(std::string name, std::string seen, std::string cause, std::string fix) {
    step out = doubtful(std::move(name), std::move(seen), std::move(cause), std::move(fix));
    out.verdict = verdict::failed;
    return out;
}

std::string counted(std::size_t number, const std::string& one, const std::string& many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& all, std::size_t most) {
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < most; ++i) out += (i == 0 ? "" : ", ") + all[i];
    if (all.size() > most) out += " and " + std::to_string(all.size() - most) + " more";
    return out;
}

std::string about_duration(std::int64_t ms) {
    const std::int64_t seconds = (ms < 0 ? -ms : ms) / 1'000;
    if (seconds < 120) return std::to_string(seconds) + " s";
    if (seconds < 2 * 3'600) return std::to_string(seconds / 60) + " min";
    if (seconds < 48 * 3'600) return std::to_string(seconds / 3'600) + " h";
    return std::to_string(seconds / 86'400) + " days";
}

}  // namespace gputide::doctor
