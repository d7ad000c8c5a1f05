// Thompson's construction: the pattern becomes a list of steps.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "nodes/expander/bytes.hpp"
#include "nodes/expander/pattern.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gputide::nodes {
namespace {

constexpr std::size_t most_bytes = 1'000;
constexpr std::size_t most_steps = 20'000;
constexpr std::int64_t most_repeats = 1'000;  // as Go's regexp
constexpr int most_depth = 100;
constexpr std::int64_t no_end = -1;

}  // namespace

// Reads the text from left to right and writes steps; a part that is repeated is read again for each copy.
class pattern_compiler {
  public:
    explicit pattern_compiler(std::string_view text) : text_(text) {}

    result<pattern> compile() {
        if (text_.size() > most_bytes) return refuse("it has more than 1000 bytes");
        if (text_.starts_with("(?i)")) {
            folded_ = true;
            at_ = 4;
        }
        alternatives(0);
        if (problem_.empty() && at_ < text_.size()) refuse_here("a ')' that nothing opens");
        if (!problem_.empty()) return refuse(problem_);
        put({pattern::step_kind::match});
        return std::move(out_);
    }

  private:
    using step_kind = pattern::step_kind;

    static error refuse(std::string_view why) {
        return fail(status::invalid, format_text("not a regular expression that this library reads: {}", why));
    }
    void refuse_here(std::string_view why) {
        if (problem_.empty()) problem_ = format_text("{} at byte {}", why, at_);
        at_ = text_.size();
    }

    bool more() const { return at_ < text_.size(); }
    char peek() const { return text_[at_]; }
    bool take(char wanted) {
        if (!more() || peek() != wanted) return false;
        ++at_;
        return true;
    }

    std::uint32_t here() const { return static_cast<std::uint32_t>(out_.steps_.size()); }
    std::uint32_t put(pattern::step one) {
        if (out_.steps_.size() >= most_steps) refuse_here("it grows too large");
        if (!problem_.empty()) return 0;
        out_.steps_.push_back(one);
        return here() - 1;
    }
    void put_bytes(pattern::byte_set set) {
        if (folded_) {
            for (unsigned c = 'a'; c <= 'z'; ++c) {
                const bool either = set.test(c) || set.test(c - 0x20U);
                set.set(c, either);
                set.set(c - 0x20U, either);
            }
        }
        const auto known = std::find(out_.sets_.begin(), out_.sets_.end(), set);
        const auto number = static_cast<std::uint32_t>(known - out_.sets_.begin());
        if (known == out_.sets_.end()) out_.sets_.push_back(set);
        put({step_kind::bytes, here() + 1, number});
    }

    // a|b|c: each way jumps behind the last one.
    void alternatives(int depth) {
        if (depth > most_depth) return refuse_here("its groups are too deep");
        std::vector<std::uint32_t> jumps;
        for (;;) {
            const std::uint32_t start = here();
            sequence(depth);
            if (!take('|')) break;
            insert_split(start);
            jumps.push_back(put({step_kind::jump}));
            if (!problem_.empty()) return;
            out_.steps_[start].other = here();
        }
        for (const std::uint32_t one : jumps) out_.steps_[one].next = here();
    }

    // A split before what was written from `start` on, which moves by one.
    void insert_split(std::uint32_t start) {
        if (put({step_kind::match}) == 0 && !problem_.empty()) return;
        std::vector<pattern::step>& steps = out_.steps_;
        for (std::size_t i = start; i + 1 < steps.size(); ++i) {
            if (steps[i].next >= start) ++steps[i].next;
            if (steps[i].kind == step_kind::split && steps[i].other >= start) ++steps[i].other;
        }
        std::rotate(steps.begin() + start, steps.end() - 1, steps.end());
        steps[start] = {step_kind::split, start + 1, 0};
    }

    void sequence(int depth) {
        while (problem_.empty() && more() && peek() != '|' && peek() != ')') repeated(depth);
    }

    void repeated(int depth) {
        const std::size_t from = at_;
        const std::uint32_t start = here();
        one(depth);
        const auto times = problem_.empty() ? repeat_count() : std::nullopt;
        if (!times) return;
        copies(from, start, *times, depth);
        if (problem_.empty() && repeat_count()) refuse_here("a repeat of a repeat");
    }

    // "*" "+" "?" "{2}" "{2,}" "{2,5}", each perhaps lazy, which changes what is matched but not whether.
    std::optional<std::pair<std::int64_t, std::int64_t>> repeat_count() {
        std::pair<std::int64_t, std::int64_t> out;
        if (take('*')) {
            out = {0, no_end};
        } else if (take('+')) {
            out = {1, no_end};
        } else if (take('?')) {
            out = {0, 1};
        } else if (!braces(out)) {
            return std::nullopt;
        }
        take('?');
        return out;
    }

    // Braces that hold no count are literal, as in Go.
    bool braces(std::pair<std::int64_t, std::int64_t>& out) {
        if (!more() || peek() != '{') return false;
        const std::size_t end = text_.find('}', at_);
        if (end == std::string_view::npos) return false;
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        const std::size_t comma = inside.find(',');
        const std::optional<std::int64_t> least = parse_int64(inside.substr(0, comma));
        if (!least || inside.front() == '+' || *least < 0) return false;
        out = {*least, *least};
        if (comma != std::string_view::npos) {
            const std::string_view most = inside.substr(comma + 1);
            const std::optional<std::int64_t> number = most.empty() ? no_end : parse_int64(most);
            if (!number) return false;
            out.second = *number;
        }
        at_ = end + 1;
        const bool in_order = out.second == no_end || out.first <= out.second;
        if (!in_order || out.first > most_repeats || out.second > most_repeats)
            refuse_here("a repeat count out of range");
        return true;
    }

