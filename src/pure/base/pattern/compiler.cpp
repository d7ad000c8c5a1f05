// Compiles a regular expression into steps.  A recursive descent over alternatives, sequences and repeats; each part
// becomes a fragment of steps with relative jumps, so that {n,m} copies it.  The grammar follows golang/go
// src/regexp/syntax/parse.go with its flags Perl.
#include "base/format_text.hpp"
#include "base/pattern/code_points.hpp"
#include "base/pattern/pattern.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide {
namespace {

constexpr std::uint32_t max_repeats = 1'000;

// The bounds of {n}, {n,} and {n,m}, and of * + and ?.
struct repeat {
    std::uint32_t min = 0;
    std::optional<std::uint32_t> max;  // none: unlimited
};

}  // namespace

// The position in a regular expression's text, and the first error.  At the end, and after an error, every character reads as
// '\0'.
class pattern_cursor {
  public:
    explicit pattern_cursor(std::string_view text) : text_(text) {}

    std::size_t size() const { return text_.size(); }
    std::size_t position() const { return at_; }
    bool is_last() const { return at_ + 1 >= text_.size(); }
    bool is_at_end() const { return at_ >= text_.size(); }
    bool more() const { return !is_at_end() && !failure_; }

    char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    std::string_view rest() const { return text_.substr(at_); }  // requires a position within the text

    void skip(std::size_t bytes = 1) { at_ += bytes; }  // may move beyond the end
    void go_to(std::size_t position) { at_ = position; }
    bool take(char wanted) {
        if (here() != wanted) return false;
        ++at_;
        return true;
    }
    std::uint32_t take_code_point() { return next_code_point(text_, at_); }  // requires a position before the end

    error_ptr error_here(std::string_view expected) const {
        return fail(error_class::config, format_text("regular expression {}, at character {}: expected {}",
                                                     in_quotes(text_), at_ + 1, expected));
    }
    void complain(std::string_view expected) {
        if (!failure_) failure_ = error_here(expected);
    }
    const std::optional<error>& failure() const { return failure_; }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<error> failure_;
};

namespace {

// Parses the parts of a regular expression that match one character (a literal, an escape, a class or a bracket) into a set of
// code points.  Errors go to the cursor.  Character classes follow golang/go src/regexp/syntax/parse.go with its
// flags Perl.
class character_reader {
  public:
    character_reader(pattern_cursor& text, bool ignores_case) : text_(text), ignores_case_(ignores_case) {}

    // Parses . a \. and the like, outside brackets.
    code_point_set literal() {
        if (auto known = class_here()) return *std::move(known);
        const std::uint32_t c = character();
        return folded({{c, c}});
    }

    // Parses [abc] [a-z\d] [^a-z] [[:alpha:]_]; the cursor is at the '['.
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
            text_.complain("only ASCII letters with (?i)");
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

    // Parses [:alpha:] [:^alpha:].  Without the end ":]" the bracket is a literal.
    std::optional<code_point_set> named_class() {
        const std::string_view rest = text_.rest();
        const std::size_t end = rest.find(":]");
        if (!rest.starts_with(std::string_view("[:")) || end == std::string_view::npos) return std::nullopt;
        const bool negated = text_.here(2) == '^';
        const std::size_t start = negated ? 3 : 2;
        auto out = class_of(rest.substr(start, std::max(end, start) - start));
        if (!out) text_.complain("[:alpha:] or another ASCII class");
        text_.skip(end + 2);
        if (!out) return code_point_set();
        out = folded(*std::move(out));
        return negated ? complement(*std::move(out)) : std::move(out);
    }

    pattern_cursor& text_;
    const bool ignores_case_;
};

}  // namespace

// Jumps are relative to the fragment's first step, so a fragment can be copied.  The end of a fragment is one past its last
// step.
struct pattern_fragment {
    using kind = pattern_step::kind;
    std::vector<pattern_step> steps;

    std::uint32_t size() const { return static_cast<std::uint32_t>(steps.size()); }

    void append(const pattern_fragment& part) {
        const std::uint32_t base = size();
        for (pattern_step step : part.steps) {
            const bool splits = step.what == kind::split;
            if (splits || step.what == kind::jump) step.first += base;
            if (splits) step.second += base;
            steps.push_back(step);
        }
    }

    pattern_fragment or_else(const pattern_fragment& other) const {
        pattern_fragment out{{{kind::split, 1, size() + 2}}};
        out.append(*this);
        out.steps.push_back({kind::jump, size() + 2 + other.size(), 0});
        out.append(other);
        return out;
    }

    pattern_fragment optional() const {
        pattern_fragment out{{{kind::split, 1, size() + 1}}};
        out.append(*this);
        return out;
    }

    // Zero or more times.
    pattern_fragment any_number() const {
        pattern_fragment out{{{kind::split, 1, size() + 2}}};
        out.append(*this);
        out.steps.push_back({kind::jump, 0, 0});
        return out;
    }
};

class pattern_compiler {
  public:
    pattern_compiler(std::string_view text, pattern::dot takes) : text_(text), flags_{false, takes} {}

    result<pattern> compile() {
        if (text_.size() > pattern::max_bytes) return text_.error_here("at most 4096 bytes");
        pattern_fragment whole = alternatives(0);
        if (text_.more()) text_.complain("a '(' for this ')'");
        if (text_.failure()) return *text_.failure();
        whole.steps.push_back({kind::match, 0, 0});
        out_.steps_ = std::move(whole.steps);
        return std::move(out_);
    }

  private:
    using kind = pattern_step::kind;

    struct flags {
        bool without_case = false;
        pattern::dot dot = pattern::dot::not_newline;
    };

