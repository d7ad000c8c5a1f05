// The synthetic loads with the figures that they must reach; exit status 1 where one does not.  With files of recorded loads (a value
// a minute, "" where there is none) it prints their rows in place of that.
//   gputide_forecast_loop [--budget PERCENT] [--start UNIX_MINUTE] [FILE...]
#include "forecast/loop.hpp"
#include "forecast/series.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace {

using forecast_loop::comparison;
using forecast_loop::plan;

struct row {
    std::string name;
    std::vector<double> loads;
    std::int64_t lead_minutes;
    double max_under_percent;  // less than this is reached
    double max_extra_percent;
    bool never_raises = false;
};

comparison compare(const row& wanted) {
    plan made;
    made.loads = wanted.loads;
    made.lead_ms = wanted.lead_minutes * 60'000;
    return forecast_loop::compare(made);
}

bool reaches(const row& wanted, const comparison& made) {
    if (wanted.never_raises) return made.with.raises == 0 && made.with.sizes == made.without.sizes;
    return made.under_percent <= wanted.max_under_percent && made.extra_percent <= wanted.max_extra_percent &&
           made.with.under_minutes <= made.without.under_minutes;
}

int check_synthetic() {
    namespace series = forecast_series;
    const std::vector<row> rows{{"office", series::office(), 3, -80, 4.5}, {"office", series::office(), 10, -84, 4.5},
                                {"batch", series::batch(), 3, -27, 5.7},   {"batch", series::batch(), 10, 0, 5.7},
                                {"walk", series::random(), 3, 0, 0, true}, {"walk", series::random(), 10, 0, 0, true},
                                {"shift", series::shift(), 3, -69, 4.5},   {"shift", series::shift(), 10, -72, 4.5}};
    int status = 0;
    for (const row& entry : rows) {
        const comparison made = compare(entry);
        const bool good = reaches(entry, made);
        if (!good) status = 1;
        std::printf("%-8s lead %2d min: under-minutes %6.1f %% (%.0f of %.0f), extra %5.2f %%, raises %5lld  %s\n",
                    entry.name.c_str(), static_cast<int>(entry.lead_minutes), made.under_percent,
                    made.with.under_minutes, made.without.under_minutes, made.extra_percent,
                    static_cast<long long>(made.with.raises), good ? "" : "NOT ACCEPTED");
    }
    return status;
}

// A value a line; an empty one is missing.
std::vector<double> read_minutes(const char* path) {
    std::vector<double> out;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        double value = std::numeric_limits<double>::quiet_NaN();
        if (!line.empty()) std::from_chars(line.data(), line.data() + line.size(), value);
        out.push_back(value);
    }
    return out;
}

// Such that the 99.5th percentile of the load, on the line between its neighbors, is 20 replicas.
double target_of(std::vector<double> loads) {
    loads.erase(std::remove_if(loads.begin(), loads.end(), [](double load) { return std::isnan(load); }), loads.end());
    std::sort(loads.begin(), loads.end());
    if (loads.empty()) return 1.0;
    const double at = 0.995 * static_cast<double>(loads.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double load = std::lerp(loads[below], loads[std::min(below + 1, loads.size() - 1)], at - std::floor(at));
    return std::max(load / 20, 0.001);
}

void print_recorded(const char* path, plan made) {
    made.loads = read_minutes(path);
    if (made.loads.empty()) return static_cast<void>(std::printf("%s: no values\n", path));
    made.target = target_of(made.loads);
    std::printf("%s", path);
    for (const std::int64_t lead_minutes : {1, 3, 5, 10, 15}) {
        made.lead_ms = lead_minutes * 60'000;
        const comparison got = forecast_loop::compare(made);
        if (got.with.raises == 0) {
            std::printf(" | off");
            continue;
        }
        std::printf(" | %.0f @ %.1f (%.0f)", got.under_percent, got.extra_percent,
                    forecast_loop::headroom_percent(made, got.extra_percent));
    }
    std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 1) return check_synthetic();
    plan made;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        if (argument == "--budget" && i + 1 < count) {
            made.budget_percent = std::strtod(arguments[++i], nullptr);
        } else if (argument == "--start" && i + 1 < count) {
            made.start_ms = std::strtoll(arguments[++i], nullptr, 10) * 60'000;
        } else {
            print_recorded(arguments[i], made);
        }
    }
    return 0;
}
