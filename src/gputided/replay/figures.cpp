#include "replay/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace gputided {

std::string decimal(double value, int digits) {
    constexpr double half_counts = 1.0 + 1e-12;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value * half_counts);
    return text;
}

std::string figure(double value, int digits) {
    std::string out = decimal(value, digits);
    if (out.find('.') != std::string::npos) {
        while (out.back() == '0') out.pop_back();
        if (out.back() == '.') out.pop_back();
    }
    const std::size_t first = out[0] == '-' ? 1 : 0;
    for (auto at = static_cast<std::ptrdiff_t>(std::min(out.find('.'), out.size())) - 3;
         at > static_cast<std::ptrdiff_t>(first); at -= 3) {
        out.insert(static_cast<std::size_t>(at), ",");
    }
    return out == "-0" ? "0" : out;
}

std::string sparkline(const nlohmann::json& values, std::size_t columns) {
    static const std::array<const char*, 8> eighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    columns = std::min(columns, values.size());
    std::vector<double> peaks(columns, -INFINITY);  // the highest of what one column shows
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].is_number()) {
            double& peak = peaks[i * columns / values.size()];
            peak = std::max(peak, values[i].get<double>());
        }
    }
    double low = INFINITY;
    double high = -INFINITY;
    for (const double peak : peaks) {
        if (!std::isfinite(peak)) continue;
        low = std::min(low, peak);
        high = std::max(high, peak);
    }
    std::string out;
    for (const double peak : peaks) {
        const double part = high > low ? (peak - low) / (high - low) : 0.0;
        out += std::isfinite(peak) ? eighths[static_cast<std::size_t>(std::lround(part * 7.0))] : " ";
    }
    return out;
}

}  // namespace gputided
