// What differs between the makers of GPUs beside the calls: names, what codes mean, what can be asked for.  The rest of this folder is the
// same for all of them: the library of another one fills the table of calls.hpp, as amd/ does.
#pragma once

#include "base/error.hpp"
#include "config/field.hpp"
#include "source/gpu/quantity.hpp"

#include <span>
#include <string_view>

namespace gputide::source::nvml {

struct code_meaning {
    code said;
    error_class kind;
    std::string_view remedy;
};

struct vendor {
    std::string_view type;           // of triggers: "nvml"
    std::string_view driver;         // "the NVIDIA driver"
    std::string_view library;        // whose codes are shown: "NVML"
    std::string_view sample;         // what a single sample of a share of time is
    std::string_view when_it_hangs;  // what to do then
    std::span<const code_meaning> meanings;
    std::span<const std::string_view> metrics;  // of quantities(), those that it has; empty: all
    std::span<const config::field> keys;
    code (*own_code)(code) = nullptr;  // the library's number of a code of calls.hpp; null: the same

    const quantity* quantity_named(std::string_view name) const;  // null: it does not have it
    bool has_key(std::string_view name) const;
};

extern const vendor nvidia;

}  // namespace gputide::source::nvml
