// Makers of steps, and the small words that their texts share.
#include "doctor/step.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string_view>

namespace gputide::doctor {
namespace {

constexpr std::size_t longest_shown = 100;  // bytes of one thing in a list: a label's value may have a mebibyte

}  // namespace

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
    return format_text("{} {}", number, number == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& all, std::size_t most) {
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < most; ++i) {
        const std::string_view shown = cut_utf8(all[i], longest_shown);
        out.append(i == 0 ? "" : ", ").append(shown).append(shown.size() < all[i].size() ? "…" : "");
    }
    if (all.size() > most) out += format_text(" and {} more", all.size() - most);
    return out;
}

std::string shell_word(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view(":/._@-").find(c) != std::string_view::npos;
    });
    if (plain) return text;
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += "'\\''";
        if (c != '\'') out += c;
    }
    return out + "'";
}

std::string about_duration(std::int64_t ms) {
    constexpr std::int64_t minute = 60;
    constexpr std::int64_t hour = 60 * minute;
    constexpr std::int64_t day = 24 * hour;
    const std::int64_t seconds = (ms < 0 ? -ms : ms) / 1'000;
    if (seconds < 2 * minute) return format_text("{} s", seconds);
    if (seconds < 2 * hour) return format_text("{} min", seconds / minute);
    if (seconds < 2 * day) return format_text("{} h", seconds / hour);
    return format_text("{} days", seconds / day);
}

}  // namespace gputide::doctor
