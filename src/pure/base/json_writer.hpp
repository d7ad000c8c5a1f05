// Writes JSON text: reports, traces, error details.  It adds commas and escapes; the caller chooses the order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gputide {

class json_writer {
  public:
    json_writer& begin_object();
    json_writer& end_object();
    json_writer& begin_array();
    json_writer& end_array();
    json_writer& key(std::string_view name);

    json_writer& string(std::string_view text);  // invalid UTF-8 becomes U+FFFD
    json_writer& number(double value);           // shortest text that reads back; NaN and infinities become null
    json_writer& integer(std::int64_t value);
    json_writer& boolean(bool value);
    json_writer& null();
    json_writer& raw(std::string_view json);  // already JSON

    // Writes key and value: member("desired_replicas", 6).
    template <class T>
    json_writer& member(std::string_view name, const T& value) {
        key(name);
        if constexpr (std::is_same_v<T, bool>) {
            return boolean(value);
        } else if constexpr (std::is_floating_point_v<T>) {
            return number(value);
        } else if constexpr (std::is_integral_v<T>) {
            return integer(static_cast<std::int64_t>(value));
        } else {
            return string(value);
        }
    }

    const std::string& text() const { return out_; }
    std::string take() { return std::move(out_); }

    // Clears the text and keeps its memory.
    void clear() {
        out_.clear();
        needs_comma_ = false;
    }

  private:
    void separate();

    std::string out_;
    bool needs_comma_ = false;
};

}  // namespace gputide
