#include "kubernetes/watch/plan.hpp"

#include "kubernetes/api/objects.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t gone = 410;
constexpr std::int64_t unauthorized = 401;
constexpr std::int64_t forbidden = 403;
constexpr std::int64_t not_found = 404;
constexpr std::int64_t throttled = 429;
constexpr std::int64_t first_refusal = 400;
constexpr std::int64_t longest_missing_ms = 60'000;  // a right or a resource that is not there
constexpr std::int64_t longest_refused_ms =
    5'000;  // a token that is not taken: its file may have another one any moment
constexpr std::int64_t first_backoff_ms = 800;
constexpr std::int64_t longest_backoff_ms = 30'000;
constexpr std::int64_t backoff_reset_after_ms = 120'000;  // without a failure
constexpr std::int64_t very_short_ms = 1'000;             // a watch that ends sooner is suspicious

}  // namespace

next_step watch_plan::begin() {
    pages_.restart();
    return {};
}

next_step watch_plan::page_came(const std::string& resource_version, const std::string& token, std::size_t bytes) {
    version_ = resource_version;
    is_set_back_ = false;
    pages_.page_came(token, bytes);
    next_step out;
    if (token.empty()) {
        out.step = watch_step::watch;
        out.resource_version = version_;
    }
    return out;
}

next_step watch_plan::page_failed(const ending& how, std::int64_t now_ms, double uniform) {
    next_step out;
    if (how.is_too_large && pages_.page_did_not_fit()) return out;
    if (how.code == gone && !pages_.is_first()) {
        pages_.take_whole();
        return out;
    }
    out.after_ms = backoff_ms(how, now_ms, uniform);
    return out;
}

// A bookmark without a version says nothing, and "0" is none.  Versions that go back are those of an etcd that was restored: what
// rests since then is not told of.
void watch_plan::saw(const std::string& resource_version) {
    if (resource_version.empty() || resource_version == "0") return;
    is_set_back_ = is_set_back_ || is_older(resource_version, version_);
    version_ = resource_version;
}

// The same version serves on after an end that has nothing to do with it, which is a connection that was refused or ended, and a
// server that is busy.  All else is listed again: a list says what no watch told meanwhile, and when what was hidden is back.
next_step watch_plan::watch_ended(const ending& how, std::int64_t now_ms, double uniform) {
    next_step out = begin();
    const bool is_short = how.lasted_ms < very_short_ms;
    const bool is_stale = how.code == gone || is_set_back_ || (how.code == 0 && how.in_stream);
    const bool was_useful = how.had_event && !is_set_back_ && !is_short;
    const bool has_failed = (how.code != 0 && how.code != gone) || (is_short && !how.had_event && !is_stale);
    if (has_failed) {
        out.after_ms = backoff_ms(how, now_ms, uniform);
    } else if (is_stale ? !was_useful : is_short) {
        out.after_ms = backoff_but_once_ms(how, now_ms, uniform);
    }
    const bool is_refused = how.code >= first_refusal && how.code != throttled;
    if (is_stale || how.in_stream || how.is_death || is_refused) return out;
    out.step = watch_step::watch;
    out.resource_version = version_;
    return out;
}

// At once the first time: a version expires also where nothing is wrong.
std::int64_t watch_plan::backoff_but_once_ms(const ending& how, std::int64_t now_ms, double uniform) {
    forget_failures(now_ms);
    if (failures_ > 0 || std::exchange(went_at_once_, true)) return backoff_ms(how, now_ms, uniform);
    failed_ms_ = now_ms;
    return 0;
}

void watch_plan::forget_failures(std::int64_t now_ms) {
    if (now_ms - failed_ms_ <= backoff_reset_after_ms) return;
    failures_ = 0;
    went_at_once_ = false;
}

// 0.8 s doubling to 30 s, each times 1 to 2; what the server asks for comes first.  What is missing is looked for as soon at
// first, and each minute in the end: a server that has just started knows neither rights nor custom resources for a moment.
std::int64_t watch_plan::backoff_ms(const ending& how, std::int64_t now_ms, double uniform) {
    forget_failures(now_ms);
    failed_ms_ = now_ms;
    const std::int64_t doubled_ms = first_backoff_ms << std::min<std::int64_t>(failures_, 7);
    const auto spread = [uniform](std::int64_t wait_ms) {
        return wait_ms + static_cast<std::int64_t>(static_cast<double>(wait_ms) * uniform);
    };
    ++failures_;
    if (how.code == forbidden || how.code == not_found) return std::min(spread(doubled_ms), longest_missing_ms);
    if (how.code == unauthorized) return std::min(spread(doubled_ms), longest_refused_ms);
    const std::int64_t out = spread(std::min(doubled_ms, longest_backoff_ms));
    return std::max(out, std::min(how.retry_after_ms, 2 * longest_backoff_ms));
}

}  // namespace gputide::kubernetes
