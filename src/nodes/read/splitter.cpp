#include "nodes/read/splitter.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {
namespace {

constexpr std::string_view blanks = " \t\r\n";

class splitter {
  public:
    splitter(std::string_view text, std::int32_t first_line) : text_(text), line_(first_line) {}

    split_text split() {
        out_.first_line = line_;
        move_to(text_.find('{'));
        keep_byte();
        while (at_ < text_.size() && text_[at_] != '}') one_member();
        if (at_ >= text_.size()) {
            out_.cut = true;
            out_.rest += '}';
        } else {
            keep_byte();  // its '}'
        }
        out_.behind = at_;
        return std::move(out_);
    }

  private:
    // Keeps bytes up to the next member's value, then takes the value apart or keeps it.
    void one_member() {
        if (text_[at_] != '"') return keep_byte();
        const std::size_t start = at_;
        const std::size_t behind = end_of_string(at_);
        const std::string_view key = text_.substr(start + 1, behind - start - 2);
        at_ = behind;
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != ':') return drop_rest();
        ++at_;
        skip_blanks();
        if (at_ >= text_.size()) return drop_rest();
        out_.rest.append(text_.substr(start, behind - start)).append(":");
        if (text_[at_] == '[' && holds_items(key)) return take_list(key);
        const std::size_t end = end_of_value(at_);
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
            text_part one{key, index, {}, line_, static_cast<std::int32_t>(at_ - line_start_) + 1, false};
            const std::size_t end = end_of_value(at_);
            one.cut = end > text_.size();
            one.text = text_.substr(at_, end - at_);
            out_.items.push_back(one);
            move_to(one.cut ? text_.size() : end);
        }
    }

    void skip_to_item() {
        skip_blanks();
        while (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            skip_blanks();
        }
    }

    // Behind the value at `from`; beyond the text where that ends first.  An item that is no object ends before , or ].
    std::size_t end_of_value(std::size_t from) const {
        if (text_[from] == '"') return end_of_string(from);
        if (text_[from] != '{' && text_[from] != '[') {
            const std::size_t end = text_.find_first_of(",]} \t\r\n", from + 1);
            return end == std::string_view::npos ? text_.size() + 1 : end;
        }
        std::size_t depth = 0;
        for (std::size_t i = from; i < text_.size(); ++i) {
            const char c = text_[i];
            if (c == '"') {
                i = end_of_string(i) - 1;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if ((c == '}' || c == ']') && --depth == 0) {
                return i + 1;
            }
        }
        return text_.size() + 1;
    }

    // Behind the closing quote.
    std::size_t end_of_string(std::size_t from) const {
        std::size_t i = text_.find_first_of("\"\\", from + 1);
        while (i < text_.size() && text_[i] == '\\') i = text_.find_first_of("\"\\", i + 2);
        return i < text_.size() ? i + 1 : text_.size() + 1;
    }

    void drop_rest() { at_ = text_.size(); }
    void keep_byte() {
        if (at_ < text_.size()) {
            out_.rest += text_[at_];
            move_to(at_ + 1);
        }
    }
    void skip_blanks() {
        const std::size_t to = text_.find_first_not_of(blanks, at_);
        move_to(to == std::string_view::npos ? text_.size() : to);
    }
    // Looks no further than it goes: a list may stand on one line.
    void move_to(std::size_t to) {
        const std::string_view passed = text_.substr(0, to);
        for (std::size_t i = passed.find('\n', at_); i < to; i = passed.find('\n', i + 1)) {
            ++line_;
            line_start_ = i + 1;
        }
        at_ = to;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::int32_t line_;
    std::size_t line_start_ = 0;
    split_text out_;
};

}  // namespace

bool holds_items(std::string_view member) {
    static constexpr std::array<std::string_view, 8> lists{
        "agentPoolProfiles", "events", "groups", "items", "nodes", "pods", "pools", "value"};
    return std::find(lists.begin(), lists.end(), member) != lists.end();
}

split_text split_lists(std::string_view text, std::int32_t first_line) { return splitter(text, first_line).split(); }

}  // namespace gputide::nodes
