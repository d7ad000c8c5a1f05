#include "config/own/value.hpp"

#include "base/limits.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <cmath>

namespace gputide::config {
namespace {

// A finite number of at least `least`.
std::optional<double> read_number(std::string_view value, double least) {
    const std::optional<double> read = parse_json_number(value);
    if (!read || !std::isfinite(*read) || *read < least) return std::nullopt;
    return read;
}

}  // namespace

bool read_flag(std::string_view value, bool& flag) {
    const std::optional<bool> read = parse_go_bool(value);
    if (read) flag = *read;
    return read.has_value();
}

bool read_amount(std::string_view value, double& amount) {
    const std::optional<double> read = read_number(value, 0.0);
    if (read) amount = *read;
    return read.has_value();
}

bool read_threshold(std::string_view value, std::optional<double>& threshold) {
    threshold = read_number(value, -std::numeric_limits<double>::max());
    return threshold.has_value();
}

bool read_duration(std::string_view value, std::int64_t most_ms, std::int64_t& ms) {
    const std::optional<std::int64_t> read = parse_go_duration_ms(value);
    if (!read || *read < 0 || *read > most_ms) return false;
    ms = *read;
    return true;
}

bool read_gpus(std::string_view value, std::int64_t& milli) {
    const result<quantity> read = parse_quantity(value);
    if (!read || read->milli <= 0 || read->milli_overflow) return false;
    milli = read->milli;
    return true;
}

bool read_count(std::string_view value, std::int64_t least, std::int32_t& count) {
    const std::optional<std::int64_t> read = parse_int64(value);
    if (!read || *read < least || *read > limits::max_replicas) return false;
    count = static_cast<std::int32_t>(*read);
    return true;
}

bool read_seconds(std::string_view value, std::int32_t& seconds) {
    std::int64_t ms = 0;
    constexpr std::int64_t most_ms = 86'400'000;
    if (!read_duration(value, most_ms, ms) || ms % 1000 != 0) return false;
    seconds = static_cast<std::int32_t>(ms / 1000);
    return true;
}

bool read_long_duration(std::string_view value, double least_ms, double most_ms, std::int64_t& ms) {
    constexpr std::int64_t day_ms = 86'400'000;
    std::optional<std::int64_t> read;
    if (value.ends_with('d')) {
        const std::optional<std::int64_t> days = parse_int64(value.substr(0, value.size() - 1));
        if (days && *days >= 0 && *days <= 10'000) read = *days * day_ms;
    } else {
        read = parse_go_duration_ms(value);
    }
    if (!read || static_cast<double>(*read) < least_ms || static_cast<double>(*read) > most_ms) return false;
    ms = *read;
    return true;
}

bool read_percent(std::string_view value, double least, double most, double& percent) {
    const std::optional<double> read = read_number(value, least);
    if (!read || *read > most) return false;
    percent = *read;
    return true;
}

}  // namespace gputide::config
