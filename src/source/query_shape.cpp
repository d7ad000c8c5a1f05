#include "source/query_shape.hpp"

#include "formats/promql/expression.hpp"
#include "formats/promql/words.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gputide::source {
namespace {

using formats::promql::expression;
using formats::promql::expression_kind;
using formats::promql::holds_word;

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double max_series = 1e6;  // of one metric in a cluster: a sum above that many times the range is no sum of it

// What a part of the query gives.
struct meaning {
    source::quantity quantity = source::quantity::unknown;
    std::string because;
    double max = unbounded;
};

constexpr std::array<std::string_view, 15> keep_meaning = {
    "abs",           "ceil",          "floor",         "round",          "sort",
    "sort_desc",     "scalar",        "vector",        "label_replace",  "label_join",
    "avg_over_time", "max_over_time", "min_over_time", "last_over_time", "first_over_time"};
constexpr std::array<std::string_view, 8> rates = {"rate",   "irate", "increase",      "delta",
                                                   "idelta", "deriv", "sum_over_time", "predict_linear"};
constexpr std::array<std::string_view, 6> comparisons = {"==", "!=", "<", ">", "<=", ">="};

bool is_comparison(const expression& one) {
    return one.kind == expression_kind::binary && holds_word(comparisons, one.name);
}

meaning read(const expression& of);

meaning part(const expression& of, std::size_t index) {
    return index < of.parts.size() ? read(of.parts[index]) : meaning{};
}

meaning read_selector(const std::string& metric) {
    meaning out;
    if (const known_metric* known = find_known_metric(metric)) out.max = known->max;
    if (is_level_metric(metric)) {
        out.quantity = quantity::level;
        out.because = metric + " says how busy one thing is";
    } else if (is_desired_count(metric)) {
        out.quantity = quantity::total;
        out.because = metric + " is a number of replicas";
    }
    return out;
}

meaning read_clamp(const expression& of) {
    meaning out = part(of, 0);
    const std::size_t bound = of.name == "clamp" ? 2 : 1;
    if (of.name != "clamp_min" && bound < of.parts.size() && of.parts[bound].kind == expression_kind::number)
        out.max = std::min(out.max, of.parts[bound].number);
    return out;
}

meaning read_call(const expression& of) {
    if (of.name == "histogram_quantile" || of.name == "histogram_avg") return {quantity::level, of.name + "(...)"};
    if (of.name == "histogram_count" || of.name == "histogram_sum") return {quantity::total, of.name + "(...)"};
    if (of.name == "quantile_over_time") return part(of, 1);
    if (of.name.compare(0, 5, "clamp") == 0) return read_clamp(of);
    if (holds_word(keep_meaning, of.name)) return part(of, 0);
    if (!holds_word(rates, of.name)) return {};
    meaning out = part(of, 0);
    out.max = unbounded;
    return out;
}

meaning read_aggregation(const expression& of) {
    const bool has_parameter = of.name == "quantile" || of.name == "topk" || of.name == "bottomk" ||
                               of.name == "limitk" || of.name == "limit_ratio" || of.name == "count_values";
    meaning inner = part(of, has_parameter ? 1 : 0);
    if (of.name == "avg" || of.name == "quantile") return {quantity::level, of.name + "(...)", inner.max};
    if (of.name == "sum") return {quantity::total, "sum(...)", inner.max * max_series};
    if (of.name == "count") return {quantity::total, "count(...)"};
    if (of.name == "max" || of.name == "min" || of.name == "topk" || of.name == "bottomk") return inner;
    return {};
}

bool is(const meaning& one, quantity what) { return one.quantity == what; }

meaning product(const meaning& left, const meaning& right) {
    meaning out{quantity::unknown, {}, left.max * right.max};
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

meaning quotient(const meaning& left, const meaning& right) {
    meaning out;
    if (is(right, quantity::constant)) {
        out = left;
        out.max = right.max > 0 ? left.max / right.max : unbounded;
    } else if (is(left, quantity::total) && is(right, quantity::total)) {
        out = {quantity::level, "a quotient of two totals"};
    } else if (is(left, quantity::level) && is(right, quantity::level)) {
        out = {quantity::level, left.because};
    } else if (is(left, quantity::total) && is(right, quantity::level)) {
        out = {quantity::total, "a total divided by an average"};
    }
    return out;
}

meaning sum_of(const meaning& left, const meaning& right, bool is_difference) {
    meaning out = is(left, quantity::constant) ? right : left;
    if (left.quantity != right.quantity && !is(left, quantity::constant) && !is(right, quantity::constant)) out = {};
    out.max = is_difference ? left.max : left.max + right.max;
    return out;
}

meaning either(const meaning& left, const meaning& right) {
    meaning out = is(right, quantity::constant) || left.quantity == right.quantity ? left : meaning{};
    out.max = std::max(left.max, right.max);
    return out;
}

meaning read_binary(const expression& of) {
    const meaning left = part(of, 0);
    if (is_comparison(of)) return of.has_bool ? meaning{quantity::unknown, {}, 1.0} : left;
    if (of.name == "and" || of.name == "unless") return left;
    const meaning right = part(of, 1);
    if (of.name == "*") return product(left, right);
    if (of.name == "/") return quotient(left, right);
    if (of.name == "+" || of.name == "-") return sum_of(left, right, of.name == "-");
    return of.name == "or" ? either(left, right) : meaning{};
}

meaning read(const expression& of) {
    switch (of.kind) {
        case expression_kind::number:
            return {quantity::constant, {}, of.number >= 0 ? of.number : unbounded};
        case expression_kind::selector:
            return read_selector(of.name);
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

void gather(const expression& of, query_shape& out) {
    const bool is_new = std::find(out.metrics.begin(), out.metrics.end(), of.name) == out.metrics.end();
    if (of.kind == expression_kind::selector && !of.name.empty() && is_new) out.metrics.push_back(of.name);
    if (of.kind == expression_kind::binary && of.name == "or" && of.parts.size() == 2) {
        const bool is_constant = is(read(of.parts[1]), quantity::constant);
        const expression& left = of.parts[0];
        if (is_constant && is_comparison(left) && !left.has_bool) out.is_constant_behind_comparison = true;
    }
    for (const expression& one : of.parts) gather(one, out);
}

}  // namespace

query_shape shape_of_query(std::string_view query) {
    query_shape out;
    const auto tree = formats::promql::parse(query);
    if (!tree) return out;
    meaning whole = read(*tree);
    out.quantity = whole.quantity;
    out.because = std::move(whole.because);
    out.max = std::isnan(whole.max) ? unbounded : whole.max;  // 0 × infinity
    gather(*tree, out);
    return out;
}

query_shape shape_of_metric(std::string_view metric) {
    meaning one = read_selector(std::string(metric));
    return {one.quantity, std::move(one.because), one.max, false, {std::string(metric)}};
}

}  // namespace gputide::source
