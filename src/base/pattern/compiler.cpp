// Regular expression text → steps.  A recursive descent over alternatives, sequences and repeats; each part becomes a
// fragment of steps whose jumps are relative to it, so that {n,m} copies it.  What counts as what: golang/go
// src/regexp/syntax/parse.go with its flags Perl.
#include "base/format_text.hpp"
#include "base/pattern/fragment.hpp"
#include "base/pattern/pattern.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace gputide {
namespace {

constexpr std::uint32_t most_repeats = 1'000;

// Of {n}, {n,} and {n,m}, and of * + and ?.
struct repeat {
    std::uint32_t least = 0;
    std::optional<std::uint32_t> most;  // without it, any number
};

}  // namespace

class pattern_compiler {
  public:
    pattern_compiler(std::string_view text, pattern::dot takes) : text_(text), flags_{false, takes} {}

    result<pattern> compile() {
        if (text_.size() > pattern::most_bytes) return error_at("at most 4096 bytes");
        pattern_fragment whole = alternatives(0);
        if (!wrong_ && at_ < text_.size()) complain("no ')' without its '('");
        if (wrong_) return *wrong_;
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

    char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool more() const { return at_ < text_.size() && !wrong_; }

    error error_at(std::string_view expected) const {
        return fail(error_class::config, format_text("regular expression {}, at character {}: expected {}",
                                                     in_quotes(text_), at_ + 1, expected));
    }

    void complain(std::string_view expected) {
        if (!wrong_) wrong_ = error_at(expected);
    }

    // Steps so far are bounded, so that {1000}{1000} ends here and not in memory.
    void bound(std::size_t steps) {
        if (steps > pattern::most_steps) complain("a pattern that repeats less");
    }

    pattern_fragment alternatives(std::size_t depth) {
        if (depth > pattern::most_depth) complain("at most 64 groups inside each other");
        pattern_fragment out = sequence(depth);
        while (more() && here() == '|') {
            ++at_;
            out = out.or_else(sequence(depth));
            bound(out.steps.size());
        }
        return out;
    }

    pattern_fragment sequence(std::size_t depth) {
        pattern_fragment out;
        while (more() && here() != '|' && here() != ')') {
            out.append(repeated(depth));
            bound(out.steps.size());
        }
        return out;
    }

    pattern_fragment repeated(std::size_t depth) {
        if (repeat_here()) {
            complain("something to repeat before this");
            return {};
        }
        pattern_fragment part = atom(depth);
        const auto times = repeat_here();
        if (!times) return part;
        if (repeat_here()) complain("one repeat only");
        bound((times->most ? *times->most : times->least + 1) * (part.steps.size() + 2));
        pattern_fragment out;
        if (wrong_) return out;
        for (std::uint32_t i = 0; i < times->least; ++i) out.append(part);
        if (!times->most) out.append(part.any_number());
        for (std::uint32_t i = times->least; times->most && i < *times->most; ++i) out.append(part.optional());
        return out;
    }

    // Read where there is one.  A '?' behind it takes the shortest first, which changes what is matched and not whether.
    std::optional<repeat> repeat_here() {
        std::optional<repeat> out;
        if (here() == '*') out = {0, std::nullopt};
        if (here() == '+') out = {1, std::nullopt};
        if (here() == '?') out = {0, 1};
        if (out) {
            ++at_;
        } else {
            out = counted();
        }
        if (out && here() == '?') ++at_;
        return out;
    }

    // {n} {n,} {n,m}; other braces stand for themselves.
    std::optional<repeat> counted() {
        const std::size_t start = at_;
        const bool open = take('{');
        const auto least = open ? number() : std::nullopt;
        const bool comma = least && take(',');
        const auto most = !comma ? least : here() == '}' ? std::nullopt : number();
        const bool whole = least && (most || here() == '}') && take('}');
        if (!whole) {
            at_ = start;
            return std::nullopt;
        }
        if (*least > most_repeats || (most && (*most > most_repeats || *most < *least))) {
            complain("{n}, {n,} or {n,m} with numbers up to 1000 before this");
        }
        return repeat{*least, most};
    }

    bool take(char wanted) {
        if (here() != wanted) return false;
        ++at_;
        return true;
    }

    // One above the limit for all that are.  No leading zeros.
    std::optional<std::uint32_t> number() {
        if (!is_digit(here()) || (here() == '0' && is_digit(here(1)))) return std::nullopt;
        std::uint32_t out = 0;
        for (; is_digit(here()); ++at_) {
            out = std::min(out * 10 + static_cast<std::uint32_t>(here() - '0'), most_repeats + 1);
        }
        return out;
    }

    pattern_fragment atom(std::size_t depth) {
        if (here() == '(') return group(depth);
        if (here() == '[') return one_of(bracket());
        if (take('.')) {
            const bool all = flags_.dot == pattern::dot::any_character;
            return one_of(complement(all ? code_point_set{} : code_point_set{{'\n', '\n'}}));
        }
        if (const auto edge = edge_here()) return {{{*edge, 0, 0}}};
        return one_of(literal());
    }

    // ^ $ \A \z \b \B: what holds between two characters.
    std::optional<kind> edge_here() {
        if (take('^')) return kind::text_start;
        if (take('$')) return kind::text_end;
        constexpr std::string_view letters = "AzbB";
        constexpr std::array edges = {kind::text_start, kind::text_end, kind::word_edge, kind::no_word_edge};
        const std::size_t known = here() == '\\' ? letters.find(here(1)) : std::string_view::npos;
        if (known == std::string_view::npos) return std::nullopt;
        at_ += 2;
        return edges[known];
    }

    // (...) (?:...) (?is:...), and (?is) for what follows in the group around it.
    pattern_fragment group(std::size_t depth) {
        ++at_;
        const flags outside = flags_;
        if (take('?')) {
            for (; here() == 'i' || here() == 's'; ++at_) {
                if (here() == 'i') flags_.without_case = true;
                if (here() == 's') flags_.dot = pattern::dot::any_character;
            }
            if (take(')')) return {};
            if (!take(':'))
                complain("(...), (?:...) or one of the flags i and s; other flags and names are not supported");
        }
        pattern_fragment out = alternatives(depth + 1);
        if (!take(')')) complain("')'");
        flags_ = outside;
        return out;
    }

    pattern_fragment one_of(code_point_set set) {
        out_.sets_.push_back(std::move(set));
        return {{{kind::set, static_cast<std::uint32_t>(out_.sets_.size() - 1), 0}}};
    }

    code_point_set folded(code_point_set set) const {
        return flags_.without_case ? without_case(std::move(set)) : std::move(set);
    }

    code_point_set literal() {
        if (auto known = class_here()) return *std::move(known);
        const std::uint32_t c = character();
        return folded({{c, c}});
    }

    // \d \W and the like.
    std::optional<code_point_set> class_here() {
        if (here() != '\\') return std::nullopt;
        const char letter = here(1);
        const auto lower = static_cast<char>(letter | 0x20);
        auto out = class_of(lower);
        if (!out) return std::nullopt;
        at_ += 2;
        out = folded(*std::move(out));
        return letter == lower ? std::move(out) : complement(*std::move(out));
    }

    // One that stands for itself or is escaped.
    std::uint32_t character() {
        if (here() == '\\') return escape();
        if (flags_.without_case && static_cast<unsigned char>(here()) >= 0x80)
            complain("ASCII letters alone under (?i)");
        return next_code_point(text_, at_);
    }

    std::uint32_t escape() {
        const char c = here(1);
        at_ += 2;
        constexpr std::string_view letters = "afnrtv";
        constexpr std::string_view controls = "\a\f\n\r\t\v";
        if (const std::size_t known = letters.find(c); known != std::string_view::npos) {
            return static_cast<unsigned char>(controls[known]);
        }
        const bool means_something = is_word(c) && c != '_';
        if (at_ > text_.size() || means_something || static_cast<unsigned char>(c) >= 0x80) {
            complain("an escape of RE2 before this (\\d \\w \\s \\n \\t \\. and so on)");
        }
        return static_cast<unsigned char>(c);
    }

    // [abc] [a-z\d] [^a-z] [[:alpha:]_]
    code_point_set bracket() {
        ++at_;
        const bool negated = take('^');
        code_point_set out;
        for (bool first = true; more() && (first || here() != ']'); first = false) {
            const code_point_set part = bracket_part();
            out.insert(out.end(), part.begin(), part.end());
        }
        if (!take(']')) complain("']'");
        return negated ? complement(std::move(out)) : out;
    }

    code_point_set bracket_part() {
        if (auto known = class_here()) return *std::move(known);
        if (auto named = named_class()) return *std::move(named);
        const std::uint32_t low = character();
        const bool is_range = here() == '-' && here(1) != ']' && at_ + 1 < text_.size();
        if (!is_range) return folded({{low, low}});
        ++at_;
        const std::uint32_t high = character();
        if (high < low) complain("a range from low to high before this");
        return folded({{low, high}});
    }

    // [:alpha:] [:^alpha:]; without its end the bracket stands for itself.
    std::optional<code_point_set> named_class() {
        const std::string_view rest = text_.substr(at_);
        const std::size_t end = rest.find(":]");
        if (!rest.starts_with(std::string_view("[:")) || end == std::string_view::npos) return std::nullopt;
        const bool negated = here(2) == '^';
        const std::size_t start = negated ? 3 : 2;
        auto out = class_of(rest.substr(start, std::max(end, start) - start));
        if (!out) complain("[:alpha:] or another class of ASCII");
        at_ += end + 2;
        if (!out) return code_point_set();
        out = folded(*std::move(out));
        return negated ? complement(*std::move(out)) : std::move(out);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    flags flags_;
    pattern out_;
    std::optional<error> wrong_;
};

result<pattern> pattern::compile(std::string_view text, dot takes) { return pattern_compiler(text, takes).compile(); }

}  // namespace gputide
