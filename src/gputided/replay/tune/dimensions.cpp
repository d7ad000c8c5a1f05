#include "common/log.hpp"
#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <cmath>
#include <random>
#include <set>

namespace gputided {

namespace {

constexpr std::size_t max_values = 1'000;

usage_error bad_form(const std::string& text) {
    return usage_error("--try " + text + ": expected name=low:high:step or name=value,value");
}

json value_of(const std::string& value, const std::string& text) {
    json out = json::parse(value, nullptr, false);
    if (out.is_discarded() || !(out.is_number() || out.is_boolean())) throw bad_form(text);
    return out;
}

// Returns whole numbers as integers, as the settings require.
json tidy_number(double value) {
    const double rounded = std::round(value * 1e6) / 1e6;
    if (rounded == std::floor(rounded)) return static_cast<std::int64_t>(rounded);
    return rounded;
}

// Rounds to three significant digits: 66.66 to 66.7.
json three_digits(double value) {
    if (!(value > 0)) return tidy_number(value);
    const double scale = std::pow(10.0, 2 - std::floor(std::log10(value)));
    return tidy_number(std::round(value * scale) / scale);
}

std::vector<json> range_values(const std::vector<std::string>& bounds, const std::string& text) {
    const json low = value_of(bounds[0], text);
    const json high = value_of(bounds[1], text);
    const json step = value_of(bounds[2], text);
    if (!step.is_number() || !low.is_number() || !high.is_number() || !(step.get<double>() > 0)) {
        throw usage_error("--try " + text + ": the step is not above 0");
    }
    if (low.get<double>() > high.get<double>()) {
        throw usage_error("--try " + text + ": " + bounds[0] + " is above " + bounds[1] +
                          "; expected name=low:high:step");
    }
    std::vector<json> out;
    for (std::size_t i = 0; i < max_values; ++i) {
        const double value = low.get<double>() + static_cast<double>(i) * step.get<double>();
        if (value > high.get<double>() + 1e-9) break;
        out.push_back(tidy_number(value));
    }
    return out;
}

// Returns a combination; picked(n) selects the index of a dimension's value among n.
template <class Pick>
json combination_of(const std::vector<dimension>& dimensions, Pick picked) {
    json out = json::object();
    for (const dimension& dimension : dimensions) {
        out[dimension.name] = dimension.values[picked(dimension.values.size())];
    }
    return out;
}

std::vector<json> all_combinations(const std::vector<dimension>& dimensions, std::size_t count) {
    std::vector<json> out;
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t rest = i;
        out.push_back(combination_of(dimensions, [&](std::size_t size) {
            const std::size_t at = rest % size;
            rest /= size;
            return at;
        }));
    }
    return out;
}

// Adds dimensions of the forecast.  The lead is varied because the configured one may differ from the real start-up time.
void add_forecast_dimensions(const json& forecast, std::vector<dimension>& out) {
    const std::int64_t lead_ms = forecast.at("lead_ms");
    dimension lead{"forecast_lead_ms", {}};
    for (const std::int64_t tried_ms : {lead_ms / 2, lead_ms, lead_ms * 3 / 2}) {
        if (tried_ms >= 60'000 && tried_ms <= 3'600'000) lead.values.emplace_back(tried_ms);
    }
    out.push_back(std::move(lead));
    out.push_back({"forecast_budget_percent", {2, 5, 10}});
    out.push_back({"forecast_quantile_percent", {80, 90, 95}});
}

}  // namespace

dimension read_dimension(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw bad_form(text);
    dimension out{text.substr(0, equals), {}};
    const std::string rest = text.substr(equals + 1);
    const std::vector<std::string> bounds = split(rest, ':');
    if (bounds.size() == 3) {
        out.values = range_values(bounds, text);
    } else {
        for (const std::string& value : split(rest, ',')) out.values.push_back(value_of(value, text));
    }
    if (out.values.empty() || out.values.size() > max_values) {
        throw usage_error("--try " + text + ": expected 1 to 1000 values");
    }
    return out;
}

std::vector<dimension> usual_dimensions(const json& report, const json& policy, bool has_tolerance) {
    const double target = report.at("policy").at("metrics").at(0).at("target");
    std::vector<dimension> out;
    dimension threshold{"threshold", {}};
    for (const double factor : {0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4}) {
        threshold.values.push_back(three_digits(target * factor));
    }
    if (!policy.contains("scalingModifiers")) out.push_back(threshold);  // a formula has its own target
    const int min = report.at("policy").at("min");
    const int max = report.at("policy").at("max");
    dimension least{"min", {}};
    for (const int value : {min - 1, min, min + 1}) {
        if (value >= (min > 0 ? 1 : 0) && value <= max) least.values.emplace_back(value);
    }
    out.push_back(least);
    out.push_back({"down_window_s", {60, 120, 300, 600, 1200, 1800, 3600}});
    out.push_back({"up_window_s", {0, 30, 60, 120, 300}});
    if (has_tolerance) out.push_back({"tolerance", {0.05, 0.1, 0.2}});
    out.push_back({"up_percent", {50, 100, 200}});
    if (forecasts(report)) add_forecast_dimensions(report.at("forecast"), out);
    if (min == 0) {
        out.push_back({"activation_threshold", {0, three_digits(target * 0.05), three_digits(target * 0.1)}});
        out.push_back({"cooldown_s", {60, 300, 900}});
    }
    return out;
}

std::vector<json> combinations(const std::vector<dimension>& dimensions, std::size_t max_count, std::uint64_t seed) {
    double count = 1;
    for (const dimension& dimension : dimensions) count *= static_cast<double>(dimension.values.size());
    if (count <= static_cast<double>(max_count)) return all_combinations(dimensions, static_cast<std::size_t>(count));
    std::mt19937_64 draws(seed);  // the remainder is used, because distributions differ between platforms
    std::vector<json> out;
    std::set<std::string> known;
    for (std::size_t tries = 0; out.size() < max_count && tries < max_count * 20; ++tries) {
        json drawn =
            combination_of(dimensions, [&](std::size_t size) { return static_cast<std::size_t>(draws() % size); });
        if (known.insert(drawn.dump()).second) out.push_back(std::move(drawn));
    }
    return out;
}

std::vector<json> neighbors(const std::vector<dimension>& dimensions, const json& combination) {
    std::vector<json> out;
    for (const dimension& dimension : dimensions) {
        for (const json& value : dimension.values) {
            if (combination.contains(dimension.name) && combination.at(dimension.name) == value) continue;
            out.push_back(combination);
            out.back()[dimension.name] = value;
        }
    }
    return out;
}

}  // namespace gputided
