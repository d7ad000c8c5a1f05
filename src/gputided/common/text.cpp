#include "common/text.hpp"

#include "common/json.hpp"
#include "common/log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace gputided {
namespace {

// UTF-8 sequences: all bytes except the last, and the range of the last one.  shown: replacement; "" for a mark without width.
struct marks {
    const char* lead;
    unsigned char first, last;
    const char* shown;
};
constexpr marks unwanted[] = {
    {"\xC2", 0x80, 0x9F, " "},    {"\xE2\x80", 0xA8, 0xA9, " "}, {"\xE2\x80", 0x8B, 0x8F, ""},
    {"\xE2\x80", 0xAA, 0xAE, ""}, {"\xE2\x81", 0xA0, 0xA9, ""},  {"\xD8", 0x9C, 0x9C, ""},
    {"\xEF\xBB", 0xBF, 0xBF, ""},
};

const marks* mark_at(const std::string& text, std::size_t at) {
    for (const marks& mark : unwanted) {
        const std::size_t size = std::char_traits<char>::length(mark.lead);
        if (text.compare(at, size, mark.lead) != 0 || at + size >= text.size()) continue;
        const auto last = static_cast<unsigned char>(text[at + size]);
        if (last >= mark.first && last <= mark.last) return &mark;
    }
    return nullptr;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out(1);
    for (const char letter : text) {
        if (letter == separator) {
            out.emplace_back();
        } else {
            out.back() += letter;
        }
    }
    return out;
}

std::string cell_text(const std::string& text) {
    constexpr char margin[] = " \t\r\"";
    const std::size_t first = text.find_first_not_of(margin);
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(margin) + 1 - first);
}

void each_row(const std::string& text, char separator, const std::string& place, const std::string& path,
              const std::function<void(const std::vector<std::string>& cells, std::int64_t line)>& take) {
    std::istringstream in(text);
    std::string written;
    for (std::int64_t line = 1; std::getline(in, written); ++line) {
        const std::size_t first = written.find_first_not_of(" \t\r");
        if (first == std::string::npos || written[first] == '#') continue;
        std::vector<std::string> cells = split(written, separator);
        for (std::string& cell : cells) cell = cell_text(cell);
        try {
            take(cells, line);
        } catch (const usage_error& wrong) {
            throw usage_error(place + std::to_string(line) + ": " + wrong.what(), path, line);
        }
    }
}

std::optional<double> number_in(const std::string& text) {
    char* end = nullptr;
    const double out = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') return std::nullopt;
    return out;
}

std::string one_line(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (const marks* found = mark_at(text, at); found != nullptr) {
            out += found->shown;
            at += std::char_traits<char>::length(found->lead);
        } else {
            out += byte < ' ' || byte == 0x7F ? ' ' : text[at];
        }
    }
    return out;
}

std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char letter : text) out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return out + "'";
}

std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return letter < ' ' || letter > '~'; }, '?');
    return text;
}

// Uses the JSON writer, which rejects text that is not UTF-8.
bool is_utf8(const std::string& text) {
    try {
        static_cast<void>(json(text).dump());
        return true;
    } catch (const json::type_error&) {
        return false;
    }
}

scaler_name split_name(const std::string& full_name) {
    const std::size_t slash = full_name.find('/');
    if (slash == std::string::npos) return {"", full_name};
    return {full_name.substr(0, slash), full_name.substr(slash + 1)};
}

std::string decimal(double value, int digits) {
    constexpr double half_counts = 1.0 + 1e-12;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value * half_counts);
    return text;
}

std::string figure(double value, int digits) {
    std::string out = decimal(value, digits);
    if (out.find('.') != std::string::npos) {
        while (out.back() == '0') out.pop_back();
        if (out.back() == '.') out.pop_back();
    }
    const std::size_t first = out[0] == '-' ? 1 : 0;
    for (std::size_t at = std::min(out.find('.'), out.size()); at > first + 3;) out.insert(at -= 3, ",");
    return out == "-0" ? "0" : out;
}

std::string sparkline(const std::vector<double>& values, std::size_t columns, std::optional<value_range> scale) {
    static const std::array<const char*, 8> eighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    columns = std::min(columns, values.size());
    std::vector<double> peaks(columns, NAN);  // the highest value of each column
    for (std::size_t i = 0; i < values.size(); ++i) {
        double& peak = peaks[i * columns / values.size()];
        peak = std::fmax(peak, values[i]);
    }
    double low = scale ? scale->low : INFINITY;
    double high = scale ? scale->high : -INFINITY;
    for (const double peak : peaks) {
        low = std::fmin(low, peak);
        high = std::fmax(high, peak);
    }
    std::string out;
    for (const double peak : peaks) {
        const double part = high > low ? (peak - low) / (high - low) : 0.0;
        out += std::isfinite(peak) ? eighths[static_cast<std::size_t>(std::lround(part * 7.0))] : " ";
    }
    return out;
}

}  // namespace gputided
