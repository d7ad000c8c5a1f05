#include "replay/series/long_form.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"
#include "common/times.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputided {
namespace {

constexpr double first_in_ms = 1e11;  // smaller numbers are Unix seconds, as the library has it
constexpr std::array<std::string_view, 5> container_words{"container", "pod", "instance", "replica", "gpu"};

struct columns {
    char separator = ',';
    std::size_t container = 0;  // 0: this is no long form
    std::size_t value = 0;
};

struct long_line {
    std::int64_t time_ms = 0;
    std::size_t container = 0;
    double value = NAN;
};

std::string cell_of(std::string text) {
    const auto is_margin = [](char letter) { return letter == ' ' || letter == '\r' || letter == '"'; };
    while (!text.empty() && is_margin(text.back())) text.pop_back();
    const auto first = std::find_if_not(text.begin(), text.end(), is_margin);
    return {first, text.end()};
}

columns columns_of(const std::string& heading) {
    columns out;
    for (const char one : {',', ';', '\t'}) {
        if (heading.find(one) == std::string::npos) continue;
        out.separator = one;
        break;
    }
    const std::vector<std::string> names = split(heading, out.separator);
    if (names.size() != 3) return out;
    for (std::size_t i = 1; i < names.size(); ++i) {
        const std::string name = cell_of(names[i]);
        if (std::find(container_words.begin(), container_words.end(), name) != container_words.end()) out.container = i;
    }
    out.value = 3 - out.container;
    return out;
}

std::int64_t moment_ms(const std::string& cell) {
    char* end = nullptr;
    const double number = std::strtod(cell.c_str(), &end);
    if (end == cell.c_str() || *end != '\0') return parse_time_ms(cell, "time");
    return std::llround(number >= first_in_ms ? number : number * 1000.0);
}

double value_of(const std::string& cell) {
    if (cell.empty() || cell == "null") return NAN;
    char* end = nullptr;
    const double out = std::strtod(cell.c_str(), &end);
    if (*end != '\0') throw usage_error("expected a number, got " + printable(cell));
    return out;
}

std::vector<long_line> lines_of(const std::string& text, const columns& where) {
    std::vector<long_line> out;
    std::unordered_map<std::string, std::size_t> names;
    std::istringstream in(text);
    std::string written;
    std::size_t number = 0;
    while (std::getline(in, written)) {
        if (++number == 1 || written.empty() || written.front() == '#') continue;
        const std::vector<std::string> cells = split(written, where.separator);
        try {
            if (cells.size() != 3) throw usage_error("expected three cells");
            const std::size_t container =
                names.try_emplace(cell_of(cells[where.container]), names.size()).first->second;
            out.push_back({moment_ms(cell_of(cells[0])), container, value_of(cell_of(cells[where.value]))});
        } catch (const usage_error& wrong) {
            throw usage_error("line " + std::to_string(number) + ": " + wrong.what());
        }
    }
    if (out.empty()) throw usage_error("it holds no line but its heading");
    return out;
}

// The median distance of two lines of one container.
std::int64_t usual_step_ms(const std::vector<long_line>& lines) {
    std::unordered_map<std::size_t, std::int64_t> last;
    std::vector<std::int64_t> steps;
    for (const long_line& one : lines) {
        const auto [at, is_first] = last.try_emplace(one.container, one.time_ms);
        if (!is_first && one.time_ms > at->second) steps.push_back(one.time_ms - at->second);
        at->second = one.time_ms;
    }
    if (steps.empty()) return 1;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
}

double reduced(const std::map<std::size_t, double>& values, reducer rule) {
    double sum = 0;
    double most = -INFINITY;
    double least = INFINITY;
    int count = 0;
    for (const auto& [container, value] : values) {
        if (!std::isfinite(value)) continue;
        sum += value;
        most = std::max(most, value);
        least = std::min(least, value);
        ++count;
    }
    if (count == 0) return NAN;
    return rule == reducer::sum ? sum : rule == reducer::most ? most : rule == reducer::least ? least : sum / count;
}

}  // namespace

bool is_long_form(const std::string& text) { return columns_of(text.substr(0, text.find('\n'))).container > 0; }

std::string joined_form(const std::string& text, reducer rule) {
    std::vector<long_line> lines = lines_of(text, columns_of(text.substr(0, text.find('\n'))));
    const auto earlier = [](const long_line& a, const long_line& b) { return a.time_ms < b.time_ms; };
    std::stable_sort(lines.begin(), lines.end(), earlier);
    const std::int64_t step_ms = usual_step_ms(lines);
    std::string out = "time,value,replicas\n";
    std::map<std::size_t, double> values;  // of one moment, by container
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::int64_t moment = lines[i].time_ms / step_ms;
        values[lines[i].container] = lines[i].value;
        if (i + 1 < lines.size() && lines[i + 1].time_ms / step_ms == moment) continue;
        const double value = reduced(values, rule);
        char written[96];
        std::snprintf(written, sizeof written, "%" PRId64 ",%.9g,%zu\n", moment * step_ms, value, values.size());
        out += written;
        values.clear();
    }
    return out;
}

}  // namespace gputided
