// One step while it is being put together: members go into the JSON, sentences into both.
#pragma once

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/observation.hpp"
#include "decide/trace/steps.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::decide {

class step_writer {
  public:
    explicit step_writer(std::string_view step) { json_.begin_object().member("step", step); }

    template <class Value>
    step_writer& member(std::string_view name, const Value& value) {
        json_.member(name, value);
        return *this;
    }
    // Left out where there is no such time.
    step_writer& time_left(std::string_view name, std::int64_t until_ms, std::int64_t now_ms) {
        if (until_ms != absent) json_.member(name, until_ms - now_ms);
        return *this;
    }
    template <class... Piece>
    step_writer& say(const Piece&... piece) {
        (text_.append(std::string_view(piece)), ...);
        return *this;
    }

    trace_step take() {
        json_.member("text", text_).end_object();
        return {json_.take(), std::move(text_)};
    }

  private:
    json_writer json_;
    std::string text_;
};

// Numbers of a sentence: 42.5, 0.667, 1e+21; thousandths without their tail.
inline std::string shown(double value) {
    if (std::abs(value) < 1e15) value = std::round(value * 1000.0) / 1000.0;
    return shortest(value + 0.0);
}
inline std::string shown(std::int64_t value) { return std::to_string(value); }
inline std::string shown(std::int32_t value) { return std::to_string(value); }

// "112 s" in the units of format_duration_ms, whole seconds rounded up: what has to be waited.
inline std::string shown_wait(std::int64_t wait_ms) { return format_duration_ms((wait_ms + 999) / 1000 * 1000); }

inline std::string counted(std::int32_t count, std::string_view one) {
    std::string out = std::to_string(count).append(" ").append(one);
    if (count != 1) out += 's';
    return out;
}

}  // namespace gputide::decide
