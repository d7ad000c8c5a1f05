// Parses selectors and writes them.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "doctor/judge.hpp"
#include "formats/exposition/selector.hpp"
#include "source/known_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gputide::doctor {

namespace {

std::string joined(const std::string& metric, const std::vector<matcher>& matchers, std::size_t left_out) {
    std::string inside;
    for (std::size_t i = 0; i < matchers.size(); ++i) {
        if (i != left_out) append_item(inside, matchers[i].text(), ",");
    }
    return inside.empty() ? metric : metric + "{" + inside + "}";
}

}  // namespace

bool matcher::takes(const source::labels& labels, match_budget& budget) const {
    const std::string_view there = label_value(labels, label);
    const bool same = pattern ? pattern->matches(there, budget) : there == value;
    return same == (sign[0] == '=');
}

std::string matcher::text() const { return label + sign + gputide::in_quotes(value, value.size()); }

std::string selection::text() const { return joined(metric, matchers, matchers.size()); }

std::string selection::text_without(std::size_t left_out) const { return joined(metric, matchers, left_out); }

std::optional<selection> read_selector(std::string_view text) {
    const std::size_t brace = text.find('{');
    selection out;
    out.metric = trim(text.substr(0, brace));
    if (brace == std::string_view::npos) return out;
    auto read = formats::exposition::parse_matchers(
        text.substr(brace), [](std::string_view name) { return formats::exposition::label_names{std::string(name)}; });
    if (!read) return std::nullopt;
    for (formats::exposition::matcher& matcher : *read) {
        const bool regular = matcher.pattern.has_value();
        const char* sign = matcher.wanted ? (regular ? "=~" : "=") : (regular ? "!~" : "!=");
        if (matcher.names.front() == "__name__" && out.metric.empty() && matcher.wanted && !regular) {
            out.metric = matcher.value;
            continue;
        }
        out.matchers.push_back({matcher.names.front(), sign, matcher.value, std::move(matcher.pattern)});
    }
    return out;
}

std::string_view label_value(const source::labels& labels, std::string_view name) {
    for (const auto& [label, value] : labels) {
        if (label == name) return value;
    }
    return {};
}

std::vector<source::labels> labels_of(const std::vector<source::series>& series) {
    std::vector<source::labels> out;
    out.reserve(series.size());
    for (const source::series& found : series) out.push_back(found.labels);
    return out;
}

