// Takes selectors apart and puts them together again.
#include "doctor/selection.hpp"

#include "base/text.hpp"
#include "formats/exposition/selector.hpp"

#include <set>

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

}  // namespace gputide::doctor
