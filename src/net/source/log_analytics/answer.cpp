// Parses query responses of Log Analytics.
#include "auth/azure/services.hpp"
#include "base/format_text.hpp"
#include "base/json_memory.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "formats/reduce.hpp"
#include "source/azure/azure.hpp"
#include "source/description.hpp"
#include "source/log_analytics/log_analytics.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::source::log_analytics {
namespace {

using formats::number_of;

constexpr std::size_t max_cell_bytes = 100;

error bad_value(std::string text) {
    return fail(error_class::bad_value, "error validating Log Analytics request. Details: {}", std::move(text));
}

// Reads a decimal, which is sent as digits in a text, because a JSON number cannot hold its 34 digits.
std::optional<double> decimal_of(simdjson::dom::element cell) {
    std::string_view text;
    if (cell.get(text) != simdjson::SUCCESS) return number_of(cell);
    return parse_json_number(text);
}

// Tells whether a column is numeric: digits as text (decimal) are, except in the strict profile.
bool is_numeric(std::string_view type, bool strict) {
    return type == "int" || type == "long" || type == "real" || (type == "decimal" && !strict);
}

// Returns the cell as a label's value: text unchanged, everything else as JSON.
std::string text_of_cell(simdjson::dom::element cell) {
    std::string_view text;
    if (cell.get(text) == simdjson::SUCCESS) return std::string(text);
    return cell.is_null() ? std::string() : simdjson::minify(cell);
}

// Returns nullopt for null.  A negative or infinite value, NaN, or a cell that is not a number is class bad_value.
result<std::optional<double>> numeric_cell(simdjson::dom::element cell, std::string_view type) {
    if (cell.is_null()) return std::optional<double>();
    const auto value = type == "decimal" ? decimal_of(cell) : number_of(cell);
    if (!value || !std::isfinite(*value)) {
        return bad_value(format_text("cannot convert result to type float64, the {} came as {}", type,
                                     in_quotes(text_of_cell(cell), max_cell_bytes)));
    }
    if (*value < 0.0) return bad_value("value should be >=0, but received " + shortest(*value));
    return value;
}

namespace dom = simdjson::dom;
using azure::unusable;
using formats::array_of;
using formats::object_of;
using formats::text_of;
using simdjson::SUCCESS;

constexpr std::size_t max_message_bytes = 500;  // of the service's message
constexpr int max_nested = 16;                  // inner errors

struct column {
    std::string_view name;
    std::string_view type;
};

// ---- errors -------------------------------------------------------------------------------------------------------------
// Adds the reason for "no rows", if the query reads a metric that is no longer collected.
error no_results(const settings& settings, std::string text) {
    error out = azure::no_data("error validating Log Analytics request. Details: " + std::move(text));
    const auto gone = vanished_metric(settings.query);
    if (!gone.empty()) out.message += ". " + vanished_text(gone);
    return out;
}

error too_many(std::string_view what, std::size_t count, std::string_view remedy) {
    return fail(error_class::ambiguous,
                "error validating Log Analytics request. Details: too many {} in query result: {}, expected: 1; {}",
                what, count, remedy);
}

error bad_type(const column& first) {
    return fail(error_class::bad_type,
                "error validating Log Analytics request. Details: value data type should be real, int or long, but "
                "the first column {} is {}; project the number first, e.g. | project Val, TimeGenerated",
                in_quotes(first.name), first.type);
}

// Appends "PartialError: There were some errors … / EngineError: … / Query result set has exceeded the limit".
void add_messages(dom::object from, std::string& to, int depth) {
    const auto code = text_of(from, "code");
    const auto message = text_of(from, "message");
    if (code || message) {
        if (!to.empty()) to += " / ";
        to += format_text("{}{}{}", code.value_or(""), code && message ? ": " : "", message.value_or(""));
    }
    if (depth >= max_nested) return;
    if (const auto inner = object_of(from, "innererror")) add_messages(*inner, to, depth + 1);
    formats::for_each_object(from, "details", [&](dom::object detail) {
        if (to.size() < max_message_bytes) add_messages(detail, to, depth + 1);
    });
}

void note_partial(dom::object answer, const settings& settings, reading& reading) {
    const auto why = object_of(answer, "error");
    if (!why || settings.strict) return;
    std::string words;
    add_messages(*why, words, 0);
    reading.partial = true;
    reading.warnings.push_back(
        redact(cut_utf8(words.empty() ? "an error without a message" : words, max_message_bytes)));
}

// ---- the table ------------------------------------------------------------------------------------------------------------
result<dom::object> only_table(dom::object answer, const settings& settings) {
    const auto tables = array_of(answer, "tables");
    if (!tables || tables->size() == 0) return no_results(settings, "there is no results after running your query");
    if (tables->size() > 1) return too_many("tables", tables->size(), "change the query to return one table");
    dom::object out;
    if (tables->at(0).get(out) != SUCCESS) return unusable("tables[]: expected an object");
    return out;
}

result<std::vector<column>> columns_of(dom::object table, const settings& settings) {
    std::vector<column> out;
    const auto list = array_of(table, "columns");
    if (!list || list->size() == 0)
        return no_results(settings, "there is no results after running your query (no columns)");
    for (const dom::element element : *list) {
        dom::object entry;
        if (element.get(entry) != SUCCESS) return unusable("columns[]: expected an object");
        out.push_back({text_of(entry, "name").value_or(""), text_of(entry, "type").value_or("")});
    }
    return out;
}

// Adds the members of a JSON object in a text as labels, otherwise the cell itself.
void add_labels(const column& of, dom::element cell, labels& labels) {
    std::string text = text_of_cell(cell);
    if (!text.empty() && text.front() == '{') {
        dom::parser own;  // the response uses the thread's parser
        dom::object members;
        if (or_bad_alloc(own.parse(text).get(members)) == SUCCESS) {
            for (const auto& [name, value] : members) labels.emplace_back(name, text_of_cell(value));
            return;
        }
    }
    labels.emplace_back(of.name, std::move(text));
}

void add_rest(const std::vector<column>& columns, dom::array row, series& series) {
    std::int64_t time_ms = 0;
    std::size_t at = 0;
    for (const dom::element cell : row) {
        if (at >= columns.size()) break;
        const column& of = columns[at++];
        if (at == 1) continue;  // the value
        add_labels(of, cell, series.labels);
        if (time_ms == 0 && of.type == "datetime") time_ms = parse_rfc3339(series.labels.back().second).value_or(0);
    }
    if (!series.points.empty()) series.points.front().time_ms = time_ms;
}

result<series> series_of(dom::element element, const std::vector<column>& columns) {
    dom::array row;
    if (element.get(row) != SUCCESS || row.size() == 0) return unusable("rows[]: expected a list of cells");
    auto value = numeric_cell(row.at(0).value_unsafe(), columns.front().type);
    if (!value) return value.take_failure();
    series out;
    if (*value) out.points.push_back({0, **value});
    add_rest(columns, row, out);
    return out;
}

result<reading> read_answer(dom::object answer, const settings& settings) {
    reading out;
    out.result_type = "table";
    note_partial(answer, settings, out);
    // judge() reports this; the rows are not needed
    if (out.partial && !settings.reduction.accept_partial) return out;
    const auto table = only_table(answer, settings);
    if (!table) return table.failure();
    const auto columns = columns_of(*table, settings);
    if (!columns) return columns.failure();
    const auto rows = array_of(*table, "rows");
    if (!rows || rows->size() == 0)
        return no_results(settings, "there is no results after running your query (no rows)");
    if (rows->size() > 1 && settings.reduction.reduce.empty()) {
        return too_many("rows", rows->size(),
                        "aggregate in the query, e.g. | summarize max(Val), or name a reducer "
                        "(gputide.io/reduce: avg, max, min, sum, count or pNN)");
    }
    // KEDA checks the cell before its type.
    const bool is_null = rows->size() == 1 && rows->at(0).at(0).is_null();
    if (!is_null && !is_numeric(columns->front().type, settings.strict)) return bad_type(columns->front());
    for (const dom::element row : *rows) {
        auto read = series_of(row, *columns);
        if (!read) return read.take_failure();
        out.series.push_back(*std::move(read));
    }
    return out;
}

// ---- refusals -------------------------------------------------------------------------------------------------------------
std::optional<error> refusal(const http::answer& answer, const settings& settings) {
    auto out = auth::service_refusal(answer, settings.where.base);
    if (out && is_too_heavy(answer)) {
        out->status = status::timeout;
        out->error_class = error_class::timeout;
        out->message += ". The query took longer than the service allows; simplify it or shorten its timespan";
    }
    if (out || !answer.response.body.empty()) return out;
    if (answer.response.status == 204) return no_results(settings, "HTTP 204, the workspace contains no data");
    error empty =
        unusable(format_text("answered HTTP {} with an empty body, which happens without Content-Type: "
                             "application/json; check whether a proxy on the way removes this header",
                             answer.response.status));
    empty.http_status = answer.response.status;
    return empty;
}

}  // namespace

bool is_too_heavy(const http::answer& answer) { return answer.arrived() && answer.response.status == 504; }

result<reading> parse(const http::answer& answer, const settings& settings) {
    if (auto no = refusal(answer, settings)) return *std::move(no);
    return azure::read_document(answer, [&settings](dom::object document) { return read_answer(document, settings); });
}

fetched judge(const reading& reading, const settings& settings) {
    if (reading.partial && !settings.reduction.accept_partial) {
        error out = fail(error_class::partial,
                         "the service marked its result as partial ({}); simplify the query, or accept partial results "
                         "(gputide.io/accept-partial: \"true\")",
                         reading.warnings.front());
        out.retryable = true;
        return judge_failure(std::move(out));
    }
    numbers numbers = formats::numbers_of(reading);
    numbers.partial = false;
    if (numbers.newest.empty()) {
        return judge_failure(no_results(settings, "the value is null, such as an average over no rows; null is not 0"));
    }
    return judge_numbers(numbers, settings.reduction, {});
}

}  // namespace gputide::source::log_analytics
