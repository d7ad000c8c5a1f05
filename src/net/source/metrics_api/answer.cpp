// Parses paths and series, and reads responses.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "formats/exposition/page.hpp"
#include "formats/reduce.hpp"
#include "source/description.hpp"
#include "source/metrics_api/metrics_api.hpp"
#include "text/document.hpp"
#include "wire/errors.hpp"

namespace gputide::source::metrics_api {
namespace {

constexpr std::size_t max_steps = 64;  // trees are never deeper

error refused(std::string_view what, std::string_view text) {
    return fail(status::invalid, "valueLocation: {}, got {}", what, in_quotes(text));
}

// Tells whether gjson sees more than a name here: a pipe, or at a piece's start a modifier, a literal, a multipath or a query.
bool is_beyond(std::string_view text, std::size_t at, bool at_start) {
    if (text[at] == '|') return true;
    if (!at_start) return false;
    return std::string_view("@!{[").find(text[at]) != std::string_view::npos || text.substr(at, 2) == "#(";
}

// Parses one piece of a path up to its dot and moves `at` past it.  Returns nullopt if gjson would see more than a name.
std::optional<step> next_step(std::string_view text, std::size_t& at) {
    step out;
    std::string pattern;  // the name with its escapes
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

// Matches a pattern: '*' any text, '?' any character, '\' the next character literally.  Backtracks only to the last '*'.
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
        const bool fits =
            p < pattern.size() && (escape ? pattern[p + 1] == text[t] : pattern[p] == '?' || pattern[p] == text[t]);
        if (fits) {
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

const text::node* member(const text::node& node, const step& step) {
    for (const text::node& entry : node.children) {
        if (step.pattern ? matches(step.name, entry.key) : entry.key == step.name) return &entry;
    }
    return nullptr;
}

const text::node* element(const text::node& node, const step& step) {
    const auto index = step.pattern ? std::nullopt : parse_int64(step.name);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= node.children.size()) return nullptr;
    return &node.children[static_cast<std::size_t>(*index)];
}

}  // namespace

result<std::vector<step>> parse_path(std::string_view text) {
    std::vector<step> out;
    for (std::size_t at = 0;; ++at) {
        auto entry = next_step(text, at);
        if (!entry) {
            return refused(
                "only plain gjson paths are supported: names, indexes, *, ? and a final #; no queries, modifiers, "
                "pipes or multipaths",
                text);
        }
        out.push_back(*std::move(entry));
        if (out.back().name.empty()) return refused("expected a name or an index between two dots", text);
        if (out.size() > max_steps) return refused("expected at most 64 steps", text);
        if (out.size() > 1 && out[out.size() - 2].elements) {
            return refused("# counts the elements of a list and must be at the end", text);
        }
        if (at >= text.size()) return out;
    }
}

const text::node* find(const text::node& node, const std::vector<step>& path) {
    const text::node* at = &node;
    for (const step& step : path) {
        if (step.elements && at->kind == text::node_kind::sequence) return at;
        if (at->kind == text::node_kind::scalar) return nullptr;
        at = at->kind == text::node_kind::mapping ? member(*at, step) : element(*at, step);
        if (at == nullptr) return nullptr;
    }
    return at;
}

std::optional<double> number_in(const text::node& node) {
    if (node.kind != text::node_kind::scalar || is_null(node)) return std::nullopt;
    const text::scalar_type type = text::type_of(node);
    if (type == text::scalar_type::boolean) return std::nullopt;
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

namespace {

error nothing_there(std::string text) { return fail(error_class::no_data, std::move(text)); }

// Parses the body.  JSON is parsed strictly: truncated or invalid text and duplicate members are errors.
result<text::node> tree_of(std::string_view body, const settings& settings) {
    const bool is_json = settings.format == format::json;
    const std::string word = is_json ? "JSON" : "YAML";
    text::report findings;
    std::vector<text::node> roots;
    std::string why;
    if (is_json) {
        text::read_text read_text = text::read_json(body);
        if (read_text.failure) why = format_text("line {}: {}", read_text.failure->line, read_text.failure->message);
        roots = std::move(read_text.roots);
    } else {
        for (text::document& document : text::read_documents("the answer", body, findings)) {
            roots.push_back(std::move(document.root));
        }
        if (!findings.findings.empty()) why = findings.findings.front().message;
    }
    if (!why.empty())
        return fail(is_json ? error_class::not_json : error_class::shape,
                    format_text("the response is not {}: {}", word, why));
    if (roots.size() != 1)
        return fail(error_class::shape, "the response contains {} {} documents; expected exactly one", roots.size(),
                    word);
    return std::move(roots.front());
}

result<reading> read_tree(std::string_view body, const settings& settings) {
    const auto tree = tree_of(body, settings);
    if (!tree) return tree.failure();
    const text::node* found = find(*tree, settings.path);
    if (found == nullptr)
        return nothing_there("the response has no value at valueLocation " + in_quotes(settings.location));
    const bool counts = settings.path.back().elements && found->kind == text::node_kind::sequence;
    const auto number = counts ? static_cast<double>(found->children.size()) : number_in(*found);
    if (!number) {
        return fail(error_class::bad_type,
                    "valueLocation must point to value of type number or a string representing a Quantity got: '{}'",
                    kind_name(*found));
    }
    reading out;
    out.result_type = settings.format == format::json ? "json" : "yaml";
    series& series = out.series.emplace_back();
    series.points.push_back({0, *number});
    return out;
}

// Replaces each CR LF by LF, as KEDA does for pages with Windows line ends.
// kedacore/keda pkg/scalers/metrics_api_scaler.go (getValueFromPrometheusResponse).
std::string with_line_feeds(std::string_view body) {
    std::string out;
    out.reserve(body.size());
    for (std::size_t at = 0; at < body.size(); ++at) {
        const bool is_line_end = body[at] == '\r' && at + 1 < body.size() && body[at + 1] == '\n';
        if (!is_line_end) out += body[at];
    }
    return out;
}

result<reading> read_page(const http::response& response, const settings& settings) {
    const auto as = formats::exposition::format_of(response.header("Content-Type").value_or(""));
    if (!as) return as.failure();
    reading out;
    out.result_type = "exposition";
    bool has_metric = false;
    const formats::exposition::selector any{.metrics = settings.series.metrics, .matchers = {}};
    match_budget budget;
    const bool has_carriage_returns = response.body.find('\r') != std::string::npos;  // rare: most pages need no copy
    const std::string converted = has_carriage_returns ? with_line_feeds(response.body) : std::string();
    const std::string_view body = has_carriage_returns ? std::string_view(converted) : response.body;
    auto read = formats::exposition::each_selected(body, *as, any, [&](const formats::exposition::line& line) {
        has_metric = true;
        if (settings.series.takes(line, budget)) out.series.push_back(formats::exposition::series_of(line));
    });
    if (!read) return read.take_failure();
    if (budget.spent()) return formats::exposition::too_much_matching();
    if (!has_metric) return nothing_there(format_text("metric '{}' not found", settings.series.metrics.front()));
    if (out.series.empty()) return nothing_there(format_text("value {} not found", settings.location));
    return out;
}

}  // namespace

result<reading> read_answer(const http::answer& answer, const settings& settings) {
    if (!answer.arrived()) return http::fault_error(answer);
    if (answer.response.status != 200) {
        return http::status_error(answer.response, format_text("api returned {} and {} bytes (not shown)",
                                                               answer.response.status, answer.response.body.size()));
    }
    if (settings.format == format::prometheus) return read_page(answer.response, settings);
    return read_tree(answer.response.body, settings);
}

fetched judge(const reading& reading, const settings& settings) {
    numbers all = formats::numbers_of(reading);
    if (settings.reduction.reduce.empty() && all.newest.size() > 1) {
        all.newest.resize(1);
        all.series = 1;
    }
    judge_texts say;
    say.empty = "the API gave no value";
    say.not_finite = "the API gives";
    return judge_numbers(all, settings.reduction, say);
}

}  // namespace gputide::source::metrics_api
