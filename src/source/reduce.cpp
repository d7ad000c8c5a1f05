// Reduction and judgement of numbers.
#include "source/reduce.hpp"

#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gputide::source {
namespace {

std::optional<double> percentile_of(std::string_view how) {
    if (how.size() < 2 || how.front() != 'p') return std::nullopt;
    const auto percent = parse_json_number(how.substr(1));
    if (!percent || *percent < 0.0 || *percent > 100.0) return std::nullopt;
    return percent;
}

double nearest_rank(std::vector<double>& values, double percent) {
    const double exact = percent / 100.0 * static_cast<double>(values.size());
    // 99.9 / 100 × 1000 is a hair above 999 in binary; such dust must not lift the rank.
    const double rank = std::max(1.0, std::ceil(exact - 1e-9));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

double combine(std::vector<double>& values, std::string_view how) {
    if (how == "max") return *std::max_element(values.begin(), values.end());
    if (how == "min") return *std::min_element(values.begin(), values.end());
    if (how == "count") return static_cast<double>(values.size());
    if (const auto percent = percentile_of(how)) return nearest_rank(values, *percent);
    double sum = 0.0;
    for (const double value : values) sum += value;
    if (how == "sum") return sum;
    if (std::isfinite(sum)) return sum / static_cast<double>(values.size());
    double mean = 0.0;  // the sum overflowed: divide first
    for (const double value : values) mean += value / static_cast<double>(values.size());
    return mean;
}

fetched no_value(sample_state state, error_class kind, std::string text) {
    fetched out;
    out.why = fail(kind, std::move(text));
    out.sample.state = state;
    out.sample.status = out.why.status;
    return out;
}

fetched value_of(double value, std::int64_t time_ms) {
    fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.sample.value = value;
    out.sample.time_ms = time_ms;
    return out;
}

// KEDA's ignoreNullValues: what is no number reads as 0, and the sample remembers it.
fetched null_or(const reduction& rule, sample_state state, std::int64_t time_ms, std::string text) {
    if (rule.ignore_null) {
        fetched out = value_of(0.0, time_ms);
        out.sample.null_as_zero = true;
        return out;
    }
    return no_value(state, error_class::no_data, std::move(text));
}

}  // namespace

numbers numbers_of(const reading& from) {
    numbers out;
    out.result_type = from.result_type;
    out.series = from.series.size();
    out.newest.reserve(from.series.size());
    for (const series& one : from.series) {
        if (!one.points.empty()) out.newest.push_back(one.points.back());
    }
    out.string_value = from.string_value;
    out.warnings = from.warnings;
    out.infos = from.infos;
    out.partial = from.partial;
    return out;
}

bool known_reducer(std::string_view how) {
    for (const std::string_view known : {"avg", "max", "min", "sum", "count"}) {
        if (how == known) return true;
    }
    return percentile_of(how).has_value();
}

reduced reduce(std::span<const point> points, std::string_view how) {
    reduced out;
    std::vector<double> values;
    values.reserve(points.size());
    for (const point& one : points) {
        if (!std::isfinite(one.value)) continue;
        out.time_ms = values.empty() ? one.time_ms : std::min(out.time_ms, one.time_ms);
        values.push_back(one.value);
    }
    out.used = values.size();
    out.dropped = points.size() - values.size();
    if (!values.empty()) out.value = combine(values, how);
    return out;
}

bool is_plain_value(const numbers& from, const reduction& rule) {
    return from.series == 1 && from.newest.size() == 1 && !from.partial && rule.reduce.empty() &&
           std::isfinite(from.newest.front().value);
}

fetched judge_numbers(const numbers& from, const reduction& rule, const judge_texts& say) {
    if (from.partial && !rule.accept_partial) {
        return no_value(sample_state::partial, error_class::partial,
                        "the server marked its answer as partial; accept that by name "
                        "(gputide.io/accept-partial: \"true\"), or repair the store that is missing");
    }
    if (from.series == 0) return null_or(rule, sample_state::empty, 0, say.empty);
    if (from.series > 1 && rule.reduce.empty()) {
        return no_value(sample_state::ambiguous, error_class::ambiguous,
                        say.several + " (" + std::to_string(from.series) +
                            " series, one is needed); aggregate in the query, e.g. avg(...), or name a reducer "
                            "(gputide.io/reduce: avg, max, min, sum, count or pNN)");
    }
    if (from.newest.empty()) return null_or(rule, sample_state::empty, 0, say.no_float);
    if (rule.reduce.empty()) {
        const point& only = from.newest.front();
        if (std::isfinite(only.value)) return value_of(only.value, only.time_ms);
        return null_or(rule, sample_state::not_a_number, only.time_ms, say.not_finite + " " + shortest(only.value));
    }
    const reduced one = reduce(from.newest, rule.reduce);
    if (one.used > 0 && std::isfinite(one.value)) return value_of(one.value, one.time_ms);
    return null_or(rule, sample_state::not_a_number, one.time_ms,
                   say.not_finite + " no finite value: of " + std::to_string(from.newest.size()) + " series " +
                       std::to_string(one.dropped) + " are NaN or infinite" +
                       (one.used > 0 ? ", and the " + rule.reduce + " of the rest overflows" : std::string()));
}

fetched judge_failure(error why) {
    fetched out;
    out.sample.status = why.status;
    switch (why.status) {
        case status::auth:
        case status::forbidden:
            out.sample.state = sample_state::auth;
            break;
        case status::timeout:
            out.sample.state = sample_state::timeout;
            break;
        case status::no_data:
            out.sample.state = sample_state::empty;
            break;
        case status::ambiguous:
            out.sample.state = sample_state::ambiguous;
            break;
        case status::partial:
            out.sample.state = sample_state::partial;
            break;
        default:
            out.sample.state = sample_state::failed;
            break;
    }
    out.why = std::move(why);
    return out;
}

fetched stale(fetched value, std::string text) {
    value.why = fail(error_class::stale, std::move(text));
    const std::int64_t time_ms = value.sample.time_ms;
    value.sample = gputide::sample();
    value.sample.state = sample_state::stale;
    value.sample.status = status::no_data;
    value.sample.time_ms = time_ms;
    return value;
}

fetched within_age(fetched value, std::int64_t now_ms, std::int64_t max_age_ms, std::string_view remedy) {
    const gputide::sample& got = value.sample;
    const bool has_age = got.state == sample_state::ok && !got.null_as_zero && got.time_ms != 0;
    const std::int64_t age_ms = now_ms - got.time_ms;
    if (!has_age || max_age_ms <= 0 || age_ms <= max_age_ms) return value;
    return stale(std::move(value), "the value is " + format_duration_ms(age_ms) + " old, " +
                                       format_duration_ms(max_age_ms) + " are allowed (gputide.io/max-sample-age); " +
                                       std::string(remedy));
}

}  // namespace gputide::source
