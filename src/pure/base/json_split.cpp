#include "base/json_split.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide {
namespace {

constexpr std::string_view json_blanks = " \t\r\n";

// Returns the position after the closing quote, or text.size() + 1 if the text ends first.
std::size_t end_of_string(std::string_view text, std::size_t from) {
    for (std::size_t i = text.find('"', from + 1); i < text.size(); i = text.find('"', i + 1)) {
        std::size_t first = i;
        while (first > from + 1 && text[first - 1] == '\\') --first;
        if ((i - first) % 2 == 0) return i + 1;  // not escaped
    }
    return text.size() + 1;
}

// Bytes at which end_of_value() has something to do; most of a long text is blanks, numbers and what stands in quotes.
constexpr std::array<bool, 256> structural_bytes = [] {
    std::array<bool, 256> out{};
    for (const char byte : {'"', '{', '}', '[', ']'}) out[static_cast<unsigned char>(byte)] = true;
    return out;
}();

// Returns the position after the value at `from`, or text.size() + 1 if the text ends first.  An item that is not an
// object ends before , or ].
std::size_t end_of_value(std::string_view text, std::size_t from) {
    if (text[from] == '"') return end_of_string(text, from);
    if (text[from] != '{' && text[from] != '[') {
        const std::size_t end = text.find_first_of(",]} \t\r\n", from + 1);
        return end == std::string_view::npos ? text.size() + 1 : end;
    }
    std::size_t depth = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (!structural_bytes[static_cast<unsigned char>(c)]) continue;
        if (c == '"') {
            i = end_of_string(text, i) - 1;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (--depth == 0) {
            return i + 1;
        }
    }
    return text.size() + 1;
}

std::size_t skip_blanks(std::string_view text, std::size_t from) {
    return std::min(text.find_first_not_of(json_blanks, from), text.size());
}

class splitter {
  public:
    splitter(std::string_view text, bool (*holds_items)(std::string_view), std::int32_t first_line)
        : text_(text), holds_items_(holds_items), line_(first_line) {}

    split_text split() {
        out_.first_line = line_;
        move_to(text_.find('{'));
        keep_byte();
        while (at_ < text_.size() && text_[at_] != '}') read_member();
        if (at_ >= text_.size()) {
            out_.cut = true;
            out_.rest += '}';
        } else {
            keep_byte();  // the '}' of the object
        }
        out_.behind = at_;
        out_.last_line = line_;
        return std::move(out_);
    }

  private:
    // Keeps the bytes up to the next member's value, then splits the value or keeps it.
    void read_member() {
        if (text_[at_] != '"') return keep_byte();
        const std::size_t start = at_;
        const std::size_t behind = end_of_string(text_, at_);
        const std::string_view key = text_.substr(start + 1, behind - start - 2);
        at_ = behind;
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != ':') return drop_rest();
        ++at_;
        skip_blanks();
        if (at_ >= text_.size()) return drop_rest();
        out_.rest.append(text_.substr(start, behind - start)).append(":");
        if (text_[at_] == '[' && holds_items_(key)) return take_list(key);
        const std::size_t end = end_of_value(text_, at_);
        if (end > text_.size()) {
            out_.rest += "null";
            at_ = text_.size();
            return;
        }
        out_.rest.append(text_.substr(at_, end - at_));
        move_to(end);
    }

    void take_list(std::string_view key) {
        out_.rest += "[]";
        ++at_;
        for (std::size_t index = 0;; ++index) {
            skip_to_item();
            if (at_ >= text_.size()) return;
            if (text_[at_] == ']') {
                ++at_;
                return;
            }
            text_part part{key, index, {}, line_, static_cast<std::int32_t>(at_ - line_start_) + 1, false};
            const std::size_t end = end_of_value(text_, at_);
            part.cut = end > text_.size();
            part.text = text_.substr(at_, end - at_);
            out_.items.push_back(part);
            move_to(part.cut ? text_.size() : end);
        }
    }

    void skip_to_item() {
        skip_blanks();
        while (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            skip_blanks();
        }
    }

    void drop_rest() { at_ = text_.size(); }
    void keep_byte() {
        if (at_ < text_.size()) {
            out_.rest += text_[at_];
            move_to(at_ + 1);
        }
    }
    void skip_blanks() { move_to(gputide::skip_blanks(text_, at_)); }
    // Counts the lines up to `to`, without searching further: a whole list may be on one line.
    void move_to(std::size_t to) {
        const std::string_view passed = text_.substr(0, to);
        for (std::size_t i = passed.find('\n', at_); i < to; i = passed.find('\n', i + 1)) {
            ++line_;
            line_start_ = i + 1;
        }
        at_ = to;
    }

    std::string_view text_;
    bool (*holds_items_)(std::string_view);
    std::size_t at_ = 0;
    std::int32_t line_;
    std::size_t line_start_ = 0;
    split_text out_;
};

}  // namespace

split_text split_lists(std::string_view text, bool (*holds_items)(std::string_view), std::int32_t first_line) {
    return splitter(text, holds_items, first_line).split();
}

std::string_view member_text(std::string_view text, std::string_view name) {
    std::size_t at = skip_blanks(text, 0);
    if (at >= text.size() || text[at] != '{') return {};
    for (;;) {
        at = text.find_first_of("\"}", at + 1);
        if (at >= text.size() || text[at] == '}') return {};
        const std::size_t key_end = end_of_string(text, at);
        if (key_end > text.size()) return {};
        const std::string_view key = text.substr(at + 1, key_end - at - 2);
        at = skip_blanks(text, key_end);
        if (at >= text.size() || text[at] != ':') return {};
        at = skip_blanks(text, at + 1);
        if (at >= text.size()) return {};
        const std::size_t end = end_of_value(text, at);
        if (key == name) return text.substr(at, end - at);
        if (end > text.size()) return {};
        at = end - 1;
    }
}

std::string_view plain_member(std::string_view text, std::string_view name) {
    const std::string_view value = member_text(text, name);
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
    const std::string_view out = value.substr(1, value.size() - 2);
    return out.find('\\') == std::string_view::npos && valid_utf8(out) ? out : std::string_view();
}

}  // namespace gputide
