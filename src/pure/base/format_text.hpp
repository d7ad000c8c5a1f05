// Texts with values: format_text("answered HTTP {} with {}", status, why).  The compiler counts the placeholders.  Hundreds
// of call sites build rare messages: each call site is kept small, and the formatting code is compiled once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gputide {

// A text or an integer, borrowed for the length of a call.
class text_value {
  public:
    text_value() : text_value("") {}
    // Inline, so that a literal's length is a constant.
    [[gnu::always_inline]] text_value(const char* text)  // NOLINT: implicit by design, as are the others
        : text_(text), size_or_number_(static_cast<std::int64_t>(std::char_traits<char>::length(text))) {}
    text_value(const std::string& text) : text_(text.data()), size_or_number_(static_cast<std::int64_t>(text.size())) {}
    text_value(std::string_view text)
        : text_(text.data() != nullptr ? text.data() : ""), size_or_number_(static_cast<std::int64_t>(text.size())) {}
    template <std::integral Number>
    requires(!std::same_as<Number, char> && !std::same_as<Number, bool>) text_value(Number number)
        : size_or_number_(static_cast<std::int64_t>(number)) {}

    void append_to(std::string& out) const;
    std::string text() const;

  private:
    const char* text_ = nullptr;  // null: a number
    std::int64_t size_or_number_;
};

// A text with `Places` placeholders "{}".  Does not compile with any other number of values.
template <std::size_t Places>
class text_pattern {
  public:
    consteval text_pattern(const char* pattern) : pattern_(pattern) {  // NOLINT: implicit by design
        const std::string_view text = pattern;
        std::size_t places = 0;
        for (std::size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}", at + 2)) ++places;
        if (places != Places) throw "one value for each {}";
    }
    const char* get() const { return pattern_; }

  private:
    const char* pattern_;
};

// Appends a pattern that has one "{}" for each value.
void append_text(std::string& out, std::string_view pattern, std::initializer_list<text_value> values);

// One function per number of values: values are passed in registers, and call sites share their code.
std::string format_text(text_pattern<1> pattern, text_value a);
std::string format_text(text_pattern<2> pattern, text_value a, text_value b);
std::string format_text(text_pattern<3> pattern, text_value a, text_value b, text_value c);
std::string format_text(text_pattern<4> pattern, text_value a, text_value b, text_value c, text_value d);
std::string format_text(text_pattern<5> pattern, text_value a, text_value b, text_value c, text_value d, text_value e);
std::string format_text(text_pattern<6> pattern, text_value a, text_value b, text_value c, text_value d, text_value e,
                        text_value f);
std::string format_text(text_pattern<7> pattern, text_value a, text_value b, text_value c, text_value d, text_value e,
                        text_value f, text_value g);
std::string format_text(text_pattern<8> pattern, text_value a, text_value b, text_value c, text_value d, text_value e,
                        text_value f, text_value g, text_value h);

}  // namespace gputide
