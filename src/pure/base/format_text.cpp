#include "base/format_text.hpp"

#include <charconv>

namespace gputide {

void append_text(std::string& out, std::string_view pattern, std::initializer_list<text_value> values) {
    for (const text_value& value : values) {
        const std::size_t place = pattern.find("{}");
        out += pattern.substr(0, place);
        value.append_to(out);
        pattern.remove_prefix(place + 2);
    }
    out += pattern;
}

namespace {

std::string fill(std::string_view pattern, std::initializer_list<text_value> values) {
    std::string out;
    append_text(out, pattern, values);
    return out;
}

}  // namespace

void text_value::append_to(std::string& out) const {
    if (text_ != nullptr) {
        out.append(text_, static_cast<std::size_t>(size_or_number_));
        return;
    }
    char digits[20];  // -9223372036854775808
    out.append(digits, std::to_chars(digits, digits + sizeof digits, size_or_number_).ptr);
}

std::string text_value::text() const {
    std::string out;
    append_to(out);
    return out;
}

std::string format_text(text_pattern<1> pattern, text_value a) { return fill(pattern.get(), {a}); }

std::string format_text(text_pattern<2> pattern, text_value a, text_value b) { return fill(pattern.get(), {a, b}); }

std::string format_text(text_pattern<3> pattern, text_value a, text_value b, text_value c) {
    return fill(pattern.get(), {a, b, c});
}

std::string format_text(text_pattern<4> pattern, text_value a, text_value b, text_value c, text_value d) {
    return fill(pattern.get(), {a, b, c, d});
}

std::string format_text(text_pattern<5> pattern, text_value a, text_value b, text_value c, text_value d, text_value e) {
    return fill(pattern.get(), {a, b, c, d, e});
}

std::string format_text(text_pattern<6> pattern, text_value a, text_value b, text_value c, text_value d, text_value e,
                        text_value f) {
    return fill(pattern.get(), {a, b, c, d, e, f});
}

std::string format_text(text_pattern<7> pattern, text_value a, text_value b, text_value c, text_value d, text_value e,
                        text_value f, text_value g) {
    return fill(pattern.get(), {a, b, c, d, e, f, g});
}

std::string format_text(text_pattern<8> pattern, text_value a, text_value b, text_value c, text_value d, text_value e,
                        text_value f, text_value g, text_value h) {
    return fill(pattern.get(), {a, b, c, d, e, f, g, h});
}

}  // namespace gputide