    // Limits the number of steps, so that {1000}{1000} fails here and does not exhaust the memory.
    void bound(std::size_t steps) {
        if (steps > pattern::max_steps) text_.complain("a pattern with fewer repetitions");
    }

    pattern_fragment alternatives(std::size_t depth) {
        if (depth > pattern::max_depth) text_.complain("at most 64 groups inside each other");
        pattern_fragment out = sequence(depth);
        while (text_.more() && text_.here() == '|') {
            text_.skip();
            out = out.or_else(sequence(depth));
            bound(out.steps.size());
        }
        return out;
    }

    pattern_fragment sequence(std::size_t depth) {
        pattern_fragment out;
        while (text_.more() && text_.here() != '|' && text_.here() != ')') {
            out.append(repeated(depth));
            bound(out.steps.size());
        }
        return out;
    }

    pattern_fragment repeated(std::size_t depth) {
        if (repeat_here()) {
            text_.complain("something to repeat before this");
            return {};
        }
        pattern_fragment part = atom(depth);
        const auto times = repeat_here();
        if (!times) return part;
        if (repeat_here()) text_.complain("only one repetition operator");
        bound((times->max ? *times->max : times->min + 1) * (part.steps.size() + 2));
        pattern_fragment out;
        if (text_.failure()) return out;
        for (std::uint32_t i = 0; i < times->min; ++i) out.append(part);
        if (!times->max) out.append(part.any_number());
        for (std::uint32_t i = times->min; times->max && i < *times->max; ++i) out.append(part.optional());
        return out;
    }

    // Parses an optional repeat.  A '?' after it makes it lazy, which changes the extent of a match, but not whether the text
    // matches.
    std::optional<repeat> repeat_here() {
        std::optional<repeat> out;
        if (text_.here() == '*') out = {0, std::nullopt};
        if (text_.here() == '+') out = {1, std::nullopt};
        if (text_.here() == '?') out = {0, 1};
        if (out) {
            text_.skip();
        } else {
            out = counted();
        }
        if (out && text_.here() == '?') text_.skip();
        return out;
    }

    // Parses {n} {n,} {n,m}; other braces are literals.
    std::optional<repeat> counted() {
        const std::size_t start = text_.position();
        const bool open = text_.take('{');
        const auto min = open ? number() : std::nullopt;
        const bool comma = min && text_.take(',');
        const auto max = !comma ? min : text_.here() == '}' ? std::nullopt : number();
        const bool whole = min && (max || text_.here() == '}') && text_.take('}');
        if (!whole) {
            text_.go_to(start);
            return std::nullopt;
        }
        if (*min > max_repeats || (max && (*max > max_repeats || *max < *min))) {
            text_.complain("{n}, {n,} or {n,m} with numbers up to 1000 before this");
        }
        return repeat{*min, max};
    }

    // Parses a number without leading zeros; returns limit + 1 for any larger number.
    std::optional<std::uint32_t> number() {
        if (!is_digit(text_.here()) || (text_.here() == '0' && is_digit(text_.here(1)))) return std::nullopt;
        std::uint32_t out = 0;
        for (; is_digit(text_.here()); text_.skip()) {
            out = std::min(out * 10 + static_cast<std::uint32_t>(text_.here() - '0'), max_repeats + 1);
        }
        return out;
    }

    pattern_fragment atom(std::size_t depth) {
        if (text_.here() == '(') return group(depth);
        if (text_.here() == '[') return one_of(character_reader(text_, flags_.without_case).bracket());
        if (text_.take('.')) {
            const bool all = flags_.dot == pattern::dot::any_character;
            return one_of(complement(all ? code_point_set{} : code_point_set{{'\n', '\n'}}));
        }
        if (const auto edge = edge_here()) return {{{*edge, 0, 0}}};
        return one_of(character_reader(text_, flags_.without_case).literal());
    }

    // Parses ^ $ \A \z \b \B: assertions between two characters.
    std::optional<kind> edge_here() {
        if (text_.take('^')) return kind::text_start;
        if (text_.take('$')) return kind::text_end;
        constexpr std::string_view letters = "AzbB";
        constexpr std::array edges = {kind::text_start, kind::text_end, kind::word_edge, kind::no_word_edge};
        const std::size_t known = text_.here() == '\\' ? letters.find(text_.here(1)) : std::string_view::npos;
        if (known == std::string_view::npos) return std::nullopt;
        text_.skip(2);
        return edges[known];
    }

    // Parses (...) (?:...) (?is:...), and (?is) for the rest of the surrounding group.
    pattern_fragment group(std::size_t depth) {
        text_.skip();
        const flags outside = flags_;
        if (text_.take('?')) {
            for (; text_.here() == 'i' || text_.here() == 's'; text_.skip()) {
                if (text_.here() == 'i') flags_.without_case = true;
                if (text_.here() == 's') flags_.dot = pattern::dot::any_character;
            }
            if (text_.take(')')) return {};
            if (!text_.take(':'))
                text_.complain("(...), (?:...) or one of the flags i and s; other flags and names are not supported");
        }
        pattern_fragment out = alternatives(depth + 1);
        if (!text_.take(')')) text_.complain("')'");
        flags_ = outside;
        return out;
    }

    pattern_fragment one_of(code_point_set set) {
        out_.sets_.push_back(std::move(set));
        return {{{kind::set, static_cast<std::uint32_t>(out_.sets_.size() - 1), 0}}};
    }

    pattern_cursor text_;
    flags flags_;
    pattern out_;
};

result<pattern> pattern::compile(std::string_view text, dot takes) { return pattern_compiler(text, takes).compile(); }

}  // namespace gputide
