// Reads a text of fixed form byte by byte: literals, numbers, strings and lists in a fixed order.  It allocates nothing
// and never throws; after a mismatch everything else reads as nothing.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace gputide {

// No saved time is farther from 1970, in milliseconds: sums of a few times cannot overflow.
inline constexpr std::int64_t farthest_time_ms = 9'000'000'000'000'000;

// The rest of the text, and whether all of it so far was as expected.  After a failure everything reads as nothing.
class text_cursor {
  public:
    explicit text_cursor(std::string_view text) : rest_(text) {}

    bool ok() const { return ok_; }
    bool at_end() const { return ok_ && rest_.empty(); }
    void refuse() { ok_ = false; }
    void end_before(std::size_t tail) { rest_.remove_suffix(std::min(tail, rest_.size())); }

    bool take(std::string_view expected) {
        if (!ok_ || !rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    text_cursor& expect(std::string_view expected) {
        if (!take(expected)) ok_ = false;
        return *this;
    }

    template <class Number>
    Number number() {
        Number value{};
        const auto [end, bad] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (!ok_ || bad != std::errc{}) {
            ok_ = false;
            return Number{};
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }
    bool boolean() {
        if (take("true")) return true;
        expect("false");
        return false;
    }
    std::int64_t time() {
        const auto value = number<std::int64_t>();
        if (value > farthest_time_ms || value < -farthest_time_ms) ok_ = false;
        return ok_ ? value : 0;
    }
    std::int64_t time_or_null(std::int64_t absent) { return take("null") ? absent : time(); }

    // Reads a number between 0 and `last`.
    template <class Enum>
    Enum code(Enum last) {
        const auto value = number<std::int32_t>();
        if (value < 0 || value > static_cast<std::int32_t>(last)) ok_ = false;
        return ok_ ? static_cast<Enum>(value) : Enum{};
    }

    // Reads a JSON string with its quotes and escapes, as written.
    std::string_view raw_string() {
        if (!ok_ || !rest_.starts_with('"')) return refuse(), std::string_view{};
        std::size_t at = 1;
        while (at < rest_.size() && rest_[at] != '"') at += rest_[at] == '\\' ? std::size_t{2} : std::size_t{1};
        if (at >= rest_.size()) return refuse(), std::string_view{};
        const std::string_view out = rest_.substr(0, at + 1);
        rest_.remove_prefix(at + 1);
        return out;
    }

    // Reads [item,item,...]: calls read_item() for each, which must read exactly one item.
    template <class Item>
    void list(std::size_t most, Item read_item) {
        expect("[");
        if (take("]")) return;
        for (std::size_t count = 0; ok_; ++count) {
            if (count == most) ok_ = false;
            read_item();
            if (take("]")) return;
            expect(",");
        }
    }

  private:
    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace gputide
