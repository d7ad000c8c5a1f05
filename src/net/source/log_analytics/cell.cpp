// Cells of Log Analytics tables.
#include "source/log_analytics/cell.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "source/azure/answer.hpp"

#include <cmath>

namespace gputide::source::log_analytics {
namespace {

using formats::number_of;

constexpr std::size_t most_cell_bytes = 100;

error bad_value(std::string text) {
    return fail(error_class::bad_value, "error validating Log Analytics request. Details: " + std::move(text));
}

// A decimal travels as a text of digits, since no JSON number holds its 34 places.
std::optional<double> decimal_of(simdjson::dom::element cell) {
    std::string_view text;
    if (cell.get(text) != simdjson::SUCCESS) return number_of(cell);
    return parse_json_number(text);
}

}  // namespace

bool is_numeric(std::string_view type, bool strict) {
    return type == "int" || type == "long" || type == "real" || (type == "decimal" && !strict);
}

result<std::optional<double>> numeric_cell(simdjson::dom::element cell, std::string_view type) {
    if (cell.is_null()) return std::optional<double>();
    const auto value = type == "decimal" ? decimal_of(cell) : number_of(cell);
    if (!value || !std::isfinite(*value)) {
        return bad_value(format_text("cannot convert result to type float64, the {} came as {}", type,
                                     in_quotes(text_of_cell(cell), most_cell_bytes)));
    }
    if (*value < 0.0) return bad_value("value should be >=0, but received " + shortest(*value));
    return value;
}

std::string text_of_cell(simdjson::dom::element cell) {
    std::string_view text;
    if (cell.get(text) == simdjson::SUCCESS) return std::string(text);
    return cell.is_null() ? std::string() : simdjson::minify(cell);
}

}  // namespace gputide::source::log_analytics
