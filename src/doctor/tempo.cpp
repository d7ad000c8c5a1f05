// Medians of distances.
#include "doctor/tempo.hpp"

#include <algorithm>

namespace gputide::doctor {
namespace {

constexpr std::size_t fewest_distances = 3;
constexpr std::int64_t lively_ms = 5'000;  // new numbers this often are quick enough, whatever the scrape interval
constexpr std::int64_t steady_ms = 60'000;

// 0: too few.
std::int64_t median(std::vector<std::int64_t> of) {
    if (of.size() < fewest_distances) return 0;
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
}

std::int64_t renewal_of(const std::vector<source::point>& points) {
    std::vector<std::int64_t> distances;
    std::int64_t last_ms = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].value == points[i - 1].value) continue;
        if (last_ms != 0) distances.push_back(points[i].time_ms - last_ms);
        last_ms = points[i].time_ms;
    }
    return median(std::move(distances));
}

}  // namespace

tempo measure(const std::vector<source::series>& past) {
    tempo out;
    std::vector<std::int64_t> distances;
    for (const source::series& one : past) {
        out.points += one.points.size();
        for (std::size_t i = 1; i < one.points.size(); ++i) {
            distances.push_back(one.points[i].time_ms - one.points[i - 1].time_ms);
        }
        const std::int64_t renew_ms = renewal_of(one.points);
        if (renew_ms != 0 && (out.renew_ms == 0 || renew_ms < out.renew_ms)) out.renew_ms = renew_ms;
    }
    out.scrape_ms = median(std::move(distances));
    return out;
}

bool repeats(const tempo& of) {
    return of.scrape_ms > 0 && of.renew_ms > lively_ms && of.renew_ms * 2 >= of.scrape_ms * 3;
}

bool always(const std::vector<source::series>& past, double value) {
    std::int64_t longest_ms = 0;
    for (const source::series& one : past) {
        for (const source::point& at : one.points) {
            if (at.value != value) return false;
        }
        if (!one.points.empty()) {
            longest_ms = std::max(longest_ms, one.points.back().time_ms - one.points.front().time_ms);
        }
    }
    return longest_ms >= steady_ms;
}

}  // namespace gputide::doctor
