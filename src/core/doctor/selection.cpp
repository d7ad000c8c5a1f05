// Takes selectors apart and puts them together again.
#include "doctor/selection.hpp"

#include "base/text.hpp"
#include "formats/exposition/selector.hpp"
#include "source/gpu_metrics.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gputide::doctor {
namespace {

std::string joined(const std::string& metric, const std::vector<matcher>& matchers, std::size_t left_out) {
    std::string inside;
    for (std::size_t i = 0; i < matchers.size(); ++i) {
        if (i != left_out) inside += (inside.empty() ? "" : ",") + matchers[i].text();
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
    for (formats::exposition::matcher& one : *read) {
        const bool regular = one.pattern.has_value();
        const char* sign = one.wanted ? (regular ? "=~" : "=") : (regular ? "!~" : "!=");
        if (one.names.front() == "__name__" && out.metric.empty() && one.wanted && !regular) {
            out.metric = one.value;
            continue;
        }
        out.matchers.push_back({one.names.front(), sign, one.value, std::move(one.pattern)});
    }
    return out;
}

std::string_view label_value(const source::labels& labels, std::string_view name) {
    for (const auto& [label, value] : labels) {
        if (label == name) return value;
    }
    return {};
}

std::vector<std::string> label_names(const std::vector<source::labels>& labels) {
    std::set<std::string> out;
    for (const source::labels& one : labels) {
        for (const auto& [name, value] : one) {
            if (name != "__name__") out.insert(name);
        }
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> label_values(const std::vector<source::labels>& labels, std::string_view name) {
    std::set<std::string> out;
    for (const source::labels& one : labels) out.emplace(label_value(one, name));
    out.erase("");
    return {out.begin(), out.end()};
}

std::string_view pod_label_of(const std::vector<source::labels>& series) {
    const bool is_exported = std::any_of(series.begin(), series.end(), [](const source::labels& labels) {
        return !label_value(labels, "exported_pod").empty();
    });
    return is_exported ? "exported_pod" : "pod";
}

bool mixes_devices_and_pods(std::string_view metric, const std::vector<source::labels>& series) {
    if (!source::is_split_by_pods(metric)) return false;
    std::map<std::string_view, std::pair<bool, bool>> cards;  // has its own, has a pod's
    const std::string_view pod_label = pod_label_of(series);
    for (const source::labels& labels : series) {
        const bool has_pod = !label_value(labels, pod_label).empty();
        auto& [own, pods] = cards[label_value(labels, "UUID")];
        (has_pod ? pods : own) = true;
    }
    return std::any_of(cards.begin(), cards.end(),
                       [](const auto& card) { return !card.first.empty() && card.second.first && card.second.second; });
}

}  // namespace gputide::doctor
