#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/promql/promql.hpp"
#include "source/known_metrics.hpp"
#include "source/query_shape.hpp"

#include <algorithm>
#include <array>

namespace gputide::source {
namespace {

using formats::promql::expression;
using formats::promql::expression_kind;
using formats::promql::holds_word;

// Labels that distinguish the series of different pods.  Not `instance`: it may be an exporter's, the same for all pods.
constexpr std::array<std::string_view, 4> pod_labels = {"pod", "pod_name", "exported_pod", "kubernetes_pod_name"};
constexpr std::array<std::string_view, 5> single_calls = {"scalar", "vector", "absent", "absent_over_time", "time"};

bool is_of_one_pod(const expression& of) {
    return std::ranges::any_of(of.matchers, [](const formats::promql::label_matcher& matcher) {
        return matcher.sign == "=" && !matcher.value.empty() &&
               (holds_word(pod_labels, matcher.label) || matcher.label == "UUID");
    });
}

bool has_selector_of_one_pod(const expression& of) {
    return is_of_one_pod(of) || std::ranges::any_of(of.parts, has_selector_of_one_pod);
}

// Tells whether each replica of a server, or each GPU of an exporter, has its own series.
bool has_series_per_pod(const std::string& metric) {
    const known_metric* known = find_known_metric(metric);
    return known != nullptr && (known->is_own_pods || lower(metric).find("dcgm_") != std::string::npos);
}

bool is_number(const expression& of) {
    return of.kind == expression_kind::number ||
           (of.kind == expression_kind::call && holds_word(single_calls, of.name));
}

std::string several(const expression& of);

std::string several_in(const expression& of, std::size_t part) {
    return part < of.parts.size() ? several(of.parts[part]) : std::string();
}

std::string several_of_call(const expression& of) {
    if (holds_word(single_calls, of.name)) return {};
    const bool has_parameter = of.name == "histogram_quantile" || of.name == "quantile_over_time";
    return several_in(of, has_parameter ? 1 : 0);
}

// Handles topk and similar: topk(1, x) has one element, topk(3, x) up to three.
std::string several_of_largest(const expression& of) {
    const bool is_first = !of.parts.empty() && of.parts[0].kind == expression_kind::number && of.parts[0].number <= 1;
    return is_first && !of.is_grouped ? std::string() : several_in(of, 1);
}

std::string several_of_aggregation(const expression& of) {
    if (of.name == "topk" || of.name == "bottomk" || of.name == "limitk") return several_of_largest(of);
    if (!of.is_grouped || of.name == "count_values") return {};
    const auto label = std::find_first_of(of.grouping.begin(), of.grouping.end(), pod_labels.begin(), pod_labels.end());
    const bool names_pods = label != of.grouping.end();
    if (of.is_without) return names_pods ? std::string() : several_in(of, of.parts.size() - 1);
    return names_pods && !has_selector_of_one_pod(of) ? format_text("by ({})", *label) : std::string();
}

std::string several_of_binary(const expression& of) {
    if (of.parts.size() != 2) return {};
    const std::string left = several_in(of, 0);
    if (of.name == "and" || of.name == "unless") return left;
    const std::string right = several_in(of, 1);
    if (of.name == "or") return left.empty() ? right : left;
    if (is_number(of.parts[1])) return left;
    if (is_number(of.parts[0]) || left.empty()) return is_number(of.parts[0]) ? right : std::string();
    return right.empty() ? std::string() : left;
}

std::string several(const expression& of) {
    switch (of.kind) {
        case expression_kind::selector:
            if (is_of_one_pod(of) || !has_series_per_pod(of.name)) return {};
            return of.name + " has a series per pod";
        case expression_kind::call:
            return several_of_call(of);
        case expression_kind::aggregation:
            return of.parts.empty() ? std::string() : several_of_aggregation(of);
        case expression_kind::binary:
            return several_of_binary(of);
        case expression_kind::number:
        case expression_kind::text:
            break;
    }
    return {};
}

}  // namespace

std::string several_elements_of(std::string_view query) {
    const auto tree = formats::promql::parse(query);
    return tree ? several(*tree) : std::string();
}

}  // namespace gputide::source
