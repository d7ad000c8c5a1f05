// Reads answers by their format.
#include "source/metrics_api/answer.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "config/document.hpp"
#include "formats/exposition/all.hpp"
#include "formats/exposition/format.hpp"
#include "formats/reduce.hpp"
#include "source/judge.hpp"
#include "wire/errors.hpp"

namespace gputide::source::metrics_api {
namespace {

error nothing_there(std::string text) { return fail(error_class::no_data, std::move(text)); }

// JSON is read strictly: cut or foreign text is an error, and so is a member that comes twice.
result<config::node> tree_of(std::string_view body, const settings& settings) {
    const bool is_json = settings.format == format::json;
    const std::string word = is_json ? "JSON" : "YAML";
    config::report findings;
    std::vector<config::node> roots;
    std::string why;
    if (is_json) {
        config::read_text read_text = config::read_json(body);
        if (read_text.failure) why = format_text("line {}: {}", read_text.failure->line, read_text.failure->message);
        roots = std::move(read_text.roots);
    } else {
        for (config::document& one : config::read_documents("the answer", body, findings)) {
            roots.push_back(std::move(one.root));
        }
        if (!findings.findings.empty()) why = findings.findings.front().message;
    }
    if (!why.empty())
        return fail(is_json ? error_class::not_json : error_class::shape,
                    format_text("the answer is no {}: {}", word, why));
    if (roots.size() != 1)
        return fail(error_class::shape, format_text("the answer holds {} documents of {}", roots.size(), word));
    return std::move(roots.front());
}

result<reading> read_tree(std::string_view body, const settings& settings) {
    const auto tree = tree_of(body, settings);
    if (!tree) return tree.failure();
    const config::node* found = find(*tree, settings.path);
    if (found == nullptr)
        return nothing_there("the answer has nothing at valueLocation " + in_quotes(settings.location));
    const bool counts = settings.path.back().elements && found->kind == config::node_kind::sequence;
    const auto number = counts ? static_cast<double>(found->children.size()) : number_in(*found);
    if (!number) {
        return fail(
            error_class::bad_type,
            format_text(
                "valueLocation must point to value of type number or a string representing a Quantity got: '{}'",
                kind_name(*found)));
    }
    reading out;
    out.result_type = settings.format == format::json ? "json" : "yaml";
    series& one = out.series.emplace_back();
    one.points.push_back({0, *number});
    return out;
}

// Replaces each CR LF by LF, as KEDA does for pages of servers that write the line ends of Windows.
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
    auto read = formats::exposition::each_selected(body, *as, any, [&](const formats::exposition::line& one) {
        has_metric = true;
        if (settings.series.takes(one, budget)) out.series.push_back(formats::exposition::series_of(one));
    });
    if (!read) return std::move(read).failure();
    if (budget.spent()) return formats::exposition::too_much_matching();
    if (!has_metric) return nothing_there(format_text("metric '{}' not found", settings.series.metrics.front()));
    if (out.series.empty()) return nothing_there(format_text("value {} not found", settings.location));
    return out;
}

}  // namespace

result<reading> read_answer(const http::answer& answer, const settings& settings) {
    if (!answer.arrived()) return http::fault_error(answer);
    if (answer.response.status != 200) {
        return http::status_error(answer.response, format_text("api returned {} and {} bytes, which are not shown",
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
