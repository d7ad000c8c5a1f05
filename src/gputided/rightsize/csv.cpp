#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "rightsize/samples.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace gputided {
namespace {

constexpr double first_in_ms = 1e11;  // as seconds it is the year 5138, as milliseconds March 1973

std::string without_blanks(std::string text) {
    const auto is_blank = [](char letter) {
        return letter == ' ' || letter == '\t' || letter == '\r' || letter == '"';
    };
    while (!text.empty() && is_blank(text.back())) text.pop_back();
    std::size_t start = 0;
    while (start < text.size() && is_blank(text[start])) ++start;
    return text.substr(start);
}

std::optional<double> number_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    char* end = nullptr;
    const double out = std::strtod(text.c_str(), &end);
    if (*end != '\0') return std::nullopt;
    return out;
}

std::optional<std::int64_t> time_of(const std::string& text) {
    if (const std::optional<double> number = number_of(text)) {
        const double ms = *number >= first_in_ms ? *number : *number * 1000.0;
        if (!(ms > 0.0 && ms < 253'402'300'800'000.0)) return std::nullopt;
        return std::llround(ms);
    }
    try {
        return parse_time_ms(text);
    } catch (const usage_error&) {
        return std::nullopt;
    }
}

void take_line(const std::string& line, const std::string& place, const usage_meaning& meaning,
               samples_by_container& samples) {
    std::vector<std::string> cells = split(line, ',');
    for (std::string& one : cells) one = without_blanks(one);
    if (cells.size() != 3 && cells.size() != 4)
        throw usage_error(place + ": expected time,container,value or time,container,unit,value, got " +
                          std::to_string(cells.size()) + " columns");
    const std::optional<std::int64_t> time_ms = time_of(cells[0]);
    if (!time_ms)
        throw usage_error(place + ": the time \"" + printable(cells[0]) +
                          "\" cannot be read; expected RFC 3339, Unix seconds or Unix milliseconds");
    if (cells.back().empty()) return;  // nothing is known of this time
    const std::optional<double> value = number_of(cells.back());
    if (!value) throw usage_error(place + ": expected a number, got \"" + printable(cells.back()) + "\"");
    add_usage(samples, cells[1], cells.size() == 4 ? cells[2] : "", *time_ms, meaning, *value);
}

}  // namespace

void read_long_csv(const std::string& path, const usage_meaning& meaning, samples_by_container& samples) {
    const std::string text = read_text(path, most_series_bytes);
    std::string_view rest = text;
    bool first = true;
    for (int number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line = without_blanks(std::string(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty() || line.front() == '#') continue;
        const bool heading = first && line.rfind("time", 0) == 0;
        first = false;
        if (!heading) take_line(line, path + ":" + std::to_string(number), meaning, samples);
    }
}

}  // namespace gputided
