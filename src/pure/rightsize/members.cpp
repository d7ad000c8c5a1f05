#include "rightsize/members.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

#include <cmath>
#include <optional>

namespace gputide::rightsize {
namespace {

std::optional<double> number_in(config::mapping& mapping, std::string_view name, range within) {
    const std::optional<std::string> text = mapping.quantity(name);
    if (!text) return std::nullopt;
    const std::optional<double> read = parse_json_number(*text);
    if (read && *read >= within.least && *read <= within.highest) return read;
    mapping.error(name, "out-of-range",
                  format_text("{}: expected a number of {} to {}, got {}", name, shortest(within.least),
                              shortest(within.highest), in_quotes(*text)));
    return std::nullopt;
}

}  // namespace

void take_number(config::mapping& mapping, std::string_view name, range within, double& into) {
    into = number_in(mapping, name, within).value_or(into);
}

void take_whole(config::mapping& mapping, std::string_view name, range within, std::int64_t& into) {
    const std::optional<double> read = number_in(mapping, name, within);
    if (!read) return;
    if (*read != std::floor(*read)) {
        mapping.error(name, "wrong-type", format_text("{}: expected a whole number, got {}", name, shortest(*read)));
        return;
    }
    into = static_cast<std::int64_t>(*read);
}

void take_whole(config::mapping& mapping, std::string_view name, range within, std::int32_t& into) {
    std::int64_t read = into;
    take_whole(mapping, name, within, read);
    into = static_cast<std::int32_t>(read);
}

void take_flag(config::mapping& mapping, std::string_view name, bool& into) {
    into = mapping.flag(name).value_or(into);
}

void take_text(config::mapping& mapping, std::string_view name, std::string& into) {
    into = mapping.text(name).value_or(into);
}

void take_bytes(config::mapping& mapping, std::string_view name, amount& bytes) {
    const std::optional<std::string> text = mapping.quantity(name);
    if (!text) return;
    const result<quantity> read = parse_quantity(*text);
    if (read && read->value_up >= 0 && read->value_up <= most) {
        bytes = read->value_up;
        return;
    }
    mapping.error(name, "wrong-type",
                  format_text("{}: expected bytes such as 80Gi, up to 100T, got {}", name, in_quotes(*text)));
}

void take_word(config::mapping& mapping, std::string_view name, std::span<const char* const> words, std::size_t& into) {
    const std::optional<std::string> text = mapping.text(name);
    if (!text) return;
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (*text == words[i]) {
            into = i;
            return;
        }
        all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
    }
    mapping.error(name, "unknown-value", format_text("{}: expected {}, got {}", name, all, in_quotes(*text)));
}

}  // namespace gputide::rightsize
