// Paths and series.
#include "source/metrics_api/location.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace gputide::source::metrics_api {
namespace {

constexpr std::size_t most_steps = 64;  // no tree is deeper

error refused(std::string_view what, std::string_view text) {
    return fail(status::invalid, format_text("valueLocation: {}, got {}", what, in_quotes(text)));
}

// What gjson reads as more than a name: a pipe, and at a piece's start a modifier, a literal, a multipath or a query.
bool is_beyond(std::string_view text, std::size_t at, bool at_start) {
    if (text[at] == '|') return true;
    if (!at_start) return false;
    return std::string_view("@!{[").find(text[at]) != std::string_view::npos || text.substr(at, 2) == "#(";
}

// One piece of a path up to its dot; `at` goes behind it.  Nothing where gjson would read more than a name.
std::optional<step> next_step(std::string_view text, std::size_t& at) {
    step out;
    std::string pattern;  // the same with what was escaped still escaped
    const std::size_t start = at;
    for (; at < text.size() && text[at] != '.'; ++at) {
        const bool escape = text[at] == '\\' && at + 1 < text.size();
        if (!escape && is_beyond(text, at, at == start)) return std::nullopt;
        if (escape) pattern.push_back(text[at++]);
        if (!escape && (text[at] == '*' || text[at] == '?')) out.pattern = true;
        out.name.push_back(text[at]);
        pattern.push_back(text[at]);
    }
    out.elements = pattern == "#";
    if (out.pattern) out.name = std::move(pattern);
    return out;
}

// '*' is any run, '?' any one character, '\' takes the next as it is.  Linear but for one step back to the last '*'.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t star_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_text = t;
            continue;
        }
        const bool escape = p + 1 < pattern.size() && pattern[p] == '\\';
        const bool one =
            p < pattern.size() && (escape ? pattern[p + 1] == text[t] : pattern[p] == '?' || pattern[p] == text[t]);
        if (one) {
            p += escape ? 2 : 1;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

const config::node* member(const config::node& node, const step& step) {
    for (const config::node& one : node.children) {
        if (step.pattern ? matches(step.name, one.key) : one.key == step.name) return &one;
    }
    return nullptr;
}

const config::node* element(const config::node& node, const step& step) {
    const auto index = step.pattern ? std::nullopt : parse_int64(step.name);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= node.children.size()) return nullptr;
    return &node.children[static_cast<std::size_t>(*index)];
}

}  // namespace

result<std::vector<step>> parse_path(std::string_view text) {
    std::vector<step> out;
    for (std::size_t at = 0;; ++at) {
        auto one = next_step(text, at);
        if (!one) {
            return refused(
                "of gjson's paths the plain ones are read here: names, indexes, *, ? and a final #; no queries, "
                "modifiers, "
                "pipes and multipaths",
                text);
        }
        out.push_back(*std::move(one));
        if (out.back().name.empty()) return refused("expected a name or an index between two dots", text);
        if (out.size() > most_steps) return refused("expected at most 64 steps", text);
        if (out.size() > 1 && out[out.size() - 2].elements) {
            return refused("# counts the elements of a list and stands at the end", text);
        }
        if (at >= text.size()) return out;
    }
}

const config::node* find(const config::node& node, const std::vector<step>& path) {
    const config::node* at = &node;
    for (const step& one : path) {
        if (one.elements && at->kind == config::node_kind::sequence) return at;
        if (at->kind == config::node_kind::scalar) return nullptr;
        at = at->kind == config::node_kind::mapping ? member(*at, one) : element(*at, one);
        if (at == nullptr) return nullptr;
    }
    return at;
}

std::optional<double> number_in(const config::node& node) {
    if (node.kind != config::node_kind::scalar || is_null(node)) return std::nullopt;
    const config::scalar_type type = config::type_of(node);
    if (type == config::scalar_type::boolean) return std::nullopt;
    if (const auto number = parse_json_number(node.text)) return number;
    const auto amount = parse_quantity(node.text);
    if (!amount || amount->milli_overflow) return std::nullopt;
    return static_cast<double>(amount->milli) / 1000.0;
}

result<formats::exposition::selector> parse_series(std::string_view text) {
    formats::exposition::selector out;
    const std::size_t brace = text.find('{');
    const std::string_view name = trim(text.substr(0, brace));
    if (name.empty() || name.find_first_of(" \t,}\"") != std::string_view::npos) {
        return refused("expected a series such as name{label=\"value\"}", text);
    }
    out.metrics.emplace_back(name);
    if (brace == std::string_view::npos) return out;
    auto matchers = formats::exposition::parse_matchers(text.substr(brace), [](std::string_view label) {
        return formats::exposition::label_names{std::string(label)};
    });
    if (!matchers) return refused(matchers.failure().message, text);
    out.matchers = *std::move(matchers);
    return out;
}

}  // namespace gputide::source::metrics_api
