// Regular expression text → steps.  A recursive descent over alternatives, sequences and repeats; each part becomes a
// fragment of steps whose jumps are relative to it, so that {n,m} copies it.
#include "base/format_text.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"
#include "formats/exposition/pattern.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace gputide::formats::exposition {

namespace {

constexpr std::uint32_t last_code_point = 0x10ffff;
constexpr std::uint32_t most_repeats = 1'000;  // as RE2

const never_destroyed<const code_point_set> digits{code_point_set{{'0', '9'}}};
const never_destroyed<const code_point_set> word_parts{code_point_set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}};
const never_destroyed<const code_point_set> spaces{code_point_set{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}};

code_point_set complement(code_point_set of) {
    std::sort(of.begin(), of.end());
    code_point_set out;
    std::uint32_t from = 0;
    for (const auto& [low, high] : of) {
        if (low > from) out.emplace_back(from, low - 1);
        from = std::max(from, high + 1);
    }
    if (from <= last_code_point) out.emplace_back(from, last_code_point);
    return out;
}

// Jumps count from the fragment's own first step; its end is one past its last.
using fragment = std::vector<pattern_step>;
using kind = pattern_step::kind;

void append(fragment& to, const fragment& part) {
    const auto base = static_cast<std::uint32_t>(to.size());
    for (pattern_step step : part) {
        if (step.what == kind::split || step.what == kind::jump) step.first += base;
        if (step.what == kind::split) step.second += base;
        to.push_back(step);
    }
}

std::uint32_t size_of(const fragment& part) { return static_cast<std::uint32_t>(part.size()); }

// split → one | other
fragment either(const fragment& one, const fragment& other) {
    fragment out = {{kind::split, 1, size_of(one) + 2}};
    append(out, one);
    out.push_back({kind::jump, size_of(one) + 2 + size_of(other), 0});
    append(out, other);
    return out;
}

fragment optional(const fragment& part) {
    fragment out = {{kind::split, 1, size_of(part) + 1}};
    append(out, part);
    return out;
}

fragment any_number(const fragment& part) {
    fragment out = {{kind::split, 1, size_of(part) + 2}};
    append(out, part);
    out.push_back({kind::jump, 0, 0});
    return out;
}

}  // namespace

class pattern_compiler {
  public:
    explicit pattern_compiler(std::string_view text) : text_(text) {}

    result<pattern> compile() {
        if (text_.size() > pattern::most_bytes) return error_at("at most 4096 bytes");
        if (here() == '^') ++at_;
        fragment whole = alternatives(0);
        if (!wrong_ && at_ < text_.size()) complain("no ')' without its '('");
        if (wrong_) return *wrong_;
        whole.push_back({kind::match, 0, 0});
        made_.steps_ = std::move(whole);
        return std::move(made_);
    }

  private:
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

    fragment alternatives(std::size_t depth) {
        if (depth > pattern::most_depth) complain("at most 64 groups inside each other");
        fragment out = sequence(depth);
        while (more() && here() == '|') {
            ++at_;
            out = either(out, sequence(depth));
            bound(out.size());
        }
        return out;
    }

    fragment sequence(std::size_t depth) {
        fragment out;
        while (more() && here() != '|' && here() != ')') {
            if (here() == '$' && at_ + 1 == text_.size()) {
                ++at_;
                break;
            }
            append(out, repeated(atom(depth)));
            bound(out.size());
        }
        return out;
    }

    fragment repeated(fragment part) {
        if (!more()) return part;
        const char c = here();
        if (c == '*' || c == '+' || c == '?') {
            ++at_;
            if (c == '*') part = any_number(part);
            if (c == '?') part = optional(part);
            if (c == '+') {
                const fragment again = any_number(part);
                append(part, again);
            }
        } else if (c == '{') {
            part = counted(part);
        } else {
            return part;
        }
        if (here() == '?') ++at_;  // the shortest match first: the same for a whole value
        if (here() == '*' || here() == '+' || here() == '?') complain("one repeat only");
        return part;
    }