    // What stands at `from` was written once, from `start` on; make it as many times as asked for.
    void copies(std::size_t from, std::uint32_t start, std::pair<std::int64_t, std::int64_t> times, int depth) {
        const std::size_t behind = at_;
        const auto again = [&] {
            at_ = from;
            one(depth);
        };
        const auto [least, most] = times;
        if (most == 0) {
            out_.steps_.resize(start);
            at_ = behind;
            return;
        }
        std::uint32_t last = start;
        for (std::int64_t i = 1; i < least && problem_.empty(); ++i) {
            last = here();
            again();
        }
        if (most == no_end) {
            endless(last, least == 0);
        } else {
            std::vector<std::uint32_t> exits;
            if (least == 0) {
                insert_split(start);
                exits.push_back(start);
            }
            for (std::int64_t i = std::max<std::int64_t>(least, 1); i < most && problem_.empty(); ++i) {
                exits.push_back(put({step_kind::split, here() + 1, 0}));
                again();
            }
            if (problem_.empty()) {
                for (const std::uint32_t exit : exits) out_.steps_[exit].other = here();
            }
        }
        if (problem_.empty()) at_ = behind;
    }

    // x*: split(x, behind), jump back; x+: x, split(x, behind).
    void endless(std::uint32_t start, bool may_be_none) {
        if (!may_be_none) {
            put({step_kind::split, start, here() + 1});
            return;
        }
        insert_split(start);
        put({step_kind::jump, start});
        if (problem_.empty()) out_.steps_[start].other = here();
    }

    void one(int depth) {
        const char c = text_[at_++];
        switch (c) {
            case '(':
                if (more() && peek() == '?' && !text_.substr(at_).starts_with("?:"))
                    return refuse_here("a group with a flag or a name");
                if (more() && peek() == '?') at_ += 2;
                alternatives(depth + 1);
                if (problem_.empty() && !take(')')) refuse_here("a group without its ')'");
                return;
            case '*':
            case '+':
            case '?':
                return refuse_here("a repeat of nothing");
            case '[':
                return bracket();
            case '.':
                return put_bytes(~pattern::byte_set().set('\n'));
            case '^':
                put({step_kind::text_start, here() + 1});
                return;
            case '$':
                put({step_kind::text_end, here() + 1});
                return;
            case '\\':
                return escape();
            default:
                return put_bytes(pattern::byte_set().set(static_cast<unsigned char>(c)));
        }
    }

    void escape() {
        if (!more()) return refuse_here("a '\\' at the end");
        const char c = text_[at_++];
        if (c == 'b' || c == 'B') {
            put({c == 'b' ? step_kind::word_edge : step_kind::no_word_edge, here() + 1});
        } else if (c == 'A' || c == 'z') {
            put({c == 'A' ? step_kind::text_start : step_kind::text_end, here() + 1});
        } else if (const auto set = class_of(c)) {
            put_bytes(*set);
        } else if (const auto byte = escaped_byte(c)) {
            put_bytes(pattern::byte_set().set(static_cast<unsigned char>(*byte)));
        }
    }

    std::optional<char> escaped_byte(char c) {
        if (const std::optional<char> control = control_of(c)) return control;
        if (!is_word(c)) return c;
        refuse_here("an escape that is not known");
        return std::nullopt;
    }

    void bracket() {
        pattern::byte_set set;
        const bool opposite = take('^');
        for (bool first = true; problem_.empty(); first = false) {
            if (!more()) return refuse_here("a class without its ']'");
            if (peek() == ']' && !first) break;
            class_item(set);
        }
        ++at_;
        put_bytes(opposite ? ~set : set);
    }

    void class_item(pattern::byte_set& set) {
        if (text_.substr(at_).starts_with("[:")) return refuse_here("a named class");
        const std::optional<char> from = class_byte(set);
        if (!from) return;
        const bool range = more() && peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
        if (!range) {
            set.set(static_cast<unsigned char>(*from));
            return;
        }
        ++at_;
        const std::optional<char> to = class_byte(set);
        const bool in_order = to && static_cast<unsigned char>(*from) <= static_cast<unsigned char>(*to);
        if (!in_order) return refuse_here("a range that is none");
        add_range(set, static_cast<unsigned char>(*from), static_cast<unsigned char>(*to));
    }

    // One byte of a class; nothing where a whole class such as \d was added.
    std::optional<char> class_byte(pattern::byte_set& set) {
        const char c = text_[at_++];
        if (c != '\\') return c;
        if (!more()) {
            refuse_here("a '\\' at the end");
            return std::nullopt;
        }
        const char letter = text_[at_++];
        if (const auto known = class_of(letter)) {
            set |= *known;
            return std::nullopt;
        }
        return escaped_byte(letter);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool folded_ = false;
    std::string problem_;
    pattern out_;
};

result<pattern> pattern::compile(std::string_view text) { return pattern_compiler(text).compile(); }

}  // namespace gputide::nodes
