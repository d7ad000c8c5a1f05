// Parses and applies label matchers.
#include "formats/exposition/selector.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "formats/exposition/number.hpp"

#include <algorithm>

namespace gputide::formats::exposition {
namespace {

class matcher_reader {
  public:
    matcher_reader(std::string_view text, function_ref<label_names(std::string_view)> names_of)
        : text_(trim(text)), names_of_(names_of) {}

    result<std::vector<matcher>> read() {
        if (text_.size() >= 2 && text_.front() == '{' && text_.back() == '}') {
            text_ = text_.substr(1, text_.size() - 2);
        }
        std::vector<matcher> out;
        for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
            auto entry = read_one();
            if (!entry) return entry.take_failure();
            out.push_back(*std::move(entry));
            skip_blanks();
            if (at_ < text_.size() && text_[at_] != ',') return expected("',' between two matchers");
            ++at_;
        }
        return out;
    }

  private:
    void skip_blanks() {
        while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) ++at_;
    }

    error_ptr expected(std::string_view what) const {
        const std::string_view rest = text_.substr(std::min(at_, text_.size()));
        return fail(error_class::config, "expected {}, got {}; matchers look like namespace=\"ml\",pod=~\"llm-.*\"",
                    what, rest.empty() ? "the end" : in_quotes(rest, 40));
    }

    result<matcher> read_one() {
        const char* start = text_.data() + at_;
        const char* end = text_.data() + text_.size();
        if (start == end || !is(*start, label_start)) return expected("a label name");
        const auto name = text_.substr(at_, static_cast<std::size_t>(skip(start, end, label_part) - start));
        at_ += name.size();
        skip_blanks();
        const std::string_view sign = text_.substr(at_, 2);
        const bool regular = sign == "=~" || sign == "!~";
        if (!regular && sign != "!=" && sign.substr(0, 1) != "=") return expected("=, !=, =~ or !~");
        at_ += regular || sign == "!=" ? 2U : 1U;
        skip_blanks();
        matcher out;
        out.names = names_of_(name);
        out.wanted = sign[0] == '=';
        if (auto read = read_value(out.value); !read) return read.take_failure();
        if (!regular) return out;
        auto compiled = pattern::compile(out.value, pattern::dot::any_character);
        if (!compiled) return compiled.take_failure();
        out.pattern = *std::move(compiled);
        return out;
    }

    // Parses a value with those escapes of PromQL strings that labels need: \\ \" \'
    // \t; between backticks there are no escapes.
    result<void> read_value(std::string& into) {
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '"' && quote != '\'' && quote != '`') return expected("a value in quotes");
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] != '\\' || quote == '`') {
                into += text_[at_];
                continue;
            }
            const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
            if (c != '\\' && c != '"' && c != '\'' && c != 'n' && c != 't') {
                return expected(
                    "an escape \\\\ \\\" \\n or \\t (a backslash of a regular expression is written twice, or "
                    "the value in backticks)");
            }
            into += c == 'n' ? '\n' : c == 't' ? '\t' : c;
            ++at_;
        }
        if (at_ == text_.size()) return expected("a closing quote");
        ++at_;
        return {};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    function_ref<label_names(std::string_view)> names_of_;
};

std::string_view text_of(const raw_text& raw_text, std::string& scratch) {
    if (!raw_text.escaped) return raw_text.text;
    scratch = unescaped(raw_text);
    return scratch;
}

bool fits(const matcher& matcher, const line& line, std::string& scratch, match_budget& budget) {
    const std::string_view value = label_of(line, matcher.names, scratch);
    const bool same = matcher.pattern ? matcher.pattern->matches(value, budget) : value == matcher.value;
    return same == matcher.wanted;
}

}  // namespace

std::string_view label_of(const line& line, const label_names& names, std::string& scratch) {
    for (const std::string& name : names) {
        for (const raw_label& label : line.labels) {
            const bool found = label.name.escaped ? unescaped(label.name) == name : label.name.text == name;
            if (found) return text_of(label.value, scratch);
        }
    }
    return {};
}

error_ptr too_much_matching() {
    return fail(error_class::limit,
                "the regular expressions of the matchers took more than {} steps on this page: simplify them, or give "
                "the series a label of their own to match by",
                limits::pattern_steps);
}

bool selector::takes(const line& line, match_budget& budget) const {
    std::string scratch;
    const std::string_view name = text_of(line.name, scratch);
    const auto named = [name](const std::string& wanted) { return name == wanted; };
    if (std::ranges::none_of(metrics, named)) return false;
    return std::ranges::all_of(matchers, [&](const matcher& each) { return fits(each, line, scratch, budget); });
}

result<std::vector<matcher>> parse_matchers(std::string_view text,
                                            function_ref<label_names(std::string_view)> names_of) {
    return matcher_reader(text, names_of).read();
}

}  // namespace gputide::formats::exposition
