// Comment lines of both grammars (HELP, TYPE, UNIT, EOF), and the error messages.  A TYPE never changes how samples are
// parsed; it is checked because an invalid one makes the page invalid.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/exposition/number.hpp"
#include "formats/exposition/page.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gputide::formats::exposition {
namespace {

constexpr std::array text_types = {"counter", "gauge", "histogram", "gaugehistogram", "summary", "untyped"};
constexpr std::array strict_types = {"counter",  "gauge", "histogram", "gaugehistogram",
                                     "stateset", "info",  "summary",   "unknown"};

template <class List>
bool holds(const List& list, std::string_view word) {
    return std::ranges::any_of(list, [word](std::string_view text) { return text == word; });
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// Returns the text up to the first blank; `rest` starts there.
std::string_view first_word(std::string_view text, std::string_view& rest) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    rest = text.substr(end);
    return text.substr(0, end);
}

// Checks the unit: it is the name's last part, after a '_' (prometheus/prometheus model/textparse/openmetricsparse.go).
bool ends_with_unit(std::string_view name, std::string_view unit) {
    if (unit.empty()) return true;
    return name.size() > unit.size() && name.substr(name.size() - unit.size()) == unit &&
           name[name.size() - unit.size() - 1] == '_';
}

// Describes the text at a position, for a message.
std::string shown(const char* at, const char* end) {
    if (at == end) return "the end of the body";
    if (*at == '\n') return "the end of the line";
    const char* line_end = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const std::string_view rest(at, static_cast<std::size_t>((line_end == nullptr ? end : line_end) - at));
    return in_quotes(rest, 60);
}

}  // namespace

bool page::read_comment() {
    const char* feed = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    const char* line_end = feed == nullptr ? end_ : feed;
    const std::string_view text(at_ + 1, static_cast<std::size_t>(line_end - at_ - 1));
    metric_ = {};
    if (!(strict_ ? read_strict_comment(text, line_end) : read_text_comment(text))) return false;
    at_ = feed == nullptr ? end_ : feed + 1;
    return true;
}

// Parses a plain or quoted name; returns its end, or null if it is invalid.
const char* page::read_described_name(std::string_view text, std::string_view& name) {
    const char* start = text.data();
    const char* end = start + text.size();
    if (start == end) return nullptr;
    if (*start != '"') {
        const char* stop = is(*start, metric_start) ? skip(start, end, metric_part) : start;
        name = text.substr(0, static_cast<std::size_t>(stop - start));
        return stop == start ? nullptr : stop;
    }
    bool high_bytes = false;
    for (const char* at = start + 1; at < end; ++at) {
        at = find_quote(at, end, high_bytes);
        if (at != end && *at == '"') {
            name = text.substr(1, static_cast<std::size_t>(at - start - 1));
            return at + 1;
        }
        if (at != end) ++at;  // the escaped character
    }
    return nullptr;
}

// Parses "# HELP name text" and "# TYPE name word"; all other lines after '#' are comments, including those without a name,
// and a TYPE without a word.
bool page::read_text_comment(std::string_view text) {
    if (text.empty() || !is_blank(text.front())) return true;
    std::string_view rest;
    const std::string_view keyword = first_word(without_blanks(text), rest);
    if (keyword != "HELP" && keyword != "TYPE") return true;
    rest = without_blanks(rest);
    if (rest.empty()) return true;
    std::string_view name;
    const char* stop = read_described_name(rest, name);
    const char* rest_end = rest.data() + rest.size();
    if (stop == nullptr || (stop != rest_end && !is_blank(*stop))) return fail(rest.data(), "a metric name");
    const std::string_view word = without_blanks({stop, static_cast<std::size_t>(rest_end - stop)});
    if (keyword == "HELP" || word.empty() || holds(text_types, lower(word))) return true;
    return fail(word.data(), "counter, gauge, histogram, summary or untyped as type");
}

// Requires one blank between the parts; other comments are not allowed.
bool page::read_strict_comment(std::string_view text, const char* line_end) {
    if (text == " EOF") return read_eof(line_end);
    const std::string_view keyword = text.substr(0, 6);
    if (keyword != " HELP " && keyword != " TYPE " && keyword != " UNIT ") {
        return fail(at_, "\"# HELP\", \"# TYPE\", \"# UNIT\" or \"# EOF\"");
    }
    if (line_end == end_) return fail(end_, "a line feed");
    std::string_view name;
    const char* stop = read_described_name(text.substr(6), name);
    if (stop == nullptr || stop == line_end || *stop != ' ') return fail(at_, "a metric name and a blank");
    const std::string_view rest(stop + 1, static_cast<std::size_t>(line_end - stop - 1));
    if (keyword == " TYPE " && !holds(strict_types, rest)) {
        return fail(rest.data(),
                    "counter, gauge, histogram, gaugehistogram, stateset, info, summary or unknown as type");
    }
    if (keyword == " UNIT " && !ends_with_unit(name, rest)) return fail(rest.data(), "a unit that the name ends with");
    return valid_utf8(rest) || fail(at_, "valid UTF-8");
}

bool page::read_eof(const char* line_end) {
    const char* after = line_end == end_ ? end_ : line_end + 1;
    if (after != end_) return fail(at_, "nothing after \"# EOF\"");
    ended_ = true;
    return true;
}

error page::failure() const {
    const auto line_number = 1 + std::count(begin_, failed_at_, '\n');
    std::string text = format_text("line {}", line_number);
    if (!metric_.empty()) text += ", " + std::string(cut_utf8(metric_, 100));
    error out = gputide::fail(kind_, format_text("{}: expected {}, got {}", text, expected_, shown(failed_at_, end_)));
    out.fields.emplace_back("line", std::to_string(line_number));
    return out;
}

}  // namespace gputide::formats::exposition
