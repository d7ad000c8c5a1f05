// Writes one step: members to the JSON, the sentence to both forms.
#pragma once

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/observation.hpp"
#include "decide/trace/report.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::decide {

class step_writer {
  public:
    step_writer(step_sink& sink, std::string_view step) : sink_(sink), step_(step) {
        sink_.sentence.clear();
        if (sink_.json != nullptr) sink_.json->begin_object().member("step", step);
    }
    step_writer(const step_writer&) = delete;
    step_writer& operator=(const step_writer&) = delete;

    template <class Value>
    step_writer& member(std::string_view name, const Value& value) {
        if (sink_.json != nullptr) sink_.json->member(name, value);
        return *this;
    }
    // Writes the time left; leaves the member out if the time is absent.
    step_writer& time_left(std::string_view name, std::int64_t until_ms, std::int64_t now_ms) {
        return until_ms == absent ? *this : member(name, until_ms - now_ms);
    }
    template <class... Piece>
    step_writer& say(const Piece&... piece) {
        (sink_.sentence.append(std::string_view(piece)), ...);
        return *this;
    }

    void done() {
        if (sink_.json != nullptr) sink_.json->member("text", sink_.sentence).end_object();
        if (sink_.texts != nullptr) sink_.texts->push_back({step_, sink_.sentence});
    }

  private:
    step_sink& sink_;
    std::string_view step_;  // a literal
};

// Formats a number for a sentence: 42.5, 0.667, 1e+21; rounded to thousandths, without trailing zeros.
inline std::string shown(double value) {
    if (std::abs(value) < 1e15) value = std::round(value * 1000.0) / 1000.0;
    return shortest(value + 0.0);
}
inline std::string shown(std::int64_t value) { return std::to_string(value); }
inline std::string shown(std::int32_t value) { return std::to_string(value); }

// Formats a waiting time such as "112 s" in the units of format_duration_ms, rounded up to whole seconds.
inline std::string shown_wait(std::int64_t wait_ms) { return format_duration_ms((wait_ms + 999) / 1000 * 1000); }

inline std::string counted(std::int32_t count, std::string_view name) {
    std::string out = std::to_string(count).append(" ").append(name);
    if (count != 1) out += 's';
    return out;
}

}  // namespace gputide::decide