std::vector<std::string> label_names(const std::vector<source::labels>& labels) {
    std::set<std::string> out;
    for (const source::labels& found : labels) {
        for (const auto& [name, value] : found) {
            if (name != "__name__") out.insert(name);
        }
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> label_values(const std::vector<source::labels>& labels, std::string_view name) {
    std::set<std::string> out;
    for (const source::labels& found : labels) out.emplace(label_value(found, name));
    out.erase("");
    return {out.begin(), out.end()};
}

std::string_view pod_label_of(const std::vector<source::labels>& series) {
    const bool is_exported = std::ranges::any_of(
        series, [](const source::labels& labels) { return !label_value(labels, "exported_pod").empty(); });
    return is_exported ? "exported_pod" : "pod";
}

bool mixes_devices_and_pods(std::string_view metric, const std::vector<source::labels>& series) {
    if (!source::is_split_by_pods(metric)) return false;
    // first: has a series without a pod; second: has a series with a pod
    std::map<std::string_view, std::pair<bool, bool>> cards;
    const std::string_view pod_label = pod_label_of(series);
    for (const source::labels& labels : series) {
        const bool has_pod = !label_value(labels, pod_label).empty();
        auto& [own, pods] = cards[label_value(labels, "UUID")];
        (has_pod ? pods : own) = true;
    }
    return std::ranges::any_of(
        cards, [](const auto& card) { return !card.first.empty() && card.second.first && card.second.second; });
}

// Checks which pods have a value, and computes the HPA's utilization or average of them.

namespace {

constexpr double thousandths = 1'000.0;
constexpr std::size_t max_pods_shown = 3;

bool has_value(const pod_value& pod) { return pod.value_milli.has_value(); }

std::size_t with_value(const pods& seen) {
    return static_cast<std::size_t>(std::ranges::count_if(seen.read.values, has_value));
}

bool is_share(const pods& seen) { return seen.metric.type == manifest::target_type::utilization; }

step no_pods() {
    return broken(
        step_name::series, "the target's selector matches no pod",
        "The workload has no pods at the moment: it is scaled to 0, or its pods cannot be created.",
        "Check the target with `kubectl get pods` and `kubectl describe`; the HPA does nothing until there is a pod.");
}

step no_values(const pods& seen) {
    const std::string& metric = seen.metric.name;
    step out = broken(
        step_name::series,
        format_text("none of the {}a value of {}", counted(seen.read.pods.size(), "pod has ", "pods has "), metric), {},
        {});
    if (seen.metric.is_resource()) {
        out.cause =
            "metrics-server has no metrics of them: they started less than a minute ago, or it cannot reach their "
            "nodes.";
        out.fix = "Check `kubectl top pods` and the log of metrics-server in kube-system.";
    } else {
        out.cause =
            "The adapter has no series of these pods: they are not scraped, or their series lack the labels "
            "(namespace, pod) that the adapter's rule needs.";
        out.fix = format_text(
            "Query {} in the Prometheus behind the adapter, and compare its labels with `resources` in the adapter's "
            "rule.",
            metric);
    }
    return out;
}

// Returns the selected pods without a value.  The HPA counts them as idle when it scales up and as at the target when it scales
// down (kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go).  Both hold the size.
std::vector<std::string> without_value(const pods& seen) {
    std::vector<std::string> out;
    for (const pod_state& pod : seen.read.pods) {
        const auto same = [&pod](const pod_value& value) { return value.pod == pod.name && has_value(value); };
        const bool counts = !pod.deleting && pod.phase != pod_phase::failed && pod.phase != pod_phase::succeeded;
        if (counts && std::ranges::none_of(seen.read.values, same)) out.push_back(pod.name);
    }
    return out;
}

step some_without(const std::string& text, const std::vector<std::string>& names) {
    return doubtful(
        step_name::series, format_text("{}; without a value: {}", text, listed(names, max_pods_shown)),
        "The target's selector matches them, and the HPA counts pods without a value as idle when it scales up: they "
        "hold the size. They are starting, they crash, or they belong to another workload that the selector also "
        "matches.",
        "`kubectl get pods -o wide --show-labels`; give each workload a selector that no other workload's pods match.");
}

step no_requests(const pods& seen, const std::vector<std::string>& names) {
    const std::string& resource = seen.metric.name;
    return broken(step_name::series, format_text("{}: no request for {}", listed(names, max_pods_shown), resource),
                  "averageUtilization is a percentage of the pods' requests: if a pod has no request, the HPA cannot "
                  "compute the metric.",
                  format_text("Set resources.requests.{} on every container of the workload (including injected "
                              "sidecars), or set the target as averageValue.",
                              resource));
}

}  // namespace

step judge_pods(const pods& seen) {
    const std::size_t valued = with_value(seen);
    std::vector<std::string> bare;
    for (const pod_value& value : seen.read.values) {
        if (is_share(seen) && has_value(value) && !value.request_milli) bare.push_back(value.pod);
    }
    step out;
    if (seen.read.pods.empty()) {
        out = no_pods();
    } else if (valued == 0) {
        out = no_values(seen);
    } else if (!bare.empty()) {
        out = no_requests(seen, bare);
    } else {
        const std::string text =
            format_text("{} of {}a value", valued, counted(seen.read.pods.size(), "pod has ", "pods have "));
        const std::vector<std::string> others = without_value(seen);
        out = others.empty() ? passed(step_name::series, text) : some_without(text, others);
    }
    out.add_detail("pods", seen.read.pods.size());
    out.add_detail("with_value", valued);
    return out;
}

// Computes the HPA's result.  Usages 900m, 700m, 800m with requests of 1 give 80 % (truncated, as in the HPA); values 90, 70, 80
// give an average of 80.
step check_usage(const pods& seen) {
    double values_milli = 0.0;
    double requests_milli = 0.0;
    for (const pod_value& value : seen.read.values) {
        if (!has_value(value)) continue;
        values_milli += static_cast<double>(*value.value_milli);
        requests_milli += static_cast<double>(value.request_milli.value_or(0));
    }
    if (is_share(seen)) {
        // Multiplied first: 290 / 1,000 × 100 is slightly below 29 in binary.
        const double share = requests_milli > 0 ? std::trunc(values_milli * 100.0 / requests_milli) : 0.0;
        return passed(step_name::value, format_text("{} % of the pods' requests; target {} %", shortest(share),
                                                    seen.metric.utilization_pct));
    }
    const double mean_milli = values_milli / static_cast<double>(std::max<std::size_t>(with_value(seen), 1));
    return passed(step_name::value,
                  format_text("{} per pod on average; target {}", shortest(std::round(mean_milli) / thousandths),
                              shortest(static_cast<double>(seen.metric.target_milli) / thousandths)));
}

}  // namespace gputide::doctor
