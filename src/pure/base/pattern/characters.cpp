// A recursive descent over the characters.  Character classes follow golang/go src/regexp/syntax/parse.go with its
// flags Perl.
#include "base/pattern/characters.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide {
namespace {

class character_reader {
  public:
    character_reader(pattern_cursor& text, bool ignores_case) : text_(text), ignores_case_(ignores_case) {}

    code_point_set literal() {
        if (auto known = class_here()) return *std::move(known);
        const std::uint32_t c = character();
        return folded({{c, c}});
    }

    code_point_set bracket() {
        text_.skip();
        const bool negated = text_.take('^');
        code_point_set out;
        for (bool first = true; text_.more() && (first || text_.here() != ']'); first = false) {
            const code_point_set part = bracket_part();
            out.insert(out.end(), part.begin(), part.end());
        }
        if (!text_.take(']')) text_.complain("']'");
        return negated ? complement(std::move(out)) : out;
    }

  private:
    code_point_set folded(code_point_set set) const {
        return ignores_case_ ? without_case(std::move(set)) : std::move(set);
    }

    // Parses \d \W and similar classes.
    std::optional<code_point_set> class_here() {
        if (text_.here() != '\\') return std::nullopt;
        const char letter = text_.here(1);
        const auto lower = static_cast<char>(letter | 0x20);
        auto out = class_of(lower);
        if (!out) return std::nullopt;
        text_.skip(2);
        out = folded(*std::move(out));
        return letter == lower ? std::move(out) : complement(*std::move(out));
    }

    // Parses a literal or escaped character.
    std::uint32_t character() {
        if (text_.here() == '\\') return escape();
        if (ignores_case_ && static_cast<unsigned char>(text_.here()) >= 0x80)
            text_.complain("ASCII letters alone under (?i)");
        return text_.take_code_point();
    }

    std::uint32_t escape() {
        const char c = text_.here(1);
        text_.skip(2);
        constexpr std::string_view letters = "afnrtv";
        constexpr std::string_view controls = "\a\f\n\r\t\v";
        if (const std::size_t known = letters.find(c); known != std::string_view::npos) {
            return static_cast<unsigned char>(controls[known]);
        }
        const bool means_something = is_word(c) && c != '_';
        if (text_.position() > text_.size() || means_something || static_cast<unsigned char>(c) >= 0x80) {
            text_.complain("an escape of RE2 before this (\\d \\w \\s \\n \\t \\. and so on)");
        }
        return static_cast<unsigned char>(c);
    }

    code_point_set bracket_part() {
        if (auto known = class_here()) return *std::move(known);
        if (auto named = named_class()) return *std::move(named);
        const std::uint32_t low = character();
        const bool is_range = text_.here() == '-' && text_.here(1) != ']' && !text_.is_last();
        if (!is_range) return folded({{low, low}});
        text_.skip();
        const std::uint32_t high = character();
        if (high < low) text_.complain("a range from low to high before this");
        return folded({{low, high}});
    }

    // Parses [:alpha:] [:^alpha:]; without its end the bracket is a literal.
    std::optional<code_point_set> named_class() {
        const std::string_view rest = text_.rest();
        const std::size_t end = rest.find(":]");
        if (!rest.starts_with(std::string_view("[:")) || end == std::string_view::npos) return std::nullopt;
        const bool negated = text_.here(2) == '^';
        const std::size_t start = negated ? 3 : 2;
        auto out = class_of(rest.substr(start, std::max(end, start) - start));
        if (!out) text_.complain("[:alpha:] or another class of ASCII");
        text_.skip(end + 2);
        if (!out) return code_point_set();
        out = folded(*std::move(out));
        return negated ? complement(*std::move(out)) : std::move(out);
    }

    pattern_cursor& text_;
    const bool ignores_case_;
};

}  // namespace

code_point_set read_literal(pattern_cursor& cursor, bool ignores_case) {
    return character_reader(cursor, ignores_case).literal();
}

code_point_set read_bracket(pattern_cursor& cursor, bool ignores_case) {
    return character_reader(cursor, ignores_case).bracket();
}

}  // namespace gputide
