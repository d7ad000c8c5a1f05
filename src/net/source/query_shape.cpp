#include "source/query_shape.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/promql/promql.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gputide::source {
namespace {

using formats::promql::expression;
using formats::promql::expression_kind;
using formats::promql::holds_word;

constexpr double unbounded = value_bounds::unknown;
constexpr double max_series = 1e6;  // maximum of a metric's series in a cluster; a larger sum is not plausible

// The meaning of a part of the query.
struct meaning {
    source::quantity quantity = source::quantity::unknown;
    std::string because;
    value_bounds range = {};
    bool is_single = false;    // at most one series, so that a reducer changes nothing
    std::string several = {};  // as in several_elements_of()
};

constexpr std::array<std::string_view, 12> keep_meaning = {
    "abs",        "sort",          "sort_desc",     "scalar",        "vector",         "label_replace",
    "label_join", "avg_over_time", "max_over_time", "min_over_time", "last_over_time", "first_over_time"};
constexpr std::array<std::string_view, 8> rates = {"rate",   "irate", "increase",      "delta",
                                                   "idelta", "deriv", "sum_over_time", "predict_linear"};
constexpr std::array<std::string_view, 6> comparisons = {"==", "!=", "<", ">", "<=", ">="};
constexpr std::array<std::string_view, 5> single_calls = {"scalar", "vector", "absent", "absent_over_time", "time"};
// Labels that distinguish the series of different pods.  Not `instance`: it may be an exporter's, the same for all pods.
constexpr std::array<std::string_view, 4> pod_labels = {"pod", "pod_name", "exported_pod", "kubernetes_pod_name"};

bool is_comparison(const expression& of) {
    return of.kind == expression_kind::binary && holds_word(comparisons, of.name);
}

// Returns the bounds of the sum of a metric's series.
value_bounds total_of(const value_bounds& each) {
    return {each.min >= 0 ? 0.0 : -unbounded, each.max >= 0 ? each.max * max_series : unbounded};
}

meaning read(const expression& of);

meaning part(const expression& of, std::size_t index) {
    return index < of.parts.size() ? read(of.parts[index]) : meaning{};
}

bool is_of_one_pod(const expression& of) {
    return std::ranges::any_of(of.matchers, [](const formats::promql::label_matcher& matcher) {
        return matcher.sign == "=" && !matcher.value.empty() &&
               (holds_word(pod_labels, matcher.label) || matcher.label == "UUID");
    });
}

bool has_selector_of_one_pod(const expression& of) {
    return is_of_one_pod(of) || std::ranges::any_of(of.parts, has_selector_of_one_pod);
}

meaning read_metric(const std::string& metric) {
    meaning out;
    const known_metric* known = find_known_metric(metric);
    if (known != nullptr) out.range = {0.0, known->max};
    if (is_level_metric(metric)) {
        out.quantity = quantity::level;
        out.because = metric + " says how busy one thing is";
    } else if (is_desired_count(metric)) {
        out.quantity = quantity::total;
        out.because = metric + " is a number of replicas";
    }
    // Each replica of a server, or each GPU of an exporter, has its own series.
    if (known != nullptr && (known->is_own_pods || lower(metric).find("dcgm_") != std::string::npos))
        out.several = metric + " has a series per pod";
    return out;
}

meaning read_selector(const expression& of) {
    meaning out = read_metric(of.name);
    if (is_of_one_pod(of)) out.several.clear();
    return out;
}

// Handles clamp(x, 0, 50), clamp_min(x, 0) and clamp_max(x, 50).
meaning read_clamp(const expression& of, meaning out) {
    const auto bound = [&of](std::size_t index) -> std::optional<double> {
        const meaning limit = part(of, index);
        return limit.quantity == quantity::constant ? std::optional(limit.range.max) : std::nullopt;
    };
    const auto low = of.name == "clamp_max" ? std::nullopt : bound(1);
    const auto high = of.name == "clamp_min" ? std::nullopt : bound(of.name == "clamp" ? 2 : 1);
    if (low) out.range = {std::max(out.range.min, *low), std::max(out.range.max, *low)};
    if (high) out.range = {std::min(out.range.min, *high), std::min(out.range.max, *high)};
    return out;
}

meaning read_rounding(const expression& of, meaning out) {
    out.range =
        of.parts.size() == 1 ? value_bounds{std::floor(out.range.min), std::ceil(out.range.max)} : value_bounds{};
    return out;
}

meaning read_rate(const expression& of, meaning out) {
    const bool is_of_counter = of.name == "rate" || of.name == "irate" || of.name == "increase";
    const bool is_sum = of.name == "sum_over_time" && out.range.min >= 0;
    out.range = {is_of_counter || is_sum ? 0.0 : -unbounded, unbounded};
    return out;
}

meaning read_call(const expression& of, const meaning& inner) {
    if (of.name == "histogram_quantile" || of.name == "histogram_avg") return {quantity::level, of.name + "(...)"};
    if (of.name == "histogram_count" || of.name == "histogram_sum") return {quantity::total, of.name + "(...)"};
    if (of.name == "quantile_over_time") return inner;
    if (of.name.compare(0, 5, "clamp") == 0) return read_clamp(of, inner);
    if (of.name == "ceil" || of.name == "floor" || of.name == "round") return read_rounding(of, inner);
    if (holds_word(rates, of.name)) return read_rate(of, inner);
    if (!holds_word(keep_meaning, of.name)) return {};
    meaning out = inner;
    if (of.name == "abs") out.range = {0.0, std::max(std::abs(out.range.min), std::abs(out.range.max))};
    out.is_single = out.is_single || of.name == "scalar" || of.name == "vector";
    return out;
}

meaning read_call(const expression& of) {
    const meaning inner = part(of, of.name == "histogram_quantile" || of.name == "quantile_over_time" ? 1 : 0);
    meaning out = read_call(of, inner);
    out.several = holds_word(single_calls, of.name) ? std::string() : inner.several;
    return out;
}

bool reads_own_pods(const expression& of) {
    if (of.kind == expression_kind::selector) {
        const known_metric* known = find_known_metric(of.name);
        return known != nullptr && known->is_own_pods;
    }
    return !of.parts.empty() && std::ranges::all_of(of.parts, [](const expression& part) {
        return part.kind == expression_kind::number || reads_own_pods(part);
    });
}

// Handles max and min: the maximum over the pods' own values is one pod's value, which does not add up over replicas.
meaning of_one_pod(const expression& of, meaning inner) {
    if (inner.quantity != quantity::unknown || !reads_own_pods(of)) return inner;
    inner.quantity = quantity::level;
    inner.because = of.name + "(...) over the pods' values is the value of one pod";
    return inner;
}

meaning aggregated(const expression& of, const meaning& inner) {
    if (of.name == "avg" || of.name == "quantile") return {quantity::level, of.name + "(...)", inner.range};
    if (of.name == "sum") return {quantity::total, "sum(...)", total_of(inner.range)};
    if (of.name == "count") return {quantity::total, "count(...)", {0.0, unbounded}};
    if (of.name == "max" || of.name == "min" || of.name == "topk" || of.name == "bottomk") return of_one_pod(of, inner);
    return {};
}

// Tells why an aggregation has several elements: topk(1, x) has one element, topk(3, x) up to three.
std::string several_of_aggregation(const expression& of, const std::string& inner) {
    if (of.parts.empty()) return {};
    if (of.name == "topk" || of.name == "bottomk" || of.name == "limitk") {
        const bool is_first = of.parts[0].kind == expression_kind::number && of.parts[0].number <= 1;
        return is_first && !of.is_grouped ? std::string() : inner;
    }
    if (!of.is_grouped || of.name == "count_values") return {};
    const auto label = std::find_first_of(of.grouping.begin(), of.grouping.end(), pod_labels.begin(), pod_labels.end());
    const bool names_pods = label != of.grouping.end();
    if (of.is_without) return names_pods ? std::string() : inner;
    return names_pods && !has_selector_of_one_pod(of) ? format_text("by ({})", *label) : std::string();
}

meaning read_aggregation(const expression& of) {
    const bool gives_several = of.name == "topk" || of.name == "bottomk" || of.name == "limitk" ||
                               of.name == "limit_ratio" || of.name == "count_values";
    const meaning inner = part(of, gives_several || of.name == "quantile" ? 1 : 0);
    meaning out = aggregated(of, inner);
    out.is_single = !of.is_grouped && !gives_several;
    out.several = several_of_aggregation(of, inner.several);
    return out;
}

bool is(const meaning& part, quantity what) { return part.quantity == what; }

meaning read_product(const meaning& left, const meaning& right) {
    meaning out{quantity::unknown, {}, product_of(left.range, right.range)};
    const bool constant_left = is(left, quantity::constant);
    if (constant_left || is(right, quantity::constant)) {
        const meaning& kept = constant_left ? right : left;
        out.quantity = kept.quantity;
        out.because = kept.because;
    } else if (is(left, quantity::level) && is(right, quantity::level)) {
        out.quantity = quantity::level;
        out.because = left.because;
    } else if ((is(left, quantity::level) && is(right, quantity::total)) ||
               (is(left, quantity::total) && is(right, quantity::level))) {
        out.quantity = quantity::total;
        out.because = "an average times a total";
    }
    return out;
}

// Tells whether the quotient is a / (a + b) with non-negative parts: 0 to 1.
bool is_share(const expression& of) {
    const expression& divisor = of.parts[1];
    if (divisor.kind != expression_kind::binary || divisor.name != "+") return false;
    const bool is_part = of.parts[0] == divisor.parts[0] || of.parts[0] == divisor.parts[1];
    return is_part && read(divisor.parts[0]).range.min >= 0 && read(divisor.parts[1]).range.min >= 0;
}

meaning read_quotient(const expression& of, const meaning& left, const meaning& right) {
    meaning out;
    if (is(right, quantity::constant)) {
        out = left;
        const double divisor = right.range.max;
        out.range = divisor == 0.0 ? value_bounds{} : product_of(left.range, {1.0 / divisor, 1.0 / divisor});
    } else if (is(left, quantity::total) && is(right, quantity::total)) {
        out = {quantity::level, "a quotient of two totals"};
    } else if (is(left, quantity::level) && is(right, quantity::level)) {
        out = {quantity::level, left.because};
    } else if (is(left, quantity::total) && is(right, quantity::level)) {
        out = {quantity::total, "a total divided by an average"};
    }
    if (is_share(of)) out.range = {0.0, 1.0};
    return out;
}

// Handles + and -. The bounds need those of both sides: 100 - x is at most 100 only if x is never negative.
meaning read_sum(const meaning& left, const meaning& right, bool is_difference) {
    meaning out = is(left, quantity::constant) ? right : left;
    if (left.quantity != right.quantity && !is(left, quantity::constant) && !is(right, quantity::constant)) out = {};
    out.range = sum_of(left.range, is_difference ? negative_of(right.range) : right.range);
    return out;
}

meaning read_or(const meaning& left, const meaning& right) {
    meaning out = is(right, quantity::constant) || left.quantity == right.quantity ? left : meaning{};
    out.range = either_of(left.range, right.range);
    return out;
}

meaning read_operands(const expression& of, const meaning& left, const meaning& right) {
    if (of.name == "*") return read_product(left, right);
    if (of.name == "/") return read_quotient(of, left, right);
    if (of.name == "+" || of.name == "-") return read_sum(left, right, of.name == "-");
    return of.name == "or" ? read_or(left, right) : meaning{};
}

// Handles a comparison: without bool it keeps the values of its vector, which may be on either side.
meaning read_comparison(const expression& of, const meaning& left, const meaning& right) {
    if (of.has_bool) return {quantity::unknown, {}, {0.0, 1.0}, left.is_single};
    return is(left, quantity::constant) ? right : left;
}

bool is_number(const expression& of) {
    return of.kind == expression_kind::number ||
           (of.kind == expression_kind::call && holds_word(single_calls, of.name));
}

std::string several_of_binary(const expression& of, const std::string& left, const std::string& right) {
    if (of.parts.size() != 2) return {};
    if (of.name == "and" || of.name == "unless") return left;
    if (of.name == "or") return left.empty() ? right : left;
    if (is_number(of.parts[1])) return left;
    if (is_number(of.parts[0])) return right;
    return left.empty() || right.empty() ? std::string() : left;
}

meaning read_binary(const expression& of) {
    const meaning left = part(of, 0);
    const meaning right = part(of, 1);
    meaning out = left;
    if (is_comparison(of)) {
        out = read_comparison(of, left, right);
    } else if (of.name != "and" && of.name != "unless" && of.parts.size() == 2) {
        out = read_operands(of, left, right);
        out.is_single = left.is_single && right.is_single;
    }
    out.several = several_of_binary(of, left.several, right.several);
    return out;
}

meaning read(const expression& of) {
    switch (of.kind) {
        case expression_kind::number:
            return {quantity::constant, {}, {of.number, of.number}, true};
        case expression_kind::selector:
            return read_selector(of);
        case expression_kind::call:
            return read_call(of);
        case expression_kind::aggregation:
            return read_aggregation(of);
        case expression_kind::binary:
            return read_binary(of);
        case expression_kind::text:
            break;
    }
    return {};
}

// Applies a trigger's reducer: avg, max, min, sum, count, pNN; "": exactly one series.
meaning reduced(meaning of, std::string_view reduce) {
    if (of.is_single || reduce.empty() || reduce == "max" || reduce == "min") return of;
    const std::string because = "reduce: " + std::string(reduce);
    if (reduce == "sum") return {quantity::total, because, total_of(of.range), true};
    if (reduce == "count") return {quantity::total, because, {0.0, unbounded}, true};
    return {quantity::level, because, of.range, true};
}

void add_metrics(const expression& of, std::vector<std::string>& out) {
    const bool is_new = std::ranges::find(out, of.name) == out.end();
    if (of.kind == expression_kind::selector && !of.name.empty() && is_new) out.push_back(of.name);
    for (const expression& inner : of.parts) add_metrics(inner, out);
}

std::vector<std::string> metrics_of(const expression& of) {
    std::vector<std::string> out;
    add_metrics(of, out);
    return out;
}

// Finds a sum of a metric and of the name that replaced it: servers have both for a while.
std::string counted_twice(const expression& of) {
    if (of.kind == expression_kind::binary && of.name == "+") {
        const std::vector<std::string> left = metrics_of(of.parts[0]);
        const std::vector<std::string> right = metrics_of(of.parts[1]);
        for (const std::string& a : left) {
            for (const std::string& b : right) {
                if (succeeds(a, b) || succeeds(b, a)) return format_text("{} and {}", a, b);
            }
        }
    }
    for (const expression& inner : of.parts) {
        if (std::string found = counted_twice(inner); !found.empty()) return found;
    }
    return {};
}

bool has_constant_behind_comparison(const expression& of) {
    const bool is_found = of.kind == expression_kind::binary && of.name == "or" && of.parts.size() == 2 &&
                          is_comparison(of.parts[0]) && !of.parts[0].has_bool &&
                          is(read(of.parts[1]), quantity::constant);
    return is_found || std::ranges::any_of(of.parts, has_constant_behind_comparison);
}

query_shape shape_of(meaning whole) {
    query_shape out;
    out.quantity = whole.quantity;
    out.because = std::move(whole.because);
    out.max = std::isnan(whole.range.max) ? unbounded : whole.range.max;
    return out;
}

}  // namespace

query_shape shape_of_query(std::string_view query, std::string_view reduce) {
    const auto tree = formats::promql::parse(query);
    if (!tree) return {};
    query_shape out = shape_of(reduced(read(*tree), reduce));
    out.metrics = metrics_of(*tree);
    out.counted_twice = counted_twice(*tree);
    out.is_constant_behind_comparison = has_constant_behind_comparison(*tree);
    return out;
}

query_shape shape_of_metric(std::string_view metric) { return shape_of_series({.metric = metric}); }

query_shape shape_of_series(const series_use& use) {
    meaning each = read_metric(std::string(use.metric));
    if (std::isfinite(use.max))
        each = {quantity::level, std::string(use.metric) + " says how busy one thing is", {0.0, use.max}};
    if (use.is_rate) each.range = {0.0, unbounded};
    each.range = product_of(each.range, {use.scale, use.scale});
    query_shape out = shape_of(reduced(reduced(std::move(each), use.group_reduce), use.reduce));
    out.metrics = {std::string(use.metric)};
    return out;
}

std::string several_elements_of(std::string_view query) {
    const auto tree = formats::promql::parse(query);
    return tree ? read(*tree).several : std::string();
}

}  // namespace gputide::source
