// Typed members of our own settings, in addition to config::mapping: numbers, durations, amounts, names.
#pragma once

#include "config/mapping.hpp"
#include "rightsize/estimate/amount.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::rightsize {

struct range {
    double least = 0.0;
    double highest = 0.0;
};

// Each leaves `into` unchanged if the member is absent, and adds an error if it is wrong.
void take_number(config::mapping& mapping, std::string_view name, range within, double& into);
void take_whole(config::mapping& mapping, std::string_view name, range within, std::int64_t& into);
void take_whole(config::mapping& mapping, std::string_view name, range within, std::int32_t& into);
void take_flag(config::mapping& mapping, std::string_view name, bool& into);
void take_text(config::mapping& mapping, std::string_view name, std::string& into);

// Reads bytes as a Kubernetes quantity: 80Gi, 80G, 85899345920.
void take_bytes(config::mapping& mapping, std::string_view name, amount& bytes);

// Sets the index in `words`; unchanged if the member is absent.
void take_word(config::mapping& mapping, std::string_view name, std::span<const char* const> words, std::size_t& into);

}  // namespace gputide::rightsize