    std::optional<std::uint32_t> number() {
        std::uint32_t out = 0;
        const std::size_t start = at_;
        for (; here() >= '0' && here() <= '9' && out <= most_repeats; ++at_) {
            out = out * 10 + static_cast<std::uint32_t>(here() - '0');
        }
        return at_ == start || out > most_repeats ? std::nullopt : std::optional(out);
    }

    // {n} {n,} {n,m}
    fragment counted(const fragment& part) {
        ++at_;
        const auto least = number();
        const bool comma = here() == ',';
        if (comma) ++at_;
        const bool open = comma && here() == '}';
        const auto most = !comma ? least : open ? std::optional<std::uint32_t>(0) : number();
        if (!least || !most || here() != '}' || (!open && *most < *least)) {
            complain("{n}, {n,} or {n,m} with numbers up to 1000");
            return {};
        }
        ++at_;
        bound((open ? *least + 1 : *most) * (part.size() + 2));
        fragment out;
        if (wrong_) return out;
        for (std::uint32_t i = 0; i < *least; ++i) append(out, part);
        if (open) append(out, any_number(part));
        for (std::uint32_t i = *least; !open && i < *most; ++i) append(out, optional(part));
        return out;
    }

    fragment atom(std::size_t depth) {
        const char c = here();
        if (c == '(') return group(depth);
        if (c == '[') return one_of(bracket());
        if (c == '.') {
            ++at_;
            return one_of({{0, last_code_point}});
        }
        if (c == '*' || c == '+' || c == '?' || c == '{') complain("something to repeat before it");
        if (c == '^' || c == '$') complain("'^' at the start and '$' at the end only");
        return one_of(literal());
    }

    fragment group(std::size_t depth) {
        ++at_;
        if (here() == '?') {
            if (here(1) != ':') complain("(...) or (?:...); flags and names are not supported");
            at_ += 2;
        }
        fragment out = alternatives(depth + 1);
        if (here() != ')') complain("')'");
        ++at_;
        return out;
    }

    fragment one_of(code_point_set set) {
        made_.sets_.push_back(std::move(set));
        return {{kind::set, static_cast<std::uint32_t>(made_.sets_.size() - 1), 0}};
    }

    // One code point, or what an escape stands for.
    code_point_set literal() {
        if (here() == '\\') return escape();
        const std::uint32_t c = next_code_point(text_, at_);
        return {{c, c}};
    }

    code_point_set escape() {
        const char c = here(1);
        at_ += 2;
        switch (c) {
            case 'd':
                return *digits;
            case 'D':
                return complement(*digits);
            case 'w':
                return *word_parts;
            case 'W':
                return complement(*word_parts);
            case 's':
                return *spaces;
            case 'S':
                return complement(*spaces);
            case 'n':
                return {{'\n', '\n'}};
            case 't':
                return {{'\t', '\t'}};
            case 'r':
                return {{'\r', '\r'}};
            default:
                break;
        }
        const bool letter_or_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (c == '\0' || letter_or_digit || static_cast<unsigned char>(c) >= 0x80) {
            complain("an escape of RE2 before this (\\d \\w \\s \\n \\t \\. and so on)");
            return {};
        }
        const auto value = static_cast<std::uint32_t>(static_cast<unsigned char>(c));
        return {{value, value}};
    }

    // [abc] [a-z\d] [^a-z]
    code_point_set bracket() {
        ++at_;
        const bool negated = here() == '^';
        if (negated) ++at_;
        code_point_set out;
        for (bool first = true; more() && (first || here() != ']'); first = false) {
            code_point_set low = literal();
            const bool range = here() == '-' && here(1) != ']' && at_ + 1 < text_.size() && low.size() == 1 &&
                               low[0].first == low[0].second;
            if (range) {
                ++at_;
                const code_point_set high = literal();
                if (high.size() != 1 || high[0].first < low[0].first) complain("a range from low to high before this");
                if (!wrong_) low[0].second = high[0].second;
            }
            out.insert(out.end(), low.begin(), low.end());
        }
        if (here() != ']') complain("']'");
        ++at_;
        return negated ? complement(std::move(out)) : out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    pattern made_;
    std::optional<error> wrong_;
};

result<pattern> pattern::compile(std::string_view text) { return pattern_compiler(text).compile(); }

}  // namespace gputide::formats::exposition
